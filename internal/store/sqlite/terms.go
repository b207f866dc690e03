package sqlite

import (
	"slices"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/stored"
)

// Document frequencies stand in table postings too, as the row of each term whose
// block is tally: after its last block, on the same page most of the time, so that
// counting a document costs no page of its own. A term of no document has no such
// row; forgotten words leave the file.
const (
	tallyBlock = 1 << 40 // beyond any block
	tally      = `1099511627776`
)

// Frequencies looks each term up.
func (s *session) Frequencies(terms []string) ([]int, error) {
	counts := make([]int, len(terms))
	for i, term := range terms {
		err := s.first(selectTally, []any{s.owner.number, term}, &counts[i])
		if err != nil && err != store.ErrNotFound {
			return nil, err
		}
	}
	return counts, nil
}

const selectTally = `SELECT documents FROM postings WHERE owner = ? AND term = ? AND block = ` + tally

// index files a new document, the owner's last, under its terms.
func (w *writer) index(document int64, d store.Document, terms []string) error {
	if w.count(d, terms) {
		return w.hold(document, terms, d)
	}
	return nil
}

// reindex files a document of any number under its terms.
func (w *writer) reindex(document int64, d store.Document, terms []string) error {
	if !w.count(d, terms) {
		return nil
	}
	if err := w.writePending(); err != nil {
		return err
	}
	for _, term := range terms {
		if err := w.repost(document, term, stored.Entry(document, d.Terms[term], d.Length)); err != nil {
			return err
		}
	}
	return nil
}

// count counts a document, unless it is not indexed at all.
func (w *writer) count(d store.Document, terms []string) bool {
	if len(terms) == 0 && d.Length == 0 {
		return false
	}
	w.owner.documents++
	w.owner.length += int64(d.Length)
	w.dirty = true
	return true
}

// unindex takes what is indexed for a row out from under its terms, and returns
// these. The row itself stays as it is.
func (w *writer) unindex(doc int64) ([]string, error) {
	if err := w.writePending(); err != nil {
		return nil, err
	}
	terms, length, err := w.indexedFor(doc)
	if err != nil || len(terms) == 0 && length == 0 {
		return nil, err
	}
	w.owner.documents--
	w.owner.length -= length
	w.dirty = true
	for _, term := range terms {
		found, err := w.unpost(number(doc), term)
		if err != nil {
			return nil, err
		}
		if found {
			err = w.discount(term)
		}
		if err != nil {
			return nil, err
		}
	}
	return terms, nil
}

// Reindex replaces what is indexed for a row.
func (w *writer) Reindex(document int64, d store.Document) error {
	doc := w.owner.key(document)
	old, err := w.unindex(doc)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(old, func(term string) bool { return d.Terms[term] == 0 }) {
		w.leave()
	}
	terms := d.Sorted()
	x := indexed(d, terms)
	_, seal, err := w.rewrite(doc, func(old []any) []any {
		values := slices.Clone(old)
		values[placeLength], values[placeTokeniser], values[placeWords] = x.length, x.tokeniser, x.words
		return values
	})
	if err != nil {
		return err
	}
	if _, err := w.exec(updateIndexed, x.length, x.tokeniser, x.words, seal, doc); err != nil {
		return err
	}
	return w.reindex(document, d, terms)
}

const updateIndexed = `UPDATE records SET length = ?, tokeniser = ?, words = ?, seal = ? WHERE doc = ?`

// discount takes one document out of the tally of a term.
func (w *writer) discount(term string) error {
	if _, err := w.exec(countTerm, -1, w.owner.number, term); err != nil {
		return err
	}
	_, err := w.exec(`DELETE FROM postings WHERE owner = ? AND term = ? AND block = `+tally+` AND documents <= 0`,
		w.owner.number, term)
	return err
}

const countTerm = `UPDATE postings SET documents = documents + ? WHERE owner = ? AND term = ? AND block = ` + tally
