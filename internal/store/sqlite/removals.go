package sqlite

import (
	"database/sql"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/internal/store/stored"
)

// removals holds the entries of documents that leave the index, until they are taken out. Then
// an Update that deletes hundreds of documents changes each row of the index once.
type removals struct {
	documents map[string][]int64 // by term
	size      int                // entries
}

// mostRemovals is how many entries one Update holds at most.
const mostRemovals = 1 << 16

func (l *removals) add(document int64, terms []string) {
	if l.documents == nil {
		l.documents = make(map[string][]int64)
	}
	for _, term := range terms {
		l.documents[term] = append(l.documents[term], document)
	}
	l.size += len(terms)
}

// take returns the terms and the documents that leave each of them, all in order. Nothing leaves
// any more.
func (l *removals) take() (terms []string, documents map[string][]int64) {
	for _, list := range l.documents {
		slices.Sort(list)
	}
	terms, documents = slices.Sorted(maps.Keys(l.documents)), l.documents
	*l = removals{}
	return terms, documents
}

// writeRemovals takes the documents that leave out of the index.
func (w *indexer) writeRemovals() error {
	terms, documents := w.removals.take()
	if err := w.packBlocks(terms); err != nil {
		return err
	}
	out := removal{indexer: w, documents: documents, found: make(map[string]int64)}
	for waiting := terms; len(waiting) > 0; {
		var left []string
		for part := range slices.Chunk(waiting, placesSize) {
			more, err := out.leaves(part)
			if err != nil {
				return err
			}
			left = append(left, more...)
		}
		waiting = left
	}
	for part := range slices.Chunk(terms, placesSize) {
		if err := out.open(part); err != nil {
			return err
		}
	}
	return nil
}

// removal takes documents out of rows of the index.
type removal struct {
	*indexer
	documents map[string][]int64 // that are left to take out, by term
	found     map[string]int64   // how many were taken out
}

// leaves takes the first documents of some terms out of the leaves that hold them, and returns
// those of the terms that may have more in other leaves.
func (o *removal) leaves(terms []string) (more []string, err error) {
	args := []any{o.owner.number}
	for i := range placesSize {
		term := terms[min(i, len(terms)-1)]
		args = append(args, term, stored.FirstLeaf+o.documents[term][0])
	}
	rows, err := o.rowsOf(selectLeaves, args)
	if err != nil {
		return nil, err
	}
	var emptied, left []indexRow
	for _, row := range rows {
		before := o.found[row.Term]
		switch row = o.without(row, row.Number-stored.FirstLeaf); {
		case o.found[row.Term] == before:
		case len(row.Entries) == 0:
			emptied = append(emptied, row)
		default:
			left = append(left, row)
		}
		if len(o.documents[row.Term]) > 0 {
			more = append(more, row.Term)
		}
	}
	return more, o.write(emptied, left)
}

// open takes the documents that are left out of the open leaves of some terms.
func (o *removal) open(terms []string) error {
	args := []any{o.owner.number}
	for i := range placesSize {
		args = append(args, terms[min(i, len(terms)-1)])
	}
	rows, err := o.rowsOf(selectOpen, args)
	if err != nil {
		return err
	}
	var emptied, left []indexRow
	for _, row := range rows {
		row = o.without(row, stored.OpenLeaf)
		switch n := o.found[row.Term]; {
		case n == 0:
		case len(row.Entries) == 0 && row.documents <= n:
			emptied = append(emptied, row)
		default:
			row.documents = -n
			left = append(left, row)
		}
	}
	return o.write(emptied, left)
}

// without takes the documents below a number out of a row.
func (o *removal) without(row indexRow, below int64) indexRow {
	leaving := o.documents[row.Term]
	n, _ := slices.BinarySearch(leaving, below)
	leaving, o.documents[row.Term] = leaving[:n], leaving[n:]
	l := stored.Gathered(row.Term, row.IndexRow)
	if rest := l.Without(leaving...); len(rest.Postings) < len(l.Postings) {
		o.found[row.Term] += int64(len(l.Postings) - len(rest.Postings))
		row.Entries = stored.AppendLeaf(nil, rest.Postings)
	}
	return row
}

// rowsOf reads rows of the index, one for each term.
func (w *indexer) rowsOf(query string, args []any) (found []indexRow, err error) {
	err = w.each(query, args, func(rows *sql.Rows) error {
		var row indexRow
		var documents any
		err := rows.Scan(&row.Term, &row.Number, &documents, &row.Entries)
		row.documents = numberOr(documents, 0)
		if len(found) == 0 || found[len(found)-1].Term != row.Term { // the last one of a list is repeated
			found = append(found, row)
		}
		return err
	})
	return found, err
}

// write deletes rows of the index and changes others.
func (w *indexer) write(emptied, left []indexRow) error {
	for part := range slices.Chunk(emptied, placesSize) {
		args := []any{w.owner.number}
		for i := range placesSize {
			row := part[min(i, len(part)-1)]
			args = append(args, row.Term, row.Number)
		}
		if _, err := w.exec(deletePlaces, args...); err != nil {
			return err
		}
	}
	return w.putRows(setRow, w.owner.number, left)
}

// placesSize is how many rows of the index one statement reads or deletes.
const placesSize = 32

var (
	deletePlaces = `DELETE FROM postings WHERE owner = ? AND (term, block) IN (VALUES (?, ?)` + strings.Repeat(`, (?, ?)`, placesSize-1) + `)`
	selectOpen   = `SELECT term, block, documents, entries FROM postings WHERE owner = ? AND term IN ` + marks(placesSize) +
		` AND block = ` + tally + ` ORDER BY term`

	// selectLeaves selects the leaf of each term that may hold a document, but for open ones.
	selectLeaves = func() string {
		var pairs []string
		for i := range placesSize {
			pairs = append(pairs, fmt.Sprintf("(?%d, ?%d)", 2*i+2, 2*i+3))
		}
		return `SELECT p.term, p.block, p.documents, p.entries FROM (VALUES ` + strings.Join(pairs, ", ") + `) AS v CROSS JOIN postings AS p
			ON p.owner = ?1 AND p.term = v.column1 AND p.block = (SELECT q.block FROM postings AS q
				WHERE q.owner = ?1 AND q.term = v.column1 AND q.block > v.column2 AND q.block < ` + tally + ` ORDER BY q.block LIMIT 1)`
	}()
)
