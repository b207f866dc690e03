package redact

import (
	"slices"
	"strings"
	"sync"
)

// beginning describes how the secrets of one kind begin.
type beginning struct {
	texts  []string // in lower case, of at least three letters
	sets   []string // instead of texts: the letters, in lower case, allowed at each place
	inside bool     // it may stand inside a word
	// take appends the secret at a place of a text, if there is one, and returns where to
	// search next.
	take func(found []span, text string, at int) ([]span, int)
}

// beginnings are all beginnings, found by their letters.
type beginnings struct {
	all    []*beginning
	firsts triples        // the first three letters of all
	byPair [1 << 10][]int // for each two letters, those of all that may start with them
}

// secretBeginnings describes how secrets begin.
var secretBeginnings = sync.OnceValue(func() *beginnings {
	found := &beginnings{all: allBeginnings()}
	for i, b := range found.all {
		for _, head := range b.heads() {
			found.firsts.add(head)
			if list := &found.byPair[after(uint32(head[0]&fiveBits), head[1])]; !slices.Contains(*list, i) {
				*list = append(*list, i)
			}
		}
	}
	return found
})

func allBeginnings() []*beginning {
	list := []*beginning{{claims, nil, true, findAssigned}, {saidBehind, nil, false, findBefore}}
	for _, shape := range slices.Concat(secretShapes, spokenShapes) {
		if shape.sets != nil {
			list = append(list, &beginning{nil, shape.sets, shape.inside, func(found []span, all string, at int) ([]span, int) {
				return shape.find(found, all, at, len(shape.sets))
			}})
		}
		for _, text := range shape.begins {
			list = append(list, &beginning{[]string{text}, nil, shape.inside, func(found []span, all string, at int) ([]span, int) {
				return shape.find(found, all, at, len(text))
			}})
		}
	}
	return list
}

// stands reports whether the beginning stands at a place of a text, in upper or lower case.
func (b *beginning) stands(text string, at int) bool {
	here := b.sets != nil && among(text[at:], b.sets)
	for i := 0; !here && i < len(b.texts); i++ {
		here = begins(text[at:], b.texts[i])
	}
	return here && (b.inside || at == 0 || !inWord(text[at-1]))
}

// among reports whether each place of a text that has a set holds a letter of it.
func among(text string, sets []string) bool {
	if len(text) < len(sets) {
		return false
	}
	for i, set := range sets {
		if strings.IndexByte(set, lower(text[i])) < 0 {
			return false
		}
	}
	return true
}

// begins reports whether a text begins with name, which is in lower case. Only ASCII
// letters have case here.
func begins(text, name string) bool {
	if len(text) < len(name) {
		return false
	}
	for i := range len(name) {
		if lower(text[i]) != name[i] {
			return false
		}
	}
	return true
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		c += 'a' - 'A'
	}
	return c
}

// triples is a set of three letters each. Only the lower five bits of a letter count, so
// that case does not matter.
type triples [1 << 15 / 64]uint64

const fiveBits = 1<<5 - 1

// after returns the number of the last three letters, computed from the number of the three
// before.
func after(triple uint32, c byte) uint32 { return (triple<<5 | uint32(c&fiveBits)) & (1<<15 - 1) }

func (t *triples) has(triple uint32) bool { return t[triple/64]>>(triple%64)&1 != 0 }

func (t *triples) add(head [3]byte) {
	triple := after(after(after(0, head[0]), head[1]), head[2])
	t[triple/64] |= 1 << (triple % 64)
}

// heads returns the first three letters that a beginning may have.
func (b *beginning) heads() [][3]byte {
	var all [][3]byte
	for _, text := range b.texts {
		all = append(all, [3]byte([]byte(text[:3])))
	}
	if b.sets == nil {
		return all
	}
	for _, first := range []byte(b.sets[0]) {
		for _, second := range []byte(b.sets[1]) {
			for _, third := range []byte(b.sets[2]) {
				all = append(all, [3]byte{first, second, third})
			}
		}
	}
	return all
}

// mayStand returns the beginnings that may stand at a place that next returned.
func (b *beginnings) mayStand(text string, at int) []int {
	return b.byPair[after(uint32(text[at]&fiveBits), text[at+1])]
}

// next returns the first place from from on where a beginning may stand, or -1. It
// looks once at each letter.
func (b *beginnings) next(text string, from int) int {
	if len(text)-from < 3 {
		return -1
	}
	triple := after(after(0, text[from]), text[from+1])
	for i := from + 2; i < len(text); i++ {
		if triple = after(triple, text[i]); b.firsts.has(triple) {
			return i - 2
		}
	}
	return -1
}

// mayHoldSecrets reports whether a text contains the beginning of a secret.
func mayHoldSecrets(text string) bool {
	places := secretBeginnings()
	for at := places.next(text, 0); at >= 0; at = places.next(text, at+1) {
		for _, i := range places.mayStand(text, at) {
			if places.all[i].stands(text, at) {
				return true
			}
		}
	}
	return false
}

// mayHold reports whether a JSON text may contain something to replace. It does not decode
// escapes.
func (r Redactor) mayHold(raw string) bool {
	if len(r.Patterns) > 0 || strings.IndexByte(raw, '\\') >= 0 {
		return true
	}
	for _, k := range kinds {
		if r.mayFind(k, raw) {
			return true
		}
	}
	return false
}
