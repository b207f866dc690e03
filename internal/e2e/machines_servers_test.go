package e2e

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/satchel-memory/satchel/internal/replica/place/placetest"
)

// TestMachinesOverServers: two machines meet on a WebDAV server, and in S3-compatible storage.
// Both fail as servers do, and neither has to keep any condition of a request.
func TestMachinesOverServers(t *testing.T) {
	t.Parallel()
	t.Run("webdav", func(t *testing.T) {
		t.Parallel()
		server := placetest.ServeWebDAV(t)
		meetOver(t, server, "webdav+"+server.URL+placetest.WebDAV)
	})
	t.Run("s3", func(t *testing.T) {
		t.Parallel()
		server := placetest.ServeS3(t)
		meetOver(t, server, "s3+"+server.URL+"/"+placetest.Bucket+"/of/ada")
	})
}

func meetOver(t *testing.T, server *placetest.Server, address string) {
	dir := t.TempDir()
	secret, wrong := filepath.Join(dir, "password"), filepath.Join(dir, "wrong")
	for name, text := range map[string]string{secret: placetest.Password, wrong: "mistaken"} {
		if err := os.WriteFile(name, []byte(text+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	a := newHome(t)
	a.run("remember", "Known before the others came")
	b := a.joins()
	out, errs, err := a.try("sync", address, "--user", placetest.User, "--password-file", wrong)
	if err == nil || !strings.Contains(errs, "check the user and the password") || strings.Contains(out+errs, "mistaken") {
		t.Errorf("with a wrong password: %v\n%s%s", err, out, errs)
	}
	both := []*home{a, b}
	for _, h := range both {
		h.run("sync", "add", address, "--name", "cloud", "--user", placetest.User, "--password-file", secret)
	}
	texts := meetAmidFaults(t, server, both)
	all := a.run("export", "-q")
	if got := b.run("export", "-q"); got != all {
		t.Errorf("the machines differ:\n%s\nnot\n%s", got, all)
	}
	for _, text := range texts {
		if !strings.Contains(all, text) {
			t.Errorf("%q is lost", text)
		}
	}
	eraseOn(t, server, a, b)
	if asked := server.Conditional(); len(asked) > 0 {
		t.Errorf("machines rely on conditions, which servers may ignore: %v", asked)
	}
	for _, h := range both {
		if found := h.tracks(placetest.Password); len(found) > 0 {
			t.Errorf("the password lies in %v", found)
		}
	}
}

// meetAmidFaults lets machines write and meet while the server fails at random, and then until
// they have met. It returns what they wrote.
func meetAmidFaults(t *testing.T, server *placetest.Server, all []*home) (texts []string) {
	t.Helper()
	var mu sync.Mutex
	rnd := rand.New(rand.NewPCG(26, 31))
	faults := placetest.Faults()
	server.Fail(func(*http.Request) placetest.Fault {
		mu.Lock()
		defer mu.Unlock()
		if rnd.IntN(4) > 0 {
			return ""
		}
		return faults[rnd.IntN(len(faults))]
	})
	failed := 0
	for n := range 3 {
		for i, h := range all {
			text := fmt.Sprintf("Round %d on machine %d", n, i)
			h.run("remember", text)
			texts = append(texts, text)
			if _, errs, err := h.try("sync"); err != nil {
				failed++
				if strings.Contains(errs, "panic") || !strings.Contains(errs, "cloud: ") {
					t.Errorf("a server that fails is told as %s", errs)
				}
			}
		}
	}
	server.Fail(nil)
	if failed == 0 {
		t.Error("no meeting failed")
	}
	for range 3 {
		for _, h := range all {
			h.run("sync")
		}
	}
	for _, h := range all {
		if out, errs, err := h.try("sync"); err != nil || !strings.Contains(out, "nothing new") || errs != "" {
			t.Errorf("in the end: %v\n%s%s", err, out, errs)
		}
	}
	for name := range server.Files() {
		if strings.HasPrefix(filepath.Base(name), ".") {
			t.Errorf("%s was left half written", name)
		}
	}
	return texts
}

// eraseOn erases on b what a has published, while the server refuses to delete, and then not.
func eraseOn(t *testing.T, server *placetest.Server, a, b *home) {
	t.Helper()
	before := server.Files()
	doomed := id(a.run("remember", doomedText(1)))
	a.run("sync")
	bearing := map[string]string{}
	for name, text := range server.Files() {
		if before[name] != text {
			bearing[name] = text
		}
	}
	if len(bearing) < 2 {
		t.Fatalf("a new memory changed %d files", len(bearing))
	}
	b.run("sync")
	if said := b.forget([]string{doomed}); !strings.Contains(said, `"cloud"`) {
		t.Errorf("the erasure does not say that the server is behind: %s", said)
	}
	server.Fail(func(r *http.Request) placetest.Fault {
		if r.Method == http.MethodDelete {
			return placetest.Down
		}
		return ""
	})
	if out, errs, err := b.try("sync"); err == nil {
		t.Errorf("a server that does not delete: %s%s", out, errs)
	}
	server.Fail(nil)
	b.run("sync")
	a.run("sync")
	for name, text := range server.Files() {
		if bearing[name] == text {
			t.Errorf("%s still lies on the server as it was when the erased memory came", name)
		}
	}
	for _, h := range []*home{a, b} {
		if found := h.tracks(); len(found) > 0 || len(h.saying(doomedWords[0])) > 0 {
			t.Errorf("what was erased is in %v", found)
		}
	}
}
