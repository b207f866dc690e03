package sqlite

import (
	"maps"
	"slices"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/stored"
)

// What new documents are to be found by is written when the Update ends, or before
// anything in it needs to find them: many documents under one term are then one row, and
// the terms come in the order in which they lie. So an Update of hundreds of documents
// touches each page of the index once.

// mostPending is how many entries are held back in one Update at most.
const mostPending = 1 << 17

// pending is the entries of one term in one block.
type pending struct {
	term    string
	block   int64
	entries []byte
}

// unwritten is the entries that an Update holds back.
type unwritten struct {
	terms map[string]*[]pending // by term; blocks in ascending order
	count int
}

// hold keeps the entries of a document, the owner's last, until they are written.
func (w *writer) hold(document int64, terms []string, d store.Document) error {
	if w.unwritten.terms == nil {
		w.unwritten.terms = make(map[string]*[]pending)
	}
	block := document / stored.BlockSize
	for _, term := range terms {
		held := w.unwritten.terms[term]
		if held == nil {
			held = new([]pending)
			w.unwritten.terms[term] = held
		}
		if n := len(*held); n == 0 || (*held)[n-1].block != block {
			*held = append(*held, pending{term: term, block: block})
		}
		last := &(*held)[len(*held)-1]
		last.entries = append(last.entries, stored.Entry(document, d.Terms[term], d.Length)...)
	}
	if w.unwritten.count += len(terms); w.unwritten.count < mostPending {
		return nil
	}
	return w.writePending()
}

// writePending writes what was held back.
func (w *writer) writePending() error {
	if w.unwritten.count == 0 {
		return nil
	}
	terms := w.unwritten.terms
	w.unwritten = unwritten{}
	sorted := slices.Sorted(maps.Keys(terms))
	var rows []pending
	for _, term := range sorted {
		documents := 0
		for _, p := range *terms[term] {
			documents += len(p.entries) / stored.EntrySize
		}
		rows = append(rows, *terms[term]...)
		rows = append(rows, pending{term: term, block: int64(documents)}) // without entries: the tally
	}
	return w.insertMany(appendRow, len(rows), func(i int, args []any) []any {
		p := rows[i]
		if p.entries == nil {
			return append(args, w.owner.number, p.term, tallyBlock, p.block, nil)
		}
		return append(args, w.owner.number, p.term, p.block, 0, p.entries)
	})
}

var appendRow = multi{head: appendEntries.head, row: `(?, ?, ?, ?, ?)`, tail: appendEntries.tail}

// Postings finds what this Update has written, too.
func (w *writer) Postings(term string, max int) ([]store.Posting, error) {
	if err := w.writePending(); err != nil {
		return nil, err
	}
	return w.session.Postings(term, max)
}

// Frequencies counts what this Update has written, too.
func (w *writer) Frequencies(terms []string) ([]int, error) {
	if err := w.writePending(); err != nil {
		return nil, err
	}
	return w.session.Frequencies(terms)
}
