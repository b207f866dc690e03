package stored

import (
	"time"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// RowOf returns the row that the values of the columns of table records make. Whether
// it is staged stands elsewhere. A value of another type than its column's, which only
// a damaged row holds, counts as none.
func RowOf(values []any) store.Row {
	var row store.Row
	row.Number, _ = values[0].(int64)
	text := func(place int) string { t, _ := values[place].(string); return t }
	at := func(place int) time.Time { n, valid := values[place].(int64); return OpenInstant(n, valid) }
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

// content returns nil for no bytes.
func content(v any) []byte {
	if b, _ := v.([]byte); len(b) > 0 {
		return b
	}
	return nil
}
