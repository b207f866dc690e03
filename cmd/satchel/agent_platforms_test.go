//go:build unix

package main

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/aaif/aaiftest"
	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/cli/agent"
	"github.com/satchel-memory/satchel/internal/cli/clitest"
)

// Whose name a migration token is for is not left to whoever answers at an address.
func TestAgentMigrateName(t *testing.T) {
	t.Parallel()
	there, base, ca, _ := atHome(t)
	here := newParty(t, t.Context())
	dir := t.TempDir()
	clerk, state, key := filepath.Join(dir, "clerk.json"), filepath.Join(dir, "run.json"), filepath.Join(dir, "ours.key")
	clitest.Put(t, clerk, aaiftest.Definition(aaiftest.AgentID, ""), time.Now())
	clitest.Put(t, state, aaiftest.Checkpoint().Append(nil), time.Now())
	here.does(cli.ExitDone, "agent", "add", clerk)
	here.does(cli.ExitDone, "keys", "show", "-o", key)
	there.does(cli.ExitDone, "trust", "add", here.producer, key)
	there.does(cli.ExitDone, "agent", "add", clerk)
	h, _, err := here.app.ExistingStore()
	if err != nil {
		t.Fatal(err)
	}
	args := []string{"agent", "migrate", state, "--to", base, "--ca", ca}
	t.Run("AAIF-8.2-8 a name that is another platform's", func(t *testing.T) {
		if err := agent.RememberPlatform(h, "https://bank.example", there.producer); err != nil {
			t.Fatal(err)
		}
		if said := here.does(cli.ExitRefused, args...); !strings.Contains(said, "TOKEN_AUDIENCE") || !strings.Contains(said, "https://bank.example") {
			t.Error(said)
		}
	})
	t.Run("AAIF-8.2-8 a name that it did not have before", func(t *testing.T) {
		if err := agent.RememberPlatform(h, "https://bank.example", "bank"); err != nil {
			t.Fatal(err)
		}
		if err := agent.RememberPlatform(h, base, "another"); err != nil {
			t.Fatal(err)
		}
		if said := here.does(cli.ExitRefused, args...); !strings.Contains(said, "TOKEN_AUDIENCE") || !strings.Contains(said, `"another"`) {
			t.Error(said)
		}
	})
	t.Run("AAIF-8.2-8 the name that it is expected to have is remembered", func(t *testing.T) {
		if said := here.does(cli.ExitRefused, append(args, "--audience", "elsewhere")...); !strings.Contains(said, "until") {
			t.Errorf("nothing says what becomes of the token: %s", said)
		}
		here.does(cli.ExitDone, append(args, "--audience", there.producer)...)
		if known, err := agent.ReadPlatforms(h); err != nil || known[base] != there.producer {
			t.Errorf("remembered %v, %v", known, err)
		}
	})
}
