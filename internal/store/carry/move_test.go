package carry_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/carry"
	"github.com/satchel-memory/satchel/memory"
)

const (
	ada memory.DID = "did:key:ada"
	bob memory.DID = "did:key:bob" // has no secret
)

// eachPair runs a test for every pair of kinds of stores.
func eachPair(t *testing.T, test func(t *testing.T, from, to kind)) {
	for _, from := range kinds {
		for _, to := range kinds {
			t.Run(from.name+" to "+to.name, func(t *testing.T) { test(t, from, to) })
		}
	}
}

// live lets an owner do something, in some Updates.
func live(t *rapid.T, s store.Store, owner memory.DID) *world {
	x := &world{}
	if err := s.Update(context.Background(), owner, func(w store.Writer) error { return x.insert(t, w) }); err != nil {
		t.Fatal(err)
	}
	for range rapid.IntRange(1, 4).Draw(t, "updates") {
		err := s.Update(context.Background(), owner, func(w store.Writer) error {
			for range rapid.IntRange(1, 10).Draw(t, "deeds") {
				if err := x.act(t, w); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return x
}

// sound fails unless a store finds nothing wrong with itself.
func sound(t testing.TB, s store.Store) {
	t.Helper()
	findings, err := s.Check(context.Background())
	must(t, err)
	if len(findings) > 0 {
		t.Errorf("check: %q", findings)
	}
}

func move(t testing.TB, from, to carry.Place, where string) carry.Report {
	t.Helper()
	report, err := carry.Move(context.Background(), from, to, carry.Options{Where: where, Batch: 5})
	must(t, err)
	return report
}

// TestMove moves stores in which anything may have happened, there and back.
func TestMove(t *testing.T) {
	eachPair(t, func(t *testing.T, a, b kind) {
		source, target := a.place(t), b.place(t)
		rapid.Check(t, func(rt *rapid.T) {
			from, to := source.fresh(t), target.fresh(t)
			owners := []memory.DID{ada, bob}
			worlds, before, rows := map[memory.DID]*world{}, map[memory.DID]answers{}, map[memory.DID]map[string][]any{}
			for _, owner := range owners {
				worlds[owner] = live(rt, from, owner)
				before[owner], rows[owner] = ask(t, from, owner, worlds[owner]), contents(t, from, owner)
			}
			sound(t, from)
			for round, pair := range [][2]carry.Place{{from, to}, {to, from}, {from, to}} {
				report := move(t, pair[0], pair[1], fmt.Sprint("place ", round))
				same(t, "moved", report.Moved, owners)
				listed, err := pair[1].Owners(t.Context())
				must(t, err)
				same(t, "owners", listed, owners)
				sound(t, pair[0])
				sound(t, pair[1])
				for _, owner := range owners {
					same(t, "answers", ask(t, pair[1], owner, worlds[owner]), before[owner])
					same(t, "rows", contents(t, pair[1], owner), rows[owner])
					same(t, "left", ask(t, pair[0], owner, worlds[owner])["moved"], any(fmt.Sprint("elsewhere place ", round)))
				}
				again := move(t, pair[0], pair[1], fmt.Sprint("place ", round))
				if len(again.Moved) > 0 || len(again.Already) != len(owners) || again.Rows != 0 {
					t.Errorf("again: %+v", again)
				}
				if t.Failed() {
					rt.FailNow()
				}
			}
			put(t, to, ada, 1e5, 1e5+5) // what has arrived can be written for
			sound(t, to)
		})
	})
}

// TestMoveRefuses finds out what is not moved.
func TestMoveRefuses(t *testing.T) {
	eachPair(t, func(t *testing.T, a, b kind) {
		from, to := a.open(t), b.open(t)
		put(t, from, ada, 1, 30)
		put(t, to, ada, 1, 3)
		before, there := contents(t, from, ada), contents(t, to, ada)
		_, err := carry.Move(t.Context(), from, to, carry.Options{Where: "there"})
		if !errors.Is(err, store.ErrExists) {
			t.Errorf("an owner who lives there: %v", err)
		}
		same(t, "the source", contents(t, from, ada), before)
		same(t, "the target", contents(t, to, ada), there)
		if _, err := carry.Move(t.Context(), from, from, carry.Options{Where: "here"}); !errors.Is(err, store.ErrExists) {
			t.Errorf("to itself: %v", err)
		}
		if _, err := carry.Move(t.Context(), from, to, carry.Options{Where: " "}); err == nil {
			t.Error("to nowhere")
		}
		if err := from.Leave(t.Context(), bob, "", func(store.OwnerRows) error { return nil }); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("a stranger leaves: %v", err)
		}
		if err := to.TurnAway(t.Context(), ada); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("who lives there is turned away: %v", err)
		}
	})
}

// put adds records for an owner.
func put(t testing.TB, s store.Store, owner memory.DID, first, last int) {
	t.Helper()
	must(t, s.Update(context.Background(), owner, func(w store.Writer) error {
		for n := first; n <= last; n++ {
			if err := putOne(w, n); err != nil {
				return err
			}
		}
		return nil
	}))
}

func putOne(w store.Writer, n int) error {
	row := store.Row{ID: memory.ID(fmt.Sprintf("urn:ump:%06d", n)), Origin: fmt.Appendf(nil, `{"n":%d}`, n), Columns: store.Columns{
		Kind: memory.Semantic, Status: memory.Active, Visibility: memory.Private, Created: birth, From: birth,
	}}
	d := store.Document{Terms: map[string]int{"all": 1, fmt.Sprint("n", n): 1, fmt.Sprint("d", n%10): 2}, Length: 4}
	if _, err := w.Insert(row, d, store.Links{}); err != nil {
		return err
	}
	_, err := w.Record(store.Change{At: birth, Type: store.Created, ID: row.ID})
	return err
}

// has returns how many records an owner has.
func has(t testing.TB, s store.Store, owner memory.DID) (n int) {
	t.Helper()
	must(t, s.View(context.Background(), owner, func(r store.Reader) (err error) {
		n, err = r.Count(store.Filter{})
		return err
	}))
	return n
}
