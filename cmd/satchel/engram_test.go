//go:build unix

package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/internal/cli"
)

// TestEngramCommands uses the program's own server as any runtime would.
func TestEngramCommands(t *testing.T) {
	t.Parallel()
	base, _, b, out, said := started(t)
	does := func(t *testing.T, want int, args ...string) string {
		t.Helper()
		out.Reset()
		if code := run(b, args); code != want {
			t.Fatalf("%v ends with %d: %s %s", args, code, out, said)
		}
		return out.String()
	}
	token := filepath.Join(t.TempDir(), "token")
	text := does(t, cli.ExitDone, "token", "mint", "--runtime", "notes", "--scope", "full", "-q")
	if err := os.WriteFile(token, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	does(t, cli.ExitDone, "remember", "I write short mails.")
	t.Run("ENGRAM-5-8 ENGRAM-5-5 context prints the text for a model", func(t *testing.T) {
		got := does(t, cli.ExitDone, "engram", "context", base, "--token-file", token)
		if !strings.HasPrefix(got, "User: ") || !strings.Contains(got, "What I know about this user:\n- ") || !strings.Contains(got, "short mails") {
			t.Errorf("%s", got)
		}
		if got := does(t, cli.ExitDone, "engram", "context", base+"/", "--token-file", token, "--framed"); !strings.Contains(got, `trust="untrusted-data"`) {
			t.Errorf("%s", got)
		}
	})
	var verdict struct {
		Trust   string
		Beliefs int
	}
	t.Run("ENGRAM-5-8 verify says how far it is to be trusted", func(t *testing.T) {
		if err := json.Unmarshal([]byte(does(t, cli.ExitDone, "engram", "verify", base, "--token-file", token, "--json")), &verdict); err != nil || verdict.Trust != "verified" || verdict.Beliefs != 1 {
			t.Errorf("%+v, %v", verdict, err)
		}
		does(t, cli.ExitRefused, "engram", "verify", base, "--token-file", token, "--issuer", "https://elsewhere.example")
	})
	t.Run("ENGRAM-5-8 sync tells what changed", func(t *testing.T) {
		got := does(t, cli.ExitDone, "engram", "sync", base, "--token-file", token, "--since", "2020-01-01T00:00:00Z")
		if !strings.HasPrefix(got, "added ") || !strings.Contains(got, "short mails") {
			t.Errorf("%s", got)
		}
		does(t, cli.ExitDone, "engram", "sync", base, "--token-file", token)
	})
	t.Run("ENGRAM-5-8 correct proposes", func(t *testing.T) {
		id := strings.Fields(does(t, cli.ExitDone, "engram", "sync", base, "--token-file", token, "--since", "2020-01-01T00:00:00Z"))[1]
		if got := does(t, cli.ExitDone, "engram", "correct", base, id, "I write long mails.", "--runtime", "notes", "--token-file", token); len(strings.TrimSpace(got)) != 36 {
			t.Errorf("%s", got)
		}
		if got := does(t, cli.ExitDone, "engram", "context", base, "--token-file", token); strings.Contains(got, "long mails") {
			t.Errorf("it counts at once: %s", got)
		}
	})
	t.Run("correct takes what people see of a belief", func(t *testing.T) {
		id := strings.TrimSpace(does(t, cli.ExitDone, "belief", "add", "desk", "by the window", "--category", "custom"))
		for _, arg := range []string{"desk", id[:8]} {
			does(t, cli.ExitDone, "engram", "correct", base, arg, "by the door", "--runtime", "notes", "--token-file", token)
			if got := does(t, cli.ExitDone, "belief"); !strings.Contains(got, "by the door (correction ") {
				t.Errorf("%s: %s", arg, got)
			}
			does(t, cli.ExitDone, "corrections", "reject", regexp.MustCompile(`(\S+)  desk `).FindStringSubmatch(does(t, cli.ExitDone, "corrections"))[1])
		}
		does(t, cli.ExitFailed, "engram", "correct", base, "chair", "red", "--runtime", "notes", "--token-file", token)
		does(t, cli.ExitDone, "belief", "delete", id)
	})
	t.Run("a file is no store", func(t *testing.T) {
		does(t, cli.ExitUsage, "engram", "verify", "me.engram.json", "--token-file", token)
		if !strings.Contains(said.String(), `"me.engram.json" is not the address of a store`) {
			t.Errorf("%s", said)
		}
	})
	t.Run("a token is never on the command line", func(t *testing.T) {
		does(t, cli.ExitUsage, "engram", "verify", base)
		does(t, cli.ExitUsage, "engram", "verify", base, "--token", "x")
	})
	t.Run("ENGRAM-6-6 conformance names tier and listing", func(t *testing.T) {
		got := does(t, cli.ExitDone, "conformance", "engram", base, "--own", "--strict")
		if !strings.Contains(got, "tier Full") || !strings.Contains(got, "to list it: ") || !strings.Contains(got, base) {
			t.Errorf("%s", got)
		}
		does(t, cli.ExitUsage, "conformance", "engram", base, "--own", "--only", "77")
	})
}
