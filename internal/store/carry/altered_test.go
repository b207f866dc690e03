package carry_test

import (
	"errors"
	"testing"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/carry"
)

// TestAltered moves what somebody changed past satchel: what cannot be carried, or
// would not be seen any more, is refused, and nothing of it arrives; the rest is seen
// at the target as it was at the source.
func TestAltered(t *testing.T) {
	tests := []struct {
		name, statement string
		refused         bool
		only            string // the kind of store on which that can be done
	}{
		{name: "a row is gone", statement: `DELETE FROM lessons`, refused: true},
		{name: "the owner's row says something else", statement: `UPDATE owners SET sequence = sequence - 1`, refused: true},
		{name: "the owner's row says another sum", statement: `UPDATE owners SET total = seal`, refused: true},
		{name: "a row has the seal of another", statement: `UPDATE aliases SET seal = (SELECT seal FROM lessons)`, refused: true},
		{name: "a row has half a seal", statement: `UPDATE aliases SET seal = substr(seal, 1, 8)`, refused: true},
		{name: "a list of terms cannot be read", statement: `UPDATE records SET words = CAST('~' AS BLOB)`, refused: true, only: "sqlite"},
		{name: "a list of terms that cannot be read", statement: `UPDATE records SET words = '~'::bytea`, refused: true, only: "postgres"},
		{name: "a string is bytes", statement: `UPDATE grants SET name = X'00'`, refused: true, only: "sqlite"},
		{name: "a row is of another owner's", statement: `UPDATE relations SET doc = doc + (1 << 40)`, refused: true, only: "sqlite"},
		{name: "a row says something else", statement: `UPDATE project_aliases SET project = 'evil'`},
		{name: "a record says something else", statement: `UPDATE records SET project = 'evil' WHERE created = (SELECT max(created) FROM records)`},
	}
	eachPair(t, func(t *testing.T, a, b kind) {
		source, target := a.place(t), b.place(t)
		for _, tt := range tests {
			if tt.only != "" && tt.only != a.name {
				continue
			}
			t.Run(tt.name, func(t *testing.T) {
				from, to := source.fresh(t), target.fresh(t)
				full(t, from, ada)
				source.tamper(t, tt.statement)
				found, err := from.Check(t.Context())
				must(t, err)
				if len(found) == 0 {
					t.Fatal("the source does not notice")
				}
				_, err = carry.Move(t.Context(), from, to, carry.Options{Where: "there", Batch: 5})
				if tt.refused != errors.Is(err, store.ErrAltered) || !tt.refused && err != nil {
					t.Fatalf("got %v", err)
				}
				there, err := to.Check(t.Context())
				must(t, err)
				if !tt.refused {
					if len(there) == 0 {
						t.Error("the target does not notice")
					}
					return
				}
				if n := has(t, from, ada); n != 12 {
					t.Errorf("the source has %d records", n)
				}
				must(t, from.View(t.Context(), ada, func(r store.Reader) error {
					moved, err := r.Moved()
					same(t, "moved", moved, "")
					return err
				}))
				owners, err := to.Owners(t.Context())
				must(t, err)
				same(t, "owners there", owners, nil)
			})
		}
	})
}
