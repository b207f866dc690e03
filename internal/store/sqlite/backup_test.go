package sqlite

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// TestBackup copies a store that is being written to.
func TestBackup(t *testing.T) {
	path := filepath.Join(t.TempDir(), "satchel.db")
	s := open(t, path)
	var before []memory.ID
	for n := range 100 {
		id := memory.ID(fmt.Sprint("urn:ump:", n))
		before = append(before, id)
		update(t, s, func(w store.Writer) error { return insertSmall(w, id) })
	}
	stop := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for n := 0; ; n++ {
			select {
			case <-stop:
				return
			default:
				id := memory.ID(fmt.Sprint("urn:ump:more", n))
				err := s.Update(context.Background(), ada, func(w store.Writer) error { return insertSmall(w, id) })
				if err != nil {
					t.Error(err)
					return
				}
			}
		}
	})
	defer wg.Wait()
	defer close(stop)
	for range 3 {
		var b bytes.Buffer
		if err := s.Backup(t.Context(), &b); err != nil {
			t.Fatal(err)
		}
		copied := filepath.Join(t.TempDir(), "copy.db")
		if err := os.WriteFile(copied, b.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		c := open(t, copied)
		present(t, c, before)
		sound(t, c)
		update(t, c, func(w store.Writer) error { return insertSmall(w, "urn:ump:in the copy") })
	}
	if left, _ := filepath.Glob(path + ".copy-*"); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// TestCompactWaits expects an error while somebody reads an old state, and the
// debt to stay until a Compact succeeds, whoever calls it.
func TestCompactWaits(t *testing.T) {
	path := filepath.Join(t.TempDir(), "satchel.db")
	s := open(t, path)
	hasty, err := Open(t.Context(), path, Options{BusyTimeout: 1})
	must(t, err)
	owed := func(want bool) {
		t.Helper()
		if got, err := s.Owed(t.Context()); err != nil || got != want {
			t.Errorf("owed: %v, %v", got, err)
		}
	}
	update(t, s, func(w store.Writer) error { return insertSmall(w, "urn:ump:1") })
	owed(false)
	must(t, s.View(t.Context(), ada, func(r store.Reader) error {
		if _, err := r.Count(store.Filter{}); err != nil {
			return err
		}
		update(t, s, func(w store.Writer) error { return w.Delete("urn:ump:1") })
		if err := hasty.Compact(t.Context()); !errors.Is(err, store.ErrBusy) {
			t.Errorf("the log was emptied under a reader: %v", err)
		}
		owed(true)
		return nil
	}))
	must(t, hasty.Close())
	must(t, s.Close())
	s = open(t, path)
	owed(true)
	must(t, s.Compact(t.Context()))
	owed(false)
	s, err = Open(t.Context(), path, Options{ReadOnly: true})
	must(t, err)
	owed(false)
	must(t, s.Close())
}
