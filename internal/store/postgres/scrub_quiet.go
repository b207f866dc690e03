package postgres

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/satchel-memory/satchel/internal/store"
)

// quietInterval is how often quiet looks for transactions that keep old rows.
const quietInterval = 100 * time.Millisecond

// quiet returns once no transaction can see rows that were dead when it was called, on
// any node. It waits for two things, each for as long as patience: first for a moment in
// which no transaction holds table owners, which each of our transactions reads first, so
// that every transaction that deleted a row is over; then for the end of everything that
// keeps rows from before that moment, whoever owns it and however new it is.
func quiet(ctx context.Context, c *pgx.Conn, others nodes, patience time.Duration) error {
	before, err := moment(ctx, c, others, patience)
	if err != nil {
		return err
	}
	for deadline := time.Now().Add(patience); ; {
		holder, err := before.holder(ctx, c, others)
		switch {
		case err != nil:
			return err
		case holder == "":
			return nil
		case time.Now().After(deadline):
			return refusal("scrub", store.ErrBusy, "the database keeps old rows for "+holder+"; end that, then try again")
		}
		select {
		case <-time.After(quietInterval):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// instant is a moment, as each node counts: the number of a transaction of then. The
// first is that of the connection's own node, and the others follow in their order.
type instant []string

// moment waits until no transaction holds table owners. Citus takes the lock on every
// node.
func moment(ctx context.Context, c *pgx.Conn, others nodes, patience time.Duration) (at instant, err error) {
	err = pgx.BeginFunc(ctx, c, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `SET LOCAL lock_timeout = '`+millis(patience)+`'`); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `LOCK TABLE owners IN ACCESS EXCLUSIVE MODE`); err != nil {
			return err
		}
		var number string
		if err := tx.QueryRow(ctx, selectNumber).Scan(&number); err != nil {
			return err
		}
		answers, err := others.must(ctx, c, selectNumber)
		at = instant{number}
		for _, a := range answers {
			at = append(at, a.result)
		}
		return err
	})
	return at, err
}

const selectNumber = `SELECT pg_current_xact_id()::xid::text`

// holder names something that keeps rows from before the moment; empty: nothing does.
func (at instant) holder(ctx context.Context, c *pgx.Conn, others nodes) (name string, err error) {
	err = c.QueryRow(ctx, selectHolders, at[0]).Scan(&name)
	if !errors.Is(err, pgx.ErrNoRows) {
		return name, err
	}
	var commands []string
	for _, number := range at[1:] {
		commands = append(commands, `SELECT coalesce((`+strings.ReplaceAll(selectHolders, "$1", "'"+number+"'")+`), '')`)
	}
	answers, err := others.must(ctx, c, commands...)
	for _, a := range answers {
		if a.done && a.result != "" {
			return a.result + " on node " + a.node, nil
		}
	}
	return "", err
}

// selectHolders names the sessions and slots that keep rows that died before
// transaction $1. A running VACUUM keeps none. The session of a standby that tells
// the primary what it reads is in no database.
const selectHolders = `SELECT 'the replication slot ' || slot_name FROM pg_replication_slots WHERE age(xmin) > age($1::text::xid)
	UNION ALL SELECT 'the prepared transaction ' || gid FROM pg_prepared_xacts
		WHERE database = current_database() AND age(transaction) > age($1::text::xid)
	UNION ALL SELECT 'the session with process number ' || pid || coalesce(' (' || nullif(application_name, '') || ')', '')
		FROM pg_stat_activity
		WHERE (datname = current_database() OR datname IS NULL) AND pid <> pg_backend_pid()
			AND (age(backend_xmin) > age($1::text::xid) OR age(backend_xid) > age($1::text::xid))
			AND pid NOT IN (SELECT pid FROM pg_stat_progress_vacuum)
	LIMIT 1`
