package sqlite

import "strings"

// Somebody may put back rows that were erased or replaced, with their seals of that
// time. The other tables reveal such rows.

// erasedRow is the condition that, by the feed, a row of table records was erased, or
// existed when all rows were. followedRow is the condition that another active row of
// its lineage links to it.
const (
	erasedRow = `(EXISTS (SELECT 1 FROM changes AS e INDEXED BY changes_erased WHERE e.owner = records.owner
		AND e.first = records.doc & 1099511627775 AND e.type IN ('erased', 'hushed'))
		OR EXISTS (SELECT 1 FROM owners AS o CROSS JOIN changes AS e ON e.owner = o.owner AND e.sequence = o.began
		WHERE o.owner = records.owner AND e.type = 'emptied' AND e.first >= records.doc & 1099511627775))`
	followedRow = `(records.status = 'active' AND EXISTS (SELECT 1 FROM relations AS l CROSS JOIN records AS f ON f.doc = l.doc
		WHERE l.owner = records.owner AND l.target = records.id AND f.doc <> records.doc AND f.status = 'active'
		AND coalesce(nullif(f.lineage, ''), f.id) = coalesce(nullif(records.lineage, ''), records.id)))`
)

// rowColumns lists the columns that scanRow reads.
var rowColumns = "records." + strings.ReplaceAll(recordsTable.list, ", ", ", records.") + ", " + erasedRow + ", " + followedRow

// withoutBack returns the condition that leaves erased rows that exist again out of a
// count. Mostly there are none, and it is empty.
func (r *records) withoutBack() (string, error) {
	var some bool
	err := r.first(`SELECT EXISTS (`+selectBack+`)`, []any{r.owner.number}, &some)
	if err != nil || !some {
		return "", err
	}
	return " AND NOT " + erasedRow, nil
}

const selectBack = `SELECT 1 FROM changes AS e INDEXED BY changes_erased CROSS JOIN records AS r ON r.doc = (e.owner << 40 | e.first)
	WHERE e.owner = ?1 AND e.type IN ('erased', 'hushed')
	UNION ALL SELECT 1 FROM owners AS o CROSS JOIN changes AS e ON e.owner = o.owner AND e.sequence = o.began
	CROSS JOIN records AS r ON r.doc BETWEEN e.owner << 40 AND (e.owner << 40 | e.first)
	WHERE o.owner = ?1 AND e.type = 'emptied'`

// isBack reports whether a row was erased before.
func (w recordWriter) isBack(doc int64) (back bool, err error) {
	err = w.first(selectIsBack, []any{doc}, &back)
	return back, err
}

const selectIsBack = `SELECT ` + erasedRow + ` FROM records WHERE doc = ?`

// dropBack removes a row that was erased before, and the rows that were put back with
// it. Counters and the sum of seals do not include them.
func (w recordWriter) dropBack(doc int64) error {
	w.owner.Leave()
	if err := w.writePending(); err != nil {
		return err
	}
	terms, _, err := w.indexedFor(doc)
	if err != nil {
		return err
	}
	if err := w.takeOut(number(doc), terms); err != nil {
		return err
	}
	for _, query := range []string{
		`DELETE FROM relations WHERE owner = ?1 AND doc = ?2`, `DELETE FROM aliases WHERE owner = ?1 AND doc = ?2`,
		`DELETE FROM lessons WHERE doc = ?2 AND doc >> 40 = ?1`, `DELETE FROM records WHERE owner = ?1 AND doc = ?2`,
	} {
		if _, err := w.exec(query, w.owner.number, doc); err != nil {
			return err
		}
	}
	return nil
}
