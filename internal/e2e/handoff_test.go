package e2e

import (
	"bytes"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
)

// TestHandoffReplayed brings one migration token to two live servers over a store at
// once, to a third that started later, and to one of another name: it serves once.
func TestHandoffReplayed(t *testing.T) {
	t.Parallel()
	source, target := newHome(t), newHome(t)
	examples := filepath.Join("..", "..", "examples", "agents")
	clerk, run := absolute(t, filepath.Join(examples, "clerk.json")), absolute(t, filepath.Join(examples, "run.json"))
	moved := filepath.Join(source.dir, "moved.json")
	shown := source.run("keys", "show")
	name := regexp.MustCompile(`(?m)^producer +(\S+)`).FindStringSubmatch(shown)
	key := regexp.MustCompile(`(?m)^signs with +(\S+)`).FindStringSubmatch(shown)
	target.run("trust", "add", name[1], key[1])
	for _, h := range []*home{source, target} {
		h.run("agent", "add", clerk, "--keep")
	}
	source.run("agent", "migrate", run, "-o", moved, "--plain", "--audience", "here")
	state, err := os.ReadFile(moved)
	if err != nil {
		t.Fatal(err)
	}
	other, _ := target.serve("--agents-local", "--platform", "elsewhere")
	one, _ := target.serve("--agents-local", "--platform", "here")
	two, _ := target.serve("--agents-local", "--platform", "here")
	if landed(t, state, other, "TOKEN_AUDIENCE") {
		t.Error("AAIF-8.2-8 a token for another platform served")
	}
	var wg sync.WaitGroup
	var mu sync.Mutex
	took := 0
	for _, address := range []string{one, two, one, two} {
		wg.Go(func() {
			if landed(t, state, address, "TOKEN_REPLAYED") {
				mu.Lock()
				took++
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if took != 1 {
		t.Errorf("AAIF-8.2-8 the token served %d times", took)
	}
	later, _ := target.serve("--agents-local", "--platform", "here")
	if landed(t, state, later, "TOKEN_REPLAYED") {
		t.Error("AAIF-8.2-8 the token served again after a start")
	}
}

func absolute(t *testing.T, path string) string {
	t.Helper()
	path, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// landed brings a state to a server, and reports whether it was taken in; else the
// refusal has to have a code.
func landed(t *testing.T, state []byte, address, code string) bool {
	r, err := http.Post("http://"+address+"/aaif/states", "application/json", bytes.NewReader(state))
	if err != nil {
		t.Error(err)
		return false
	}
	defer r.Body.Close()
	said, err := io.ReadAll(r.Body)
	if err != nil || r.StatusCode != http.StatusCreated && !strings.Contains(string(said), code) {
		t.Errorf("%d %s, %v", r.StatusCode, said, err)
	}
	return r.StatusCode == http.StatusCreated
}
