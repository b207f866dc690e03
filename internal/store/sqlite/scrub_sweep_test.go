package sqlite

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/racing"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// TestErasureBesideWriters cleans the files in small slices while two others
// write what makes SQLite balance its trees.
func TestErasureBesideWriters(t *testing.T) {
	racing.Skip(t)
	for seed := range seeds(4) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) { eraseBesideWriters(t, seed) })
	}
}

func eraseBesideWriters(t *testing.T, seed uint64) {
	path := filepath.Join(t.TempDir(), "satchel.db")
	s, err := Open(t.Context(), path, Options{slicePages: 20, maxLog: 1 << 20})
	must(t, err)
	defer s.Close() // what it wrote is looked at
	other := open(t, path)
	rnd := rand.New(rand.NewPCG(seed, 2))
	var forget []func(store.Writer) error
	for batch := range 20 {
		update(t, s, func(w store.Writer) error {
			for n := 20 * batch; n < 20*(batch+1); n++ {
				row, d, links := harmless(n, rnd)
				if _, err := w.Insert(row, d, links); err != nil {
					return err
				}
				undo, err := remember(w, n, rnd)
				if err != nil {
					return err
				}
				forget = append(forget, undo)
			}
			return nil
		})
	}
	update(t, s, func(w store.Writer) error {
		for _, undo := range forget {
			if err := undo(w); err != nil {
				return err
			}
		}
		return nil
	})
	stop := make(chan struct{})
	var wg sync.WaitGroup
	for i, s := range []*Store{s, other} {
		rnd := rand.New(rand.NewPCG(seed, uint64(i)))
		wg.Go(func() { writeUntil(t, s, 1000*(i+1), rnd, stop) })
	}
	err = s.Compact(t.Context())
	close(stop)
	wg.Wait()
	must(t, err)
	if found := grep(t, path, "canary"); found != 0 {
		t.Errorf("%d places of the files still hold deleted words", found)
	}
	sound(t, s)
}

func writeUntil(t *testing.T, s *Store, n int, rnd *rand.Rand, stop <-chan struct{}) {
	for ; ; n++ {
		select {
		case <-stop:
			return
		default:
		}
		row, d, links := harmless(n, rnd)
		err := s.Update(context.Background(), ada, func(w store.Writer) error { _, err := w.Insert(row, d, links); return err })
		if err != nil {
			t.Error(err)
			return
		}
	}
}

// TestCompactGivesWay writes, in this process and another store, while the files
// are cleaned.
func TestCompactGivesWay(t *testing.T) {
	path := made(t, 500)
	s, err := Open(t.Context(), path, Options{slicePages: 1})
	must(t, err)
	defer s.Close() // nothing of it is looked at
	var pages int
	must(t, s.read(t.Context(), func(c *conn) error { return c.first("PRAGMA page_count", nil, &pages) }))
	done := make(chan error, 1)
	go func() { done <- s.Compact(context.Background()) }()
	other := open(t, path)
	n := 0
	for err = errGoingOn; err == errGoingOn; n++ {
		for i, s := range []*Store{s, other} {
			update(t, s, func(w store.Writer) error { return insertSmall(w, memory.ID(fmt.Sprintf("urn:ump:x%d-%d", i, n))) })
		}
		select {
		case err = <-done:
		default:
		}
	}
	must(t, err)
	t.Logf("%d pages, %d writes of each", pages, n)
	if pages < 50 || n < 10 {
		t.Error("too little was written meanwhile")
	}
}

var errGoingOn = errors.New("going on")

// looks is a context that does something when it has been looked at so often.
type looks struct {
	context.Context
	left atomic.Int64
	then func()
}

func after(ctx context.Context, n int64, then func()) *looks {
	l := &looks{Context: ctx, then: then}
	l.left.Store(n)
	return l
}

func (l *looks) Err() error {
	if l.left.Add(-1) == 0 {
		l.then()
	}
	return l.Context.Err()
}

// TestCompactGivesUp ends a Compact in the middle.
func TestCompactGivesUp(t *testing.T) {
	path := made(t, 500)
	s, err := Open(t.Context(), path, Options{slicePages: 1})
	must(t, err)
	update(t, s, func(w store.Writer) error { return w.Delete("urn:ump:1") })
	ctx, cancel := context.WithCancel(t.Context())
	if err := s.compact(after(ctx, 20, cancel)); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if owed, err := s.Owed(t.Context()); err != nil || !owed {
		t.Errorf("nothing is owed: %v", err)
	}
	go func() { _ = s.Compact(context.Background()) }() // is ended by Close
	time.Sleep(5 * time.Millisecond)
	must(t, s.Close())
	again := open(t, path)
	must(t, again.Compact(t.Context()))
	sound(t, again)
}

func TestShared(t *testing.T) {
	var s shared
	begun, release := make(chan struct{}, 9), make(chan error, 9)
	work := func(ctx context.Context) error {
		begun <- struct{}{}
		select {
		case err := <-release:
			return err
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	results := make(chan error, 99)
	ask := func(ctx context.Context, times int) {
		for range times {
			r := s.join(ctx, work) // so that it has joined when ask returns
			go func() {
				<-r.done
				results <- r.err
			}()
		}
	}
	expect := func(times int, want error) {
		t.Helper()
		for range times {
			if err := <-results; !errors.Is(err, want) {
				t.Errorf("got %v, want %v", err, want)
			}
		}
	}
	first := errors.New("first")
	ask(t.Context(), 1)
	<-begun
	ask(t.Context(), 20) // one round after the one under way
	release <- first
	expect(1, first)
	<-begun
	release <- nil
	expect(20, nil)
	if len(begun) > 0 {
		t.Error("there was another round")
	}

	ctx, cancel := context.WithCancel(t.Context())
	gone := make(chan error, 1)
	go func() { gone <- s.do(ctx, work) }()
	<-begun
	cancel() // nobody waits any more
	if err := <-gone; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if err := s.do(ctx, work); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	s.end()
	if err := s.do(t.Context(), work); err != errOver {
		t.Errorf("got %v", err)
	}
}
