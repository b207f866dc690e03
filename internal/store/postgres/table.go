package postgres

import (
	"errors"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/satchel-memory/satchel/internal/store/stored"
)

// table is a table of package stored as PostgreSQL holds it: owner, its columns,
// seal.
type table struct {
	stored.Table
	list   string // its columns and the seal
	insert string // adds a row
	bulk   string // adds rows, given a list for each column; see newTable
	upsert string // adds a row, or replaces the one with its key
	row    string // selects list by the key
	rows   string // selects list in the order of the keys
}

// tables returns the tables that are sealed, owners first.
func tables() []*table {
	var all []*table
	for _, t := range stored.Tables() {
		all = append(all, newTable(t))
	}
	return all
}

// byName are the sealed tables by their names.
var byName = func() map[string]*table {
	named := make(map[string]*table)
	for _, t := range tables() {
		named[t.Name] = t
	}
	return named
}()

func tableOf(name string) *table { return byName[name] }

// newTable writes the statements of a table. In bulk the owner comes from table owners,
// where every owner who writes has a row: so Citus sees that all rows belong to one shard.
// An owner who is a parameter would have it send the rows by COPY, which row-level
// security forbids.
func newTable(described stored.Table) *table {
	t := &table{Table: described}
	var names, marks, lists, sets, where, key []string
	for i, c := range append(t.Columns, stored.Column{Name: "seal", Type: stored.Blob}) {
		column, mark := quoted(c.Name), "$"+strconv.Itoa(i+2)
		names = append(names, column)
		marks = append(marks, mark)
		lists = append(lists, mark+"::"+typeOf(c)+"[]")
		if i < t.Key {
			by := found(c)
			where = append(where, " AND "+by+" = "+mark)
			key = append(key, by)
		} else {
			sets = append(sets, column+" = excluded."+column)
		}
	}
	t.list = strings.Join(names, ", ")
	into := "INSERT INTO " + t.Name + " (owner, " + t.list + ") "
	conflict := strings.Join(append([]string{"owner"}, key...), ", ")
	t.insert = into + "VALUES ($1, " + strings.Join(marks, ", ") + ")"
	t.bulk = "INSERT INTO " + t.Name + " (owner, " + t.list + ") SELECT o.owner, u.* FROM owners AS o CROSS JOIN unnest(" +
		strings.Join(lists, ", ") + ") AS u WHERE o.owner = $1"
	t.upsert = t.insert + " ON CONFLICT (" + conflict + ") DO UPDATE SET " + strings.Join(sets, ", ")
	t.row = "SELECT " + t.list + " FROM " + t.Name + " WHERE owner = $1" + strings.Join(where, "")
	t.rows = "SELECT " + t.list + " FROM " + t.Name + " WHERE owner = $1 ORDER BY " + conflict
	return t
}

// found returns the column that holds the index key of c, where c is in the key.
func found(c stored.Column) string {
	if c.Type == stored.Text {
		return "by_" + c.Name
	}
	return quoted(c.Name)
}

// quoted returns the name of a column as statements write it.
func quoted(name string) string {
	if name == "user" {
		return `"user"`
	}
	return name
}

// typeOf returns the PostgreSQL type of a column.
func typeOf(c stored.Column) string {
	switch c.Type {
	case stored.Number:
		return "bigint"
	case stored.Word:
		return "text"
	}
	return "bytea"
}

// scan reads a row that begins with the columns of t.list; more receives the columns
// selected after these.
func (t *table) scan(rows pgx.Rows, more ...any) (stored.TableRow, error) {
	r, err := t.values(rows.RawValues())
	if err == nil && len(more) > 0 {
		err = rows.Scan(append(make([]any, len(t.Columns)+1), more...)...)
	}
	return r, err
}

// values reads the columns of t.list in PostgreSQL's binary form.
func (t *table) values(raw [][]byte) (stored.TableRow, error) {
	if len(raw) <= len(t.Columns) {
		return stored.TableRow{}, errColumns
	}
	values := make([]any, len(t.Columns))
	for i, c := range t.Columns {
		values[i] = neutral(c, raw[i])
	}
	return stored.TableRow{Values: values, Seal: append([]byte{}, raw[len(t.Columns)]...)}, nil
}

var errColumns = errors.New("a statement selects fewer columns than the table has")

// lists turns rows into one list per column.
func (t *table) lists(rows [][]any) []any {
	lists := make([]any, len(t.Columns)+1)
	for i := range lists {
		if i < len(t.Columns) && t.Columns[i].Type == stored.Number {
			lists[i] = numbersOf(rows, i)
		} else {
			lists[i] = bytesOf(rows, i)
		}
	}
	return lists
}

func numbersOf(rows [][]any, column int) []*int64 {
	list := make([]*int64, len(rows))
	for i, row := range rows {
		switch n := row[column].(type) {
		case int64:
			list[i] = &n
		case int:
			wide := int64(n)
			list[i] = &wide
		}
	}
	return list
}

func bytesOf(rows [][]any, column int) [][]byte {
	list := make([][]byte, len(rows))
	for i, row := range rows {
		list[i], _ = asBytes(row[column]).([]byte)
	}
	return list
}

// statement returns the statement that reads a row by its key into an empty row. The
// row stays empty if there is none.
func (t *table) statement(into *stored.TableRow, key ...any) statement {
	return statement{query: t.row, args: t.by(key), scan: func(rows pgx.Rows) (err error) {
		*into, err = t.scan(rows)
		return err
	}}
}

// by returns the index key of a row in the statements of a table.
func (t *table) by(key []any) []any {
	by := make([]any, len(key))
	for i, k := range key {
		if text, ok := k.(string); ok && t.Columns[i].Type == stored.Text {
			k = short(text)
		}
		by[i] = k
	}
	return by
}
