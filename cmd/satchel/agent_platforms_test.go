//go:build unix

package main

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/aaif/aaiftest"
)

// Whose name a migration token is for is not left to whoever answers at an address.
func TestAgentMigrateName(t *testing.T) {
	there, base, ca, _ := atHome(t)
	here := newParty(t, t.Context())
	dir := t.TempDir()
	clerk, state, key := filepath.Join(dir, "clerk.json"), filepath.Join(dir, "run.json"), filepath.Join(dir, "ours.key")
	put(t, clerk, aaiftest.Definition(aaiftest.AgentID, ""), time.Now())
	put(t, state, aaiftest.Checkpoint().Append(nil), time.Now())
	here.does(exitDone, "agent", "add", clerk)
	here.does(exitDone, "keys", "show", "-o", key)
	there.does(exitDone, "trust", "add", here.producer, key)
	there.does(exitDone, "agent", "add", clerk)
	h, _, err := here.app.existing()
	if err != nil {
		t.Fatal(err)
	}
	args := []string{"agent", "migrate", state, "--to", base, "--ca", ca}
	t.Run("AAIF-8.2-8 a name that is another platform's", func(t *testing.T) {
		if err := h.remember("https://bank.example", there.producer); err != nil {
			t.Fatal(err)
		}
		if said := here.does(exitRefused, args...); !strings.Contains(said, "TOKEN_AUDIENCE") || !strings.Contains(said, "https://bank.example") {
			t.Error(said)
		}
	})
	t.Run("AAIF-8.2-8 a name that it did not have before", func(t *testing.T) {
		if err := h.remember("https://bank.example", "bank"); err != nil {
			t.Fatal(err)
		}
		if err := h.remember(base, "another"); err != nil {
			t.Fatal(err)
		}
		if said := here.does(exitRefused, args...); !strings.Contains(said, "TOKEN_AUDIENCE") || !strings.Contains(said, `"another"`) {
			t.Error(said)
		}
	})
	t.Run("AAIF-8.2-8 the name that it is expected to have is remembered", func(t *testing.T) {
		if said := here.does(exitRefused, append(args, "--audience", "elsewhere")...); !strings.Contains(said, "until") {
			t.Errorf("nothing says what becomes of the token: %s", said)
		}
		here.does(exitDone, append(args, "--audience", there.producer)...)
		if known, err := h.readPlatforms(); err != nil || known[base] != there.producer {
			t.Errorf("remembered %v, %v", known, err)
		}
	})
}
