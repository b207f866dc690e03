package postgres

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/satchel-memory/satchel/internal/store"
)

// The schema changes in two halves, so that servers can be replaced one after the other. A
// migration adds what the new release needs and leaves what the release before works with; it
// says so by the number in schema_version.compatible. [Finish] ends that when the last server
// of the release before has gone.

// Step is a migration that a database lacks.
type Step struct {
	Number int
	Does   string
	Waits  bool     // servers wait while it runs; false: it works beside them
	Reads  []string // tables that it reads as a whole
	Bytes  int64    // the size of these tables
	Beside int      // the earliest schema whose programs work on after it
}

// Plan lists the migrations that [Migrate] would run on the database at url. unfinished is the
// earliest schema whose programs may still work beside this release; 0: all are finished.
func Plan(ctx context.Context, url string, opt Options) (steps []Step, unfinished int, err error) {
	config, err := opt.withDefaults().parse(url)
	if err != nil {
		return nil, 0, err
	}
	err = withOwner(ctx, config.ConnConfig, func(c *pgx.Conn) error {
		v, exists, err := readVersion(ctx, c)
		if err != nil {
			return err
		}
		if steps, err = stepsAfter(int(v.number)); err != nil {
			return err
		}
		if v.compatible < v.number {
			unfinished = int(v.compatible)
		}
		for i := range steps {
			if !exists {
				steps[i].Reads = nil // there is nothing to read
			}
			if steps[i].Bytes, err = sizeOf(ctx, c, steps[i].Reads); err != nil {
				return err
			}
		}
		return nil
	})
	return steps, unfinished, translate("plan migration", err)
}

// stepsAfter reads the migrations after one.
func stepsAfter(number int) ([]Step, error) {
	names, err := fs.Glob(embedded(), "*.sql")
	if err != nil {
		return nil, err
	}
	var steps []Step
	for _, name := range names {
		text, err := fs.ReadFile(embedded(), name)
		if err != nil {
			return nil, err
		}
		s, err := stepOf(name, string(text))
		if err != nil {
			return nil, err
		}
		if s.Number > number {
			steps = append(steps, s)
		}
	}
	return steps, nil
}

// stepOf reads what a migration says of itself.
func stepOf(name, text string) (s Step, err error) {
	digits, _, _ := strings.Cut(name, "_")
	find := func(pattern string) []string { return regexp.MustCompile(pattern).FindStringSubmatch(text) }
	does, beside := find(`(?m)^-- Plan: (.+)$`), find(`compatible = (\d+);|\(true, \d+, (\d+)\);`)
	if does == nil || beside == nil {
		return s, fmt.Errorf("the migration %s does not say what it does", name)
	}
	s = Step{Does: does[1], Waits: !strings.Contains(text, "-- +goose NO TRANSACTION")}
	if reads := find(`(?m)^-- Reads: (.+)$`); reads != nil {
		s.Reads = strings.Split(reads[1], ", ")
	}
	var failed error
	s.Number, err = strconv.Atoi(digits)
	s.Beside, failed = strconv.Atoi(beside[1] + beside[2])
	return s, errors.Join(err, failed)
}

// sizeOf returns the bytes of tables, on all nodes of a cluster.
func sizeOf(ctx context.Context, c *pgx.Conn, tables []string) (bytes int64, err error) {
	size := selectTableSize
	if there, err := hasCitus(ctx, c); err != nil {
		return 0, err
	} else if there {
		size = selectClusterTableSize
	}
	for _, table := range tables {
		var n int64
		if err := c.QueryRow(ctx, size, table).Scan(&n); err != nil {
			return 0, err
		}
		bytes += n
	}
	return bytes, nil
}

// Finish ends the time in which programs of an earlier release may work on the database at url:
// they are refused from then on. It files anew the work that they did not file, and removes
// what they left. A second call does no harm.
func Finish(ctx context.Context, url string, opt Options) error {
	config, err := opt.withDefaults().parse(url)
	if err != nil {
		return err
	}
	err = withOwner(ctx, config.ConnConfig, func(c *pgx.Conn) error {
		if err := alone(ctx, c); err != nil {
			return err
		}
		v, exists, err := readVersion(ctx, c)
		if err != nil {
			return err
		}
		known, err := latest()
		if err != nil {
			return err
		}
		if !exists || int(v.number) != known {
			return refusal("finish migration", store.ErrOperator, fmt.Sprintf("the store has schema %d and this release needs schema %d; "+
				"run satchel store migrate, replace all servers, then finish", v.number, known))
		}
		return finish(ctx, c)
	})
	return translate("finish migration", err)
}

func finish(ctx context.Context, c *pgx.Conn) error {
	return pgx.BeginFunc(ctx, c, func(tx pgx.Tx) error {
		for _, statement := range []string{endBeside, refile, removeStrayWork, removeStraySessions, removeStrayReadings, removeStrayRuns, removeStrayEvents} {
			if _, err := tx.Exec(ctx, statement); err != nil {
				return err
			}
		}
		return nil
	})
}

const (
	selectTableSize        = `SELECT pg_table_size($1::regclass)`
	selectClusterTableSize = `SELECT citus_table_size($1::regclass)`

	endBeside = `UPDATE schema_version SET compatible = version`

	// refile files all work of all owners, which programs of schema 6 and before do not do.
	refile = `INSERT INTO due (owner, work, at)
SELECT o.owner, w.work, 0 FROM owners AS o CROSS JOIN (VALUES ('sweep'), ('tidy'), ('tell'), ('index'), ('prune'), ('drive')) AS w (work)
ON CONFLICT (owner, work) DO UPDATE SET at = 0`

	// What such programs left of owners whom they have erased.
	removeStrayWork     = `DELETE FROM due AS d WHERE NOT EXISTS (SELECT FROM owners AS o WHERE o.owner = d.owner)`
	removeStraySessions = `DELETE FROM sessions AS s WHERE NOT EXISTS (SELECT FROM owners AS o WHERE o.owner = s.owner)`
	removeStrayReadings = `DELETE FROM readings AS r WHERE NOT EXISTS (SELECT FROM owners AS o WHERE o.owner = r.owner)`
	removeStrayRuns     = `DELETE FROM runs AS r WHERE NOT EXISTS (SELECT FROM owners AS o WHERE o.owner = r.owner)`
	removeStrayEvents   = `DELETE FROM run_events AS e WHERE NOT EXISTS (SELECT FROM owners AS o WHERE o.owner = e.owner)`
)
