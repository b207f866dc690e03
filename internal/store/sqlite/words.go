package sqlite

import (
	"database/sql"
	"encoding/binary"

	"github.com/satchel-memory/satchel/internal/store"
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
	return indexValues{d.Length, d.Version, packTerms(terms, d.Terms)}
}

// packTerms writes terms one after the other: the number of bytes as a varint, so
// that a term may hold any byte, the term, and how often it occurs, in the byte
// that stands for that in postings.
func packTerms(terms []string, frequencies map[string]int) []byte {
	size := 0
	for _, term := range terms {
		size += len(term) + 2
	}
	if size == 0 {
		return nil
	}
	packed := make([]byte, 0, size)
	for _, term := range terms {
		packed = binary.AppendUvarint(packed, uint64(len(term)))
		packed = append(packed, term...)
		packed = append(packed, frequencyByte(frequencies[term]))
	}
	return packed
}

// packedTerm is a term of a list and how often it occurs.
type packedTerm struct {
	term      string
	frequency byte
}

// unpackTerms reads what packTerms wrote, and reports whether it was that.
func unpackTerms(packed []byte) ([]packedTerm, bool) {
	var terms []packedTerm
	for len(packed) > 0 {
		length, n := binary.Uvarint(packed)
		if n <= 0 || length >= uint64(len(packed)-n) {
			return nil, false
		}
		packed = packed[n:]
		terms = append(terms, packedTerm{string(packed[:length]), packed[length]})
		packed = packed[length+1:]
	}
	return terms, true
}

// indexedFor returns the terms of a row and its length, or [store.ErrNotFound].
func (w *writer) indexedFor(doc int64) (terms []string, length int64, err error) {
	var packed []byte
	if err := w.first(selectIndexed, []any{doc}, &length, &packed); err != nil {
		return nil, 0, err
	}
	list, ok := unpackTerms(packed)
	if !ok {
		terms, err = w.searchTerms(number(doc) / blockSize)
	}
	for _, t := range list {
		terms = append(terms, t.term)
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
