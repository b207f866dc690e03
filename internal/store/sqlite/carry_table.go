package sqlite

import (
	"database/sql"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/internal/store/stored"
)

// carryTable is a table whose rows move from one store to another, as this store's
// file holds it.
type carryTable struct {
	stored.Table
	list   string // the columns and the seal
	keys   string // the columns of the key
	owned  bool   // it has a column with the owner's number
	ranged bool   // its key combines the owner's number and the row's
}

func newCarryTable(t stored.Table) carryTable {
	var names []string
	for _, c := range t.Columns {
		names = append(names, c.Name)
	}
	x := carryTable{Table: t, list: strings.Join(names, ", ") + ", seal", keys: strings.Join(names[:t.Key], ", ")}
	x.ranged = t.Key == 1 && names[0] == "doc"
	x.owned = !x.ranged || t.Name == recordsTable.Name || t.Name == attachmentsTable.Name
	return x
}

// page selects the rows of an owner after a key, in the order of keys.
func (t carryTable) page(owner int64, after []any) (query string, args []any) {
	o := func(number int64) any { return owner<<40 | number }
	if t.ranged {
		first := int64(0)
		if after != nil {
			first = after[0].(int64)
		}
		return `SELECT ` + t.list + ` FROM ` + t.Name + ` WHERE doc > ? AND doc <= ? ORDER BY doc`, []any{o(first), o(1<<40 - 1)}
	}
	query, args = `SELECT `+t.list+` FROM `+t.Name+` WHERE owner = ?`, []any{owner}
	switch {
	case t.Key == 0 && after != nil:
		return query + ` AND false`, args
	case t.Key == 0:
		return query, args
	case after != nil:
		query += ` AND (` + t.keys + `) > ` + marks(t.Key)
		args = append(args, t.values(owner, after)...)
	}
	return query + ` ORDER BY ` + t.keys, args
}

// values turns values of the first columns into their stored form.
func (t carryTable) values(owner int64, values []any) []any {
	values = slices.Clone(values)
	for i := range values {
		if number, ok := values[i].(int64); ok && i < len(t.Columns) && t.Columns[i].Name == "doc" {
			values[i] = owner<<40 | number
		}
	}
	return values
}

// scan reads a row: the values of its columns, and last its seal. The number of
// another owner's document becomes an invalid one.
func (t carryTable) scan(rows *sql.Rows, owner int64) ([]any, error) {
	values := make([]any, len(t.Columns)+1)
	into := make([]any, len(values))
	for i := range values {
		into[i] = &values[i]
	}
	if err := rows.Scan(into...); err != nil {
		return nil, err
	}
	for i, v := range values {
		switch v := v.(type) {
		case []byte:
			if v == nil { // the driver returns nil for bytes of length 0
				values[i] = []byte{}
			}
		case int64:
			if i < len(t.Columns) && t.Columns[i].Name == "doc" {
				values[i] = nil
				if v>>40 == owner {
					values[i] = number(v)
				}
			}
		}
	}
	return values, nil
}

// insert returns the statement that adds rows; args appends the arguments for one.
func (t carryTable) insert() multi {
	names, columns := t.list, len(t.Columns)+1
	if t.owned {
		names, columns = "owner, "+names, columns+1
	}
	return multi{head: `INSERT INTO ` + t.Name + ` (` + names + `) VALUES `, row: marks(columns)}
}

func (t carryTable) args(to []any, owner int64, row []any) []any {
	if t.owned {
		to = append(to, owner)
	}
	return append(to, t.values(owner, row)...)
}

// clear returns the statement that removes some rows of an owner.
func (t carryTable) clear(owner int64) (query string, args []any) {
	if t.Key == 0 {
		return `DELETE FROM ` + t.Name + ` WHERE owner = ?`, []any{owner}
	}
	query, args = t.page(owner, nil)
	_, where, _ := strings.Cut(query, " WHERE ")
	query = `DELETE FROM ` + t.Name + ` WHERE (` + t.keys + `) IN (SELECT ` + t.keys + ` FROM ` + t.Name + ` WHERE ` +
		where + ` LIMIT ?)`
	if !t.ranged {
		query, args = query+` AND owner = ?`, append(args, clearSize, owner)
		return query, args
	}
	return query, append(args, clearSize)
}

// clearSize is how many rows of a table one transaction removes.
const clearSize = 2000
