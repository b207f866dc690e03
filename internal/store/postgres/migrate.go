package postgres

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"

	"github.com/satchel-memory/satchel/internal/store"
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

// latest returns the number of the last migration. Every migration writes its own
// number to schema_version, and the number of the earliest program that can work
// with what it leaves.
func latest() (int, error) {
	names, err := fs.Glob(embedded(), "*.sql")
	if err != nil || len(names) == 0 {
		return 0, errors.Join(errors.New("find migrations: there are none"), err)
	}
	number, _, _ := strings.Cut(names[len(names)-1], "_")
	return strconv.Atoi(number)
}

// Init makes the store in the database at url, as the user of the URL, who then owns
// its tables, and the role of the programs, where the user may do that. Who asks at
// the same time waits. A store that is there is brought up to date.
func Init(ctx context.Context, url string, opt Options) error {
	return Migrate(ctx, url, opt)
}

// Migrate is [Init] under the name of what it does to a store that is there. What was
// done already it leaves as it is.
func Migrate(ctx context.Context, url string, opt Options) error {
	config, err := opt.withDefaults().parse(url)
	if err != nil {
		return err
	}
	err = withOwner(ctx, config.ConnConfig, func(c *pgx.Conn) error {
		for _, step := range []func() error{
			func() error { return alone(ctx, c) },
			func() error { return acceptServer(ctx, c) },
			func() error { return makeSchema(ctx, c) },
			func() error { return acceptOlder(ctx, c) },
			func() error { return acceptContents(ctx, c) },
			func() error { return makeRole(ctx, c) },
			func() error { return up(ctx, config.ConnConfig) },
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
	defer func() { _ = c.Close(context.WithoutCancel(ctx)) }() // whatever matters is committed
	return fn(c)
}

// alone waits until nobody else migrates the database, and keeps others waiting until
// the connection is closed.
func alone(ctx context.Context, c *pgx.Conn) error {
	_, err := c.Exec(ctx, `SELECT pg_advisory_lock(6071191303)`)
	return err
}

// up runs the migrations that are missing, each in a transaction of its own.
func up(ctx context.Context, config *pgx.ConnConfig) error {
	db := stdlib.OpenDB(*config)
	defer db.Close() // what matters is committed by then
	provider, err := goose.NewProvider(goose.DialectPostgres, db, embedded())
	if err != nil {
		return err
	}
	if _, err := provider.Up(ctx); err != nil {
		return fmt.Errorf("migrate store: %w", err)
	}
	return nil
}

// leastServer is the earliest PostgreSQL that will do, as it counts its versions.
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

// acceptOlder refuses a schema of a later release, and one whose number is lost.
func acceptOlder(ctx context.Context, c *pgx.Conn) error {
	v, exists, err := readVersion(ctx, c)
	if err != nil || !exists {
		return err
	}
	known, failed := latest()
	if err = errors.Join(err, failed); err == nil && int(v.number) > known {
		err = version{number: v.number, compatible: v.number}.acceptable(known)
	}
	return err
}

// readVersion reads the number of the schema, where there is one.
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

// Claim calls fn while nobody else claims the database at url or migrates it: whoever
// asks meanwhile waits until fn is done, and then sees what it did. fn must not
// migrate the database: it would wait for itself. The error is fn's, or says why
// the turn was not had.
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
