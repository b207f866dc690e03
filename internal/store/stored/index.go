package stored

import (
	"maps"
	"slices"

	"github.com/satchel-memory/satchel/internal/store"
)

// IndexOf returns the index for rows of table records in the order of their numbers, in the
// order of terms. It fails with [store.ErrAltered] if it cannot read a row's terms.
func IndexOf(rows [][]any) ([]Listing, error) {
	t := Named("records")
	doc, length, words := t.Place("doc"), t.Place("length"), t.Place("words")
	var f Pending
	for _, row := range rows {
		number, _ := row[doc].(int64) // Holds has refused a value that is no number
		tokens, _ := row[length].(int64)
		packed, _ := row[words].([]byte)
		terms, ok := UnpackTerms(packed)
		if !ok {
			return nil, store.ErrAltered
		}
		for _, term := range terms {
			f.Add(term.Term, number, int(term.Frequency), int(tokens))
		}
	}
	return f.Take(), nil
}

// Take returns the entries, and holds none of them any more.
func (p *Pending) Take() []Listing {
	var taken []Listing
	for _, name := range slices.Sorted(maps.Keys(p.terms)) {
		taken = append(taken, Listing{Term: name, Postings: *p.terms[name]})
	}
	*p = Pending{}
	return taken
}
