package sqlite

import (
	"maps"
	"slices"

	"github.com/satchel-memory/satchel/internal/store"
)

// Table terms: in how many documents each term occurs; a term of none has no
// row, so that forgotten words leave the file.
//
//	owner, term  key
//	documents    how many documents hold it, staged ones included

// Frequencies looks each term up.
func (s *session) Frequencies(terms []string) ([]int, error) {
	counts := make([]int, len(terms))
	for i, term := range terms {
		err := s.first(`SELECT documents FROM terms WHERE owner = ? AND term = ?`,
			[]any{s.owner.number, term}, &counts[i])
		if err != nil && err != store.ErrNotFound {
			return nil, err
		}
	}
	return counts, nil
}

// index files a document under its terms.
func (w *writer) index(document int64, d store.Document) error {
	if len(d.Terms) == 0 && d.Length == 0 {
		return nil
	}
	w.owner.documents++
	w.owner.length += int64(d.Length)
	w.dirty = true
	terms := slices.Sorted(maps.Keys(d.Terms)) // neighbours in the tree come one after the other
	if err := w.countTerms(terms); err != nil {
		return err
	}
	return w.post(document, terms, d)
}

// unindex takes a document out from under its terms.
func (w *writer) unindex(document int64, d store.Document) error {
	if len(d.Terms) == 0 && d.Length == 0 {
		return nil
	}
	w.owner.documents--
	w.owner.length -= int64(d.Length)
	w.dirty = true
	for _, term := range slices.Sorted(maps.Keys(d.Terms)) {
		found, err := w.unpost(document, term)
		if err != nil {
			return err
		}
		if found {
			err = w.discountTerm(term)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Reindex replaces what is indexed for a document.
func (w *writer) Reindex(document int64, old, new store.Document) error {
	if err := w.enrol(); err != nil {
		return err
	}
	if err := w.unindex(document, old); err != nil {
		return err
	}
	return w.index(document, new)
}

func (w *writer) countTerms(terms []string) error {
	return w.insertMany(upsertTerms, len(terms), func(i int, args []any) []any {
		return append(args, w.owner.number, terms[i])
	})
}

func (w *writer) discountTerm(term string) error {
	_, err := w.exec(`UPDATE terms SET documents = documents - 1 WHERE owner = ? AND term = ?`,
		w.owner.number, term)
	if err != nil {
		return err
	}
	_, err = w.exec(`DELETE FROM terms WHERE owner = ? AND term = ? AND documents <= 0`, w.owner.number, term)
	return err
}

var upsertTerms = multi{
	head: `INSERT INTO terms (owner, term, documents) VALUES `,
	row:  `(?, ?, 1)`,
	tail: ` ON CONFLICT DO UPDATE SET documents = documents + 1`,
}
