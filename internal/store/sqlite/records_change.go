package sqlite

import (
	"errors"
	"slices"
	"strings"

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
	if err := w.loadRuns(); err != nil {
		return 0, err
	}
	next := w.owner.Numbered + 1
	terms := d.Sorted() // neighbours in the index come one after the other
	values := stored.RecordRow(next, row, stored.NewIndexColumns(d, terms))
	seal := w.seals.Seal(recordsTable.Name, values)
	n, err := w.exec(insertRecord, append(recordsTable.lay(nil, w.owner.number, values), seal)...)
	if err == nil && n == 0 {
		err = store.ErrExists
	}
	if err != nil {
		return 0, err
	}
	w.owner.Numbered = next
	w.owner.Gain(seal)
	w.owner.Use(1, len(row.Origin)+len(row.Current))
	if row.Columns.Staged {
		err = w.stage(next, row.Columns.Import)
	}
	return next, errors.Join(err, w.index(next, d, terms), w.link(w.owner.key(next), links))
}

var insertRecord = recordsTable.insert.sql(1) + ` ON CONFLICT (owner, id) DO NOTHING`

// Replace changes a row.
func (w recordWriter) Replace(row store.Row, links store.Links) error {
	doc, err := w.find(row.ID)
	if err == nil {
		err = stored.FileExpiry(w, row)
	}
	if err != nil {
		return err
	}
	values, seal, err := w.rewrite(doc, func(old []any) []any {
		if stored.ContentLeaves(old, row) {
			w.owner.Leave()
		}
		w.owner.Use(0, len(row.Origin)+len(row.Current)-stored.ContentSize(old))
		return stored.RecordRow(number(doc), row, stored.IndexColumnsOf(old))
	})
	if err != nil {
		return err
	}
	if _, err := w.exec(updateRecord, append(values[2:], seal, doc)...); err != nil {
		return err
	}
	if err := w.Drop(deleteRelations, doc); err != nil {
		return err
	}
	return w.link(doc, links)
}

// rewrite returns the new values of a row, and their seal.
func (w recordWriter) rewrite(doc int64, change func(old []any) []any) (values []any, seal []byte, err error) {
	old, err := w.whole(recordsTable, number(doc))
	if err != nil {
		return nil, nil, err
	}
	values = change(old.Values)
	return values, w.reseal(recordsTable, old.TableRow, values), nil
}

var updateRecord = `UPDATE records SET ` + strings.Join(recordsTable.names[2:], " = ?, ") + ` = ?, seal = ? WHERE doc = ?`

// Delete removes a row and all its dependants.
func (w recordWriter) Delete(id memory.ID) error {
	if err := w.loadRuns(); err != nil {
		return err
	}
	doc, err := w.find(id)
	if err != nil {
		return err
	}
	w.deleted = append(w.deleted, number(doc))
	switch back, err := w.isBack(doc); {
	case err != nil:
		return err
	case back:
		return w.dropBack(doc)
	}
	w.owner.Leave()
	if _, err := w.unindex(doc); err != nil {
		return err
	}
	for _, step := range []func() error{
		func() error { return w.Drop(deleteRelations, doc) },
		func() error { return w.Drop(deleteAliases, doc) },
		func() error { return w.unattach(number(doc)) },
		func() error { return w.drop(deleteLesson, doc) },
		func() error { return w.unstage(number(doc)) },
	} {
		if err := step(); err != nil {
			return err
		}
	}
	return w.remove(doc)
}

// remove deletes a row of table records and subtracts it from the counters. If the
// row was changed from outside, its former values are not known: then remove counts
// everything again.
func (w recordWriter) remove(doc int64) error {
	old, err := w.whole(recordsTable, number(doc))
	if err != nil {
		return err
	}
	w.owner.Use(-1, -stored.ContentSize(old.Values))
	if err := w.drop(`DELETE FROM records WHERE doc = ? RETURNING seal`, doc); err != nil {
		return err
	}
	if w.seals.Heir(w.owner.Secret, recordsTable.Name, old.Values, old.Seal) == nil {
		return w.first(selectUsage, []any{w.owner.key(0), w.owner.key(1<<40 - 1), w.owner.number}, &w.owner.Records, &w.owner.Bytes)
	}
	return nil
}

const selectUsage = `SELECT count(*), coalesce(sum(octet_length(origin)), 0) + coalesce(sum(octet_length(current)), 0)
	+ (SELECT coalesce(sum(octet_length(data)), 0) FROM attachments WHERE doc BETWEEN ?1 AND ?2)
	+ (SELECT coalesce(sum(octet_length(document)), 0) FROM agents WHERE owner = ?3)
	+ (SELECT coalesce(sum(octet_length(document)), 0) FROM states WHERE owner = ?3) FROM records WHERE doc BETWEEN ?1 AND ?2`

// link files the links of a record.
func (w recordWriter) link(doc int64, links store.Links) error {
	var targets []string
	for _, r := range links.Relations {
		targets = append(targets, r.Target)
	}
	for _, id := range links.Supersedes {
		targets = append(targets, string(id))
	}
	targets = unique(targets)
	return w.put(relationsTable, len(targets), func(i int, values []any) []any {
		return append(values, targets[i], number(doc))
	})
}

// Reindex replaces the index entries of a row.
func (w recordWriter) Reindex(document int64, d store.Document) error {
	doc := w.owner.key(document)
	old, err := w.unindex(doc)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(old, func(term string) bool { return d.Terms[term] == 0 }) {
		w.owner.Leave()
	}
	terms := d.Sorted()
	x := stored.NewIndexColumns(d, terms)
	_, seal, err := w.rewrite(doc, func(old []any) []any {
		values := slices.Clone(old)
		x.Put(values)
		return values
	})
	if err != nil {
		return err
	}
	if _, err := w.exec(updateIndexed, x.Length, x.Tokeniser, x.Words, seal, doc); err != nil {
		return err
	}
	return w.reindex(document, d, terms)
}

const updateIndexed = `UPDATE records SET length = ?, tokeniser = ?, words = ?, seal = ? WHERE doc = ?`
