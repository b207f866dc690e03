package sqlite

import (
	"slices"
	"strings"

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

func newTable(name string) *table {
	t := &table{Table: stored.Named(name)}
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

// allTables are all tables but postings.
func allTables() []*table {
	var all []*table
	for _, t := range stored.Tables() {
		all = append(all, newTable(t.Name))
	}
	return all
}

// byName are the sealed tables by their names.
var byName = func() map[string]*table {
	named := make(map[string]*table)
	for _, t := range allTables() {
		named[t.Name] = t
	}
	return named
}()

func tableOf(name string) *table { return byName[name] }

// fields are the columns but the first.
func (t *table) fields() string { return strings.Join(t.names[1:], ", ") }

// lay appends what lies in the file for the first values of a row.
func (t *table) lay(to []any, owner int64, values []any) []any {
	if t.owned {
		to = append(to, owner)
	}
	to = append(to, values...)
	if t.doc >= 0 && t.doc < len(values) {
		place := len(to) - len(values) + t.doc
		to[place] = owner<<40 | to[place].(int64)
	}
	return to
}

// by is what row finds a row by.
func (t *table) by(owner int64, key []any) []any {
	if t.ranged {
		return []any{owner<<40 | key[0].(int64)}
	}
	return t.lay(nil, owner, key)
}

// fileRow is a row as it was read.
type fileRow struct {
	stored.TableRow
	owner int64 // the number of whose it is, -1: that cannot be told
}

// scan reads the columns of t.list, and what was selected beyond these.
func (t *table) scan(scan func(...any) error, more ...any) (fileRow, error) {
	raw := make([]any, t.width)
	into := make([]any, len(raw))
	for i := range raw {
		into[i] = &raw[i]
	}
	if err := scan(append(into, more...)...); err != nil {
		return fileRow{}, err
	}
	return t.lift(raw), nil
}

// lift turns what lies in the file into values. A document that is not the
// owner's comes as nothing, with which no seal fits.
func (t *table) lift(raw []any) fileRow {
	r := fileRow{owner: -1}
	r.Values = raw[len(raw)-1-len(t.names) : len(raw)-1]
	r.Seal, _ = raw[len(raw)-1].([]byte) // what is not bytes fits nothing
	for i, v := range r.Values {
		if b, ok := v.([]byte); ok && b == nil { // so the driver reads bytes of length 0
			r.Values[i] = []byte{}
		}
	}
	if !t.ranged {
		r.owner = numberOr(raw[0], -1)
	}
	if t.doc < 0 {
		return r
	}
	key := numberOr(r.Values[t.doc], -1)
	if t.ranged {
		r.owner = key >> 40
	}
	r.Values[t.doc] = nil
	if key >= 0 && key>>40 == r.owner && (!t.owned || raw[0] == any(r.owner)) {
		r.Values[t.doc] = number(key)
	}
	return r
}

func numberOr(v any, other int64) int64 {
	if n, ok := v.(int64); ok {
		return n
	}
	return other
}
