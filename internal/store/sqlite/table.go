package sqlite

import (
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/internal/store/stored"
)

// table is a table of package stored as the file holds it. Go code uses the values of
// that package. In the file, the column doc holds a key, see owner.key, and most
// tables have a column owner before the others. The seal is the last column.
type table struct {
	stored.Table
	names  []string // of the columns
	owned  bool     // it has a column owner
	ranged bool     // doc is the key, so that an owner's rows have a range of keys
	doc    int      // index of the column doc, -1: there is none

	width  int    // how many columns list names
	list   string // what scan reads: the owner, the columns and the seal
	insert multi
	upsert string
	row    string // selects a row by its key
	rows   string // selects all rows in the order of their keys
}

func newTable(described stored.Table) *table {
	t := &table{Table: described}
	for _, c := range t.Columns {
		t.names = append(t.names, c.Name)
	}
	t.doc = slices.Index(t.names, "doc")
	t.ranged = t.Key == 1 && t.doc == 0
	t.owned = !t.ranged || t.Name == "records" || t.Name == "attachments"
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
	t.insert = multi{head: "INSERT INTO " + t.Name + " (" + t.list + ") VALUES ", row: marks(len(all))}
	t.upsert = t.insert.sql(1) + " ON CONFLICT DO UPDATE SET " + strings.Join(sets, ", ")
	from := "SELECT " + t.list + " FROM " + t.Name
	t.row = from + " WHERE " + strings.Join(key, " = ? AND ") + " = ?"
	t.rows = from + " ORDER BY " + strings.Join(key, ", ")
	return t
}

// allTables returns all tables but postings.
func allTables() []*table {
	var all []*table
	for _, t := range stored.Tables() {
		all = append(all, newTable(t))
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

// fields returns the columns but the first.
func (t *table) fields() string { return strings.Join(t.names[1:], ", ") }

// lay appends the stored form of the first values of a row.
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

// by returns the arguments of the statement row.
func (t *table) by(owner int64, key []any) []any {
	if t.ranged {
		return []any{owner<<40 | key[0].(int64)}
	}
	return t.lay(nil, owner, key)
}

// fileRow is a row as it was read.
type fileRow struct {
	stored.TableRow
	owner int64 // the number of the owner, -1: not known
}

// scan reads the columns of t.list; more receives the columns selected after these.
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

// lift turns the columns of t.list, as the driver returns them, into values of package stored. The number of another
// owner's document becomes nil, which matches no seal.
func (t *table) lift(raw []any) fileRow {
	r := fileRow{owner: -1}
	r.Values = raw[len(raw)-1-len(t.names) : len(raw)-1]
	r.Seal, _ = raw[len(raw)-1].([]byte) // a value that is not bytes matches no seal
	for i, v := range r.Values {
		if b, ok := v.([]byte); ok && b == nil { // the driver returns bytes of length 0 like this
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
