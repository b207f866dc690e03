package postgres

import (
	"slices"
	"strings"

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
//	tokeniser             version of the tokeniser that cut them
//	origin, current       JSON
//	words                 the terms it is indexed under, see [stored.packEntry]; NULL:
//	                      none
//	by_id, by_project     see short
//
// Table staged says whether a row is staged. Each index is named after the columns it
// serves; indexes of columns that most rows leave empty are partial. A duplicate and
// a lineage need no order, so they are found by their hashes.
var recordsTable = tableOf("records")

// records reads the table, and relations, which says how records link to each other.
type records struct {
	*ownerTx
	seen stored.RowCache // rows that were read by number, see remember
}

// selectRecords is the beginning of the statements of rows and fetch.
var selectRecords = `SELECT ` + recordsTable.list + `, ` + erasedRow + `, ` + followedRow + ` FROM records WHERE owner = $1`

// Row returns a row by its id.
func (r *records) Row(id memory.ID) (store.Row, error) {
	row, err := r.held(id)
	if err == nil && row.Columns.Staged {
		return store.Row{}, store.ErrNotFound
	}
	return row, err
}

func (r *records) held(id memory.ID) (store.Row, error) {
	if doc, known := r.docs[id]; known && doc == 0 {
		return store.Row{}, r.missing()
	}
	rows, err := r.rows(selectRow, short(id))
	if err == nil && len(rows) == 0 {
		r.know(id, 0)
		return store.Row{}, store.ErrNotFound
	}
	if err != nil {
		return store.Row{}, err
	}
	r.know(id, rows[0].Number)
	return rows[0], nil
}

var selectRow = selectRecords + ` AND by_id = $2`

// rows runs a query for rows.
func (r *records) rows(query string, args ...any) ([]store.Row, error) {
	var found []store.Row
	err := r.each(query, args, func(rows pgx.Rows) error {
		row, _, err := r.scanRow(rows)
		if err == nil {
			found = append(found, row)
		}
		return err
	})
	return found, err
}

// scanRow reads a row that selectRecords yields.
func (r *records) scanRow(rows pgx.Rows) (row store.Row, sealed stored.TableRow, err error) {
	var erased, followed bool
	sealed, err = recordsTable.scan(rows, &erased, &followed)
	if err != nil {
		return row, sealed, err
	}
	row = stored.RowOf(sealed.Values)
	row.Erased, row.Followed = erased, followed
	row.Columns.Staged = r.runs.Staging(row.Number) != nil
	return row, sealed, nil
}

// Numbered returns rows by their numbers.
func (r *records) Numbered(numbers []int64) ([]store.Row, error) {
	return r.fetch(r.unstaged(numbers))
}

// unstaged returns the numbers of rows that are not staged.
func (x *ownerTx) unstaged(numbers []int64) []int64 {
	docs := make([]int64, 0, len(numbers))
	for _, n := range numbers {
		if n > 0 && x.runs.Staging(n) == nil {
			docs = append(docs, n)
		}
	}
	return docs
}

// fetch returns the rows with these numbers that exist, in the order asked for. It
// keeps their seals, since the rows of an answer mostly go to Altered next.
func (r *records) fetch(docs []int64) ([]store.Row, error) {
	if len(docs) == 0 {
		return nil, r.Ready()
	}
	found := make(map[int64]store.Row, len(docs))
	err := r.each(selectDocs, []any{docs}, func(rows pgx.Rows) error {
		row, sealed, err := r.scanRow(rows)
		if err != nil {
			return err
		}
		if doc, ok := sealed.Values[0].(int64); ok {
			found[doc] = row
			r.remember(doc, sealed)
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

// Duplicates returns the rows with a digest.
func (r *records) Duplicates(digest string, imp int64) ([]store.Row, error) {
	if digest == "" {
		return nil, r.Ready()
	}
	rows, err := r.rows(selectDuplicates, digest)
	return slices.DeleteFunc(rows, func(r store.Row) bool { return r.Columns.Staged && r.Columns.Import != imp }), err
}

var selectDuplicates = selectRecords + ` AND sha256(duplicate) = sha256($2) AND duplicate IS NOT NULL ORDER BY created, doc`

// Beginning returns rows by the beginning of their ids. It also reads staged rows and
// skips them, so it may take several steps to find max rows.
func (r *records) Beginning(prefix memory.ID, max int) ([]store.Row, error) {
	if max <= 0 {
		return nil, r.Ready()
	}
	from := string(prefix[:min(len(prefix), shortHead)])
	to := beyond(from)
	var found []store.Row
	for {
		rows, err := r.rows(selectBeginning, from, to, max)
		if err != nil {
			return nil, err
		}
		for _, row := range rows {
			from = short(row.ID) + "\x00" // the next one
			if !row.Columns.Staged && strings.HasPrefix(string(row.ID), string(prefix)) {
				found = append(found, row)
			}
		}
		// Long ids with the same beginning are in the order of their hashes.
		settled := len(rows) > 0 && len(rows[len(rows)-1].ID) < shortHead
		if len(rows) < max || len(found) >= max && settled {
			slices.SortFunc(found, func(a, b store.Row) int { return strings.Compare(string(a.ID), string(b.ID)) })
			return found[:min(len(found), max)], nil
		}
	}
}

var selectBeginning = selectRecords + ` AND by_id >= $2 AND by_id < $3 ORDER BY by_id LIMIT $4`

// Crowded asks for two rows of each prefix.
func (r *records) Crowded(prefixes []memory.ID) ([]memory.ID, error) {
	var crowded []memory.ID
	for _, prefix := range prefixes {
		rows, err := r.Beginning(prefix, 2)
		if err != nil {
			return nil, err
		}
		if len(rows) == 2 {
			crowded = append(crowded, prefix)
		}
	}
	return crowded, r.Ready()
}

// remember keeps a row for Altered, in a View with the secret at hand. In an Update
// the row may change.
func (r *records) remember(doc int64, row stored.TableRow) {
	if !r.writes && r.Secret() != nil {
		r.seen.Keep(doc, row.Values, row.Seal)
	}
}

// Altered checks the seals of rows, if the owner's secret is at hand.
func (r *records) Altered(numbers []int64) ([]int64, error) {
	seals := r.Secret()
	if seals == nil || len(numbers) == 0 {
		return nil, r.Ready()
	}
	altered, unread := r.seen.Altered(recordsTable.Name, seals, numbers)
	if len(unread) == 0 {
		return altered, r.Ready()
	}
	err := r.each(selectDocs, []any{unread}, func(rows pgx.Rows) error {
		row, err := recordsTable.scan(rows)
		if err != nil || seals.Fits(recordsTable.Name, row.Values, row.Seal) {
			return err
		}
		if doc, ok := row.Values[0].(int64); ok {
			altered = append(altered, doc)
		}
		return nil
	})
	return altered, err
}
