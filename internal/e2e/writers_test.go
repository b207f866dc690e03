package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// TestTwoWriters has two processes revise one memory at once: one wins, and the other
// is told. A fork that another copy of the store brings is shown as one.
func TestTwoWriters(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	id := strings.TrimSpace(h.run("remember", "-q", "The lamp is on."))
	if err := os.CopyFS(filepath.Join(h.dir, "copy"), os.DirFS(filepath.Join(h.dir, "store"))); err != nil {
		t.Fatal(err)
	}
	keys, _ := filepath.Glob(filepath.Join(h.dir, "copy", "keys", "*"))
	for _, key := range keys {
		if err := os.Chmod(key, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var wg sync.WaitGroup
	var errs [2]error
	for i := range errs {
		s := h.connect()
		wg.Go(func() {
			defer s.Close()
			_, errs[i] = s.call("ump.revise", `{"id":"`+id+`","patch":{"text":"The lamp is off, says `+string(rune('a'+i))+`."}}`)
		})
	}
	wg.Wait()
	if (errs[0] == nil) == (errs[1] == nil) {
		t.Fatalf("UMP-3.5-11 one of two writers wins: %v", errs)
	}
	for _, err := range errs {
		if err != nil && !strings.Contains(err.Error(), "revise the new one") {
			t.Errorf("the other is not told: %v", err)
		}
	}
	const mark = "one of several current versions"
	if list := h.run("list"); strings.Contains(list, mark) {
		t.Errorf("a fork where there is none:\n%s", list)
	}
	h.run("--store", filepath.Join(h.dir, "copy"), "revise", id, "--text", "The lamp is broken.")
	h.run("--store", filepath.Join(h.dir, "copy"), "export", "-q", "-o", "copy.json")
	h.run("import", "copy.json")
	for _, command := range [][]string{{"list"}, {"history", id}} {
		if shown := h.run(command...); strings.Count(shown, mark) != 2 {
			t.Errorf("satchel %s does not show the fork:\n%s", command[0], shown)
		}
	}
}
