package stored

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/database"
)

// LatestMigration returns the number of the last migration.
func LatestMigration(migrations fs.FS) (int, error) {
	names, err := fs.Glob(migrations, "*.sql")
	if err != nil || len(names) == 0 {
		return 0, errors.Join(errors.New("find migrations: there are none"), err)
	}
	return migrationNumber(names[len(names)-1])
}

// migrationNumber returns the number of a migration, with which its name begins.
func migrationNumber(name string) (int, error) {
	number, _, _ := strings.Cut(name, "_")
	return strconv.Atoi(number)
}

// NewSchema is how all migrations run in one transaction.
type NewSchema struct {
	Migrations fs.FS
	// Done is the table in which goose notes the migrations that have run.
	Done database.Store
	// Objects is a query that counts what lies in the schema.
	Objects string
	// Adapt changes the text of a migration; nil: the text runs as it is.
	Adapt func(text string) string
}

// Make runs all migrations if the schema is empty, and reports whether it was. The result is that
// of goose, which runs each in a transaction of its own, for a fraction of the work, and no crash
// leaves a part of it.
func (n NewSchema) Make(ctx context.Context, db *sql.DB) (made bool, err error) {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return false, err
	}
	defer func() { _ = tx.Rollback() }() // after a commit it does nothing
	objects := 0
	if err := tx.QueryRowContext(ctx, n.Objects).Scan(&objects); err != nil || objects > 0 {
		return false, err
	}
	if err := errors.Join(n.Done.CreateVersionTable(ctx, tx), n.Done.Insert(ctx, tx, database.InsertRequest{})); err != nil {
		return false, err
	}
	names, err := fs.Glob(n.Migrations, "*.sql")
	for i := 0; err == nil && i < len(names); i++ {
		err = n.run(ctx, tx, names[i])
	}
	if err != nil {
		return false, err
	}
	return true, tx.Commit()
}

// run runs a migration and notes it.
func (n NewSchema) run(ctx context.Context, tx *sql.Tx, name string) error {
	number, err := migrationNumber(name)
	if err != nil {
		return err
	}
	if err := runText(ctx, tx, n.Migrations, name, n.Adapt); err != nil {
		return err
	}
	return n.Done.Insert(ctx, tx, database.InsertRequest{Version: int64(number)})
}

// Steps returns migrations for goose, each of which runs as one text in a transaction of its own.
// Goose can split such files into statements, but needs 16 MB of memory for each.
func Steps(migrations fs.FS) ([]*goose.Migration, error) {
	names, err := fs.Glob(migrations, "*.sql")
	if err != nil {
		return nil, err
	}
	steps := make([]*goose.Migration, len(names))
	for i, name := range names {
		number, err := migrationNumber(name)
		if err != nil {
			return nil, err
		}
		steps[i] = goose.NewGoMigration(int64(number), &goose.GoFunc{RunTx: func(ctx context.Context, tx *sql.Tx) error {
			return runText(ctx, tx, migrations, name, nil)
		}}, nil)
	}
	return steps, nil
}

// runText runs a migration as one text: for a database the annotations of goose are comments.
func runText(ctx context.Context, tx *sql.Tx, migrations fs.FS, name string, adapt func(string) string) error {
	text, err := fs.ReadFile(migrations, name)
	if err != nil {
		return err
	}
	query := string(text)
	if adapt != nil {
		query = adapt(query)
	}
	if _, err := tx.ExecContext(ctx, query); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}
