package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"sync"
)

// checkSchema compares the store's tables, indexes and list of migrations with those
// of a new store.
func (s *Store) checkSchema(ctx context.Context, c *conn) ([]string, error) {
	want, err := s.opt.newSchema(ctx)
	if err != nil {
		return nil, err
	}
	got, err := readSchema(c)
	if err != nil {
		return nil, err
	}
	var findings []string
	for _, p := range want {
		if !slices.Contains(got, p) {
			findings = append(findings, fmt.Sprintf("the schema lacks the %s %s as satchel makes it", p.kind, p.name))
		}
	}
	for _, p := range got {
		if !slices.Contains(want, p) {
			findings = append(findings, fmt.Sprintf("the schema holds a %s %s that satchel does not make so", p.kind, p.name))
		}
	}
	return findings, nil
}

// part is a table, an index or a migration.
type part struct{ kind, name, text string }

func readSchema(c *conn) ([]part, error) {
	var parts []part
	err := c.each(`SELECT type, name, tbl_name || ' ' || coalesce(sql, '') FROM sqlite_schema
		UNION ALL SELECT 'migration', format('%d', version_id), format('%d', is_applied) FROM goose_db_version`, nil,
		func(rows *sql.Rows) error {
			var p part
			err := rows.Scan(&p.kind, &p.name, &p.text)
			parts = append(parts, p)
			return err
		})
	slices.SortFunc(parts, func(a, b part) int {
		return cmp.Or(cmp.Compare(a.kind, b.kind), cmp.Compare(a.name, b.name), cmp.Compare(a.text, b.text))
	})
	return parts, err
}

// usualSchema is the schema of a new store. It stays the same as long as the program runs.
var usualSchema = sync.OnceValues(func() ([]part, error) { return newSchema(context.Background(), embedded()) })

// newSchema makes a store in memory and reads its schema.
func newSchema(ctx context.Context, migrations fs.FS) (parts []part, err error) {
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	db.SetMaxOpenConns(1)
	if err := upgrade(ctx, db, migrations); err != nil {
		return nil, err
	}
	one, err := db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	defer one.Close() // the handle is closed next
	c := &conn{db: db, sql: one, stmts: make(map[string]*sql.Stmt)}
	defer c.forget()
	return readSchema(c)
}
