package carry_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/carry"
	"github.com/satchel-memory/satchel/memory"
)

// TestChangedBetween changes an owner between two attempts.
func TestChangedBetween(t *testing.T) {
	eachPair(t, func(t *testing.T, a, b kind) {
		source, target := a.place(t), b.place(t)
		begin := func(t *testing.T) (from, to carry.Place) {
			from, to = source.fresh(t), target.fresh(t)
			full(t, from, ada)
			return from, to
		}
		cutMove := func(t *testing.T, from, to carry.Place) {
			t.Helper()
			_, err := carry.Move(t.Context(), from, to, carry.Options{Where: "there", Batch: 5})
			if !errors.Is(err, errCut) {
				t.Fatal(err)
			}
		}
		arrived := func(t *testing.T, from, to carry.Place) {
			t.Helper()
			rows := contents(t, from, ada)
			report := move(t, from, to, "there")
			same(t, "moved", report.Moved, []memory.DID{ada})
			same(t, "rows", contents(t, to, ada), rows)
			sound(t, to)
		}
		t.Run("while rows arrive", func(t *testing.T) {
			from, to := begin(t)
			cutMove(t, from, unsettled{to})
			put(t, from, ada, 13, 20)
			arrived(t, from, to)
		})
		t.Run("after the owner has settled", func(t *testing.T) {
			from, to := begin(t)
			cutMove(t, untold{from}, to)
			put(t, from, ada, 13, 20)
			arrived(t, from, to)
		})
		t.Run("at the target, after the owner has settled", func(t *testing.T) {
			from, to := begin(t)
			cutMove(t, untold{from}, to)
			put(t, to, ada, 13, 20)
			move(t, from, to, "there") // the source has nothing new, and is told
			if n := has(t, to, ada); n != 20 {
				t.Errorf("%d records", n)
			}
			sound(t, to)
		})
		t.Run("at both ends", func(t *testing.T) {
			from, to := begin(t)
			cutMove(t, untold{from}, to)
			put(t, to, ada, 13, 20)
			put(t, from, ada, 21, 22)
			_, err := carry.Move(t.Context(), from, to, carry.Options{Where: "there"})
			if !errors.Is(err, store.ErrExists) {
				t.Errorf("got %v", err)
			}
			if here, there := has(t, from, ada), has(t, to, ada); here != 14 || there != 20 {
				t.Errorf("%d records here, %d there", here, there)
			}
		})
		t.Run("a copy from before the move", func(t *testing.T) {
			from, to := begin(t)
			move(t, from, to, "there")
			must(t, from.Update(t.Context(), ada, func(w store.Writer) error { return w.SetMoved("") }))
			put(t, to, ada, 13, 20)
			move(t, from, to, "there") // it learns that the owner has gone
			if n := has(t, to, ada); n != 20 {
				t.Errorf("%d records", n)
			}
		})
		t.Run("coming back with less", func(t *testing.T) {
			from, to := begin(t)
			move(t, from, to, "there")
			must(t, from.Update(t.Context(), ada, func(w store.Writer) error {
				return errors.Join(putOne(w, 13), w.SetMoved("elsewhere there"))
			}))
			before := contents(t, from, ada)
			_, err := carry.Move(t.Context(), to, from, carry.Options{Where: "back"})
			if !errors.Is(err, store.ErrExists) {
				t.Errorf("got %v", err)
			}
			same(t, "rows", contents(t, from, ada), before)
		})
	})
}

// untold fails before the source is told that the owner has gone.
type untold struct{ carry.Place }

func (s untold) Leave(ctx context.Context, owner memory.DID, moved string, fn func(store.OwnerRows) error) error {
	return s.Place.Leave(ctx, owner, moved, func(l store.OwnerRows) error { return errors.Join(fn(l), errCut) })
}

// TestMoveOn moves to a third store, and expects the first to be left alone.
func TestMoveOn(t *testing.T) {
	eachPair(t, func(t *testing.T, a, b kind) {
		first, second, third := a.open(t), b.open(t), b.open(t)
		full(t, first, ada)
		move(t, first, second, "second")
		move(t, second, third, "third")
		report := move(t, first, third, "third")
		same(t, "already", report.Already, []memory.DID{ada})
		report = move(t, first, a.open(t), "another")
		same(t, "left", report.Left, []memory.DID{ada})
		_, err := carry.Move(t.Context(), first, b.open(t), carry.Options{Where: "second"})
		if !errors.Is(err, store.ErrNotFound) {
			t.Errorf("a target that lost the owner: %v", err)
		}
		sound(t, third)
	})
}

// TestConcurrentWriter writes at the source while owners leave. What was
// acknowledged is at the target, or was written after the owner had gone, as the one
// who writes could have seen.
func TestConcurrentWriter(t *testing.T) {
	eachPair(t, func(t *testing.T, a, b kind) {
		from, to := a.open(t), b.open(t)
		put(t, from, ada, 1, 200)
		put(t, from, bob, 1, 200)
		acknowledged := map[memory.DID]int{}
		var lock sync.Mutex
		var wg sync.WaitGroup
		begun := make(chan struct{}, 2)
		for _, owner := range []memory.DID{ada, bob} {
			wg.Go(func() {
				defer func() { begun <- struct{}{} }()
				for n := 201; n < 2000; n++ {
					err := from.Update(t.Context(), owner, func(w store.Writer) error {
						if moved, err := w.Moved(); err != nil || moved != "" {
							return errors.Join(err, errCut) // as the vault's guard does
						}
						return putOne(w, n)
					})
					if n == 205 {
						begun <- struct{}{}
					}
					if err != nil {
						if !errors.Is(err, errCut) {
							t.Errorf("%s: %v", owner, err)
						}
						return
					}
					lock.Lock()
					acknowledged[owner] = n
					lock.Unlock()
				}
			})
		}
		<-begun
		<-begun
		_, err := carry.Move(t.Context(), from, to, carry.Options{Where: "there", Batch: 50})
		must(t, err)
		wg.Wait()
		for owner, last := range acknowledged {
			if n := has(t, to, owner); n != last {
				t.Errorf("%s: %d of %d acknowledged writes are there", owner, n, last)
			}
		}
		sound(t, to)
		sound(t, from)
	})
}

// TestProgress expects every row to be told of.
func TestProgress(t *testing.T) {
	from, to := openFileIn(t), openFileIn(t)
	full(t, from, ada)
	full(t, from, bob)
	var last []carry.Progress
	tell := func(p carry.Progress) {
		if n := len(last); n > 0 && last[n-1].Owner == p.Owner {
			if p.Rows <= last[n-1].Rows {
				t.Errorf("%+v after %+v", p, last[n-1])
			}
			last = last[:n-1]
		}
		last = append(last, p)
	}
	_, err := carry.Move(t.Context(), from, unsettled{to}, carry.Options{Where: "there", Batch: 5, Progress: tell})
	if !errors.Is(err, errCut) || len(last) != 1 {
		t.Fatalf("told %v, %v", last, err)
	}
	report, err := carry.Move(t.Context(), from, to, carry.Options{Where: "there", Batch: 5, Progress: tell})
	must(t, err)
	if len(last) != 2 || last[1].Owner != bob || last[1].Nth != 2 || last[1].Owners != 2 || last[1].Rows != last[1].Of {
		t.Errorf("told %+v", last)
	}
	if report.Rows != last[1].Of { // ada's had arrived
		t.Errorf("the report says %d rows, of %d", report.Rows, last[1].Of)
	}
}

func openFileIn(t testing.TB) carry.Place {
	t.Helper()
	return openFile(t, fmt.Sprint(t.TempDir(), "/satchel.db"))
}
