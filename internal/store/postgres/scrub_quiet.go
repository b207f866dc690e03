package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/satchel-memory/satchel/internal/store"
)

// quietInterval is how often quiet looks whether somebody still keeps old rows.
const quietInterval = 100 * time.Millisecond

// quiet returns once nobody can see rows that were dead when it was called. It waits
// for each of two things as long as patience lasts: for a moment in which nobody holds
// table owners, which every transaction of ours reads first, so that whatever has
// deleted a row is over; and for the end of everything that keeps rows from before
// that moment, whoever it belongs to and however short it has been there.
func quiet(ctx context.Context, c *pgx.Conn, patience time.Duration) error {
	before, err := moment(ctx, c, patience)
	if err != nil {
		return err
	}
	for deadline := time.Now().Add(patience); ; {
		var holder string
		err := c.QueryRow(ctx, selectHolders, before).Scan(&holder)
		switch {
		case errors.Is(err, pgx.ErrNoRows):
			return nil
		case err != nil:
			return err
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

// moment waits until nobody holds table owners, and returns the number of a
// transaction of that moment.
func moment(ctx context.Context, c *pgx.Conn, patience time.Duration) (number string, err error) {
	err = pgx.BeginFunc(ctx, c, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `SET LOCAL lock_timeout = '`+millis(patience)+`'`); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `LOCK TABLE owners IN ACCESS EXCLUSIVE MODE`); err != nil {
			return err
		}
		return tx.QueryRow(ctx, `SELECT pg_current_xact_id()::xid::text`).Scan(&number)
	})
	return number, err
}

// selectHolders names somebody who keeps rows that died before transaction $1. A
// VACUUM under way keeps none, and the session of a standby that tells the primary
// what it reads is in no database.
const selectHolders = `SELECT 'the replication slot ' || slot_name FROM pg_replication_slots WHERE age(xmin) > age($1::text::xid)
	UNION ALL SELECT 'the prepared transaction ' || gid FROM pg_prepared_xacts
		WHERE database = current_database() AND age(transaction) > age($1::text::xid)
	UNION ALL SELECT 'the session with process number ' || pid || coalesce(' (' || nullif(application_name, '') || ')', '')
		FROM pg_stat_activity
		WHERE (datname = current_database() OR datname IS NULL) AND pid <> pg_backend_pid()
			AND (age(backend_xmin) > age($1::text::xid) OR age(backend_xid) > age($1::text::xid))
			AND pid NOT IN (SELECT pid FROM pg_stat_progress_vacuum)
	LIMIT 1`
