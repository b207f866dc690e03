package postgres

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// commitNumber lets a wire ask on the nth commit from now.
func (w *wire) onCommit(n int64, say verdict) {
	var seen atomic.Int64
	w.judge(func(statement string) verdict {
		if statement == commit && seen.Add(1) == n {
			return say
		}
		return pass
	})
}

// TestOutcome breaks the connection around a commit. What was committed is known to
// be, and what was not runs again, once.
func TestOutcome(t *testing.T) {
	for _, c := range []struct {
		name string
		say  verdict
		runs int
		new  bool // the owner has no row before
	}{
		{"before the commit", before, 2, false},
		{"after the commit", after, 1, false},
		{"before the commit of a new owner", before, 2, true},
		{"after the commit of a new owner", after, 1, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := &wire{}
			s := openSealed(t, w.through(t, made(t)), secretOf)
			if !c.new {
				update(t, s, func(w store.Writer) error { return w.SetMoved("before") })
			}
			w.onCommit(1, c.say)
			runs := 0
			err := s.Update(t.Context(), ada, func(w store.Writer) error {
				runs++
				_, err := w.Record(store.Change{At: noon, Type: store.Created, ID: "urn:a"})
				return err
			})
			must(t, err)
			if runs != c.runs {
				t.Errorf("ran %d times, want %d", runs, c.runs)
			}
			must(t, s.View(t.Context(), ada, func(r store.Reader) error {
				changes, err := r.Changes(0, 9)
				if len(changes) != 1 {
					t.Errorf("got %d changes, want one", len(changes))
				}
				return err
			}))
		})
	}
}

// TestOutcomeUnknown lets another Update come between a commit and the look at what
// became of it.
func TestOutcomeUnknown(t *testing.T) {
	url := made(t)
	other := openSealed(t, url, secretOf)
	w := &wire{}
	s := openSealed(t, w.through(t, url), secretOf)
	update(t, s, func(w store.Writer) error { return w.SetMoved("before") })
	var cut atomic.Bool
	w.judge(func(statement string) verdict {
		switch {
		case statement == commit && !cut.Load():
			cut.Store(true)
			return after
		case cut.Load() && statement == statements[lockStatement]:
			w.judge(nil)
			update(t, other, func(w store.Writer) error { return w.SetMoved("between") })
		}
		return pass
	})
	err := s.Update(t.Context(), ada, func(w store.Writer) error { return w.SetMoved("lost") })
	if !errors.Is(err, store.ErrUncertain) {
		t.Errorf("got %v", err)
	}
}

// TestAgain breaks the connection while a function runs: it runs once more.
func TestAgain(t *testing.T) {
	w := &wire{}
	s := openSealed(t, w.through(t, made(t)), secretOf)
	runs := 0
	update(t, s, func(x store.Writer) error {
		if runs++; runs == 1 {
			w.cut()
		}
		_, err := x.Row("urn:a")
		if !errors.Is(err, store.ErrNotFound) {
			return err
		}
		return x.SetMoved("well")
	})
	if runs != 2 {
		t.Errorf("ran %d times", runs)
	}
	w.cut() // a View on what is left of the pool finds another connection
	must(t, s.View(t.Context(), ada, func(r store.Reader) error {
		moved, err := r.Moved()
		if moved != "well" {
			t.Errorf("got %q", moved)
		}
		return err
	}))
	runs = 0
	err := s.Update(t.Context(), ada, func(store.Writer) error { runs++; w.cut(); return errOwn })
	if err != errOwn || runs != 1 {
		t.Errorf("a function that fails by itself: %v after %d runs", err, runs)
	}
}

// TestOnce sees that a statement that fails for another reason is not tried again,
// and that nothing of its Update is kept, whatever the function makes of it.
func TestOnce(t *testing.T) {
	s := openSealed(t, made(t), secretOf)
	runs := 0
	err := s.Update(t.Context(), ada, func(w store.Writer) error {
		runs++
		if err := w.SetMoved("lost"); err != nil {
			return err
		}
		_, _ = w.(*writer).exec(`SELECT 1 / 0 WHERE $1::uuid IS NOT NULL`)
		return nil
	})
	if err == nil || runs != 1 {
		t.Errorf("%v after %d runs", err, runs)
	}
	must(t, s.View(t.Context(), ada, func(r store.Reader) error {
		moved, err := r.Moved()
		if moved != "" {
			t.Errorf("something was kept: %q", moved)
		}
		return err
	}))
}

var errOwn = errors.New("the function's own")

// TestUnavailable stops reaching the server at all.
func TestUnavailable(t *testing.T) {
	w := &wire{}
	s := openSealed(t, w.through(t, made(t)), secretOf)
	w.judge(func(string) verdict { return before })
	err := s.Update(t.Context(), ada, func(store.Writer) error { return nil })
	if !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("Update: %v", err)
	}
	if err := s.View(t.Context(), ada, func(store.Reader) error { return nil }); !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("View: %v", err)
	}
	if _, _, err := s.Take(t.Context(), ada, "p", 1, 1, 1); !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("Take: %v", err)
	}
	if _, err := s.Owners(t.Context()); !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("Owners: %v", err)
	}
}

// TestRaced lets two servers enrol an owner at the same moment.
func TestRaced(t *testing.T) {
	url := made(t)
	first, second := openSealed(t, url, secretOf), openSealed(t, url, secretOf)
	for range 10 {
		owner := memory.DID("did:key:" + time.Now().String())
		var ready, done sync.WaitGroup
		ready.Add(2)
		for _, s := range []*Store{first, second} {
			var once sync.Once
			done.Go(func() {
				err := s.Update(context.Background(), owner, func(w store.Writer) error {
					once.Do(func() { ready.Done(); ready.Wait() }) // both have seen that there is no row
					_, err := w.Record(store.Change{At: noon, Type: store.Created})
					return err
				})
				if err != nil {
					t.Error(err)
				}
			})
		}
		done.Wait()
		must(t, first.View(t.Context(), owner, func(r store.Reader) error {
			if head, _ := r.Head(); head != 2 {
				t.Errorf("got %d changes", head)
			}
			return nil
		}))
	}
}

// TestTurns lets many write for one owner, who leave connections to another.
func TestTurns(t *testing.T) {
	s, err := Open(t.Context(), made(t), Options{Pool: 2})
	must(t, err)
	defer s.Close()
	hold, held := make(chan struct{}), make(chan struct{})
	var all sync.WaitGroup
	var once sync.Once
	for range 8 {
		all.Go(func() {
			err := s.Update(context.Background(), ada, func(w store.Writer) error {
				once.Do(func() { close(held); <-hold })
				return w.SetMoved("x")
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	<-held
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	if err := s.Update(ctx, bob, func(w store.Writer) error { return w.SetMoved("y") }); err != nil {
		t.Errorf("another owner had to wait: %v", err)
	}
	short, end := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer end()
	if err := s.Update(short, ada, func(store.Writer) error { return nil }); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("who waits and gives up: %v", err)
	}
	close(hold)
	all.Wait()
	if len(s.turns.queues) > 0 {
		t.Errorf("%d queues are left", len(s.turns.queues))
	}
}

// TestLockTimeout lets two servers write for one owner, one of which takes too long.
func TestLockTimeout(t *testing.T) {
	url := made(t)
	first := openSealed(t, url, nil)
	second, err := Open(t.Context(), url, Options{LockTimeout: 100 * time.Millisecond})
	must(t, err)
	defer second.Close()
	update(t, first, func(w store.Writer) error { return w.SetMoved("x") })
	update(t, first, func(store.Writer) error {
		err := second.Update(t.Context(), ada, func(store.Writer) error { return nil })
		if !errors.Is(err, store.ErrBusy) {
			t.Errorf("got %v", err)
		}
		return nil
	})
}
