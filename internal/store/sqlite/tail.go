package sqlite

import (
	"cmp"
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
// The row has the term tailTerm, which is bytes and so comes after every text, and as entries
// the numbers of the documents, in ascending order and 8 bytes each. Without documents there
// is no row.

var tailTerm = []byte{0}

// mostTail is how many documents the tail holds: searching it costs a recall little.
const mostTail = 32

const (
	selectTail = `SELECT entries FROM postings WHERE owner = ? AND term = x'00' AND block = 0`
	updateTail = `INSERT INTO postings (owner, term, block, documents, entries) VALUES (?, ?, 0, 0, ?) ON CONFLICT DO UPDATE SET entries = excluded.entries`
	deleteTail = `DELETE FROM postings WHERE owner = ? AND term = x'00'`
)

var selectTailed = `SELECT doc, length, words FROM records WHERE doc IN ` + marks(mostTail)

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

// tailEntries returns the index entries of the tail.
func (x *ownerTx) tailEntries() (*stored.Pending, error) {
	documents, err := x.tailed()
	if err != nil || x.tail.entries != nil {
		return x.tail.entries, err
	}
	entries := new(stored.Pending)
	err = x.eachTailed(documents, func(document int64, terms []stored.PackedTerm, length int) error {
		for _, t := range terms {
			entries.Add(t.Term, document, int(t.Frequency), length)
		}
		return nil
	})
	x.tail.entries = entries
	return entries, err
}

// eachTailed calls do for documents that exist, in ascending order. It leaves out a damaged
// list of terms, which doctor reports.
func (x *ownerTx) eachTailed(documents []int64, do func(document int64, terms []stored.PackedTerm, length int) error) error {
	type entry struct {
		document int64
		terms    []stored.PackedTerm
		length   int
	}
	var found []entry
	for args := range inLists(x.owner.keys(documents), mostTail) {
		err := x.each(selectTailed, args, func(rows *sql.Rows) error {
			var doc int64
			var length any
			var packed sql.RawBytes
			if err := rows.Scan(&doc, &length, &packed); err != nil {
				return err
			}
			if terms, ok := stored.UnpackTerms(packed); ok {
				found = append(found, entry{number(doc), terms, int(numberOr(length, 0))})
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	slices.SortFunc(found, func(a, b entry) int { return cmp.Compare(a.document, b.document) })
	for _, e := range found {
		if err := do(e.document, e.terms, e.length); err != nil {
			return err
		}
	}
	return nil
}

// deferPending adds the one pending document to the tail, if it may join it, and reports
// whether it did.
func (w *indexer) deferPending() (bool, error) {
	if len(w.waiting) != 1 || w.runs.Staging(w.waiting[0]) != nil {
		return false, nil
	}
	documents, err := w.tailed()
	if err != nil || len(documents) >= mostTail {
		return false, err
	}
	_, err = w.exec(updateTail, w.owner.number, tailTerm, packNumbers(append(slices.Clone(documents), w.waiting[0])))
	return err == nil, err
}

// writeTail writes the entries of the tail, which comes before the pending documents.
func (w *indexer) writeTail() error {
	documents, err := w.tailed()
	if err != nil || len(documents) == 0 {
		return err
	}
	w.tail = tail{known: true}
	if _, err := w.exec(deleteTail, w.owner.number); err != nil {
		return err
	}
	if w.isLast(documents) {
		var added stored.Pending
		err = w.eachTailed(documents, func(document int64, terms []stored.PackedTerm, length int) error {
			for _, t := range terms {
				added.Add(t.Term, document, int(t.Frequency), length)
			}
			return nil
		})
		if err != nil {
			return err
		}
		return w.file(w.owner.number, added.Take())
	}
	return w.eachTailed(documents, func(document int64, terms []stored.PackedTerm, length int) error {
		for _, t := range terms {
			if err := w.repost(document, t.Term, stored.Entry(document, int(t.Frequency), length)); err != nil {
				return err
			}
		}
		return nil
	})
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

// unpackNumbers leaves out what is no number of a document.
func unpackNumbers(packed []byte) []int64 {
	var numbers []int64
	for n := range slices.Chunk(packed, 8) {
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
