package postgres

import (
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/stored"
)

// leftOf counts ada's rows of a table, whoever may see them.
func leftOf(t testing.TB, url, table string) (n int) {
	t.Helper()
	c, err := pgx.Connect(t.Context(), url)
	must(t, err)
	defer c.Close(t.Context()) // nothing is under way
	must(t, c.QueryRow(t.Context(), `SELECT count(*) FROM `+table+` WHERE owner = $1`, [16]byte(idOf(ada))).Scan(&n))
	return n
}

// TestTurnAwayLost breaks the connection around the commits by which an arrival is
// given up. Every one is known to be made, or made again.
func TestTurnAwayLost(t *testing.T) {
	for _, say := range []verdict{before, after} {
		for _, table := range []string{"rates", "owners"} {
			url, w := made(t), &wire{}
			s := openSealed(t, w.through(t, url), secretOf)
			from := stored.Owner{DID: string(ada), Revoked: []byte{}, Secret: []byte{}, Seal: []byte{}}
			_, err := s.Arrive(t.Context(), ada, ownersRow(&from))
			must(t, err)
			_, _, err = s.Take(t.Context(), ada, "payer", 1, 9, 1)
			must(t, err)
			var deleted, cut atomic.Bool
			w.judge(func(statement string) verdict {
				if strings.HasPrefix(statement, "DELETE FROM "+table+" ") {
					deleted.Store(true)
				}
				if !deleted.Load() || !strings.EqualFold(statement, commit) || !cut.CompareAndSwap(false, true) {
					return pass
				}
				return say
			})
			if err := s.TurnAway(t.Context(), ada); err != nil || !cut.Load() {
				t.Errorf("%v around the deletion from %s: %v, cut %v", say, table, err, cut.Load())
			}
			for _, table := range []string{"rates", "arrivals", "owners"} {
				if n := leftOf(t, url, table); n > 0 {
					t.Errorf("%v: %d rows of %s are left", say, n, table)
				}
			}
		}
	}
}

// TestOutcomeUntold breaks the connection around a commit that leaves the owner's row
// as it was: nobody can tell what became of it.
func TestOutcomeUntold(t *testing.T) {
	w := &wire{}
	s := openSealed(t, w.through(t, made(t)), secretOf)
	update(t, s, func(w store.Writer) error { return w.SetMoved("before") })
	for _, say := range []verdict{before, after} {
		w.onCommit(1, say)
		err := s.Update(t.Context(), ada, func(w store.Writer) error {
			w.(*writer).later(`DELETE FROM rates WHERE owner = $1`)
			return nil
		})
		if !errors.Is(err, store.ErrUncertain) {
			t.Errorf("%v: got %v", say, err)
		}
	}
	w.onCommit(1, before)
	update(t, s, func(store.Writer) error { return nil }) // it only reads
}
