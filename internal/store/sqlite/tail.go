package sqlite

import (
	"database/sql"
	"encoding/binary"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/stored"
)

// The tail is an owner's last documents that table postings does not hold yet. A single new
// document would change two rows for each of its terms. It joins the tail instead, which is
// one row, and is indexed together with others. Readers search the tail by the terms that its
// records list.
//
// The row has the term tailTerm, a BLOB, which SQLite sorts after every TEXT. Its entries are
// the numbers of the documents, in ascending order and 8 bytes each. Without documents there
// is no row.

var tailTerm = []byte{0}

// The tail holds at most mostTail documents of at most mostTailTerms terms each, so that
// searching it costs a recall little.
const (
	mostTail      = 32
	mostTailTerms = 64
)

// mostRead is the most documents of a tail that are read. Only a row that another program
// wrote has more than mostTail.
const mostRead = 1024

const (
	selectTail = `SELECT entries FROM postings WHERE owner = ? AND term = x'00' AND block = 0`
	updateTail = `INSERT INTO postings (owner, term, block, documents, entries) VALUES (?, ?, 0, 0, ?) ON CONFLICT DO UPDATE SET entries = excluded.entries`
	deleteTail = `DELETE FROM postings WHERE owner = ? AND term = x'00'`
)

var selectTailed = `SELECT doc, length, words FROM records WHERE doc IN ` + marks(mostTail) + ` ORDER BY doc`

// tail is the tail as one transaction knows it.
type tail struct {
	documents []int64
	known     bool            // documents is filled in
	entries   *stored.Pending // of the documents; nil: not read yet
}

// tailed returns the documents of the tail.
func (x *ownerTx) tailed() ([]int64, error) {
	if x.tail.known {
		return x.tail.documents, nil
	}
	var numbers []byte
	if err := x.first(selectTail, []any{x.owner.number}, &numbers); err != nil && err != store.ErrNotFound {
		return nil, err
	}
	x.tail = tail{documents: unpackNumbers(numbers), known: true}
	return x.tail.documents, nil
}

// tailEntries returns the index entries of the tail. It leaves out a damaged list of terms,
// which doctor reports.
func (x *ownerTx) tailEntries() (*stored.Pending, error) {
	documents, err := x.tailed()
	if err != nil || x.tail.entries != nil {
		return x.tail.entries, err
	}
	entries := new(stored.Pending)
	for args := range inLists(x.owner.keys(documents), mostTail) {
		err := x.each(selectTailed, args, func(rows *sql.Rows) error {
			var doc int64
			var length any
			var packed sql.RawBytes
			if err := rows.Scan(&doc, &length, &packed); err != nil {
				return err
			}
			if terms, ok := stored.UnpackTerms(packed); ok {
				for _, t := range terms {
					entries.Add(t.Term, number(doc), int(t.Frequency), int(numberOr(length, 0)))
				}
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	x.tail.entries = entries
	return entries, nil
}

// deferPending adds the pending document to the tail and reports whether it did: it must be the
// only one, published and short, and the tail must have room.
func (w *indexer) deferPending() (bool, error) {
	if len(w.waiting) != 1 || w.runs.Staging(w.waiting[0]) != nil || w.pending.Size() > mostTailTerms {
		return false, nil
	}
	documents, err := w.tailed()
	if err != nil || len(documents) >= mostTail {
		return false, err
	}
	_, err = w.exec(updateTail, w.owner.number, tailTerm, packNumbers(append(slices.Clone(documents), w.waiting[0])))
	return err == nil, err
}

// writeTail indexes the documents of the tail, which are older than the pending ones.
func (w *indexer) writeTail() error {
	documents, err := w.tailed()
	if err != nil || len(documents) == 0 {
		return err
	}
	entries, err := w.tailEntries()
	if err != nil {
		return err
	}
	w.tail = tail{known: true}
	if _, err := w.exec(deleteTail, w.owner.number); err != nil {
		return err
	}
	if w.isLast(documents) {
		return w.file(w.owner.number, entries.Take())
	}
	taken := entries.Take()
	terms := make([]string, len(taken))
	for i, l := range taken {
		terms[i] = l.Term
	}
	if err := w.packBlocks(terms); err != nil {
		return err
	}
	for _, l := range taken {
		for _, p := range l.Postings {
			if err := w.repost(l.Term, p); err != nil {
				return err
			}
		}
	}
	return nil
}

// isLast reports whether documents are the owner's last that are not pending. Then their
// entries follow all others.
func (w *indexer) isLast(documents []int64) bool {
	first, last := documents[0], documents[len(documents)-1]
	return last-first == int64(len(documents)-1) && last == w.owner.Numbered-int64(len(w.waiting))
}

func packNumbers(numbers []int64) []byte {
	packed := make([]byte, 0, 8*len(numbers))
	for _, n := range numbers {
		packed = binary.BigEndian.AppendUint64(packed, uint64(n))
	}
	return packed
}

// unpackNumbers leaves out what is no number of a document, and numbers beyond mostRead.
func unpackNumbers(packed []byte) []int64 {
	var numbers []int64
	for n := range slices.Chunk(packed[:min(len(packed), 8*mostRead)], 8) {
		if len(n) == 8 {
			if at := int64(binary.BigEndian.Uint64(n)); at > 0 && at == number(at) {
				numbers = append(numbers, at)
			}
		}
	}
	slices.Sort(numbers)
	return slices.Compact(numbers)
}

// withPending adds to terms those of pending that begin with prefix, in order, at most most.
func withPending(terms []string, pending *stored.Pending, prefix string, most int) []string {
	for term := range pending.Names() {
		if strings.HasPrefix(term, prefix) && len(term) <= longestTerm {
			terms = append(terms, term)
		}
	}
	slices.Sort(terms)
	terms = slices.Compact(terms)
	return terms[:min(len(terms), max(most, 0))]
}
