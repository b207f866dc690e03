package postgres

// Rows that were erased or replaced and that somebody put back, with the seals that they
// had then, are known by what the other tables say of them.

// erasedRow is the condition that the feed says of a row of table records that it was
// erased, or that it was there when all was; followedRow that another active row of its lineage links to it.
const (
	erasedRow = `(EXISTS (SELECT 1 FROM changes AS e WHERE e.owner = $1 AND e.first = records.doc AND e.type IN ('erased', 'hushed'))
		OR records.doc <= ` + emptied + `)`

	// emptied is the highest number of a row that was there when all were erased.
	emptied = `coalesce((SELECT e.first FROM owners AS o JOIN changes AS e ON e.owner = $1 AND e.sequence = o.began
		WHERE o.owner = $1 AND e.type = 'emptied'), 0)`

	followedRow = `(records.status = 'active' AND EXISTS (SELECT 1 FROM relations AS l JOIN records AS f ON f.owner = $1 AND f.doc = l.doc
		WHERE l.owner = $1 AND l.by_target = records.by_id AND f.doc <> records.doc AND f.status = 'active'
		AND coalesce(nullif(f.lineage, ''::bytea), f.id) = coalesce(nullif(records.lineage, ''::bytea), records.id)))`
)

// selectBack asks whether anything is there that was erased.
const selectBack = `SELECT EXISTS (SELECT 1 FROM changes AS e JOIN records AS r ON r.owner = $1 AND r.doc = e.first
	WHERE e.owner = $1 AND e.type IN ('erased', 'hushed'))
	OR EXISTS (SELECT 1 FROM records WHERE owner = $1 AND doc <= ` + emptied + `)`

// dropBack removes a row that was erased before, with what was put back beside it.
// Neither counters nor the sum of seals know of them.
func (w *writer) dropBack(doc int64, old filedUnder) error {
	w.leave()
	documents, length := w.owner.documents, w.owner.length
	if err := w.unindex(doc, old); err != nil {
		return err
	}
	w.owner.documents, w.owner.length = documents, length
	w.later(`DELETE FROM relations WHERE owner = $1 AND doc = $2`, doc)
	w.later(`DELETE FROM aliases WHERE owner = $1 AND doc = $2`, doc)
	w.later(`DELETE FROM lessons WHERE owner = $1 AND doc = $2`, doc)
	w.later(`DELETE FROM records WHERE owner = $1 AND doc = $2`, doc)
	w.taught = nil
	return w.failed()
}
