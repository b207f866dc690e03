package stored

import (
	"cmp"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/internal/store"
)

// Block is what the index holds for a term in one block.
type Block struct {
	Term    string
	Number  int64
	Entries []byte
}

// Occurrence says in how many documents a term occurs.
type Occurrence struct {
	Term      string
	Documents int64
}

// IndexRows is what the index holds for some records, in the order of terms.
type IndexRows struct {
	Blocks      []Block
	Occurrences []Occurrence
}

// IndexOf returns what the index is to hold for rows of table records, which come in
// the order of their numbers. It fails with [store.ErrAltered] when what one of
// them says of its terms cannot be read.
func IndexOf(rows [][]any) (IndexRows, error) {
	t := Named("records")
	doc, length, words := t.Place("doc"), t.Place("length"), t.Place("words")
	var f IndexRows
	blocks, occurrences := make(map[blockKey]int), make(map[string]int)
	for _, row := range rows {
		number, _ := row[doc].(int64) // what is no number was refused before, see Holds
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

// placed returns where what has a key stands in a list, after adding it where it is
// missing.
func placed[K comparable, V any](places map[K]int, key K, list *[]V, missing V) int {
	at, ok := places[key]
	if !ok {
		at = len(*list)
		places[key] = at
		*list = append(*list, missing)
	}
	return at
}
