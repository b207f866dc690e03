package postgres

import (
	"context"
	"math"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// TestTake empties a bucket through two servers at once.
func TestTake(t *testing.T) {
	url := made(t)
	servers := []*Store{openSealed(t, url, nil), openSealed(t, url, nil)}
	var all sync.WaitGroup
	var taken atomic.Int64
	for i := range 8 {
		all.Go(func() {
			for range 10 {
				got, wait, err := servers[i%2].Take(context.Background(), ada, "payer", 3, 100, 0.001)
				if err != nil || got < 0 || got > 3 || got == 0 != (wait > 0) {
					t.Errorf("got %d, wait %v, %v", got, wait, err)
				}
				taken.Add(int64(got))
			}
		})
	}
	all.Wait()
	if taken.Load() != 100 {
		t.Errorf("%d of 100 were taken", taken.Load())
	}
	for _, c := range []struct {
		owner memory.DID
		payer string
	}{{ada, "another"}, {bob, "payer"}} {
		if got, _, err := servers[0].Take(t.Context(), c.owner, c.payer, 1, 1, 1); got != 1 || err != nil {
			t.Errorf("%v: got %d, %v", c, got, err)
		}
	}
}

// TestTakeRefills waits as long as it is told to.
func TestTakeRefills(t *testing.T) {
	s := openSealed(t, made(t), nil)
	take := func(want, burst int, rate float64) (int, time.Duration) {
		got, wait, err := s.Take(t.Context(), ada, "payer", want, burst, rate)
		must(t, err)
		return got, wait
	}
	if got, wait := take(9, 2, 10); got != 2 || wait != 0 {
		t.Errorf("a full bucket: got %d, wait %v", got, wait)
	}
	got, wait := take(1, 2, 10)
	if got != 0 || wait <= 0 || wait > 100*time.Millisecond {
		t.Fatalf("an empty bucket: got %d, wait %v", got, wait)
	}
	time.Sleep(wait)
	if got, _ := take(5, 2, 10); got < 1 {
		t.Errorf("after %v there is nothing", wait)
	}
	if got, wait := take(0, 2, 10); got != 0 || wait != 0 {
		t.Errorf("nothing was wanted: got %d, wait %v", got, wait)
	}
	take(9, 2, 0)
	if got, wait := take(1, 2, 0); got != 0 || wait != math.MaxInt64 {
		t.Errorf("a bucket that is not refilled: got %d, wait %v", got, wait)
	}
	// The clock of a server that was here before is an hour ahead.
	execute(t, s.config.ConnString(), `UPDATE rates SET at = at + 3600000000, tokens = 1`)
	before := takenAt(t, s)
	if got, _ := take(2, 2, 1000); got != 1 {
		t.Errorf("with a clock behind: got %d", got)
	}
	if got, wait := take(2, 2, 1000); got != 0 || wait > time.Millisecond {
		t.Errorf("with a clock behind: got %d, wait %v", got, wait)
	}
	if after := takenAt(t, s); after != before {
		t.Errorf("the bucket went from %d to %d, and would be filled twice", before, after)
	}
}

// takenAt returns when the bucket was right.
func takenAt(t *testing.T, s *Store) (at int64) {
	t.Helper()
	c, err := pgx.Connect(t.Context(), s.config.ConnString())
	must(t, err)
	defer c.Close(t.Context())
	must(t, c.QueryRow(t.Context(), `SELECT at FROM rates WHERE owner = $1`, [16]byte(idOf(ada))).Scan(&at))
	return at
}

// TestTakeErased sees that who is erased leaves no buckets.
func TestTakeErased(t *testing.T) {
	url := made(t)
	s := openSealed(t, url, secretOf)
	update(t, s, func(w store.Writer) error { return insertSmall(w, "urn:a") })
	_, _, err := s.Take(t.Context(), ada, "payer", 1, 9, 1)
	must(t, err)
	update(t, s, func(w store.Writer) error { return w.EraseOwner() })
	if n := leftOf(t, url, "rates"); n != 0 {
		t.Errorf("%d buckets are left", n)
	}
}
