package postgres

import (
	"bytes"
	"errors"
	"slices"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/stored"
	"github.com/satchel-memory/satchel/memory"
)

// Insert adds a row.
func (w *writer) Insert(row store.Row, d store.Document, links store.Links) (int64, error) {
	if err := w.enrol(); err != nil {
		return 0, err
	}
	if row.Columns.Staged && row.Columns.Import == 0 {
		return 0, &memory.Error{Kind: memory.Internal, Op: "insert", ID: row.ID, Err: stored.ErrNoImport}
	}
	switch _, err := w.find(row.ID); err {
	case nil:
		return 0, store.ErrExists
	case store.ErrNotFound:
	default:
		return 0, err
	}
	w.owner.numbered++
	doc := w.owner.numbered
	terms := d.Sorted()
	if err := w.putOne(recordsTable, recordValues(doc, row, indexed(d, terms))...); err != nil {
		return 0, err
	}
	w.know(row.ID, doc)
	w.owner.records++
	w.owner.bytes += size(row)
	if row.Columns.Staged {
		w.stage(doc, row.Columns.Import)
	}
	w.index(doc, d, terms)
	return doc, w.link(doc, targets(links))
}

// size is how many bytes the owner is charged with for a row.
func size(row store.Row) int64 { return int64(len(row.Origin) + len(row.Current)) }

// recordValues are the columns of a row; x is what is indexed for it.
func recordValues(doc int64, row store.Row, x indexValues) []any {
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
	return []any{doc, string(row.ID), string(c.Kind), string(c.Status), string(c.Visibility), c.Project, c.User,
		c.Agent, c.Session, stored.Micros(c.Created), stored.Micros(c.From), stored.OpenMicros(c.To),
		stored.OpenMicros(c.Expires), duplicate, lineage, imp, x.length, x.tokeniser, row.Origin, row.Current, x.words}
}

// The places of some columns among the others.
const (
	placeImport = iota + 15
	placeLength
	placeTokeniser
	placeOrigin
	placeCurrent
	placeWords
)

// Replace changes a row.
func (w *writer) Replace(row store.Row, links store.Links) error {
	doc, err := w.find(row.ID)
	if err != nil {
		return err
	}
	var old []any
	var seal []byte
	before := make(map[string][]byte) // seals of the links
	err = w.all(recordsTable.statement(&old, &seal, doc), linksOf(doc, before))
	if err == nil && old == nil {
		err = store.ErrNotFound
	}
	if err != nil {
		return err
	}
	if leaves(old, row) {
		w.leave()
	}
	values := recordValues(doc, row, indexValues{old[placeLength], old[placeTokeniser], old[placeWords]})
	w.owner.bytes += size(row) - size(contents(old))
	seal = w.reseal(recordsTable, old, seal, values)
	w.later(updateRecord, append(slices.Clone(values[2:]), seal, doc)...)
	return w.relink(doc, before, targets(links))
}

var updateRecord = `UPDATE records SET ` + sets(recordsTable.Columns[2:]) + ` WHERE owner = $1 AND doc = ` +
	marks(len(recordsTable.Columns)+1, 1)

// contents returns what a row says, out of its columns.
func contents(values []any) store.Row {
	origin, _ := values[placeOrigin].([]byte)
	current, _ := values[placeCurrent].([]byte)
	return store.Row{Origin: origin, Current: current}
}

// leaves reports whether content leaves when a row is replaced.
func leaves(values []any, row store.Row) bool {
	old := contents(values)
	return len(old.Origin) > 0 && !bytes.Equal(old.Origin, row.Origin) || len(old.Current) > len(row.Current)
}

// Delete removes a row and everything that hangs on it.
func (w *writer) Delete(id memory.ID) error {
	doc, err := w.find(id)
	if err != nil {
		return err
	}
	w.leave()
	var length, bytes int64
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
	w.owner.records--
	w.owner.bytes -= bytes
	w.unstage(doc)
	w.know(id, 0)
	w.taught = nil
	return errors.Join(
		w.drop(`DELETE FROM relations WHERE owner = $1 AND doc = $2 RETURNING seal`, doc),
		w.drop(`DELETE FROM aliases WHERE owner = $1 AND doc = $2 RETURNING seal`, doc),
		w.drop(`DELETE FROM lessons WHERE owner = $1 AND doc = $2 RETURNING seal`, doc),
		w.unattach(doc),
		w.drop(`DELETE FROM records WHERE owner = $1 AND doc = $2 RETURNING seal`, doc))
}

const selectIndexed = `SELECT length, coalesce(octet_length(origin), 0)::bigint + coalesce(octet_length(current), 0), words, ` + erasedRow + `
	FROM records WHERE owner = $1 AND doc = $2`
