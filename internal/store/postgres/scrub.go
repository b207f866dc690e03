package postgres

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// Scrub removes content erased before the call from the files of the database at url,
// as the owner of the tables, on every node of a cluster. Before that it removes all rows
// of the owners who were removed, see [store.Removed]. It notes that for all owners,
// whose secrets opt.Seal returns. All other callers wait while it rewrites a table.
// Copies elsewhere stay, see [Copies].
//
// It fails with store.ErrOperator when the user of the URL lacks the rights, with
// store.ErrBusy while a transaction keeps reading an old state, and with
// store.ErrUnavailable, naming them, when nodes did not do their part. The steps done by
// then stay done, and the debt stays, see [Store.Owed].
func Scrub(ctx context.Context, url string, opt Options) (err error) {
	s, err := Open(ctx, url, opt)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	var owed map[memory.DID]int64
	err = withOwner(ctx, s.config.ConnConfig.Copy(), func(c *pgx.Conn) (err error) {
		if err := s.dropRemoved(ctx, c); err != nil {
			return err
		}
		if owed, err = s.debts(ctx); err != nil {
			return err
		}
		return vacuum(ctx, c, s.opt.ScrubTimeout)
	})
	if err != nil {
		return scrubError(err)
	}
	for did, erased := range owed {
		if err := s.settle(ctx, did, erased); err != nil {
			return err
		}
	}
	return nil
}

// Copies lists, one line each and for people, where erased content may still lie
// outside the tables, as far as the server at url and the other nodes know.
func Copies(ctx context.Context, url string, opt Options) (copies []string, err error) {
	config, err := opt.withDefaults().parse(url)
	if err != nil {
		return nil, err
	}
	err = withOwner(ctx, config.ConnConfig, func(c *pgx.Conn) error {
		rows, err := c.Query(ctx, selectCopies)
		if err == nil {
			copies, err = pgx.CollectRows(rows, pgx.RowTo[string])
		}
		if err != nil {
			return err
		}
		others, err := otherNodes(ctx, c)
		if err != nil {
			return err
		}
		answers, err := others.run(ctx, c, `SELECT coalesce(string_agg(place, chr(10)), '') FROM (`+selectCopies+`) AS found (place)`)
		for _, a := range answers {
			copies = append(copies, a.copies()...)
		}
		return err
	})
	return copies, translate("scrub", err)
}

// copies returns what a node says of copies, one line each.
func (a answer) copies() (lines []string) {
	if !a.done {
		return []string{"node " + a.node + " does not say whether it keeps copies: " + firstLine(a.result)}
	}
	for line := range strings.Lines(a.result) {
		lines = append(lines, "node "+a.node+": "+strings.TrimSpace(line))
	}
	return lines
}

// debts reads the erasure counter of each owner with a debt.
func (s *Store) debts(ctx context.Context) (map[memory.DID]int64, error) {
	type debt struct {
		did    memory.DID
		erased int64
	}
	list, err := queryOwners(ctx, s, "scrub", selectDebts, nil, func(rows pgx.Rows) (d debt, err error) {
		err = rows.Scan(&d.did, &d.erased)
		return d, err
	})
	owed := make(map[memory.DID]int64, len(list))
	for _, d := range list {
		owed[d.did] = d.erased
	}
	return owed, err
}

// settle notes that the files are clean of all content that had left by then.
func (s *Store) settle(ctx context.Context, did memory.DID, erased int64) error {
	return s.Update(ctx, did, func(w store.Writer) error {
		o := w.(*writer)
		o.owner.Cleaned, o.owner.Changed = max(o.owner.Cleaned, erased), true
		return nil
	})
}

// vacuum rewrites every table without its dead rows, which Citus does on all nodes. Then
// it has every server close and remove the write-ahead log from before.
func vacuum(ctx context.Context, c *pgx.Conn, patience time.Duration) error {
	others, err := otherNodes(ctx, c)
	if err != nil {
		return err
	}
	if err := quiet(ctx, c, others, patience); err != nil {
		return err
	}
	for _, t := range owned {
		if _, err := c.Exec(ctx, `VACUUM (FULL) `+t.name); err != nil {
			return err
		}
	}
	for _, statement := range emptyingLog {
		if _, err := c.Exec(ctx, statement); err != nil {
			return err
		}
		if _, err := others.must(ctx, c, statement); err != nil {
			return err
		}
	}
	return nil
}

// emptyingLog writes everything into the tables and begins a new file of the log, so
// that the server no longer needs the files before.
var emptyingLog = []string{`CHECKPOINT`, `SELECT pg_switch_wal()`, `CHECKPOINT`}

const selectCopies = `SELECT 'the server keeps files of the log to use them again (wal_recycle), and they hold what was written until then'
		FROM pg_settings WHERE name = 'wal_recycle' AND setting = 'on'
	UNION ALL SELECT 'the log is archived (archive_mode); its copies and backups hold what was erased until they are removed'
		FROM pg_settings WHERE name = 'archive_mode' AND setting <> 'off'
	UNION ALL SELECT 'files of the log are kept (wal_keep_size)' FROM pg_settings WHERE name = 'wal_keep_size' AND setting <> '0'
	UNION ALL SELECT 'the replication slot ' || slot_name || ' keeps files of the log' FROM pg_replication_slots`

// scrubError says who may scrub.
func scrubError(err error) error {
	if refused, ok := errors.AsType[*pgconn.PgError](err); ok && refused.Code == "42501" {
		return &memory.Error{Kind: memory.Internal, Op: "scrub", Err: fmt.Errorf("%w: %w", store.ErrOperator, tidy(err)),
			Message: "this user may not do that; name a superuser in the URL, or grant the owner of the tables pg_checkpoint and " +
				"EXECUTE ON FUNCTION pg_switch_wal()"}
	}
	return translate("scrub", err)
}

// Each Update that removes content adds one to its owner's counter erased. No answer
// shows that content any more, but it stays in dead rows and in the log until the
// server reuses their space. A scrub removes it, and notes in cleaned the value of
// the counter when the scrub began; content that left meanwhile stays owed.

// Owed asks whether some owner has a debt; an index holds the owners that have.
func (s *Store) Owed(ctx context.Context) (bool, error) {
	owed, err := queryOwners(ctx, s, "compact", selectOwed, nil, func(rows pgx.Rows) (owed bool, err error) {
		err = rows.Scan(&owed)
		return owed, err
	})
	return len(owed) == 1 && owed[0], err
}

// Compact fails with [store.ErrOperator] if a scrub is owed: cleaning the files needs
// rights that programs lack, and keeps all owners waiting. See [Scrub].
func (s *Store) Compact(ctx context.Context) error {
	owed, err := s.Owed(ctx)
	if err == nil && owed {
		err = refusal("compact", store.ErrOperator, "what was erased is gone from every answer; "+
			"the operator removes it from the files of the database with satchel store scrub")
	}
	return err
}
