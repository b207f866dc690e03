package postgres

import (
	"context"
	"crypto/rand"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/database"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/stored"
)

//go:embed migrations/*.sql
var migrationFiles embed.FS

func embedded() fs.FS {
	sub, err := fs.Sub(migrationFiles, "migrations")
	if err != nil {
		panic(err) // impossible: the path is valid
	}
	return sub
}

// latest returns the number of the last migration. Every migration writes to
// schema_version its own number and the number of the earliest program that can work
// with its schema.
func latest() (int, error) { return stored.LatestMigration(embedded()) }

// Init makes the store in the database at url, as the user of the URL, who then owns
// its tables. It also makes the role of the programs, if the user may do that.
// Concurrent calls wait. Init brings an existing store up to date.
func Init(ctx context.Context, url string, opt Options) error {
	return Migrate(ctx, url, opt)
}

// Migrate is [Init] under the name that fits an existing store. It leaves earlier
// steps as they are.
func Migrate(ctx context.Context, url string, opt Options) error {
	config, err := opt.withDefaults().parse(url)
	if err != nil {
		return err
	}
	err = withOwner(ctx, config.ConnConfig, func(c *pgx.Conn) error {
		fresh := false
		for _, step := range []func() error{
			func() error { return alone(ctx, c) },
			func() error { return acceptServer(ctx, c) },
			func() error { return makeSchema(ctx, c) },
			func() (err error) { fresh, err = acceptOlder(ctx, c); return err },
			func() error { return acceptContents(ctx, c) },
			func() error { return makeRole(ctx, c) },
			func() error { return up(ctx, config.ConnConfig, fresh) },
			func() error { return mark(ctx, c) },
			func() error { return finishFresh(ctx, c, fresh) },
			func() error { return distribute(ctx, c) },
			func() error { return secure(ctx, c) },
		} {
			if err := step(); err != nil {
				return err
			}
		}
		return nil
	})
	return translate("migrate store", err)
}

// withOwner runs fn on a connection of the user of the URL.
func withOwner(ctx context.Context, config *pgx.ConnConfig, fn func(*pgx.Conn) error) error {
	c, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return err
	}
	defer func() { _ = c.Close(context.WithoutCancel(ctx)) }() // the work is committed
	return fn(c)
}

// alone waits until no other process migrates the database. It keeps others waiting
// until the connection is closed. It asks again and again: a statement that waited inside the
// database would be waited for by an index that is made beside others.
func alone(ctx context.Context, c *pgx.Conn) error {
	for {
		mine := false
		if err := c.QueryRow(ctx, `SELECT pg_try_advisory_lock(6071191303)`).Scan(&mine); err != nil || mine {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(aloneInterval):
		}
	}
}

// aloneInterval is the time between two tries to be alone.
const aloneInterval = 100 * time.Millisecond

// up makes a new store or runs the missing migrations.
func up(ctx context.Context, config *pgx.ConnConfig, fresh bool) (err error) {
	db := stdlib.OpenDB(*config)
	defer db.Close() // the work is committed by then
	made := false
	if fresh {
		made, err = makeNew(ctx, db)
	}
	if err == nil && !made {
		err = migrateSteps(ctx, db)
	}
	if err != nil {
		return fmt.Errorf("migrate store: %w", err)
	}
	return nil
}

// migrateSteps runs the missing migrations, most in a transaction of its own.
func migrateSteps(ctx context.Context, db *sql.DB) error {
	provider, err := goose.NewProvider(goose.DialectPostgres, db, embedded())
	if err == nil {
		_, err = provider.Up(ctx)
	}
	return err
}

// makeNew runs all migrations in one transaction if the schema is empty, and reports whether it
// was. Nobody uses a new schema yet, so that indexes are made without CONCURRENTLY.
func makeNew(ctx context.Context, db *sql.DB) (made bool, err error) {
	done, err := database.NewStore(goose.DialectPostgres, gooseTable)
	if err != nil {
		return false, err
	}
	inOne := func(text string) string { return strings.ReplaceAll(text, " CONCURRENTLY", "") }
	return stored.NewSchema{Migrations: embedded(), Done: done, Objects: countObjects, Adapt: inOne}.Make(ctx, db)
}

// countObjects counts what lies in the schema.
const countObjects = `SELECT count(*) FROM pg_class WHERE relnamespace = '` + schemaName + `'::regnamespace`

// mark gives a store its marker, unless it has one, see runHome.
func mark(ctx context.Context, c *pgx.Conn) error {
	marker := make([]byte, 16)
	_, _ = rand.Read(marker) // never fails
	_, err := c.Exec(ctx, setMarker, marker)
	return err
}

// leastServer is the earliest version of PostgreSQL that Satchel supports, as
// PostgreSQL counts.
const leastServer = 150000

// acceptServer refuses a server that is too old.
func acceptServer(ctx context.Context, c *pgx.Conn) error {
	server := 0
	err := c.QueryRow(ctx, `SELECT current_setting('server_version_num')::integer`).Scan(&server)
	if err == nil && server < leastServer {
		err = refusal("migrate store", store.ErrNotStore, "satchel needs PostgreSQL 15 or later; bring the server up to date")
	}
	return err
}

// finishFresh finishes the migrations of a new store: no earlier release ever worked on it.
func finishFresh(ctx context.Context, c *pgx.Conn, fresh bool) error {
	if !fresh {
		return nil
	}
	return finish(ctx, c)
}

// acceptOlder refuses a schema of a later release, and a schema without its number. fresh: there
// is no schema yet.
func acceptOlder(ctx context.Context, c *pgx.Conn) (fresh bool, err error) {
	v, exists, err := readVersion(ctx, c)
	if err != nil || !exists {
		return err == nil, err
	}
	known, failed := latest()
	if err = errors.Join(err, failed); err == nil && int(v.number) > known {
		err = version{number: v.number, compatible: v.number}.acceptable(known)
	}
	return false, err
}

// readVersion reads the number of the schema, if there is one.
func readVersion(ctx context.Context, c *pgx.Conn) (v version, exists bool, err error) {
	err = c.QueryRow(ctx, `SELECT to_regclass('schema_version') IS NOT NULL`).Scan(&exists)
	if err != nil || !exists {
		return v, false, err
	}
	err = c.QueryRow(ctx, statements[schemaStatement]).Scan(&v.number, &v.compatible)
	if errors.Is(err, pgx.ErrNoRows) {
		return v, true, lostVersion()
	}
	if refused, ok := errors.AsType[*pgconn.PgError](err); ok && strings.HasPrefix(refused.Code, "42") && refused.Code != "42501" {
		return v, true, refusal("open store", store.ErrNotStore, "the table "+schemaName+"."+versionTable+
			" is not satchel's; rename the schema "+schemaName+" or take another database")
	}
	return v, true, err
}

// Claim calls fn while no other process claims or migrates the database at url.
// Concurrent callers wait until fn returns, and then see what it did. fn must not
// migrate the database: it would wait for itself. The error is fn's, or says why
// Claim could not get the lock.
func Claim(ctx context.Context, url string, opt Options, fn func() error) error {
	config, err := opt.withDefaults().parse(url)
	if err != nil {
		return err
	}
	var failed error
	err = withOwner(ctx, config.ConnConfig, func(c *pgx.Conn) error {
		if err := alone(ctx, c); err != nil {
			return err
		}
		failed = fn()
		return nil
	})
	if err != nil {
		return translate("claim store", err)
	}
	return failed
}
