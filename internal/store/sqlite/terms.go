package sqlite

import (
	"maps"
	"slices"

	"github.com/satchel-memory/satchel/internal/store"
)

// Document frequencies stand in table postings too, as the row of each term whose
// block is tally: after its last block, on the same page most of the time, so that
// counting a document costs no page of its own. A term of no document has no such
// row; forgotten words leave the file.
const tally = `1099511627776` // 2^40, beyond any block

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

// index files a document under its terms.
func (w *writer) index(document int64, d store.Document, terms []string) error {
	if len(terms) == 0 && d.Length == 0 {
		return nil
	}
	w.owner.documents++
	w.owner.length += int64(d.Length)
	w.dirty = true
	return w.post(document, terms, d)
}

// unindex takes what is indexed for a row out from under its terms, and returns
// these. The row itself stays as it is.
func (w *writer) unindex(doc int64) ([]string, error) {
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
	terms := slices.Sorted(maps.Keys(d.Terms))
	if _, err := w.exec(updateIndexed, append(indexed(d, terms), doc)...); err != nil {
		return err
	}
	return w.index(document, d, terms)
}

const updateIndexed = `UPDATE records SET length = ?, tokeniser = ?, words = ? WHERE doc = ?`

func (w *writer) discount(term string) error {
	_, err := w.exec(`UPDATE postings SET documents = documents - 1
		WHERE owner = ? AND term = ? AND block = `+tally, w.owner.number, term)
	if err != nil {
		return err
	}
	_, err = w.exec(`DELETE FROM postings WHERE owner = ? AND term = ? AND block = `+tally+` AND documents <= 0`,
		w.owner.number, term)
	return err
}
