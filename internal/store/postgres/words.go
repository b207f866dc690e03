package postgres

import (
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/stored"
)

// A record keeps the list of the terms it is indexed under, so that the index can
// be cleaned of it without its text and without the tokeniser that cut it, and so
// that every byte of the index can be checked.

// indexValues are the columns length, tokeniser and words.
type indexValues struct{ length, tokeniser, words any }

func indexed(d store.Document, terms []string) indexValues {
	return indexValues{d.Length, d.Version, stored.PackTerms(terms, d.Terms)}
}

// termsOf returns the terms of a document in the order in which a record lists
// them.
func termsOf(d store.Document) []string { return d.Sorted() }

// filedUnder is what a record says of itself in the index.
type filedUnder struct {
	terms  []string // as the index keeps them
	length int64
}

// empty reports whether a document is not indexed at all.
func (l filedUnder) empty() bool { return len(l.terms) == 0 && l.length == 0 }

// listOf reads the list of a record.
func (s *session) listOf(doc, length int64, packed []byte) (filedUnder, error) {
	list, ok := stored.UnpackTerms(packed)
	if !ok {
		terms, err := s.searchTerms(doc / stored.BlockSize)
		return filedUnder{terms, length}, err
	}
	l := filedUnder{length: length}
	for _, t := range list {
		l.terms = append(l.terms, short(t.Term))
	}
	return l, nil
}

// searchTerms returns every term of a block. It reads the owner's whole index,
// and does for a row whose own list is damaged.
func (s *session) searchTerms(block int64) ([]string, error) {
	var terms []string
	err := s.each(`SELECT term FROM postings WHERE owner = $1 AND block = $2`, []any{block}, func(rows pgx.Rows) error {
		var term string
		err := rows.Scan(&term)
		terms = append(terms, term)
		return err
	})
	return terms, err
}

// Reindex replaces what is indexed for a row.
func (w *writer) Reindex(document int64, d store.Document) error {
	w.fileIndex()
	values, seal, err := w.whole(recordsTable, document)
	if err != nil {
		return err
	}
	length, _ := values[placeLength].(int64)
	packed, _ := values[placeWords].([]byte)
	old, err := w.listOf(document, length, packed)
	if err != nil {
		return err
	}
	terms := termsOf(d)
	if err := w.repost(document, old, d); err != nil {
		return err
	}
	x := indexed(d, terms)
	before := slices.Clone(values)
	values[placeLength], values[placeTokeniser], values[placeWords] = x.length, x.tokeniser, x.words
	w.later(updateIndexed, x.length, x.tokeniser, x.words, w.reseal(recordsTable, before, seal, values), document)
	return w.failed()
}

const updateIndexed = `UPDATE records SET length = $2, tokeniser = $3, words = $4, seal = $5 WHERE owner = $1 AND doc = $6`
