//go:build unix

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/cli"
)

func TestOwnUnderAnotherAddress(t *testing.T) {
	t.Parallel()
	p, base, token, _ := stated(t)
	_, document := fetch(t, base+"/v1/context", token)
	dir := t.TempDir()
	good, altered := filepath.Join(dir, "good.json"), filepath.Join(dir, "altered.json")
	for path, text := range map[string][]byte{good: document, altered: bytes.Replace(document, []byte("short, direct"), []byte("short, diverse"), 1)} {
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	wants := func(t *testing.T, by *tried, status int, want string, args ...string) {
		t.Helper()
		if code, out, said := by.run(args...); code != status || !strings.Contains(out+said, want) {
			t.Errorf("%v ends with %d: %s%s", args, code, out, said)
		}
	}
	t.Run("ENGRAM-3.8-26 what this store signed is its own under whatever address it was reached by", func(t *testing.T) {
		wants(t, p, cli.ExitDone, "of this store (as "+base+")", "verify", good)
		wants(t, p, cli.ExitDone, `"under_another_address": true`, "verify", good, "--json")
		wants(t, p, cli.ExitDone, "of this store (as "+base+")", "import", "-n", good)
	})
	t.Run("ENGRAM-3.8-26 it is not that of the issuer that was asked for", func(t *testing.T) {
		wants(t, p, cli.ExitInvalid, "issuer mismatch", "verify", good, "--issuer", "https://memory.example")
	})
	t.Run("ENGRAM-3.8-13 one that has ended is refused for that", func(t *testing.T) {
		now := p.a.Now
		defer func() { p.a.Now = now }()
		p.a.Now = func() time.Time { return now().AddDate(0, 2, 0) }
		wants(t, p, cli.ExitInvalid, "expired", "verify", good)
	})
	t.Run("ENGRAM-3.8-12 a name of a key proves nothing", func(t *testing.T) {
		wants(t, p, cli.ExitRefused, "issuer not known: "+base, "verify", altered)
		wants(t, elsewhere(t), cli.ExitRefused, "issuer not known: "+base, "verify", good)
	})
}
