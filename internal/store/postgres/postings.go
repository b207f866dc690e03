package postgres

import (
	"cmp"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/stored"
)

// Table postings: which documents hold a term, in blocks of 256 numbers.
//
//	owner, term, block  key; block is the document number / 256, the term as its index
//	                    key, see short
//	entries             4 bytes for each document, see package stored
//
// New documents get ascending numbers, so a block grows at its end; entries are in
// ascending order. A block without entries has no row. The terms that records list
// determine every byte of this table.

// search reads the index.
type search struct{ *ownerTx }

// Postings reads a term's blocks from the last to the first.
func (s search) Postings(term string, max int) ([]store.Posting, error) {
	if err := s.Ready(); err != nil || max <= 0 {
		return nil, err
	}
	term = short(term)
	if found, known, err := s.lookedUp(term); known || err != nil {
		return found[:min(len(found), max)], err
	}
	var found []store.Posting
	below, limit := int64(1)<<40, 8+max/128
	for ; ; limit *= 4 {
		read := 0
		err := s.each(selectBlocks, []any{term, below, limit}, func(rows pgx.Rows) error {
			var entries []byte
			err := rows.Scan(&below, &entries)
			read++
			found = s.runs.Postings(found, below, entries)
			return err
		})
		if err != nil {
			return nil, err
		}
		if read < limit || len(found) >= max {
			return found[:min(len(found), max)], nil
		}
	}
}

const selectBlocks = `SELECT block, entries FROM postings
	WHERE owner = $1 AND term = $2 AND block < $3 ORDER BY block DESC LIMIT $4`

// indexer writes the index.
type indexer struct {
	*writeTx
	pending stored.Pending // the index entries of new documents, not in the queue of statements yet
}

// index files a new document, the owner's last, under its terms.
func (w *indexer) index(document int64, d store.Document, terms []string) {
	if !w.count(len(terms), d.Length) {
		return
	}
	for _, term := range terms {
		w.pending.Add(short(term), document, d.Terms[term], d.Length)
	}
	if w.pending.Full() {
		w.fileIndex()
	}
}

// fileIndex queues the pending entries.
func (w *indexer) fileIndex() {
	if rows := w.pending.Take(); len(rows.Blocks) > 0 {
		w.sendRows(rows)
		w.ahead = ahead{}
	}
}

// sendRows queues additions to the index.
func (w *indexer) sendRows(rows stored.IndexRows) {
	counts := make(map[string]int64, len(rows.Occurrences))
	for _, o := range rows.Occurrences {
		counts[o.Term] = o.Documents
	}
	w.sendBlocks(appendBlocks, rows.Blocks)
	w.sendCounts(counts)
}

// sendBlocks queues a statement on blocks, in the order of their keys.
func (w *indexer) sendBlocks(query string, blocks []stored.Block) {
	if len(blocks) == 0 {
		return
	}
	slices.SortFunc(blocks, func(a, b stored.Block) int {
		return cmp.Or(cmp.Compare(a.Term, b.Term), cmp.Compare(a.Number, b.Number))
	})
	terms, numbers, entries := make([]string, len(blocks)), make([]int64, len(blocks)), make([][]byte, len(blocks))
	for i, b := range blocks {
		terms[i], numbers[i], entries[i] = b.Term, b.Number, b.Entries
	}
	w.later(query, terms, numbers, entries)
}

const (
	insertBlocks = `INSERT INTO postings (owner, term, block, entries)
		SELECT o.owner, u.* FROM owners AS o CROSS JOIN unnest($2::bytea[], $3::bigint[], $4::bytea[]) AS u WHERE o.owner = $1
		ON CONFLICT (owner, term, block) DO UPDATE SET entries = `
	appendBlocks = insertBlocks + `postings.entries || excluded.entries`
	setBlocks    = insertBlocks + `excluded.entries`
	dropBlocks   = `DELETE FROM postings WHERE owner = $1 AND block = $2 AND term = ANY ($3)`
)

// unindex removes a row from the index.
func (w *indexer) unindex(document int64, old termList) error {
	return w.repost(document, old, store.Document{})
}

// repost replaces the terms of a document, whatever its number.
func (w *indexer) repost(document int64, old termList, d store.Document) error {
	w.fileIndex()
	w.ahead = ahead{}
	if !old.empty() {
		w.owner.Index(-1, -old.length)
	}
	w.count(len(d.Terms), d.Length)
	wanted := make(map[string][]byte, len(d.Terms))
	for term, frequency := range d.Terms {
		wanted[short(term)] = stored.Entry(document, frequency, d.Length)
	}
	for _, term := range old.terms {
		if wanted[term] == nil {
			wanted[term] = nil
			w.owner.Leave()
		}
	}
	return w.refile(document, wanted)
}

// refile gives a document an entry under each term, and removes it where the entry is
// nil.
func (w *indexer) refile(document int64, wanted map[string][]byte) error {
	number := document / stored.BlockSize
	present, err := w.blocks(number, wanted)
	if err != nil || len(wanted) == 0 {
		return err
	}
	var changed []stored.Block
	var empty []string
	counts := make(map[string]int64)
	for term, entry := range wanted {
		before := present[term]
		after := stored.Without(before, document)
		counts[term] -= int64(len(before)-len(after)) / stored.EntrySize
		if entry != nil {
			after = stored.With(after, entry)
			counts[term]++
		}
		switch {
		case len(after) > 0 && !slices.Equal(after, before):
			changed = append(changed, stored.Block{Term: term, Number: number, Entries: after})
		case len(after) == 0 && len(before) > 0:
			empty = append(empty, term)
		}
	}
	w.sendBlocks(setBlocks, changed)
	if len(empty) > 0 {
		w.later(dropBlocks, number, empty)
	}
	w.recount(counts)
	return w.failed()
}

// blocks reads the entries of the blocks of some terms.
func (w *indexer) blocks(number int64, terms map[string][]byte) (map[string][]byte, error) {
	found := make(map[string][]byte, len(terms))
	if len(terms) == 0 {
		return found, w.Ready()
	}
	names := make([]string, 0, len(terms))
	for term := range terms {
		names = append(names, term)
	}
	err := w.each(selectSomeBlocks, []any{number, names}, func(rows pgx.Rows) error {
		var term string
		var entries []byte
		err := rows.Scan(&term, &entries)
		found[term] = entries
		return err
	})
	return found, err
}

const selectSomeBlocks = `SELECT term, entries FROM postings WHERE owner = $1 AND block = $2 AND term = ANY ($3)`
