package sqlite

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// TestCloseAtOnce closes a store many times at once, while as many read as can.
func TestCloseAtOnce(t *testing.T) {
	s, err := Open(t.Context(), filepath.Join(t.TempDir(), "satchel.db"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	var wg, reading sync.WaitGroup
	closing := make(chan struct{})
	for range s.opt.Readers {
		reading.Add(1)
		wg.Go(func() {
			err := s.View(context.Background(), ada, func(r store.Reader) error {
				reading.Done()
				<-closing
				_, err := r.Count(store.Filter{})
				return err
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	reading.Wait()
	for range 8 {
		wg.Go(func() {
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	time.Sleep(20 * time.Millisecond) // so that all of them wait, most of the time
	close(closing)
	finished := make(chan struct{})
	go func() { wg.Wait(); close(finished) }()
	select {
	case <-finished:
	case <-time.After(20 * time.Second):
		t.Fatal("Close does not return")
	}
}

func TestClosed(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "satchel.db"))
	must(t, s.Close())
	for name, call := range map[string]func() error{
		"View":    func() error { return s.View(t.Context(), ada, func(store.Reader) error { return nil }) },
		"Update":  func() error { return s.Update(t.Context(), ada, func(store.Writer) error { return nil }) },
		"Owners":  func() error { _, err := s.Owners(t.Context()); return err },
		"Check":   func() error { _, err := s.Check(t.Context()); return err },
		"Backup":  func() error { return s.Backup(t.Context(), io.Discard) },
		"Compact": func() error { return s.Compact(t.Context()) },
	} {
		err := call()
		if !errors.Is(err, store.ErrClosed) || errors.Is(err, context.Canceled) || memory.KindOf(err) != memory.Internal {
			t.Errorf("%s: %v", name, err)
		}
	}
}
