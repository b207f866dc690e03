package stored

import (
	"bytes"
	"time"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// The places of some columns of table records among the others.
var (
	recordsTable   = Named("records")
	placeLength    = recordsTable.Place("length")
	placeTokeniser = recordsTable.Place("tokeniser")
	placeOrigin    = recordsTable.Place("origin")
	placeCurrent   = recordsTable.Place("current")
	placeWords     = recordsTable.Place("words")
)

// IndexColumns are the columns length, tokeniser and words of table records.
type IndexColumns struct{ Length, Tokeniser, Words any }

// NewIndexColumns returns the columns for an index entry; terms are in order.
func NewIndexColumns(d store.Document, terms []string) IndexColumns {
	return IndexColumns{d.Length, d.Version, packEntry(d, terms)}
}

// IndexColumnsOf returns what the columns of a row say.
func IndexColumnsOf(values []any) IndexColumns {
	return IndexColumns{values[placeLength], values[placeTokeniser], values[placeWords]}
}

// Put changes the columns of a row.
func (x IndexColumns) Put(values []any) {
	values[placeLength], values[placeTokeniser], values[placeWords] = x.Length, x.Tokeniser, x.Words
}

// RecordRow returns the columns of table records for a row; x is its index entry.
func RecordRow(number int64, row store.Row, x IndexColumns) []any {
	c := row.Columns
	var duplicate, lineage, imp any
	if c.Duplicate != "" {
		duplicate = c.Duplicate
	}
	switch c.Lineage {
	case "":
	case row.ID:
		lineage = ""
	default:
		lineage = string(c.Lineage)
	}
	if c.Import != 0 {
		imp = c.Import
	}
	return []any{number, string(row.ID), string(c.Kind), string(c.Status), string(c.Visibility), c.Project, c.User,
		c.Agent, c.Session, Micros(c.Created), Micros(c.From), openMicros(c.To), openMicros(c.Expires), duplicate, lineage,
		imp, x.Length, x.Tokeniser, row.Origin, row.Current, x.Words}
}

// ContentSize is how many bytes of an owner's quota a row of table records takes, whatever
// the types of its columns.
func ContentSize(values []any) int {
	return bytesIn(values[placeOrigin]) + bytesIn(values[placeCurrent])
}

// ContentLeaves reports whether replacing a row of table records removes content.
func ContentLeaves(old []any, row store.Row) bool {
	origin, _ := old[placeOrigin].([]byte)
	current, _ := old[placeCurrent].([]byte)
	return len(origin) > 0 && !bytes.Equal(origin, row.Origin) || len(current) > len(row.Current)
}

// RowOf is the inverse of [RecordRow], without Staged. A value of a wrong type, which only
// a damaged row holds, counts as none.
func RowOf(values []any) store.Row {
	var row store.Row
	row.Number, _ = values[0].(int64)
	text := func(place int) string { t, _ := values[place].(string); return t }
	at := func(place int) time.Time { n, valid := values[place].(int64); return openInstant(n, valid) }
	row.ID = memory.ID(text(1))
	c := &row.Columns
	c.Kind, c.Status, c.Visibility = memory.Kind(text(2)), memory.Status(text(3)), memory.Visibility(text(4))
	c.Project, c.User, c.Agent, c.Session = text(5), text(6), text(7), text(8)
	c.Created, c.From, c.To, c.Expires = at(9), at(10), at(11), at(12)
	c.Duplicate, c.Lineage = text(13), memory.ID(text(14))
	if lineage, own := values[14].(string); own && lineage == "" {
		c.Lineage = row.ID
	}
	c.Import, _ = values[15].(int64)
	row.Origin, row.Current = content(values[18]), content(values[19])
	return row
}

// entryColumns are the places of the columns that IndexEntryOf reads.
var entryColumns = []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, placeLength, placeTokeniser, placeWords}

// EntryColumns returns the columns that [IndexEntryOf] reads.
func EntryColumns() []Column {
	var columns []Column
	for _, place := range entryColumns {
		columns = append(columns, recordsTable.Columns[place])
	}
	return columns
}

// IndexEntryOf returns what the index keeps of a row; read are its [EntryColumns].
func IndexEntryOf(read []any) store.IndexEntry {
	values := make([]any, len(recordsTable.Columns))
	for i, place := range entryColumns {
		values[place] = read[i]
	}
	row := RowOf(values)
	x := store.IndexEntry{Number: row.Number, ID: row.ID, Columns: row.Columns}
	length, _ := values[placeLength].(int64)
	version, _ := values[placeTokeniser].(int64)
	packed, _ := values[placeWords].([]byte)
	x.Length, x.Version = int(length), int(version)
	x.Terms, x.Digest = unpackEntry(packed)
	return x
}

// content returns nil for no bytes.
func content(v any) []byte {
	if b, _ := v.([]byte); len(b) > 0 {
		return b
	}
	return nil
}
