package postgres

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/store/postgres/pgtest"
)

// TestClaim lets one at a time claim a database, and hands their errors on.
func TestClaim(t *testing.T) {
	url := pgtest.Database(t)
	want := errors.New("refused")
	var within, most atomic.Int32
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			err := Claim(t.Context(), url, Options{}, func() error {
				if n := within.Add(1); n > most.Load() {
					most.Store(n)
				}
				time.Sleep(20 * time.Millisecond)
				within.Add(-1)
				return want
			})
			if !errors.Is(err, want) {
				t.Errorf("the error is lost: %v", err)
			}
		})
	}
	group.Wait()
	if most.Load() != 1 {
		t.Errorf("%d had the database at once", most.Load())
	}
}
