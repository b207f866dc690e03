package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/satchel-memory/satchel/internal/store/stored"
)

// statement is a statement and the receiver of its result.
type statement struct {
	query string
	args  []any
	scan  func(pgx.Rows) error // called for each row
	count *int64               // receives the number of rows changed
	drops bool                 // scan changes the owner's row
}

// tx is a running transaction. It serves one goroutine.
type tx struct {
	conn   *pgxpool.Conn
	store  *Store      // nil: a broken conn needs no handling
	runs   stored.Runs // the staged runs when it began
	queue  []statement // wait for the next round trip
	weight int         // of what they send, in bytes
	sent   int         // statements
	wrote  bool        // something was queued to be written
	cause  error       // of the first failure, as the driver returned it
	failed error       // the same for callers: the transaction cannot be committed
}

// The queue goes to the server as soon as it reaches one of these sizes.
const (
	maxQueue  = 256
	maxWeight = 4 << 20
)

// later queues a statement.
func (t *tx) later(ctx context.Context, st statement) {
	t.queue, t.wrote = append(t.queue, st), true
	t.weight += weigh(st.args)
	if len(t.queue) >= maxQueue || t.weight >= maxWeight {
		_ = t.send(ctx, "write") // failed keeps the error
	}
}

func weigh(args []any) (n int) {
	for _, arg := range args {
		switch arg := arg.(type) {
		case []byte:
			n += len(arg)
		case [][]byte:
			for _, b := range arg {
				n += len(b)
			}
		}
	}
	return n
}

// settle sends the queue if the owner's row depends on its results.
func (t *tx) settle(ctx context.Context) error {
	for _, st := range t.queue {
		if st.drops {
			return t.send(ctx, "write")
		}
	}
	return t.failed
}

// send sends the queue and then list, all in one round trip, and reads the results.
// An error of a statement ends the transaction; an error of a scan is returned as it
// is.
func (t *tx) send(ctx context.Context, op string, list ...statement) error {
	all := append(t.queue, list...)
	t.queue, t.weight = nil, 0
	if t.failed != nil || len(all) == 0 {
		return t.failed
	}
	ctx, call := t.measure(ctx, op)
	defer func() { call.End(t.failed) }()
	return t.exchange(ctx, op, all)
}

// exchange sends statements in one round trip and reads the results.
func (t *tx) exchange(ctx context.Context, op string, all []statement) error {
	const unit = 128 // statements: fewer are soon over
	before := t.sent
	if t.sent += len(all); outgrown(before/unit, t.sent/unit) {
		all = append([]statement{{query: discardPlans}}, all...)
	}
	if len(all) == 1 {
		rows, err := t.conn.Query(ctx, all[0].query, all[0].args...)
		return t.take(ctx, op, all[0], rows, err)
	}
	batch := &pgx.Batch{}
	for _, st := range all {
		batch.Queue(st.query, st.args...)
	}
	results := t.conn.SendBatch(ctx, batch)
	var err error
	for _, st := range all {
		rows, failed := results.Query()
		err = errors.Join(err, t.take(ctx, op, st, rows, failed))
		if t.failed != nil {
			break
		}
	}
	if closing := results.Close(); closing != nil && t.failed == nil {
		return t.fail(ctx, op, closing)
	}
	if t.failed != nil {
		return t.failed
	}
	return err
}

// take reads the result of a statement.
func (t *tx) take(ctx context.Context, op string, st statement, rows pgx.Rows, err error) error {
	if err != nil {
		return t.fail(ctx, op, err)
	}
	defer rows.Close()
	for st.scan != nil && rows.Next() {
		if err = st.scan(textRows{rows}); err != nil {
			break
		}
	}
	rows.Close()
	if failed := rows.Err(); failed != nil {
		return t.fail(ctx, op, failed)
	}
	if st.count != nil {
		*st.count = rows.CommandTag().RowsAffected()
	}
	return err
}

// fail notes the first failure of the transaction and returns it for callers.
func (t *tx) fail(ctx context.Context, op string, err error) error {
	if t.failed != nil {
		return t.failed
	}
	if ended := ctx.Err(); ended != nil {
		err = ended
	} else if _, answered := errors.AsType[*pgconn.PgError](err); !answered && t.conn.Conn().IsClosed() {
		err = fmt.Errorf("%w: %w", errBroken, err)
	}
	t.cause, t.failed = err, translate(op, err)
	return t.failed
}

// commit sends the queue and makes the transaction durable. If it fails and the
// server did not answer, the commit may or may not have been made.
func (t *tx) commit(ctx context.Context) error {
	return t.send(ctx, "commit", statement{query: commit})
}

// end rolls back an open transaction and gives the connection back.
func (t *tx) end() {
	c := t.conn.Conn()
	if !c.IsClosed() && c.PgConn().TxStatus() != 'I' {
		ctx, cancel := context.WithTimeout(context.Background(), rollbackTimeout)
		defer cancel()
		_, _ = c.PgConn().Exec(ctx, "ROLLBACK").ReadAll() // a connection that cannot roll back is closed
	}
	if t.store != nil {
		t.store.renew(c, t.cause)
	}
	t.conn.Release()
	if t.store != nil {
		t.store.short.note(0, 0)
	}
}
