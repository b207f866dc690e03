package sqlite

import (
	"context"
	"database/sql"
	"slices"
	"sync/atomic"
	"time"

	"github.com/satchel-memory/satchel/internal/metric"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/measure"
	"github.com/satchel-memory/satchel/internal/store/stored"
)

var _ store.Measured = (*Store)(nil)

const (
	countOwners = `SELECT count(*) FROM owners`
	countDue    = `SELECT work, count(*), min(at) FILTER (WHERE at > 0) FROM due WHERE at <= ? GROUP BY work`
)

// Metrics implements [store.Measured]. The connections are those of readers; their slots
// are taken by Views. The statements are "lock", the wait for other processes that write, and
// "commit".
func (s *Store) Metrics(ctx context.Context) []metric.Family {
	pool := measure.Pool{
		InUse: cap(s.readers) - len(s.readers), Idle: s.idle.size(), Most: cap(s.readers),
		Waits: s.waits.number.Load(), Waited: time.Duration(s.waits.nanos.Load()),
	}
	return slices.Concat(pool.Families(), s.meter.Families(), s.survey.Families(ctx))
}

// figures counts over all owners.
func (s *Store) figures(ctx context.Context) (f measure.Figures, err error) {
	f.Due = map[store.Work]measure.Backlog{}
	err = s.read(ctx, func(c *conn) error {
		if err := c.first(countOwners, nil, &f.Owners); err != nil {
			return err
		}
		return c.each(countDue, []any{stored.Micros(time.Now())}, func(rows *sql.Rows) error {
			var work string
			var b measure.Backlog
			var oldest *int64
			err := rows.Scan(&work, &b.Owners, &oldest)
			if oldest != nil {
				b.Oldest = stored.Instant(*oldest)
			}
			f.Due[store.Work(work)] = b
			return err
		})
	})
	return f, translate("survey", err)
}

// waits counts waiting for one thing. It is safe for concurrent use.
type waits struct{ number, nanos atomic.Int64 }

// begin counts a wait that the returned function ends.
func (w *waits) begin() (end func()) {
	began := time.Now()
	w.number.Add(1)
	return func() { w.nanos.Add(int64(time.Since(began))) }
}
