package sqlite

import (
	"maps"
	"slices"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/stored"
)

// The index entries of new documents are written when the Update ends, or before it
// reads the index. Then many documents under one term are one row, and the terms come
// in the order of the file. So an Update of hundreds of documents touches each page
// of the index once.

// mostPending is how many entries one Update holds back at most.
const mostPending = 1 << 17

// termBlock is the entries of one term in one block.
type termBlock struct {
	term    string
	block   int64
	entries []byte
}

// indexer writes the index, and holds back an Update's additions to it.
type indexer struct {
	*writeTx
	terms   map[string]*[]termBlock // by term; blocks in ascending order
	waiting int                     // how many entries are held back
}

// hold keeps the entries of a document, the owner's last, until they are written.
func (w *indexer) hold(document int64, terms []string, d store.Document) error {
	if w.terms == nil {
		w.terms = make(map[string]*[]termBlock)
	}
	block := document / stored.BlockSize
	for _, term := range terms {
		held := w.terms[term]
		if held == nil {
			held = new([]termBlock)
			w.terms[term] = held
		}
		if n := len(*held); n == 0 || (*held)[n-1].block != block {
			*held = append(*held, termBlock{term: term, block: block})
		}
		last := &(*held)[len(*held)-1]
		last.entries = append(last.entries, stored.Entry(document, d.Terms[term], d.Length)...)
	}
	if w.waiting += len(terms); w.waiting < mostPending {
		return nil
	}
	return w.writePending()
}

// writePending writes the entries that were held back.
func (w *indexer) writePending() error {
	if w.waiting == 0 {
		return nil
	}
	var rows []termBlock
	for _, term := range slices.Sorted(maps.Keys(w.terms)) {
		rows = w.release(rows, term)
	}
	w.terms, w.waiting = nil, 0
	return w.insertBlocks(rows)
}

// writePendingOf writes the entries of one term that were held back. An import asks for
// terms again and again, and most of its entries stay.
func (w *indexer) writePendingOf(term string) error {
	n := w.heldOf(term)
	if n == 0 {
		return nil
	}
	rows := w.release(nil, term)
	delete(w.terms, term)
	w.waiting -= n
	return w.insertBlocks(rows)
}

// heldOf returns how many entries of a term are held back.
func (w *indexer) heldOf(term string) int {
	documents := 0
	if blocks := w.terms[term]; blocks != nil {
		for _, p := range *blocks {
			documents += len(p.entries) / stored.EntrySize
		}
	}
	return documents
}

// release appends the rows for the entries of a term, the last of which is its tally.
func (w *indexer) release(rows []termBlock, term string) []termBlock {
	rows = append(rows, *w.terms[term]...)
	return append(rows, termBlock{term: term, block: int64(w.heldOf(term))})
}

// insertBlocks writes blocks, and as the tally those without entries.
func (w *indexer) insertBlocks(rows []termBlock) error {
	return w.insertMany(appendRow, len(rows), func(i int, args []any) []any {
		p := rows[i]
		if p.entries == nil {
			return append(args, w.owner.number, p.term, tallyBlock, p.block, nil)
		}
		return append(args, w.owner.number, p.term, p.block, 0, p.entries)
	})
}

var appendRow = multi{head: appendEntries.head, row: `(?, ?, ?, ?, ?)`, tail: appendEntries.tail}
