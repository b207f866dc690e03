package stored

import (
	"encoding/binary"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/satchel-memory/satchel/internal/store"
)

// Place returns where a column stands among those of a table; there must be one.
func (t Table) Place(column string) int {
	at := slices.IndexFunc(t.Columns, func(c Column) bool { return c.Name == column })
	if at < 0 {
		panic("stored: no column " + column) // impossible: names are constants of ours
	}
	return at
}

// Holds reports whether values have the types of a table's columns. Only a change outside
// of satchel makes others.
func (t Table) Holds(values []any) bool {
	if len(values) != len(t.Columns) {
		return false
	}
	for i, c := range t.Columns {
		if !c.holds(values[i]) {
			return false
		}
	}
	return true
}

func (c Column) holds(v any) bool {
	switch v := v.(type) {
	case nil:
		return c.Open
	case int64:
		return c.Type == Number
	case string:
		return c.Type == Text || c.Type == Word && utf8.ValidString(v) && !strings.Contains(v, "\x00")
	case []byte:
		return c.Type == Blob && v != nil
	}
	return false
}

// digest identifies an owner's row; the last value in row is the seal.
func digest(row []any) []byte { return NewSealer(nil).Seal(OwnersTable, row) }

// given are the counters of an owner's row that only rise.
var given = [...]string{"numbered", "imported", "sequence", "entries", "hashes"}

// continues reports whether an owner's row may be a later state of earlier: no counter is
// lower.
func continues(row, earlier []any) bool {
	t := Named(OwnersTable)
	for _, column := range given {
		now, ok := row[t.Place(column)].(int64)
		then, also := earlier[t.Place(column)].(int64)
		if !ok || !also || now < then {
			return false
		}
	}
	return true
}

// RowCounter counts rows of a table.
type RowCounter struct {
	table          string
	digests        *Sealer
	rows           int64
	seals, content Sum
}

// NewRowCounter returns an empty RowCounter.
func NewRowCounter(table string) *RowCounter {
	return &RowCounter{table: table, digests: NewSealer(nil)}
}

// Add counts a row: its columns, and last its seal.
func (t *RowCounter) Add(row []any) {
	seal, _ := row[len(row)-1].([]byte)
	t.rows++
	t.seals = t.seals.Plus(seal)
	t.content = t.content.Plus(t.digests.Seal(t.table, row))
}

// Tally returns the count.
func (t *RowCounter) Tally() store.Tally {
	return store.Tally{Rows: t.rows, Seals: [16]byte(t.seals.Bytes()), Content: [16]byte(t.content.Bytes())}
}

// PackKey writes the key of a row: numbers and strings, each after its mark.
func PackKey(key []any) []byte {
	packed := []byte{}
	for _, v := range key {
		switch v := v.(type) {
		case int64:
			packed = appendNumber(packed, markInteger, uint64(v))
		case string:
			packed = appendText(packed, markText, v)
		}
	}
	return packed
}

// UnpackKey reads the output of [PackKey], and reports whether it was valid. A valid key is
// never nil.
func UnpackKey(packed []byte) (key []any, ok bool) {
	key = []any{}
	for len(packed) > 0 {
		if len(packed) < 9 {
			return nil, false
		}
		mark, n := packed[0], binary.BigEndian.Uint64(packed[1:9])
		packed = packed[9:]
		switch {
		case mark == markInteger:
			key = append(key, int64(n))
		case mark == markText && n <= uint64(len(packed)):
			key = append(key, string(packed[:n]))
			packed = packed[n:]
		default:
			return nil, false
		}
	}
	return key, true
}
