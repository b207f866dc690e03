package postgres

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/store"
)

// TestPoolTimeout asks for a connection while somebody uses the only one.
func TestPoolTimeout(t *testing.T) {
	s, err := Open(t.Context(), made(t), Options{Pool: 1, PoolTimeout: 100 * time.Millisecond})
	must(t, err)
	defer s.Close()
	must(t, s.View(t.Context(), ada, func(store.Reader) error {
		start := time.Now()
		err := s.View(t.Context(), bob, func(store.Reader) error { return nil })
		if !errors.Is(err, store.ErrBusy) || time.Since(start) > 5*time.Second {
			t.Errorf("got %v after %v", err, time.Since(start))
		}
		return nil
	}))
}

// TestIdle lets a function do nothing for longer than it may. It does not run again.
func TestIdle(t *testing.T) {
	s, err := Open(t.Context(), made(t), Options{IdleTimeout: 100 * time.Millisecond})
	must(t, err)
	defer s.Close()
	runs := 0
	err = s.Update(t.Context(), ada, func(w store.Writer) error {
		runs++
		time.Sleep(400 * time.Millisecond)
		_, err := w.Row("urn:a")
		return err
	})
	if !errors.Is(err, store.ErrUnavailable) || runs != 1 {
		t.Errorf("%v after %d runs", err, runs)
	}
}

// TestRenew breaks several connections at the same moment: the pool is renewed once,
// and not at all when one has only idled too long.
func TestRenew(t *testing.T) {
	w := &wire{}
	s, err := Open(t.Context(), w.through(t, made(t)), Options{IdleTimeout: 300 * time.Millisecond})
	must(t, err)
	defer s.Close()
	idle := func(store.Reader) error { return nil }
	var ready, done sync.WaitGroup
	ready.Add(4)
	for range 4 {
		done.Go(func() {
			_ = s.View(context.Background(), ada, func(r store.Reader) error { // it fails
				ready.Done()
				ready.Wait()
				w.cut()
				_, err := r.Count(store.Filter{})
				return err
			})
		})
	}
	done.Wait()
	must(t, s.View(t.Context(), ada, idle))
	within(t, 5*time.Second, "the pool is renewed", func() bool { return s.renewed.Load() > 0 })
	before := s.renewed.Load()
	if before != 1 {
		t.Errorf("the pool was renewed %d times", before)
	}
	_ = s.View(t.Context(), ada, func(r store.Reader) error { // it fails
		time.Sleep(time.Second)
		_, err := r.Count(store.Filter{})
		return err
	})
	time.Sleep(100 * time.Millisecond)
	if now := s.renewed.Load(); now != before {
		t.Errorf("the pool was renewed %d times for a connection that idled", now-before)
	}
}
