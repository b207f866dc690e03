package sqlite

import (
	"database/sql"
	"errors"
	"strings"

	"github.com/satchel-memory/satchel/internal/store"
)

// table is a table whose rows are sealed. Its columns are those of the schema,
// in that order, but for the last, which is the seal.
type table struct {
	name    string
	columns []string
	key     int  // the first so many columns are the key
	private bool // the key may repeat what a memory says

	list   string // the columns and the seal
	insert multi
	upsert string
	row    string // selects a row by its key
	rows   string // selects all rows in the order of their keys
}

func newTable(name string, key int, columns ...string) table {
	list := strings.Join(columns, ", ") + ", seal"
	marks := marks(len(columns) + 1)
	var sets []string
	for _, c := range append(columns[key:len(columns):len(columns)], "seal") {
		sets = append(sets, c+" = excluded."+c)
	}
	where := strings.Join(columns[:key], " = ? AND ") + " = ?"
	insert := "INSERT INTO " + name + " (" + list + ") VALUES "
	return table{
		name: name, columns: columns, key: key, list: list,
		insert: multi{head: insert, row: marks},
		upsert: insert + marks + " ON CONFLICT DO UPDATE SET " + strings.Join(sets, ", "),
		row:    "SELECT " + list + " FROM " + name + " WHERE " + where,
		rows:   "SELECT " + list + " FROM " + name + " ORDER BY " + strings.Join(columns[:key], ", "),
	}
}

// hidden says that the key of a table is not to be shown.
func (t table) hidden() table {
	t.private = true
	return t
}

// sealedTables are all tables but postings.
func sealedTables() []table {
	return []table{
		ownersTable, recordsTable, stagedTable, relationsTable, aliasesTable, projectAliasesTable, changesTable,
		receiptsTable, importsTable, lessonsTable, grantsTable, auditTable, auditHashesTable, auditHeadsTable,
	}
}

// scan reads the columns of a row of the table, its seal, and what was selected
// beyond these.
func (t table) scan(scan func(...any) error, more ...any) (values []any, seal []byte, err error) {
	values = make([]any, len(t.columns)+1)
	into := make([]any, len(values))
	for i := range values {
		into[i] = &values[i]
	}
	err = scan(append(into, more...)...)
	seal, _ = values[len(t.columns)].([]byte) // what is not bytes fits nothing
	return filled(values[:len(t.columns)]), seal, err
}

// put adds rows that are not there.
func (w *writer) put(t table, n int, row func(i int, args []any) []any) error {
	w.dirty = true
	return w.insertMany(t.insert, n, func(i int, args []any) []any {
		start := len(args)
		args = row(i, args)
		seal := w.seals.seal(t.name, args[start:])
		w.owner.total = w.owner.total.plus(seal)
		return append(args, seal)
	})
}

// putOne adds a row that is not there.
func (w *writer) putOne(t table, values ...any) error {
	return w.put(t, 1, func(_ int, args []any) []any { return append(args, values...) })
}

// set adds a row or replaces the one that has its key.
func (w *writer) set(t table, values ...any) error {
	old, seal, err := w.whole(t, values[:t.key]...)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return w.putOne(t, values...)
	case err != nil:
		return err
	}
	seal = w.reseal(t, old, seal, values)
	_, err = w.exec(t.upsert, append(values, seal)...)
	return err
}

// whole reads a row by its key, or returns [store.ErrNotFound].
func (w *writer) whole(t table, key ...any) (values []any, seal []byte, err error) {
	return t.scan(func(into ...any) error { return w.first(t.row, key, into...) })
}

// reseal returns the seal of a row that is about to change, and keeps the sum.
func (w *writer) reseal(t table, old []any, seal []byte, values []any) []byte {
	w.dirty = true
	heir := w.seals.heir(w.owner.secret, t.name, old, seal)
	if heir == nil {
		return seal
	}
	w.owner.total = w.owner.total.minus(seal)
	seal = heir.seal(t.name, values)
	w.owner.total = w.owner.total.plus(seal)
	return seal
}

// drop runs a statement that deletes rows and returns their seals.
func (w *writer) drop(query string, args ...any) error {
	if err := w.ready(); err != nil {
		return err
	}
	if w.failed != nil {
		return w.failed
	}
	err := w.c.each(query, args, func(rows *sql.Rows) error {
		var seal sql.RawBytes
		err := rows.Scan(&seal)
		w.owner.total, w.dirty = w.owner.total.minus(seal), true
		return err
	})
	w.failed = translate("write", err)
	return w.failed
}
