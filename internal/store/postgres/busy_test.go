package postgres

import (
	"errors"
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
