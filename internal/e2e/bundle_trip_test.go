package e2e

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
)

// told is what an import of a bundle prints for machines.
type told struct {
	Chunks, Inserted, Updated, Skipped int
	Rejected                           []json.RawMessage
}

func (h *home) takes(path string) (r told) {
	h.Helper()
	if err := json.Unmarshal([]byte(h.run("import", "--json", path)), &r); err != nil {
		h.Fatal(err)
	}
	return r
}

// leaves exports everything as a bundle and returns where it is.
func (h *home) leaves(name string) string {
	h.Helper()
	path := filepath.Join(h.TempDir(), name)
	h.run("export", "--to", "aimem", "-o", path)
	return path
}

// TestBundleThereAndBack carries a brain to another owner's store and back again.
func TestBundleThereAndBack(t *testing.T) {
	t.Parallel()
	small, _ := brain{chunks: 20, edges: 10}.file(t)
	a, b := newHome(t), newHome(t)
	a.takes(small)
	first := id(a.run("remember", "The kettle is blue."))
	a.run("revise", first, "--text", "The kettle is green.")
	a.run("remember", "Who I am is nobody's business.", "--kind", "identity")
	out := a.leaves("out.aimem.json")
	if r := b.takes(out); r.Inserted != 22 || len(r.Rejected) > 0 {
		t.Fatalf("there: %+v", r)
	}
	if r := b.takes(out); r.Skipped != 22 {
		t.Errorf("there again: %+v", r)
	}
	b.run("remember", "The other one says this.")
	before := a.stored()
	if r := a.takes(b.leaves("back.aimem.json")); r.Inserted != 1 || r.Skipped != 22 || r.Updated != 0 || len(r.Rejected) > 0 {
		t.Errorf("back: %+v", r)
	}
	after := a.stored()
	if len(after) != len(before)+1 || !after["The other one says this."] {
		t.Errorf("%d memories became %d", len(before), len(after))
	}
	if r := b.takes(a.leaves("again.aimem.json")); r.Inserted != 0 || r.Updated != 0 || len(r.Rejected) > 0 {
		t.Errorf("there once more: %+v", r)
	}
	for _, h := range []*home{a, b} {
		h.run("doctor")
	}
}

// TestBundleTwiceAtOnce has two processes take in the same bundle at the same time.
func TestBundleTwiceAtOnce(t *testing.T) {
	t.Parallel()
	b := brain{chunks: 500, edges: 250}
	path, _ := b.file(t)
	h := newHome(t)
	var reports [2]told
	var wait sync.WaitGroup
	for i := range reports {
		wait.Go(func() {
			out, errs, err := h.try("import", "--json", path)
			if err == nil {
				err = json.Unmarshal([]byte(out), &reports[i])
			}
			if err != nil {
				t.Errorf("%v: %s", err, errs)
			}
		})
	}
	wait.Wait()
	if reports[0].Inserted+reports[1].Inserted != b.chunks || reports[0].Skipped+reports[1].Skipped != b.chunks {
		t.Errorf("%+v", reports)
	}
	if n := h.chunks(); n != b.chunks {
		t.Errorf("%d chunks are there, want %d", n, b.chunks)
	}
	h.run("doctor")
}

// TestErasureKilled kills the server as soon as it has said that everything is
// erased.
func TestErasureKilled(t *testing.T) {
	t.Parallel()
	h, _ := newDoomed(t)
	small, _ := brain{chunks: 200, edges: 50}.file(t)
	h.takes(small)
	config, err := os.ReadFile(filepath.Join(h.dir, "store", "config.json"))
	if err != nil {
		t.Fatal(err)
	}
	token, err := os.ReadFile(filepath.Join(h.dir, "store", "token"))
	if err != nil {
		t.Fatal(err)
	}
	server := &replica{home: h, name: "the server"}
	server.start()
	did := regexp.MustCompile(`did:key:\w+`).FindString(string(config))
	r, err := http.NewRequestWithContext(t.Context(), http.MethodDelete, "http://"+server.at()+"/v1/brain?confirm="+did, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+strings.TrimSpace(string(token)))
	answer, err := http.DefaultClient.Do(r)
	server.kill()
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		t.Fatalf("status %d", answer.StatusCode)
	}
	t.Run("AIMEM-5.2-5 what was erased stays so, whatever happens then", func(t *testing.T) {
		if found := h.tracks(); len(found) > 0 {
			t.Errorf("what was erased is in %v", found)
		}
		data, err := os.ReadFile(h.leaves("after.aimem.json"))
		if err != nil || !strings.Contains(string(data), `"chunks":[]`) || !strings.Contains(string(data), `"entities":[]`) {
			t.Errorf("this leaves: %.500s, %v", data, err)
		}
		again := &replica{home: h, name: "the next server"}
		again.start()
		again.stop()
		h.run("audit", "verify")
		h.run("doctor")
	})
}
