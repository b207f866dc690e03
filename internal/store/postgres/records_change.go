package postgres

import (
	"errors"
	"slices"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/stored"
	"github.com/satchel-memory/satchel/memory"
)

// recordWriter writes records, their links and their index entries.
type recordWriter struct {
	*writeTx
	*indexer
	attacher
}

// Insert adds a row.
func (w recordWriter) Insert(row store.Row, d store.Document, links store.Links) (int64, error) {
	if err := w.Enrol(); err != nil {
		return 0, err
	}
	if err := stored.FileExpiry(w, row); err != nil {
		return 0, err
	}
	if row.Columns.Staged && row.Columns.Import == 0 {
		return 0, &memory.Error{Kind: memory.Internal, Op: "insert", ID: row.ID, Err: stored.ErrNoImport}
	}
	switch _, err := w.Document(row.ID); err {
	case nil:
		return 0, store.ErrExists
	case store.ErrNotFound:
	default:
		return 0, err
	}
	w.owner.Numbered++
	doc := w.owner.Numbered
	terms := d.Sorted()
	if err := w.putOne(recordsTable, stored.RecordRow(doc, row, stored.NewIndexColumns(d, terms))...); err != nil {
		return 0, err
	}
	w.know(row.ID, doc)
	w.owner.Use(1, len(row.Origin)+len(row.Current))
	if row.Columns.Staged {
		w.stage(doc, row.Columns.Import)
	}
	w.index(doc, d, terms)
	return doc, w.link(doc, targets(links))
}

// Replace changes a row.
func (w recordWriter) Replace(row store.Row, links store.Links) error {
	doc, err := w.Document(row.ID)
	if err == nil {
		err = stored.FileExpiry(w, row)
	}
	if err != nil {
		return err
	}
	var old stored.TableRow
	before := make(map[string][]byte) // seals of the links
	err = w.all(recordsTable.statement(&old, doc), linksOf(doc, before))
	if err == nil && old.Values == nil {
		err = store.ErrNotFound
	}
	if err != nil {
		return err
	}
	if stored.ContentLeaves(old.Values, row) {
		w.owner.Leave()
	}
	values := stored.RecordRow(doc, row, stored.IndexColumnsOf(old.Values))
	w.owner.Use(0, len(row.Origin)+len(row.Current)-stored.ContentSize(old.Values))
	seal := w.reseal(recordsTable, old, values)
	w.later(updateRecord, append(slices.Clone(values[2:]), seal, doc)...)
	return w.relink(doc, before, targets(links))
}

var updateRecord = `UPDATE records SET ` + sets(recordsTable.Columns[2:]) + ` WHERE owner = $1 AND doc = ` +
	marks(len(recordsTable.Columns)+1, 1)

// Delete removes a row and all its dependants.
func (w recordWriter) Delete(id memory.ID) error {
	doc, err := w.Document(id)
	if err != nil {
		return err
	}
	w.owner.Leave()
	w.deleted = append(w.deleted, doc)
	var length int64
	var bytes int
	var packed []byte
	var back bool
	if err := w.first(selectIndexed, []any{doc}, &length, &bytes, &packed, &back); err != nil {
		return err
	}
	old, err := w.listOf(doc, length, packed)
	if err != nil {
		return err
	}
	if back {
		w.know(id, 0)
		return w.dropBack(doc, old)
	}
	if err := w.unindex(doc, old); err != nil {
		return err
	}
	w.owner.Use(-1, -bytes)
	w.unstage(doc)
	w.know(id, 0)
	w.taught = nil
	return errors.Join(
		w.Drop(`DELETE FROM relations WHERE owner = $1 AND doc = $2 RETURNING seal`, doc),
		w.Drop(`DELETE FROM aliases WHERE owner = $1 AND doc = $2 RETURNING seal`, doc),
		w.Drop(`DELETE FROM lessons WHERE owner = $1 AND doc = $2 RETURNING seal`, doc),
		w.unattach(doc),
		w.Drop(`DELETE FROM records WHERE owner = $1 AND doc = $2 RETURNING seal`, doc))
}

const selectIndexed = `SELECT length, coalesce(octet_length(origin), 0)::bigint + coalesce(octet_length(current), 0), words, ` + erasedRow + `
	FROM records WHERE owner = $1 AND doc = $2`

// Somebody may put back rows that were erased or replaced, with their seals of that
// time. The other tables reveal such rows.

// erasedRow is the condition that, by the feed, a row of table records was erased, or
// existed when all rows were. followedRow is the condition that another active row of
// its lineage links to it.
const (
	erasedRow = `(EXISTS (SELECT 1 FROM changes AS e WHERE e.owner = $1 AND e.first = records.doc AND e.type IN ('erased', 'hushed'))
		OR records.doc <= ` + emptied + `)`

	// emptied is the highest number of a row that existed when all were erased.
	emptied = `coalesce((SELECT e.first FROM owners AS o JOIN changes AS e ON e.owner = $1 AND e.sequence = o.began
		WHERE o.owner = $1 AND e.type = 'emptied'), 0)`

	followedRow = `(records.status = 'active' AND EXISTS (SELECT 1 FROM relations AS l JOIN records AS f ON f.owner = $1 AND f.doc = l.doc
		WHERE l.owner = $1 AND l.by_target = records.by_id AND f.doc <> records.doc AND f.status = 'active'
		AND coalesce(nullif(f.lineage, ''::bytea), f.id) = coalesce(nullif(records.lineage, ''::bytea), records.id)))`
)

// selectBack asks whether any erased row exists again.
const selectBack = `SELECT EXISTS (SELECT 1 FROM changes AS e JOIN records AS r ON r.owner = $1 AND r.doc = e.first
	WHERE e.owner = $1 AND e.type IN ('erased', 'hushed'))
	OR EXISTS (SELECT 1 FROM records WHERE owner = $1 AND doc <= ` + emptied + `)`

// dropBack removes a row that was erased before, and the rows that were put back with
// it. Counters and the sum of seals do not include them.
func (w recordWriter) dropBack(doc int64, old termList) error {
	w.owner.Leave()
	documents, length := w.owner.Documents, w.owner.Length
	if err := w.unindex(doc, old); err != nil {
		return err
	}
	w.owner.Documents, w.owner.Length = documents, length
	w.later(`DELETE FROM relations WHERE owner = $1 AND doc = $2`, doc)
	w.later(`DELETE FROM aliases WHERE owner = $1 AND doc = $2`, doc)
	w.later(`DELETE FROM lessons WHERE owner = $1 AND doc = $2`, doc)
	w.later(`DELETE FROM records WHERE owner = $1 AND doc = $2`, doc)
	w.taught = nil
	return w.failed()
}
