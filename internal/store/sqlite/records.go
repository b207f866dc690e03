package sqlite

import (
	"cmp"
	"database/sql"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/stored"
	"github.com/satchel-memory/satchel/memory"
)

// Table records: the rows.
//
//	doc                   key made of the owner's number and the row's
//	owner, id             the owner's number, and the record's name
//	kind … session        see [store.Columns]
//	created, valid_from   microseconds since 1970
//	valid_to, expires     the same, NULL: open
//	duplicate             digest, NULL: never merged
//	lineage               NULL: none; '': the row's own id; else another's
//	import                NULL: none
//	length                tokens of what is indexed
//	tokeniser             version of the tokeniser that cut them
//	origin, current       JSON, nearly last because they are long
//	words                 the terms it is indexed under, see [stored.packEntry]; NULL:
//	                      none
//
// Table staged says whether a row is staged. Each index is named after the columns it
// serves; indexes of columns that most rows leave empty are partial.
var recordsTable = tableOf("records")

// records reads the table, and relations, which says how records link to each other.
type records struct {
	*ownerTx
	seen stored.RowCache // rows that were read, see scanRow
}

// Row returns a row by its id.
func (r *records) Row(id memory.ID) (store.Row, error) {
	row, err := r.held(id)
	if err == nil && row.Columns.Staged {
		return store.Row{}, store.ErrNotFound
	}
	return row, err
}

func (r *records) held(id memory.ID) (store.Row, error) {
	if err := r.loadRuns(); err != nil {
		return store.Row{}, err
	}
	return r.scanRow(func(into ...any) error {
		return r.first(selectRow, []any{r.owner.number, string(id)}, into...)
	})
}

var selectRow = `SELECT ` + rowColumns + ` FROM records WHERE owner = ? AND id = ?`

// scanRow reads a row of rowColumns. In a View it keeps the row's seal for Altered;
// in an Update the row may change.
func (r *records) scanRow(scan func(...any) error) (store.Row, error) {
	var erased, followed bool
	found, err := recordsTable.scan(scan, &erased, &followed)
	if err != nil {
		return store.Row{}, err
	}
	return r.rowOf(found, erased, followed), nil
}

// liftRow is scanRow for the columns as the driver returns them.
func (r *records) liftRow(raw []any) store.Row {
	width := recordsTable.width
	return r.rowOf(recordsTable.lift(raw[:width:width]), raw[width] == any(int64(1)), raw[width+1] == any(int64(1)))
}

func (r *records) rowOf(found fileRow, erased, followed bool) store.Row {
	row := stored.RowOf(found.Values)
	row.Erased, row.Followed = erased, followed
	row.Columns.Staged = r.runs.Staging(row.Number) != nil
	if !r.writes && r.Secret() != nil {
		r.seen.Keep(row.Number, found.Values, found.Seal)
	}
	return row
}

// Numbered returns rows by their numbers.
func (r *records) Numbered(numbers []int64) ([]store.Row, error) {
	docs, err := r.unstaged(numbers)
	if err != nil {
		return nil, err
	}
	return r.fetch(docs)
}

// unstaged returns the keys of the rows that are not staged. It skips numbers out of
// range, which would lead to a row of another owner.
func (r *ownerTx) unstaged(numbers []int64) ([]int64, error) {
	if err := r.loadRuns(); err != nil {
		return nil, err
	}
	docs := make([]int64, 0, len(numbers))
	for _, n := range numbers {
		if n > 0 && n == number(n) && r.runs.Staging(n) == nil {
			docs = append(docs, r.owner.key(n))
		}
	}
	return docs, nil
}

// fetchSize is how many rows one statement fetches. fewRows is that of a statement for fewer,
// as most answers have: SQLite sorts all that a statement has room for.
const (
	fetchSize = 32
	fewRows   = 10
)

// fetchInto calls read for each of the rows with these keys, in any order. few and many
// select as many as fewRows and fetchSize.
func (r *ownerTx) fetchInto(docs []int64, few, many string, read func([]any) error) error {
	size, query := fetchSize, many
	if len(docs) <= fewRows {
		size, query = fewRows, few
	}
	for args := range inLists(docs, size) {
		if err := r.values(query, args, read); err != nil {
			return err
		}
	}
	return nil
}

// fetch returns the rows with these keys that exist, in the order asked for.
func (r *records) fetch(docs []int64) ([]store.Row, error) {
	found := make(map[int64]store.Row, len(docs))
	err := r.fetchInto(docs, selectFew, selectDocs, func(raw []any) error {
		row := r.liftRow(raw)
		found[r.owner.key(row.Number)] = row
		return nil
	})
	if err != nil {
		return nil, err
	}
	rows := make([]store.Row, 0, len(found))
	for _, doc := range docs {
		if row, ok := found[doc]; ok {
			rows = append(rows, row)
		}
	}
	return rows, nil
}

var (
	selectFew  = `SELECT ` + rowColumns + ` FROM records WHERE doc IN ` + marks(fewRows)
	selectDocs = `SELECT ` + rowColumns + ` FROM records WHERE doc IN ` + marks(fetchSize)
)

// Rows first finds the places of rows, in indexes alone where it can, and then reads
// the rows.
func (r *records) Rows(f store.Filter, after store.Cursor, max int) ([]store.Row, error) {
	if err := r.loadRuns(); err != nil || max <= 0 {
		return nil, err
	}
	var places []place
	streams := r.streams(f)
	for _, st := range streams {
		more, err := r.places(st, f, after, max)
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
	return r.fetch(docs)
}

// Duplicates returns the rows with a digest.
func (r *records) Duplicates(digest string, imp int64) ([]store.Row, error) {
	if err := r.loadRuns(); err != nil || digest == "" {
		return nil, err
	}
	var rows []store.Row
	err := r.each(selectDuplicates, []any{r.owner.number, digest}, func(found *sql.Rows) error {
		row, err := r.scanRow(found.Scan)
		if err == nil && (!row.Columns.Staged || row.Columns.Import == imp) {
			rows = append(rows, row)
		}
		return err
	})
	return rows, err
}

var selectDuplicates = `SELECT ` + rowColumns + ` FROM records INDEXED BY records_duplicate
	WHERE owner = ? AND duplicate = ? ORDER BY created, doc`

// Beginning returns rows by the beginning of their ids.
func (r *records) Beginning(prefix memory.ID, max int) ([]store.Row, error) {
	if err := r.loadRuns(); err != nil || max <= 0 {
		return nil, err
	}
	var rows []store.Row
	err := r.each(selectBeginning, []any{r.owner.number, string(prefix), beyond(prefix)}, func(found *sql.Rows) error {
		row, err := r.scanRow(found.Scan)
		if err == nil && !row.Columns.Staged {
			rows = append(rows, row)
		}
		if err == nil && len(rows) == max {
			return errEnough
		}
		return err
	})
	if err == errEnough {
		err = nil
	}
	return rows, err
}

// Crowded looks all prefixes up in the index of ids, in one statement. Staged rows make a
// prefix seem crowded, which Beginning decides.
func (r *records) Crowded(prefixes []memory.ID) ([]memory.ID, error) {
	if err := r.loadRuns(); err != nil {
		return nil, err
	}
	var crowded []memory.ID
	for some := range slices.Chunk(prefixes, crowdedSize) {
		args := make([]any, 0, 3*crowdedSize)
		for i := range crowdedSize {
			prefix := some[min(i, len(some)-1)]
			args = append(args, r.owner.number, string(prefix), beyond(prefix))
		}
		var seem []any
		if err := r.values(selectCrowded, args, func(row []any) error { seem = row; return nil }); err != nil {
			return nil, err
		}
		for i, prefix := range some {
			if seem[i] != any(int64(1)) {
				continue
			}
			rows, err := r.Beginning(prefix, 2)
			if err != nil {
				return nil, err
			}
			if len(rows) == 2 {
				crowded = append(crowded, prefix)
			}
		}
	}
	return crowded, r.Ready()
}

// crowdedSize is how many prefixes one statement looks up.
const crowdedSize = 8

// selectCrowded returns for each prefix whether there is a second row.
var selectCrowded = `SELECT ` + secondRow + strings.Repeat(`, `+secondRow, crowdedSize-1)

const secondRow = `EXISTS (SELECT 1 FROM records INDEXED BY records_id WHERE owner = ? AND id >= ? AND id < ? LIMIT 1 OFFSET 1)`

// beyond returns a value that sorts after every text with this prefix, and before any
// other text that sorts after prefix. SQLite sorts bytes after every text.
func beyond[S ~string](prefix S) any {
	for last := len(prefix) - 1; last >= 0; last-- {
		if prefix[last] < 0xff {
			return string(prefix[:last]) + string([]byte{prefix[last] + 1})
		}
	}
	return []byte{}
}

var selectBeginning = `SELECT ` + rowColumns + ` FROM records INDEXED BY records_id
	WHERE owner = ? AND id >= ? AND id < ? ORDER BY id`

// sealer returns a new sealer of an owner, with the secret if it is at hand.
func (s *Store) sealer(did memory.DID) *stored.Sealer {
	if s.opt.Seal == nil {
		return stored.NewSealer(nil)
	}
	return stored.NewSealer(s.opt.Seal(did))
}

// Altered checks the seals of rows, if the owner's secret is at hand.
func (r *records) Altered(numbers []int64) ([]int64, error) {
	seals := r.Secret()
	if seals == nil || len(numbers) == 0 {
		return nil, r.Ready()
	}
	altered, unread := r.seen.Altered(recordsTable.Name, seals, numbers)
	for args := range inLists(r.owner.keys(unread), alteredSize) {
		err := r.each(selectAltered, args, func(rows *sql.Rows) error {
			var doc int64
			row, err := recordsTable.scan(rows.Scan, &doc)
			if err == nil && !seals.Fits(recordsTable.Name, row.Values, row.Seal) {
				altered = append(altered, number(doc))
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return altered, r.Ready()
}

// alteredSize is how many rows one statement fetches.
const alteredSize = 16

var selectAltered = `SELECT ` + recordsTable.list + `, doc FROM records WHERE doc IN ` + marks(alteredSize)
