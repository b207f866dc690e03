package main

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/cli/clitest"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/sqlite"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
)

// inStore runs fn in an Update of the owner of a store.
func inStore(t *testing.T, h cli.Home, owner memory.DID, fn func(store.Writer) error) {
	t.Helper()
	key, err := keys.ReadFile(h.Key(cli.OwnerKey), nil)
	if err != nil {
		t.Fatal(err)
	}
	s, err := sqlite.Open(context.Background(), h.Database(), sqlite.Options{Seal: func(memory.DID) []byte { return vault.SealSecret(key) }})
	if err == nil {
		err = errors.Join(s.Update(context.Background(), owner, fn), s.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestRestoredRuns restores a store in which a run goes on. The run is there, with its
// events, and waits for a person; where it was backed up, it goes on.
func TestRestoredRuns(t *testing.T) {
	t.Parallel()
	a, _, messages := clitest.Person(t, t.Context())
	must := func(args ...string) {
		t.Helper()
		if code := run(a, args); code != cli.ExitDone {
			t.Fatalf("%v ends with %d: %s", args, code, messages)
		}
	}
	must("init", "-q")
	h, conf, err := a.ExistingStore()
	if err != nil {
		t.Fatal(err)
	}
	var lineage string
	inStore(t, h, conf.Owner, func(w store.Writer) (err error) {
		if lineage, err = w.Runs().Lineage(); err != nil {
			return err
		}
		now := time.Now().UTC()
		return errors.Join(w.AgentKeeper().PutAgent(store.Agent{ID: "a", Revision: 1, Received: now, Document: []byte("{}")}), w.RunKeeper().PutRun(store.Run{ID: "x", Agent: "a", Revision: 1, Status: "running", Lineage: lineage, Began: now, Changed: now, Events: 1}),
			w.RunKeeper().PutRunEvents([]store.RunEvent{{Run: "x", Number: 1, At: now, Document: []byte("{}")}}))
	})
	file, folder := filepath.Join(t.TempDir(), "backup.tar"), filepath.Join(t.TempDir(), "restored")
	must("backup", "-q", "-o", file)
	must("restore", "-q", file, "--store", folder)
	for dir, want := range map[string]int{h.Dir: 1, folder: 0} {
		inStore(t, cli.Home{Dir: dir}, conf.Owner, func(w store.Writer) error {
			here, err := w.Runs().Lineage()
			due, err2 := w.Runs().DueRuns(time.Now().Add(time.Hour), 9)
			events, err3 := w.Runs().RunEvents("x", 0, 9)
			if (here == lineage) != (want == 1) || len(due) != want || len(events) != 1 {
				t.Errorf("%s: the lineage is %s and was %s, %d runs are due, %d events", filepath.Base(dir), here, lineage, len(due), len(events))
			}
			_, err4 := w.RunKeeper().HoldRun("x", store.Hold{Holder: "one", Lease: time.Minute})
			if want == 0 && errors.Is(err4, store.ErrCopied) {
				err4 = nil
			}
			return errors.Join(err, err2, err3, err4)
		})
	}
	must("doctor", "-q")
}
