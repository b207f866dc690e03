package postgres

import (
	"context"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/satchel-memory/satchel/internal/metric"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/measure"
	"github.com/satchel-memory/satchel/internal/store/stored"
)

var _ store.Measured = (*Store)(nil)

// Statements that count over all owners. On a cluster each visits every shard, so that the
// figures are kept for a while, see [measure.Survey].
const (
	countOwners = `SELECT count(*) FROM owners WHERE moved <> '` + arriving + `' AND did <> '` + string(nobody) + `'`
	countDue    = `SELECT work, count(*), min(at) FILTER (WHERE at > 0) FROM due WHERE at <= $1 GROUP BY work`
)

// Metrics implements [store.Measured].
func (s *Store) Metrics(ctx context.Context) []metric.Family {
	state := s.pool.Stat()
	pool := measure.Pool{
		InUse: int(state.AcquiredConns()), Idle: int(state.IdleConns()), Most: int(state.MaxConns()),
		Waits: state.EmptyAcquireCount(), Waited: state.EmptyAcquireWaitTime(),
	}
	return slices.Concat(pool.Families(), s.meter.Families(), s.survey.Families(ctx))
}

// figures counts over all owners. It ends when the store is closed, which would wait for its
// connection.
func (s *Store) figures(ctx context.Context) (f measure.Figures, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		select {
		case <-s.closing:
			cancel()
		case <-ctx.Done():
		}
	}()
	owners, err := queryOwners(ctx, s, "survey", countOwners, nil, func(rows pgx.Rows) (n int64, err error) { return n, rows.Scan(&n) })
	if err != nil {
		return f, err
	}
	for _, n := range owners {
		f.Owners = n
	}
	f.Due = map[store.Work]measure.Backlog{}
	_, err = queryOwners(ctx, s, "survey", countDue, []any{stored.Micros(time.Now())}, func(rows pgx.Rows) (none struct{}, err error) {
		var work string
		var b measure.Backlog
		var oldest *int64
		err = rows.Scan(&work, &b.Owners, &oldest)
		if oldest != nil {
			b.Oldest = stored.Instant(*oldest)
		}
		f.Due[store.Work(work)] = b
		return none, err
	})
	return f, err
}

// measure begins the measurement of a trip to the database for an operation.
func (t *tx) measure(ctx context.Context, op string) (context.Context, measure.Call) {
	if t.store == nil {
		return ctx, measure.Call{}
	}
	return t.store.meter.Statement(ctx, op)
}
