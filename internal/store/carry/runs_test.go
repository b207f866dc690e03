package carry_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/carry"
)

// TestMovedRuns moves an owner whose run goes on. In the other store it waits for a person;
// whoever held it writes nothing there.
func TestMovedRuns(t *testing.T) {
	eachPair(t, func(t *testing.T, a, b kind) {
		from, to := a.open(t), b.open(t)
		update := func(s carry.Place, fn func(store.Writer) error) error { return s.Update(context.Background(), ada, fn) }
		hold := func(s carry.Place, h store.Hold) (run store.Run, err error) {
			err = update(s, func(w store.Writer) (err error) { run, err = w.RunKeeper().HoldRun("x", h); return err })
			return run, err
		}
		must(t, update(from, func(w store.Writer) error {
			lineage, err := w.Runs().Lineage()
			return errors.Join(err, w.RunKeeper().PutRun(store.Run{ID: "x", Agent: "a", Status: "running", Lineage: lineage, Began: birth, Changed: birth}))
		}))
		held, err := hold(from, store.Hold{Holder: "one", Lease: time.Nanosecond})
		must(t, err)
		move(t, from, to, "there")
		due := func() (n int) {
			must(t, to.View(context.Background(), ada, func(r store.Reader) error {
				runs, err := r.Runs().DueRuns(birth.AddDate(999, 0, 0), 9)
				n = len(runs)
				return err
			}))
			return n
		}
		same(t, "due after the move", due(), 0)
		if _, err := hold(to, store.Hold{Holder: "two", Lease: time.Minute}); !errors.Is(err, store.ErrCopied) {
			t.Errorf("it went on by itself: %v", err)
		}
		next, err := hold(to, store.Hold{Holder: "two", Lease: time.Minute, Resumes: true})
		must(t, err)
		same(t, "fence", next.Fence, held.Fence+1)
		same(t, "due once resumed", due(), 1)
		err = update(to, func(w store.Writer) error {
			_, err := w.RunKeeper().AppendRun("x", held.Fence, store.RunChange{}, []store.RunEvent{{At: birth, Document: []byte("late")}})
			return err
		})
		if !errors.Is(err, store.ErrFenced) {
			t.Errorf("whoever held it before: %v", err)
		}
		sound(t, to)
	})
}
