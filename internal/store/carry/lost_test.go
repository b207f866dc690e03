package carry_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/carry"
	"github.com/satchel-memory/satchel/memory"
)

// leaky is a target that takes in something else than it was given.
type leaky struct {
	carry.Place
	spoil func(table string, rows [][]any) [][]any
}

func (s leaky) Arrive(ctx context.Context, owner memory.DID, row []any) (store.Arrival, error) {
	a, err := s.Place.Arrive(ctx, owner, row)
	return leakyArrival{a, s.spoil}, err
}

type leakyArrival struct {
	store.Arrival
	spoil func(table string, rows [][]any) [][]any
}

func (a leakyArrival) Put(ctx context.Context, table string, rows [][]any) error {
	return a.Arrival.Put(ctx, table, a.spoil(table, rows))
}

// TestLost loses rows on the way, and spoils them. Nobody settles then.
func TestLost(t *testing.T) {
	tests := []struct {
		name  string
		spoil func(table string, rows [][]any) [][]any
	}{
		{"a row", func(table string, rows [][]any) [][]any {
			if table == "changes" {
				return rows[1:]
			}
			return rows
		}},
		{"what a row says, but not its seal", func(table string, rows [][]any) [][]any {
			if table == "project_aliases" {
				row := slices.Clone(rows[0])
				row[1] = "evil"
				return [][]any{row}
			}
			return rows
		}},
	}
	eachPair(t, func(t *testing.T, a, b kind) {
		source, target := a.place(t), b.place(t)
		for _, tt := range tests {
			t.Run(tt.name, func(t *testing.T) {
				from, to := source.fresh(t), target.fresh(t)
				x := full(t, from, ada)
				before := ask(t, from, ada, x)
				_, err := carry.Move(t.Context(), from, leaky{to, tt.spoil}, carry.Options{Where: "there", Batch: 5})
				if !errors.Is(err, store.ErrAltered) {
					t.Fatalf("got %v", err)
				}
				same(t, "answers", ask(t, from, ada, x), before)
				_, err = carry.Abandon(t.Context(), to)
				must(t, err)
				move(t, from, to, "there")
				same(t, "answers there", ask(t, to, ada, x), before)
			})
		}
	})
}

// TestOwed expects the rows that were replaced when an owner came back to count as
// content that has left: they may say what was erased elsewhere.
func TestOwed(t *testing.T) {
	eachPair(t, func(t *testing.T, a, b kind) {
		from, to := a.open(t), b.open(t)
		full(t, from, ada)
		move(t, from, to, "there")
		c, ok := from.(store.Compacter)
		if !ok {
			t.Fatal("the store cannot tell")
		}
		if owed, err := c.Owed(t.Context()); owed || err != nil {
			t.Fatalf("before: owed %v, %v", owed, err)
		}
		move(t, to, from, "back")
		if owed, err := c.Owed(t.Context()); !owed || err != nil {
			t.Errorf("after: owed %v, %v", owed, err)
		}
		sound(t, from)
	})
}

// TestCancelled calls a move off.
func TestCancelled(t *testing.T) {
	eachPair(t, func(t *testing.T, a, b kind) {
		from, to := a.open(t), b.open(t)
		full(t, from, ada)
		rows := contents(t, from, ada)
		ctx, cancel := context.WithCancel(t.Context())
		_, err := carry.Move(ctx, from, to, carry.Options{Where: "there", Batch: 5, Progress: func(carry.Progress) { cancel() }})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
		same(t, "the source", contents(t, from, ada), rows)
		move(t, from, to, "there")
		same(t, "rows", contents(t, to, ada), rows)
	})
}
