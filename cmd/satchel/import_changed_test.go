//go:build unix

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/cli"
)

// TestImportOfWhatChanges: a file that somebody writes to while it is read may come in as
// a mixture, and that is said.
func TestImportOfWhatChanges(t *testing.T) {
	t.Parallel()
	p := elsewhere(t)
	path := filepath.Join(t.TempDir(), "notes.json")
	turn := 0
	write := func() {
		turn++
		if err := os.WriteFile(path, fmt.Appendf(nil, `[{"id":"1","memory":"turn %09d","created_at":"2026-01-01T00:00:00Z"}]`, turn), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write()
	if code, out, said := p.run("import", path); code != cli.ExitDone || strings.Contains(said, "changed while") {
		t.Fatalf("at rest it ends with %d: %s%s", code, out, said)
	}
	write()
	now := p.a.Now
	p.a.Now = func() time.Time { write(); return now() }
	code, out, said := p.run("import", path)
	if code != cli.ExitInvalid || !strings.Contains(said, "was changed while it was read") || !strings.Contains(said, "satchel import --undo 2") {
		t.Errorf("it ends with %d: %s%s", code, out, said)
	}
}
