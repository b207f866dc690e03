package postgres

import (
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

// selectRecords begins what rows and fetch run.
var selectRecords = `SELECT ` + recordsTable.list + `, ` + erasedRow + `, ` + followedRow + ` FROM records WHERE owner = $1`

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

var selectRow = selectRecords + ` AND by_id = $2`

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
	var found []store.Row
	err := s.each(query, args, func(rows pgx.Rows) error {
		row, _, _, err := s.scanRow(rows)
		if err == nil {
			found = append(found, row)
		}
		return err
	})
	return found, err
}

// scanRow reads a row that selectRecords yields.
func (s *session) scanRow(rows pgx.Rows) (row store.Row, values []any, seal []byte, err error) {
	var erased, followed bool
	values, seal, err = recordsTable.scan(rows, &erased, &followed)
	if err != nil {
		return row, nil, nil, err
	}
	row = stored.RowOf(values)
	row.Erased, row.Followed = erased, followed
	row.Columns.Staged = s.staging(row.Number) != nil
	return row, values, seal, nil
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
	docs := make([]int64, 0, len(numbers))
	for _, n := range numbers {
		if n > 0 && s.staging(n) == nil {
			docs = append(docs, n)
		}
	}
	return s.fetch(docs)
}

// fetch returns the rows with these numbers that exist, in the order asked for. It
// keeps their seals for Altered, which those are mostly given to that become answers.
func (s *session) fetch(docs []int64) ([]store.Row, error) {
	if len(docs) == 0 {
		return nil, s.ready()
	}
	found := make(map[int64]store.Row, len(docs))
	err := s.each(selectDocs, []any{docs}, func(rows pgx.Rows) error {
		row, values, seal, err := s.scanRow(rows)
		if err != nil {
			return err
		}
		if doc, ok := values[0].(int64); ok {
			found[doc] = row
			s.remember(doc, values, seal)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	rows := make([]store.Row, 0, len(docs))
	for _, doc := range docs {
		if row, ok := found[doc]; ok {
			rows = append(rows, row)
		}
	}
	return rows, nil
}

var selectDocs = selectRecords + ` AND doc = ANY ($2)`

// Duplicates returns the rows of a digest.
func (s *session) Duplicates(digest string, imp int64) ([]store.Row, error) {
	if digest == "" {
		return nil, s.ready()
	}
	rows, err := s.rows(selectDuplicates, digest)
	return slices.DeleteFunc(rows, func(r store.Row) bool { return r.Columns.Staged && r.Columns.Import != imp }), err
}

var selectDuplicates = selectRecords + ` AND sha256(duplicate) = sha256($2) AND duplicate IS NOT NULL ORDER BY created, doc`

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
