package sqlite

import (
	"bytes"
	"cmp"
	"database/sql"
	"errors"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/stored"
	"github.com/satchel-memory/satchel/memory"
)

// Table records: the rows.
//
//	doc                   key made of the owner's number and the row's
//	owner, id             whose, and its name
//	kind … session        see [store.Columns]
//	created, valid_from   microseconds since 1970
//	valid_to, expires     the same, NULL: open
//	duplicate             digest, NULL: never merged
//	lineage               NULL: none; '': the row's own id; else another's
//	import                NULL: none
//	length                tokens of what is indexed
//	tokeniser             version of what cut them
//	origin, current       JSON, nearly last because they are long
//	words                 which terms are indexed, see [stored.PackTerms]; NULL: none
//
// Whether a row is staged stands in table staged. The indexes are named after
// what they find; those of columns that most rows leave empty are partial.
var recordsTable = newTable("records")

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
	if err := s.loadRuns(); err != nil {
		return store.Row{}, err
	}
	return s.scanRow(func(into ...any) error {
		return s.first(selectRow, []any{s.owner.number, string(id)}, into...)
	})
}

var selectRow = `SELECT ` + rowColumns + ` FROM records WHERE owner = ? AND id = ?`

// scanRow reads a row that was selected by rowColumns, and keeps its seal for Altered
// where it is known whose it is: in a View, since in an Update it may change.
func (s *session) scanRow(scan func(...any) error) (store.Row, error) {
	var erased, followed bool
	found, err := recordsTable.scan(scan, &erased, &followed)
	if err != nil {
		return store.Row{}, err
	}
	row := stored.RowOf(found.values)
	row.Erased, row.Followed = erased, followed
	row.Columns.Staged = s.staging(row.Number) != nil
	if !s.writes && s.secret() != nil {
		s.seen.Keep(row.Number, found.values, found.seal)
	}
	return row, nil
}

// Numbered returns rows by their numbers. A number that no row can have would lead to a
// row of another owner.
func (s *session) Numbered(numbers []int64) ([]store.Row, error) {
	if err := s.loadRuns(); err != nil {
		return nil, err
	}
	docs := make([]int64, 0, len(numbers))
	for _, n := range numbers {
		if n > 0 && n == number(n) && s.staging(n) == nil {
			docs = append(docs, s.owner.key(n))
		}
	}
	return s.fetch(docs)
}

// fetchSize is how many rows one statement fetches.
const fetchSize = 32

// fetch returns the rows with these keys that exist, in the order asked for.
func (s *session) fetch(docs []int64) ([]store.Row, error) {
	found := make(map[int64]store.Row, len(docs))
	for chunk := range slices.Chunk(docs, fetchSize) {
		args := make([]any, fetchSize)
		for i := range args {
			args[i] = chunk[min(i, len(chunk)-1)]
		}
		err := s.each(selectDocs, args, func(rows *sql.Rows) error {
			row, err := s.scanRow(rows.Scan)
			found[s.owner.key(row.Number)] = row
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	rows := make([]store.Row, 0, len(found))
	for _, doc := range docs {
		if row, ok := found[doc]; ok {
			rows = append(rows, row)
		}
	}
	return rows, nil
}

var selectDocs = `SELECT ` + rowColumns + ` FROM records WHERE doc IN ` + marks(fetchSize)

// Rows finds the places of rows first, in indexes alone where it can, then the
// rows.
func (s *session) Rows(f store.Filter, after store.Cursor, max int) ([]store.Row, error) {
	if err := s.loadRuns(); err != nil || max <= 0 {
		return nil, err
	}
	var places []place
	streams := s.streams(f)
	for _, st := range streams {
		more, err := s.places(st, f, after, max)
		if err != nil {
			return nil, err
		}
		places = append(places, more...)
	}
	if len(streams) > 1 {
		slices.SortFunc(places, func(a, b place) int {
			return cmp.Or(cmp.Compare(a.created, b.created), cmp.Compare(a.doc, b.doc))
		})
		if f.Newest {
			slices.Reverse(places)
		}
	}
	docs := make([]int64, min(len(places), max))
	for i := range docs {
		docs[i] = places[i].doc
	}
	return s.fetch(docs)
}

// Duplicates returns the rows of a digest.
func (s *session) Duplicates(digest string, imp int64) ([]store.Row, error) {
	if err := s.loadRuns(); err != nil || digest == "" {
		return nil, err
	}
	var rows []store.Row
	err := s.each(selectDuplicates, []any{s.owner.number, digest}, func(r *sql.Rows) error {
		row, err := s.scanRow(r.Scan)
		if err == nil && (!row.Columns.Staged || row.Columns.Import == imp) {
			rows = append(rows, row)
		}
		return err
	})
	return rows, err
}

var selectDuplicates = `SELECT ` + rowColumns + ` FROM records INDEXED BY records_duplicate
	WHERE owner = ? AND duplicate = ? ORDER BY created, doc`

// find returns the key of a row, staged or not.
func (s *session) find(id memory.ID) (int64, error) {
	var doc int64
	err := s.first(selectDoc, []any{s.owner.number, string(id)}, &doc)
	return doc, err
}

const selectDoc = `SELECT doc FROM records WHERE owner = ? AND id = ?`

// Insert adds a row.
func (w *writer) Insert(row store.Row, d store.Document, links store.Links) (int64, error) {
	if err := w.enrol(); err != nil {
		return 0, err
	}
	if row.Columns.Staged && row.Columns.Import == 0 {
		return 0, &memory.Error{Kind: memory.Internal, Op: "insert", ID: row.ID, Err: stored.ErrNoImport}
	}
	if err := w.loadRuns(); err != nil {
		return 0, err
	}
	next := w.owner.numbered + 1
	terms := d.Sorted() // neighbours in the index come one after the other
	values := recordValues(next, row, indexed(d, terms))
	seal := w.seals.Seal(recordsTable.Name, values)
	n, err := w.exec(insertRecord, append(recordsTable.lay(nil, w.owner, values), seal)...)
	if err == nil && n == 0 {
		err = store.ErrExists
	}
	if err != nil {
		return 0, err
	}
	w.owner.numbered, w.owner.total, w.dirty = next, w.owner.total.Plus(seal), true
	w.use(1, len(row.Origin)+len(row.Current))
	if row.Columns.Staged {
		err = w.stage(next, row.Columns.Import)
	}
	return next, errors.Join(err, w.index(next, d, terms), w.link(w.owner.key(next), links))
}

var insertRecord = recordsTable.insert.sql(1) + ` ON CONFLICT (owner, id) DO NOTHING`

// recordValues are the columns of a row; x is what is indexed for it.
func recordValues(number int64, row store.Row, x indexValues) []any {
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
		c.Agent, c.Session, stored.Micros(c.Created), stored.Micros(c.From), stored.OpenMicros(c.To), stored.OpenMicros(c.Expires), duplicate, lineage,
		imp, x.length, x.tokeniser, row.Origin, row.Current, x.words}
}

// Replace changes a row.
func (w *writer) Replace(row store.Row, links store.Links) error {
	doc, err := w.find(row.ID)
	if err != nil {
		return err
	}
	values, seal, err := w.rewrite(doc, func(old []any) []any {
		if leaves(old, row) {
			w.leave()
		}
		w.use(0, len(row.Origin)+len(row.Current)-length(old[placeOrigin])-length(old[placeCurrent]))
		x := indexValues{old[placeLength], old[placeTokeniser], old[placeWords]}
		return recordValues(number(doc), row, x)
	})
	if err != nil {
		return err
	}
	if _, err := w.exec(updateRecord, append(values[2:], seal, doc)...); err != nil {
		return err
	}
	if err := w.unlink(doc); err != nil {
		return err
	}
	return w.link(doc, links)
}

// The places of some columns among the others.
var (
	placeLength    = recordsTable.Place("length")
	placeTokeniser = recordsTable.Place("tokeniser")
	placeOrigin    = recordsTable.Place("origin")
	placeCurrent   = recordsTable.Place("current")
	placeWords     = recordsTable.Place("words")
)

// leaves reports whether content leaves when a row is replaced.
func leaves(old []any, row store.Row) bool {
	origin, _ := old[placeOrigin].([]byte)
	current, _ := old[placeCurrent].([]byte)
	return len(origin) > 0 && !bytes.Equal(origin, row.Origin) || len(current) > len(row.Current)
}

// length returns how many bytes a value has, of whatever type it has become.
func length(v any) int {
	switch v := v.(type) {
	case []byte:
		return len(v)
	case string:
		return len(v)
	}
	return 0
}

// rewrite returns what a row is to hold instead of what it does, and the seal.
func (w *writer) rewrite(doc int64, change func(old []any) []any) (values []any, seal []byte, err error) {
	old, err := w.whole(recordsTable, number(doc))
	if err != nil {
		return nil, nil, err
	}
	values = change(old.values)
	return values, w.reseal(recordsTable, old, values), nil
}

var updateRecord = `UPDATE records SET ` + strings.Join(recordsTable.names[2:], " = ?, ") + ` = ?, seal = ? WHERE doc = ?`

// Delete removes a row and everything that hangs on it.
func (w *writer) Delete(id memory.ID) error {
	if err := w.loadRuns(); err != nil {
		return err
	}
	doc, err := w.find(id)
	if err != nil {
		return err
	}
	switch back, err := w.isBack(doc); {
	case err != nil:
		return err
	case back:
		return w.dropBack(doc)
	}
	w.leave()
	if _, err := w.unindex(doc); err != nil {
		return err
	}
	for _, step := range []func() error{
		func() error { return w.unlink(doc) },
		func() error { return w.unalias(doc) },
		func() error { return w.unattach(number(doc)) },
		func() error { return w.unlearn(doc) },
		func() error { return w.unstage(number(doc)) },
	} {
		if err := step(); err != nil {
			return err
		}
	}
	return w.remove(doc)
}
