package sqlite

import (
	"database/sql"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/stored"
)

// A record keeps the list of the terms it is indexed under and of how often it
// holds each, so that the index can be cleaned of it without its text and without
// the tokeniser that cut it, and so that every byte of the index can be checked.
// Which records an older tokeniser cut is said by
//
//	SELECT doc FROM records WHERE length > 0 AND tokeniser < ?
//
// which reads the table once; a release with another tokeniser does so when it
// brings a store up to date.

// indexValues are the columns length, tokeniser and words.
type indexValues struct{ length, tokeniser, words any }

func indexed(d store.Document, terms []string) indexValues {
	return indexValues{d.Length, d.Version, stored.PackTerms(terms, d.Terms)}
}

// indexedFor returns the terms of a row and its length, or [store.ErrNotFound].
func (w *writer) indexedFor(doc int64) (terms []string, length int64, err error) {
	var packed []byte
	if err := w.first(selectIndexed, []any{doc}, &length, &packed); err != nil {
		return nil, 0, err
	}
	list, ok := stored.UnpackTerms(packed)
	if !ok {
		terms, err = w.searchTerms(number(doc) / stored.BlockSize)
	}
	for _, t := range list {
		terms = append(terms, t.Term)
	}
	return terms, length, err
}

const selectIndexed = `SELECT length, words FROM records WHERE doc = ?`

// searchTerms returns every term of a block. It reads the owner's whole index,
// and does for a row whose own list is damaged.
func (w *writer) searchTerms(block int64) ([]string, error) {
	var terms []string
	err := w.each(`SELECT term FROM postings WHERE owner = ? AND block = ?`, []any{w.owner.number, block},
		func(rows *sql.Rows) error {
			var term string
			err := rows.Scan(&term)
			terms = append(terms, term)
			return err
		})
	return terms, err
}
