package stored

import (
	"cmp"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/internal/store"
)

// Block is the index's entries for a term in one block.
type Block struct {
	Term    string
	Number  int64
	Entries []byte
}

// Occurrence is the number of documents with a term.
type Occurrence struct {
	Term      string
	Documents int64
}

// IndexRows is the index of some records, in the order of terms.
type IndexRows struct {
	Blocks      []Block
	Occurrences []Occurrence
}

// IndexOf returns the index for rows of table records in the order of their numbers. It
// fails with [store.ErrAltered] if it cannot read a row's terms.
func IndexOf(rows [][]any) (IndexRows, error) {
	t := Named("records")
	doc, length, words := t.Place("doc"), t.Place("length"), t.Place("words")
	var f IndexRows
	blocks, occurrences := make(map[blockKey]int), make(map[string]int)
	for _, row := range rows {
		number, _ := row[doc].(int64) // Holds has refused a value that is no number
		tokens, _ := row[length].(int64)
		packed, _ := row[words].([]byte)
		terms, ok := UnpackTerms(packed)
		if !ok {
			return IndexRows{}, store.ErrAltered
		}
		for _, term := range terms {
			key := blockKey{term.Term, number / BlockSize}
			b := &f.Blocks[placed(blocks, key, &f.Blocks, Block{Term: key.term, Number: key.block})]
			b.Entries = append(b.Entries, Entry(number, int(term.Frequency), int(tokens))...)
			f.Occurrences[placed(occurrences, key.term, &f.Occurrences, Occurrence{Term: key.term})].Documents++
		}
	}
	slices.SortFunc(f.Blocks, func(a, b Block) int {
		return cmp.Or(strings.Compare(a.Term, b.Term), cmp.Compare(a.Number, b.Number))
	})
	slices.SortFunc(f.Occurrences, func(a, b Occurrence) int { return strings.Compare(a.Term, b.Term) })
	return f, nil
}

type blockKey struct {
	term  string
	block int64
}

// placed returns the place of a key's value in a list. It adds a missing value.
func placed[K comparable, V any](places map[K]int, key K, list *[]V, missing V) int {
	at, ok := places[key]
	if !ok {
		at = len(*list)
		places[key] = at
		*list = append(*list, missing)
	}
	return at
}
