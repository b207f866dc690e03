package sqlite

import (
	"cmp"
	"errors"
	"math"
	"slices"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/stored"
)

// Table postings: which documents hold a term, in blocks of 256 numbers.
//
//	owner, term, block  key; block is the document number / 256, or tally
//	documents           with block tally: how many documents hold the term, staged
//	                    ones included; else 0
//	entries             with block tally: NULL; else 4 bytes per document, see
//	                    [stored.Entry]
//
// New documents get ascending numbers, so a block grows at its end; entries are in
// ascending order. A block without entries has no row. The terms that records list
// determine every byte of this table, apart from the tail, see [tail].

// search reads the table.
type search struct{ *ownerTx }

var errEnough = errors.New("enough")

// Postings reads a term's documents in the tail, and then its blocks from the last to the
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
		return s.blocks(term, max)
	}
	found, err := tail.Postings(term, s.runs, math.MaxInt, func(int) ([]store.Posting, error) { return s.blocks(term, max) })
	newestFirst := func(a, b store.Posting) int { return cmp.Compare(b.Document, a.Document) }
	if !slices.IsSortedFunc(found, newestFirst) { // a program without a tail indexed later documents
		slices.SortFunc(found, newestFirst)
	}
	return found[:min(len(found), max)], err
}

func (s search) blocks(term string, max int) ([]store.Posting, error) {
	var found []store.Posting
	err := s.values(selectBlocks, []any{s.owner.number, term}, func(row []any) error {
		entries, _ := row[1].([]byte)
		found = s.runs.Postings(found, numberOr(row[0], 0), entries)
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

const selectBlocks = `SELECT block, entries FROM postings
	WHERE owner = ? AND term = ? AND block < ` + tally + ` ORDER BY block DESC`

// repost files a document under one term, among the others of its block.
func (w *indexer) repost(document int64, term string, e []byte) error {
	block := document / stored.BlockSize
	entries, err := w.entries(term, block)
	switch err {
	case store.ErrNotFound:
		_, err = w.exec(appendEntries.sql(1), w.owner.number, term, block, e, w.owner.number, term)
		return err
	case nil:
	default:
		return err
	}
	if len(stored.Without(entries, document)) < len(entries) { // a program without a tail filed it
		return nil
	}
	if err := w.setEntries(term, block, stored.With(entries, e)); err != nil {
		return err
	}
	_, err = w.exec(countTerm, 1, w.owner.number, term)
	return err
}

// entries returns a term's block, or [store.ErrNotFound].
func (w *indexer) entries(term string, block int64) ([]byte, error) {
	var entries []byte
	err := w.first(`SELECT entries FROM postings WHERE owner = ? AND term = ? AND block = ?`,
		[]any{w.owner.number, term, block}, &entries)
	return entries, err
}

func (w *indexer) setEntries(term string, block int64, entries []byte) error {
	_, err := w.exec(`UPDATE postings SET entries = ? WHERE owner = ? AND term = ? AND block = ?`,
		entries, w.owner.number, term, block)
	return err
}

// SQLite's || makes text of blobs, byte for byte, and NULL of NULL.
var appendEntries = multi{
	head: `INSERT INTO postings (owner, term, block, documents, entries) VALUES `,
	row:  `(?, ?, ?, 0, ?), (?, ?, ` + tally + `, 1, NULL)`,
	tail: ` ON CONFLICT DO UPDATE SET documents = documents + excluded.documents,
		entries = CAST(entries || excluded.entries AS BLOB)`,
}
