package sqlite

import (
	"cmp"
	"database/sql"
	"errors"
	"math"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/stored"
)

// Table postings: which documents hold a term, some hundred of them in a row.
//
//	owner, term, block  key; block is the number of the row, see [stored.IndexRow]
//	documents           with block tally: how many documents hold the term, staged
//	                    ones included; else 0
//	entries             the documents; NULL in a tally whose leaf is empty
//
// The row with block tally is the open leaf as well. New documents get ascending numbers, so
// they are added to it. A row without entries does not exist, except for a tally. The terms
// that records list determine this table, apart from where its leaves end and from the tail,
// see [tail].

// search reads the table.
type search struct{ *ownerTx }

var errEnough = errors.New("enough")

// Postings reads a term's documents in the tail, and then its rows from the last to the
// first.
func (s search) Postings(term string, max int) ([]store.Posting, error) {
	if err := s.loadRuns(); err != nil || max <= 0 {
		return nil, err
	}
	tail, err := s.tailEntries()
	if err != nil {
		return nil, err
	}
	if tail.Documents(term) == 0 {
		return s.filed(term, max)
	}
	found, err := tail.Postings(term, s.runs, math.MaxInt, func(int) ([]store.Posting, error) { return s.filed(term, max) })
	newestFirst := func(a, b store.Posting) int { return cmp.Compare(b.Document, a.Document) }
	if !slices.IsSortedFunc(found, newestFirst) { // a program without a tail indexed later documents
		slices.SortFunc(found, newestFirst)
	}
	return found[:min(len(found), max)], err
}

func (s search) filed(term string, max int) ([]store.Posting, error) {
	var found []store.Posting
	err := s.values(selectPostings, []any{s.owner.number, term}, func(row []any) error {
		entries, _ := row[1].([]byte)
		if n := numberOr(row[2], 0); found == nil && n > 0 { // the tally comes first
			found = make([]store.Posting, 0, min(n, int64(max)+mostInLeaf, mostAhead))
		}
		found = s.runs.Postings(found, stored.IndexRow{Number: numberOr(row[0], 0), Entries: entries})
		if len(found) >= max {
			return errEnough
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return found[:min(len(found), max)], nil
}

const (
	mostInLeaf = 2 * stored.LeafSize / 3
	mostAhead  = 1 << 20 // postings for which room is made at once
)

const selectPostings = `SELECT block, entries, documents FROM postings WHERE owner = ? AND term = ? ORDER BY block DESC`

// indexRow is a row of the index; documents is what is added to that column.
type indexRow struct {
	stored.IndexRow
	documents int64
}

// leavesOf returns the rows of a listing. The last has the number block, and documents.
func leavesOf(l stored.Listing, block, documents int64) []indexRow {
	leaves := l.Leaves(block)
	if len(leaves) == 0 {
		leaves = []stored.IndexRow{{Term: l.Term, Number: block}}
	}
	rows := make([]indexRow, len(leaves))
	for i, leaf := range leaves {
		rows[i].IndexRow = leaf
	}
	rows[len(rows)-1].documents = documents
	return rows
}

// file adds to the index of an owner. The documents are in the order of their numbers, later
// than all others of the index.
func (w *writeTx) file(owner int64, added []stored.Listing) error {
	few, many, first := stored.Split(added)
	if err := w.fileAfter(owner, few, first, stored.LeafSize, appendRow); err != nil {
		return err
	}
	return w.fileAfter(owner, many, first, 1, setRow)
}

// fileAfter closes the open leaves of terms if they have so many bytes, and adds to the terms by
// m, in the order of the key.
func (w *writeTx) fileAfter(owner int64, added []stored.Listing, first int64, full int, m multi) error {
	terms, rows := make([]string, len(added)), make([]indexRow, 0, len(added))
	for i, l := range added {
		terms[i] = l.Term
		rows = append(rows, leavesOf(l, tallyBlock, int64(len(l.Postings)))...)
	}
	for args := range inLists(terms, talliesSize) {
		args = append(append([]any{stored.FirstLeaf + first, owner}, args...), full)
		if _, err := w.exec(closeLeaves, args...); err != nil {
			return err
		}
	}
	return w.putRows(m, owner, rows)
}

var (
	// closeLeaves copies full open leaves to rows of their own.
	closeLeaves = `INSERT INTO postings (owner, term, block, documents, entries) SELECT owner, term, ?, 0, entries FROM postings
		WHERE owner = ? AND term IN ` + marks(talliesSize) + ` AND block = ` + tally + ` AND length(entries) >= ?
		ON CONFLICT DO UPDATE SET entries = CAST(entries || excluded.entries AS BLOB)`

	// appendRow adds to open leaves, and replaces those that closeLeaves has copied. SQLite's ||
	// makes text of blobs, byte for byte.
	appendRow = multi{head: setRow.head, row: setRow.row, tail: ` ON CONFLICT DO UPDATE SET documents = documents + excluded.documents,
		entries = CAST(iif(length(entries) < ` + leafSize + `, entries || excluded.entries, excluded.entries) AS BLOB)`}
	setRow = multi{head: `INSERT INTO postings (owner, term, block, documents, entries) VALUES `, row: `(?, ?, ?, ?, ?)`,
		tail: ` ON CONFLICT DO UPDATE SET documents = documents + excluded.documents, entries = excluded.entries`}
)

func (w *writeTx) putRows(m multi, owner int64, rows []indexRow) error {
	return w.insertMany(m, len(rows), func(i int, args []any) []any {
		r := rows[i]
		return append(args, owner, r.Term, r.Number, r.documents, r.Entries)
	})
}

// repost files a document under a term, among its other documents.
func (w *indexer) repost(term string, p store.Posting) error {
	row := stored.IndexRow{Term: term, Number: tallyBlock}
	err := w.first(selectLeaf, []any{w.owner.number, term, stored.FirstLeaf + p.Document}, &row.Number, &row.Entries)
	if err != nil && err != store.ErrNotFound {
		return err
	}
	l := stored.Gathered(term, row)
	if l.Holds(p.Document) { // a program without a tail filed it
		return nil
	}
	rows := leavesOf(l.With(p), row.Number, 1)
	if row.Number != tallyBlock {
		rows[len(rows)-1].documents = 0
		if _, err := w.exec(countTerm, 1, w.owner.number, term); err != nil {
			return err
		}
	}
	return w.putRows(setRow, w.owner.number, rows)
}

const selectLeaf = `SELECT block, entries FROM postings WHERE owner = ? AND term = ? AND block > ? ORDER BY block LIMIT 1`

// packBlocks brings terms of which an earlier release wrote blocks into leaves.
func (w *indexer) packBlocks(terms []string) error {
	var blocks []string
	for args := range inLists(terms, talliesSize) {
		err := w.each(selectWithBlocks, append(args, w.owner.number), func(rows *sql.Rows) error {
			var term string
			err := rows.Scan(&term)
			if len(blocks) == 0 || blocks[len(blocks)-1] != term { // the last one of a list is repeated
				blocks = append(blocks, term)
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	for _, term := range blocks {
		if _, err := w.packTerm(term); err != nil {
			return err
		}
	}
	return nil
}

var selectWithBlocks = `SELECT v.column1 FROM (VALUES (?)` + strings.Repeat(`, (?)`, talliesSize-1) + `) AS v WHERE EXISTS
	(SELECT 1 FROM postings AS p WHERE p.owner = ? AND p.term = v.column1 AND p.block < ` + firstLeaf + `)`

// packTerm makes leaves of all rows of a term, and returns how many there were.
func (w *indexer) packTerm(term string) (int, error) {
	var rows []stored.IndexRow
	err := w.values(selectPostings, []any{w.owner.number, term}, func(row []any) error {
		entries, _ := row[1].([]byte)
		rows = append(rows, stored.IndexRow{Number: numberOr(row[0], 0), Entries: entries})
		return nil
	})
	if err == nil {
		_, err = w.exec(`DELETE FROM postings WHERE owner = ? AND term = ? AND block <> `+tally, w.owner.number, term)
	}
	if err == nil {
		err = w.putRows(setRow, w.owner.number, leavesOf(stored.Gathered(term, rows...), tallyBlock, 0))
	}
	return len(rows), err
}

// Pack implements [store.Writer].
func (w *indexer) Pack(from string, most int) (next string, more bool, err error) {
	return stored.PackTerms(most, w.packTerm, func(see func(stored.IndexRow)) error {
		return w.each(selectTermRows, []any{w.owner.number, from, most}, func(rows *sql.Rows) error {
			var r stored.IndexRow
			err := rows.Scan(&r.Term, &r.Number)
			see(r)
			return err
		})
	})
}

const selectTermRows = `SELECT term, block FROM postings WHERE owner = ? AND term >= ? AND term < x'' ORDER BY term, block LIMIT ?`
