package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/database"
	"modernc.org/sqlite"

	"github.com/satchel-memory/satchel/internal/atomicfile"
	"github.com/satchel-memory/satchel/internal/store/stored"
)

// migrate makes the store or brings it up to date. One process does so; the others
// wait, and then find the work done.
func (s *Store) migrate(ctx context.Context) (err error) {
	if err := s.gate.lock(s.opt.BusyTimeout); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.gate.unlock()) }()

	// The file gets the mode of the lock file, which only its owner can read.
	making := source(s.path, s.opt.BusyTimeout, "mode=rwc", "modeof="+escape(s.path+".lock"))
	found, err := s.look(ctx, making)
	if err != nil || found.version == s.schema && found.ours() {
		return err
	}
	if err := found.acceptable(s.schema); err != nil {
		return err
	}
	if found.ours() {
		if err := s.keepOld(ctx, making, found.version); err != nil {
			return err
		}
	}
	if err := s.up(ctx, making+"&_txlock=immediate&_pragma=journal_mode(WAL)"); err != nil {
		return err
	}
	return atomicfile.SyncFolder(filepath.Dir(s.path))
}

// look reads the header through a connection of its own.
func (s *Store) look(ctx context.Context, source string) (header, error) {
	c, err := dialPatiently(ctx, source, s.opt.BusyTimeout)
	if err != nil {
		return header{}, err
	}
	h, err := readHeader(ctx, c, s.opt.BusyTimeout)
	return h, errors.Join(err, c.close())
}

// up makes a new store or runs the missing migrations.
func (s *Store) up(ctx context.Context, source string) error {
	connector, err := sqlite.NewConnector(source)
	if err != nil {
		return err
	}
	db := sql.OpenDB(connector)
	db.SetMaxOpenConns(1)
	defer db.Close() // the work is committed by then
	return upgrade(ctx, db, s.opt.migrations)
}

// upgrade makes a new store or runs the missing migrations, over a handle of one connection.
func upgrade(ctx context.Context, db *sql.DB, migrations fs.FS) error {
	made, err := makeNew(ctx, db, migrations)
	if err == nil && !made {
		err = migrateSteps(ctx, db, migrations)
	}
	if err != nil {
		return fmt.Errorf("migrate store: %w", translate("migrate store", err))
	}
	return nil
}

// migrateSteps runs the missing migrations, each in a transaction of its own.
func migrateSteps(ctx context.Context, db *sql.DB, migrations fs.FS) error {
	steps, err := stored.Steps(migrations)
	if err != nil {
		return err
	}
	provider, err := goose.NewProvider(goose.DialectSQLite3, db, nil, goose.WithGoMigrations(steps...))
	if err == nil {
		_, err = provider.Up(ctx)
	}
	return err
}

// makeNew runs all migrations in one transaction if the file is empty, and reports whether it was.
func makeNew(ctx context.Context, db *sql.DB, migrations fs.FS) (made bool, err error) {
	done, err := database.NewStore(goose.DialectSQLite3, goose.DefaultTablename)
	if err != nil {
		return false, err
	}
	return stored.NewSchema{Migrations: migrations, Done: done, Objects: "SELECT count(*) FROM sqlite_schema"}.Make(ctx, db)
}

// keepOld copies the store beside itself before a migration changes it. If a copy of
// the same schema exists, an earlier attempt failed.
func (s *Store) keepOld(ctx context.Context, source string, version int) error {
	c, err := dialPatiently(ctx, source, s.opt.BusyTimeout)
	if err != nil {
		return err
	}
	copied, err := copyInto(ctx, c, s.path)
	if err := errors.Join(err, c.close()); err != nil {
		return err
	}
	if err := copied.keep(fmt.Sprintf("%s.v%d.bak", s.path, version)); err != nil {
		return fmt.Errorf("migrate store: %w", err)
	}
	return atomicfile.SyncFolder(filepath.Dir(s.path))
}

// readHeader waits while another process makes or closes the store.
func readHeader(ctx context.Context, c *conn, patience time.Duration) (header, error) {
	var h header
	err := persist(ctx, patience, func() error {
		return c.first(headerSQL, nil, &h.application, &h.version, &h.tables, &h.foreign)
	})
	return h, translate("open store", err)
}

// dialPatiently opens a connection, and waits while other processes are in the way.
func dialPatiently(ctx context.Context, source string, patience time.Duration) (*conn, error) {
	var c *conn
	err := persist(ctx, patience, func() (err error) {
		c, err = dial(ctx, source)
		return err
	})
	return c, translate("open store", err)
}

// persist repeats do while other processes are in the way, at most for patience.
// SQLite waits for locks by itself, with two exceptions: while it recovers a log, and
// where it suspects a deadlock.
func persist(ctx context.Context, patience time.Duration, do func() error) error {
	start := time.Now()
	for pause := time.Millisecond; ; pause = min(2*pause, 50*time.Millisecond) {
		err := do()
		if !retriable(err) || time.Since(start) > patience {
			return err
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
