package carry_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/carry"
	"github.com/satchel-memory/satchel/memory"
)

var errCut = errors.New("cut off")

// cutter cuts a move off at its nth step, before the step is done or after.
type cutter struct{ left int }

func (c *cutter) step(do func() error) error {
	for _, do := range []func() error{func() error { return nil }, do} {
		if err := do(); err != nil {
			return err
		}
		if c.left--; c.left == 0 {
			return errCut
		}
	}
	return nil
}

// cutSource cuts off after everything has arrived, before the source is told.
type cutSource struct {
	carry.Place
	cut *cutter
}

func (s cutSource) Leave(ctx context.Context, owner memory.DID, moved string, fn func(store.OwnerRows) error) error {
	return s.Place.Leave(ctx, owner, moved, func(l store.OwnerRows) error {
		return s.cut.step(func() error { return fn(l) })
	})
}

// cutTarget cuts off while rows arrive.
type cutTarget struct {
	carry.Place
	cut *cutter
}

func (s cutTarget) Arrive(ctx context.Context, owner memory.DID, row []any) (a store.Arrival, err error) {
	err = s.cut.step(func() (err error) {
		a, err = s.Place.Arrive(ctx, owner, row)
		return err
	})
	return cutArrival{a, s.cut}, err
}

type cutArrival struct {
	store.Arrival
	cut *cutter
}

func (a cutArrival) Put(ctx context.Context, table string, rows [][]any) error {
	return a.cut.step(func() error { return a.Arrival.Put(ctx, table, rows) })
}

func (a cutArrival) Settle(ctx context.Context) error {
	return a.cut.step(func() error { return a.Arrival.Settle(ctx) })
}

// unsettled never lets anybody settle.
type unsettled struct{ carry.Place }

func (s unsettled) Arrive(ctx context.Context, owner memory.DID, row []any) (store.Arrival, error) {
	a, err := s.Place.Arrive(ctx, owner, row)
	return unsettledArrival{a}, err
}

type unsettledArrival struct{ store.Arrival }

func (unsettledArrival) Settle(context.Context) error { return errCut }

// full puts something into every table that a few calls fill.
func full(t testing.TB, s store.Store, owner memory.DID) *world {
	t.Helper()
	x := &world{terms: []string{"all", "n3", "d4"}, targets: []string{"urn:ump:target"}, keys: []string{"key"}, grants: []string{"g"}}
	put(t, s, owner, 1, 12)
	for n := range 13 {
		x.ids, x.next = append(x.ids, memory.ID(fmt.Sprintf("urn:ump:%06d", n))), n
	}
	must(t, s.Update(context.Background(), owner, func(w store.Writer) error {
		row, err := w.Row(x.ids[1])
		if err != nil {
			return err
		}
		links := store.Links{Relations: []memory.Relation{{Type: "depends_on", Target: x.targets[0]}}}
		return errors.Join(w.Replace(row, links), w.SetAlias("space", "foreign", x.ids[2]), w.SetProjectAlias("old", "new"),
			w.SetReceipt(store.Receipt{Key: "key", At: birth}, 0), w.SetGrant(store.Grant{ID: "g", Issued: birth, Revoked: birth}),
			w.SetLesson(1, store.Lesson{Followed: 1, At: birth}), w.AuditKeeper().AppendAudit([][]byte{[]byte("e")}, [][]byte{[]byte("h")}),
			w.AuditKeeper().SetAuditHead([]byte("head")), w.SetAccount(store.Account{Label: "label", Added: birth}))
	}))
	x.aliases = [][2]string{{"space", "foreign"}}
	return x
}

// TestCutOff cuts a move off at every step. The owner lives in one place only, and
// moving again finishes the move.
func TestCutOff(t *testing.T) {
	eachPair(t, func(t *testing.T, a, b kind) {
		source, target := a.place(t), b.place(t)
		stride := 1
		if a.name != "sqlite" { // what the target does is the same wherever rows come from
			stride = 5
		}
		for n, cut := 1, true; cut; n += stride {
			from, to := source.fresh(t), target.fresh(t)
			x := full(t, from, ada)
			before, rows := ask(t, from, ada, x), contents(t, from, ada)

			c := &cutter{left: n}
			_, err := carry.Move(t.Context(), cutSource{from, c}, cutTarget{to, c}, carry.Options{Where: "there", Batch: 5})
			cut = c.left <= 0
			if cut != errors.Is(err, errCut) || !cut && err != nil {
				t.Fatalf("step %d: %v", n, err)
			}
			if cut {
				same(t, "the source", contents(t, from, ada), rows)
				outside(t, to, ada)
			}
			report, err := carry.Move(t.Context(), from, to, carry.Options{Where: "there", Batch: 5})
			must(t, err)
			if len(report.Moved)+len(report.Already) != 1 {
				t.Errorf("step %d: the report is %+v", n, report)
			}
			same(t, "answers", ask(t, to, ada, x), before)
			same(t, "rows", contents(t, to, ada), rows)
			if n%6 == 1 || !cut {
				sound(t, from)
				sound(t, to)
			}
			if t.Failed() {
				t.Fatalf("cut off at step %d", n)
			}
		}
	})
}

// outside makes sure that nobody reads or writes for an owner who is on the way.
func outside(t testing.TB, to carry.Place, owner memory.DID) {
	t.Helper()
	ctx := context.Background()
	arriving, err := to.Arriving(ctx)
	must(t, err)
	if len(arriving) == 0 { // not begun, or settled, so that only the source has to be told
		return
	}
	listed, err := to.Owners(ctx)
	must(t, err)
	same(t, "owners", listed, nil)
	err = to.View(ctx, owner, func(store.Reader) error { return nil })
	if !errors.Is(err, store.ErrArriving) {
		t.Errorf("reading: %v", err)
	}
	err = to.Update(ctx, owner, func(w store.Writer) error { return w.SetMoved("x") })
	if !errors.Is(err, store.ErrArriving) {
		t.Errorf("writing: %v", err)
	}
}

// TestAbandon gives a move up.
func TestAbandon(t *testing.T) {
	eachPair(t, func(t *testing.T, a, b kind) {
		from, to := a.open(t), b.open(t)
		x := full(t, from, ada)
		before := ask(t, from, ada, x)
		put(t, to, bob, 1, 3)
		_, err := carry.Move(t.Context(), from, unsettled{to}, carry.Options{Where: "there", Batch: 5})
		if !errors.Is(err, errCut) {
			t.Fatal(err)
		}
		if found, err := to.Check(t.Context()); err != nil || len(found) != 1 {
			t.Errorf("on the way, check says %q, %v", found, err)
		}
		if _, err := carry.Move(t.Context(), to, from, carry.Options{Where: "back"}); !errors.Is(err, store.ErrArriving) {
			t.Errorf("moving on: %v", err)
		}
		gone, err := carry.Abandon(t.Context(), to)
		must(t, err)
		same(t, "abandoned", gone, []memory.DID{ada})
		owed, err := to.(store.Compacter).Owed(t.Context())
		must(t, err)
		if operators := b.name == "postgres"; owed != operators {
			t.Errorf("traces are left in the files: %v, want %v", owed, operators)
		}
		owners, err := to.Owners(t.Context())
		must(t, err)
		same(t, "owners who are left", owners, []memory.DID{bob})
		sound(t, to)
		must(t, to.View(t.Context(), ada, func(r store.Reader) error {
			n, err := r.Count(store.Filter{})
			if entries, _, _ := r.Audit().AuditSize(); n > 0 || entries > 0 {
				t.Errorf("%d records and %d entries of the log are left", n, entries)
			}
			return err
		}))
		same(t, "answers", ask(t, from, ada, x), before)
		move(t, from, to, "there")
		same(t, "answers there", ask(t, to, ada, x), before)
		sound(t, to)
		if n := has(t, to, bob); n != 3 {
			t.Errorf("another owner has %d records", n)
		}
	})
}
