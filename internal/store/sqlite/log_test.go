package sqlite

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/racing"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// TestLogStaysShort writes while at every moment somebody reads.
func TestLogStaysShort(t *testing.T) {
	racing.Skip(t)
	const limit = 1 << 20
	path := filepath.Join(t.TempDir(), "satchel.db")
	s, err := Open(t.Context(), path, Options{maxLog: limit})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close() // what it wrote is looked at
	stop := make(chan struct{})
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() { readUntil(t, s, stop) })
	}
	longest := int64(0)
	for n := range 2000 {
		update(t, s, func(w store.Writer) error { return insertSmall(w, memory.ID(fmt.Sprint("urn:ump:", n))) })
		if info, err := os.Stat(path + "-wal"); err == nil {
			longest = max(longest, info.Size())
		}
	}
	close(stop)
	wg.Wait()
	t.Logf("the log had %d KB at most", longest>>10)
	if longest > 3*limit {
		t.Errorf("the log grew to %d KB", longest>>10)
	}
	sound(t, s)
}

// readUntil keeps a snapshot for 10 ms, again and again.
func readUntil(t *testing.T, s *Store, stop <-chan struct{}) {
	for {
		select {
		case <-stop:
			return
		default:
		}
		err := s.View(context.Background(), ada, func(r store.Reader) error {
			_, err := r.Count(store.Filter{Kinds: []memory.Kind{memory.Identity}})
			time.Sleep(10 * time.Millisecond)
			return err
		})
		if err != nil {
			t.Error(err)
			return
		}
	}
}

// TestLongReader expects that one who reads for long stops nobody from writing.
func TestLongReader(t *testing.T) {
	s, err := Open(t.Context(), filepath.Join(t.TempDir(), "satchel.db"), Options{maxLog: 256 << 10})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close() // what it wrote is looked at
	err = s.View(t.Context(), ada, func(r store.Reader) error {
		for n := range 100 {
			update(t, s, func(w store.Writer) error { return insertSmall(w, memory.ID(fmt.Sprint("urn:ump:", n))) })
		}
		n, err := r.Count(store.Filter{})
		if n != 0 {
			t.Errorf("the snapshot has %d rows", n)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	sound(t, s)
}
