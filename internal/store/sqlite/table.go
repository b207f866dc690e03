package sqlite

import (
	"database/sql"
	"errors"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/stored"
)

// table is a table of package stored as it lies here. Go has its values as that
// package says; in the file, the column doc holds a key, see owner.key, and most
// tables have a column owner before the others. The seal is the last column.
type table struct {
	stored.Table
	names  []string // of the columns
	owned  bool     // there is a column owner
	ranged bool     // doc is the key, so that the rows of an owner have the keys of a range
	doc    int      // place of the column doc, -1: there is none

	width  int    // how many columns list names
	list   string // what scan reads: the owner, the columns and the seal
	insert multi
	upsert string
	row    string // selects a row by its key
	rows   string // selects all rows in the order of their keys
}

func newTable(name string) table {
	t := table{Table: stored.Named(name)}
	for _, c := range t.Columns {
		t.names = append(t.names, c.Name)
	}
	t.doc = slices.Index(t.names, "doc")
	t.ranged = t.Key == 1 && t.doc == 0
	t.owned = !t.ranged || name == "records" || name == "attachments"
	all := append(slices.Clone(t.names), "seal")
	var sets []string
	for _, column := range all[t.Key:] {
		sets = append(sets, column+" = excluded."+column)
	}
	key := t.names[:t.Key]
	if !t.ranged {
		key = append([]string{"owner"}, key...)
	}
	if t.owned {
		all = append([]string{"owner"}, all...)
	}
	t.width, t.list = len(all), strings.Join(all, ", ")
	t.insert = multi{head: "INSERT INTO " + name + " (" + t.list + ") VALUES ", row: marks(len(all))}
	t.upsert = t.insert.sql(1) + " ON CONFLICT DO UPDATE SET " + strings.Join(sets, ", ")
	from := "SELECT " + t.list + " FROM " + name
	t.row = from + " WHERE " + strings.Join(key, " = ? AND ") + " = ?"
	t.rows = from + " ORDER BY " + strings.Join(key, ", ")
	return t
}

// sealedTables are all tables but postings.
func sealedTables() []table {
	var all []table
	for _, t := range stored.Tables() {
		all = append(all, newTable(t.Name))
	}
	return all
}

// lay appends what lies in the file for the first values of a row.
func (t table) lay(to []any, o owner, values []any) []any {
	if t.owned {
		to = append(to, o.number)
	}
	to = append(to, values...)
	if t.doc >= 0 && t.doc < len(values) {
		place := len(to) - len(values) + t.doc
		to[place] = o.key(to[place].(int64))
	}
	return to
}

// by is what row finds a row by.
func (t table) by(o owner, key []any) []any {
	if t.ranged {
		return []any{o.key(key[0].(int64))}
	}
	return t.lay(nil, o, key)
}

// sealed is a row as it was read.
type sealed struct {
	owner  int64 // the number of whose it is, -1: that cannot be told
	values []any
	seal   []byte
}

// scan reads the columns of t.list, and what was selected beyond these.
func (t table) scan(scan func(...any) error, more ...any) (sealed, error) {
	raw := make([]any, t.width)
	into := make([]any, len(raw))
	for i := range raw {
		into[i] = &raw[i]
	}
	if err := scan(append(into, more...)...); err != nil {
		return sealed{}, err
	}
	return t.lift(raw), nil
}

// lift turns what lies in the file into values. A document that is not the
// owner's comes as nothing, with which no seal fits.
func (t table) lift(raw []any) sealed {
	r := sealed{owner: -1, values: raw[len(raw)-1-len(t.names) : len(raw)-1]}
	r.seal, _ = raw[len(raw)-1].([]byte) // what is not bytes fits nothing
	for i, v := range r.values {
		if b, ok := v.([]byte); ok && b == nil { // so the driver reads bytes of length 0
			r.values[i] = []byte{}
		}
	}
	if !t.ranged {
		r.owner = numberOr(raw[0], -1)
	}
	if t.doc < 0 {
		return r
	}
	key := numberOr(r.values[t.doc], -1)
	if t.ranged {
		r.owner = key >> 40
	}
	r.values[t.doc] = nil
	if key >= 0 && key>>40 == r.owner && (!t.owned || raw[0] == any(r.owner)) {
		r.values[t.doc] = number(key)
	}
	return r
}

func numberOr(v any, other int64) int64 {
	if n, ok := v.(int64); ok {
		return n
	}
	return other
}

// put adds rows that are not there.
func (w *writer) put(t table, n int, row func(i int, values []any) []any) error {
	w.dirty = true
	var values []any
	return w.insertMany(t.insert, n, func(i int, args []any) []any {
		values = row(i, values[:0])
		seal := w.seals.Seal(t.Name, values)
		w.owner.total = w.owner.total.Plus(seal)
		return append(t.lay(args, w.owner, values), seal)
	})
}

// putOne adds a row that is not there.
func (w *writer) putOne(t table, values ...any) error {
	return w.put(t, 1, func(_ int, to []any) []any { return append(to, values...) })
}

// set adds a row or replaces the one that has its key.
func (w *writer) set(t table, values ...any) error {
	old, err := w.whole(t, values[:t.Key]...)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return w.putOne(t, values...)
	case err != nil:
		return err
	}
	seal := w.reseal(t, old, values)
	_, err = w.exec(t.upsert, append(t.lay(nil, w.owner, values), seal)...)
	return err
}

// whole reads a row by its key, or returns [store.ErrNotFound].
func (w *writer) whole(t table, key ...any) (sealed, error) {
	return t.scan(func(into ...any) error { return w.first(t.row, t.by(w.owner, key), into...) })
}

// reseal returns the seal of a row that is about to change, and keeps the sum.
func (w *writer) reseal(t table, old sealed, values []any) []byte {
	w.dirty = true
	heir := w.heir(t, old)
	if heir == nil {
		return old.seal
	}
	seal := heir.Seal(t.Name, values)
	w.owner.total = w.owner.total.Minus(old.seal).Plus(seal)
	return seal
}

// heir returns whose seal a row gets when it is changed, see [stored.Sealer].
func (w *writer) heir(t table, old sealed) *stored.Sealer {
	return w.seals.Heir(w.owner.secret, t.Name, old.values, old.seal)
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
		w.owner.total, w.dirty = w.owner.total.Minus(seal), true
		return err
	})
	w.failed = translate("write", err)
	return w.failed
}
