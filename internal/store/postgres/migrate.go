package postgres

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
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

// Migrate makes the store in the database at url, or brings it up to date, as the
// user of the URL, who then owns its tables. Who asks at the same time waits. It
// makes the role of the programs as well, where the user may do that. What was done
// already it leaves as it is, so that it may be repeated.
func Migrate(ctx context.Context, url string, opt Options) error {
	config, err := opt.withDefaults().parse(url)
	if err != nil {
		return err
	}
	if err := migrate(ctx, config.ConnConfig); err != nil {
		return translate("migrate store", err)
	}
	return nil
}

func migrate(ctx context.Context, config *pgx.ConnConfig) (err error) {
	c, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return err
	}
	defer func() { _ = c.Close(ctx) }() // whatever matters is committed
	if err := acceptOlder(ctx, c); err != nil {
		return err
	}
	if err := makeRole(ctx, c); err != nil {
		return err
	}
	if err := up(ctx, config); err != nil {
		return err
	}
	if err := distribute(ctx, c); err != nil {
		return err
	}
	return secure(ctx, c)
}

// up runs the migrations that are missing, each in a transaction of its own.
func up(ctx context.Context, config *pgx.ConnConfig) error {
	queue, err := lock.NewPostgresSessionLocker(lock.WithLockTimeout(1, 600))
	if err != nil {
		return err
	}
	db := stdlib.OpenDB(*config)
	defer db.Close() // what matters is committed by then
	provider, err := goose.NewProvider(goose.DialectPostgres, db, embedded(), goose.WithSessionLocker(queue))
	if err != nil {
		return err
	}
	if _, err := provider.Up(ctx); err != nil {
		return fmt.Errorf("migrate store: %w", err)
	}
	return nil
}

// acceptOlder refuses to touch a schema of a later release.
func acceptOlder(ctx context.Context, c *pgx.Conn) error {
	exists := false
	if err := c.QueryRow(ctx, `SELECT to_regclass('schema_version') IS NOT NULL`).Scan(&exists); err != nil || !exists {
		return err
	}
	var v version
	err := c.QueryRow(ctx, statements[schemaStatement]).Scan(&v.number, &v.compatible)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil
	}
	known, failed := latest()
	if err = errors.Join(err, failed); err == nil && int(v.number) > known {
		err = version{number: v.number, compatible: v.number}.acceptable(known)
	}
	return err
}

// withTimeout bounds what is to be over in a moment.
func withTimeout(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, 10*time.Second)
}
