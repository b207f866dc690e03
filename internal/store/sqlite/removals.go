package sqlite

import (
	"cmp"
	"database/sql"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/internal/store/stored"
)

// indexPlace is the key of a row of the index, without the owner.
type indexPlace struct {
	term  string
	block int64
}

// removals holds the entries of documents that leave the index, until they are taken out. Then
// an Update that deletes hundreds of documents changes each row of the index once.
type removals struct {
	documents map[indexPlace][]int64
	size      int // entries
}

// mostRemovals is how many entries one Update holds at most.
const mostRemovals = 1 << 16

func (l *removals) add(document int64, terms []string) {
	if l.documents == nil {
		l.documents = make(map[indexPlace][]int64)
	}
	for _, term := range terms {
		at := indexPlace{term, document / stored.BlockSize}
		l.documents[at] = append(l.documents[at], document)
	}
	l.size += len(terms)
}

// take returns the rows to change, in the order of the index, the tally of each term after
// its blocks. Nothing leaves any more.
func (l *removals) take() (rows []indexPlace, documents map[indexPlace][]int64) {
	for at := range l.documents {
		rows = append(rows, at)
	}
	slices.SortFunc(rows, func(a, b indexPlace) int {
		return cmp.Or(strings.Compare(a.term, b.term), cmp.Compare(a.block, b.block))
	})
	withTallies := make([]indexPlace, 0, 2*len(rows))
	for i, at := range rows {
		withTallies = append(withTallies, at)
		if i == len(rows)-1 || rows[i+1].term != at.term {
			withTallies = append(withTallies, indexPlace{at.term, tallyBlock})
		}
	}
	documents = l.documents
	*l = removals{}
	return withTallies, documents
}

// writeRemovals takes the documents that leave out of the index.
func (w *indexer) writeRemovals() error {
	rows, documents := w.removals.take()
	out := removal{indexer: w, documents: documents}
	for part := range slices.Chunk(rows, placesSize) {
		if err := out.change(part); err != nil {
			return err
		}
	}
	return nil
}

// removal takes documents out of rows of the index.
type removal struct {
	*indexer
	documents map[indexPlace][]int64
	term      string
	found     int64 // documents of that term that its blocks held
}

// indexRow is a row of the index as it is.
type indexRow struct {
	documents int64
	entries   []byte
}

// change takes documents out of some rows, which follow those of the last call.
func (o *removal) change(rows []indexPlace) error {
	now, err := o.rowsAt(rows)
	if err != nil {
		return err
	}
	var emptied []indexPlace
	var left []stored.Block
	for _, at := range rows {
		row, ok := now[at]
		if at.term != o.term {
			o.term, o.found = at.term, 0
		}
		if !ok {
			continue
		}
		if at.block == tallyBlock {
			switch {
			case o.found > 0 && row.documents <= o.found:
				emptied = append(emptied, at)
			case o.found > 0:
				left = append(left, stored.Block{Term: at.term, Number: o.found}) // no entries: the tally
			}
			continue
		}
		rest := row.entries
		for _, document := range o.documents[at] {
			rest = stored.Without(rest, document)
		}
		o.found += int64(len(row.entries)-len(rest)) / stored.EntrySize
		switch {
		case len(rest) == len(row.entries):
		case len(rest) == 0:
			emptied = append(emptied, at)
		default:
			left = append(left, stored.Block{Term: at.term, Number: at.block, Entries: rest})
		}
	}
	return o.write(emptied, left)
}

// rowsAt reads rows of the index.
func (w *indexer) rowsAt(rows []indexPlace) (map[indexPlace]indexRow, error) {
	now := make(map[indexPlace]indexRow, len(rows))
	err := w.c.each(selectPlaces, w.placed(rows), func(rows *sql.Rows) error {
		var at indexPlace
		var row indexRow
		var documents any
		err := rows.Scan(&at.term, &at.block, &documents, &row.entries)
		row.documents = numberOr(documents, 0)
		now[at] = row
		return err
	})
	return now, err
}

func (w *indexer) write(emptied []indexPlace, left []stored.Block) error {
	for part := range slices.Chunk(emptied, placesSize) {
		if _, err := w.exec(deletePlaces, w.placed(part)...); err != nil {
			return err
		}
	}
	return w.insertMany(setRow, len(left), func(i int, args []any) []any {
		b := left[i]
		if b.Entries == nil {
			return append(args, w.owner.number, b.Term, tallyBlock, -b.Number, nil)
		}
		return append(args, w.owner.number, b.Term, b.Number, 0, b.Entries)
	})
}

// placed returns the arguments for a statement about rows. It repeats the last row to fill
// the statement's list.
func (w *indexer) placed(rows []indexPlace) []any {
	args := make([]any, 1, 1+2*placesSize)
	args[0] = w.owner.number
	for i := range placesSize {
		at := rows[min(i, len(rows)-1)]
		args = append(args, at.term, at.block)
	}
	return args
}

// placesSize is how many rows of the index one statement reads or deletes.
const placesSize = 32

var (
	placesList   = ` IN (VALUES (?, ?)` + strings.Repeat(`, (?, ?)`, placesSize-1) + `)`
	selectPlaces = `SELECT term, block, documents, entries FROM postings WHERE owner = ? AND (term, block)` + placesList
	deletePlaces = `DELETE FROM postings WHERE owner = ? AND (term, block)` + placesList
	setRow       = multi{head: appendEntries.head, row: appendRow.row,
		tail: ` ON CONFLICT DO UPDATE SET documents = documents + excluded.documents, entries = excluded.entries`}
)
