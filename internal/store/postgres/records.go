package postgres

import (
	"bytes"
	"errors"
	"maps"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/stored"
	"github.com/satchel-memory/satchel/memory"
)

// Table records: the rows.
//
//	owner, doc            key; doc is the document number
//	id                    its name
//	kind … session        see [store.Columns]
//	created, valid_from   microseconds since 1970
//	valid_to, expires     the same, NULL: open
//	duplicate             digest, NULL: never merged
//	lineage               NULL: none; empty: the row's own id; else another's
//	import                NULL: none
//	length                tokens of what is indexed
//	tokeniser             version of what cut them
//	origin, current       JSON
//	words                 which terms are indexed, see [stored.PackTerms]; NULL: none
//	by_id, by_project     see short
//
// Whether a row is staged stands in table staged. The indexes are named after
// what they find; those of columns that most rows leave empty are partial. A
// duplicate and a lineage, of which nobody asks for an order, are found by their
// hashes.
var recordsTable = newTable("records")

const columns = `doc, id, kind, status, visibility, project, "user", agent, session, created, valid_from,
	valid_to, expires, duplicate, lineage, import, origin, current`

// Row returns a row by its id.
func (s *session) Row(id memory.ID) (store.Row, error) {
	row, err := s.held(id)
	if err == nil && row.Columns.Staged {
		return store.Row{}, store.ErrNotFound
	}
	return row, err
}

// Holder returns a row by its id, staged or not.
func (w *writer) Holder(id memory.ID) (store.Row, error) { return w.held(id) }

func (s *session) held(id memory.ID) (store.Row, error) {
	if doc, known := s.docs[id]; known && doc == 0 {
		return store.Row{}, s.missing()
	}
	rows, err := s.rows(selectRow, short(id))
	if err == nil && len(rows) == 0 {
		s.know(id, 0)
		return store.Row{}, store.ErrNotFound
	}
	if err != nil {
		return store.Row{}, err
	}
	s.know(id, rows[0].Number)
	return rows[0], nil
}

const selectRow = `SELECT ` + columns + ` FROM records WHERE owner = $1 AND by_id = $2`

// missing says that there is no such row.
func (s *session) missing() error {
	if err := s.ready(); err != nil {
		return err
	}
	return store.ErrNotFound
}

// know remembers which document has an id; 0: none has.
func (s *session) know(id memory.ID, doc int64) {
	if s.docs == nil {
		s.docs = make(map[memory.ID]int64)
	}
	s.docs[id] = doc
}

// rows runs a query for rows.
func (s *session) rows(query string, args ...any) ([]store.Row, error) {
	if err := s.loadRuns(); err != nil {
		return nil, err
	}
	var found []store.Row
	err := s.each(query, args, func(rows pgx.Rows) error {
		row, err := s.scanRow(rows)
		found = append(found, row)
		return err
	})
	return found, err
}

// scanRow reads the columns of a row.
func (s *session) scanRow(rows pgx.Rows) (store.Row, error) {
	var row store.Row
	var created, from int64
	var to, expires, imp *int64
	var duplicate, lineage []byte
	c := &row.Columns
	err := rows.Scan(&row.Number, &row.ID, &c.Kind, &c.Status, &c.Visibility, &c.Project, &c.User, &c.Agent, &c.Session,
		&created, &from, &to, &expires, &duplicate, &lineage, &imp, &row.Origin, &row.Current)
	if err != nil {
		return store.Row{}, err
	}
	row.Origin, row.Current = someBytes(row.Origin), someBytes(row.Current)
	c.Created, c.From, c.To, c.Expires = stored.Instant(created), stored.Instant(from), openInstant(to), openInstant(expires)
	c.Duplicate, c.Lineage = string(duplicate), memory.ID(lineage)
	if imp != nil {
		c.Import = *imp
	}
	if lineage != nil && len(lineage) == 0 {
		c.Lineage = row.ID
	}
	c.Staged = s.staging(row.Number) != nil
	return row, nil
}

// someBytes returns nil for no bytes.
func someBytes(b []byte) []byte {
	if len(b) == 0 {
		return nil
	}
	return b
}

// Numbered returns rows by their numbers.
func (s *session) Numbered(numbers []int64) ([]store.Row, error) {
	if err := s.loadRuns(); err != nil {
		return nil, err
	}
	docs := make([]int64, 0, len(numbers))
	for _, n := range numbers {
		if n > 0 && s.staging(n) == nil {
			docs = append(docs, n)
		}
	}
	return s.fetch(docs)
}

// fetch returns the rows with these numbers that exist, in the order asked for.
func (s *session) fetch(docs []int64) ([]store.Row, error) {
	if len(docs) == 0 {
		return nil, s.ready()
	}
	all, err := s.rows(selectDocs, docs)
	if err != nil {
		return nil, err
	}
	found := make(map[int64]store.Row, len(all))
	for _, row := range all {
		found[row.Number] = row
	}
	rows := make([]store.Row, 0, len(docs))
	for _, doc := range docs {
		if row, ok := found[doc]; ok {
			rows = append(rows, row)
		}
	}
	return rows, nil
}

const selectDocs = `SELECT ` + columns + ` FROM records WHERE owner = $1 AND doc = ANY ($2)`

// Duplicates returns the rows of a digest.
func (s *session) Duplicates(digest string, imp int64) ([]store.Row, error) {
	if digest == "" {
		return nil, s.ready()
	}
	rows, err := s.rows(selectDuplicates, digest)
	return slices.DeleteFunc(rows, func(r store.Row) bool { return r.Columns.Staged && r.Columns.Import != imp }), err
}

const selectDuplicates = `SELECT ` + columns + ` FROM records
	WHERE owner = $1 AND sha256(duplicate) = sha256($2) AND duplicate IS NOT NULL ORDER BY created, doc`

// find returns the number of a row, staged or not.
func (s *session) find(id memory.ID) (int64, error) {
	doc, known := s.docs[id]
	if !known {
		err := s.first(selectDoc, []any{short(id)}, &doc)
		if err != nil && err != store.ErrNotFound {
			return 0, err
		}
		s.know(id, doc)
	}
	if doc == 0 {
		return 0, s.missing()
	}
	return doc, s.ready()
}

const selectDoc = `SELECT doc FROM records WHERE owner = $1 AND by_id = $2`

var errNoImport = errors.New("a staged row needs an import")

// Insert adds a row.
func (w *writer) Insert(row store.Row, d store.Document, links store.Links) (int64, error) {
	if err := w.enrol(); err != nil {
		return 0, err
	}
	if row.Columns.Staged && row.Columns.Import == 0 {
		return 0, &memory.Error{Kind: memory.Internal, Op: "insert", ID: row.ID, Err: errNoImport}
	}
	if err := w.loadRuns(); err != nil {
		return 0, err
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
	terms := slices.Sorted(maps.Keys(d.Terms))
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
	placeLength = iota + 16
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
	if err := w.loadRuns(); err != nil {
		return err
	}
	doc, err := w.find(id)
	if err != nil {
		return err
	}
	w.leave()
	gone, err := w.unindex(doc)
	if err != nil {
		return err
	}
	w.owner.records--
	w.owner.bytes -= gone.bytes
	w.unstage(doc)
	w.know(id, 0)
	w.taught = nil
	return errors.Join(
		w.drop(`DELETE FROM relations WHERE owner = $1 AND doc = $2 RETURNING seal`, doc),
		w.drop(`DELETE FROM aliases WHERE owner = $1 AND doc = $2 RETURNING seal`, doc),
		w.drop(`DELETE FROM lessons WHERE owner = $1 AND doc = $2 RETURNING seal`, doc),
		w.drop(`DELETE FROM records WHERE owner = $1 AND doc = $2 RETURNING seal`, doc))
}
