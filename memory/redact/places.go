package redact

import (
	"slices"
	"strings"
)

// beginning is what secrets of one kind begin with.
type beginning struct {
	texts  []string // in lower case, of three letters at least
	inside bool     // it may stand within a word
	// take appends the secret that stands at a place of a text, if one does, and returns
	// where to look on.
	take func(found []span, text string, at int) ([]span, int)
}

var beginnings = allBeginnings()

func allBeginnings() []beginning {
	list := []beginning{{claims, true, findAssigned}}
	for _, shape := range secretShapes {
		for _, text := range shape.begins {
			list = append(list, beginning{[]string{text}, shape.inside, func(found []span, all string, at int) ([]span, int) {
				return shape.find(found, all, at, len(text))
			}})
		}
	}
	return list
}

// stands reports whether it stands at a place of a text, in upper or lower case.
func (b beginning) stands(text string, at int) bool {
	for _, name := range b.texts {
		if begins(text[at:], name) {
			return b.inside || at == 0 || !inWord(text[at-1])
		}
	}
	return false
}

// begins reports whether a text begins with what is given in lower case. Other letters
// than those of ASCII have no case here.
func begins(text, lower string) bool {
	if len(text) < len(lower) {
		return false
	}
	for i := range len(lower) {
		c := text[i]
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != lower[i] {
			return false
		}
	}
	return true
}

// triples is a set of three letters each, of which the lower five bits count: cases are
// one.
type triples [1 << 15 / 64]uint64

const fiveBits = 1<<5 - 1

// after returns the number of the last three letters, from that of the three before.
func after(triple uint32, c byte) uint32 { return (triple<<5 | uint32(c&fiveBits)) & (1<<15 - 1) }

func (t *triples) has(triple uint32) bool { return t[triple/64]>>(triple%64)&1 != 0 }

// firsts is what all beginnings begin with.
var firsts = func() *triples {
	var set triples
	for _, b := range beginnings {
		for _, text := range b.texts {
			triple := after(after(after(0, text[0]), text[1]), text[2])
			set[triple/64] |= 1 << (triple % 64)
		}
	}
	return &set
}()

// byLetter lists which beginnings have a text that begins with a letter.
var byLetter = func() *[fiveBits + 1][]int {
	var lists [fiveBits + 1][]int
	for i, b := range beginnings {
		for _, text := range b.texts {
			if list := &lists[text[0]&fiveBits]; !slices.Contains(*list, i) {
				*list = append(*list, i)
			}
		}
	}
	return &lists
}()

// nextPlace returns the first place from one on where something may begin, or -1. It
// costs a look at each letter.
func nextPlace(text string, from int) int {
	if len(text)-from < 3 {
		return -1
	}
	triple := after(after(0, text[from]), text[from+1])
	for i := from + 2; i < len(text); i++ {
		if triple = after(triple, text[i]); firsts.has(triple) {
			return i - 2
		}
	}
	return -1
}

// mayHoldSecrets reports whether something begins in a text as secrets do.
func mayHoldSecrets(text string) bool {
	for at := nextPlace(text, 0); at >= 0; at = nextPlace(text, at+1) {
		for _, i := range byLetter[text[at]&fiveBits] {
			if beginnings[i].stands(text, at) {
				return true
			}
		}
	}
	return false
}

// mayHold reports whether a JSON text may hold what is replaced. What is escaped in it
// is not looked into.
func (r Redactor) mayHold(raw string) bool {
	if len(r.Patterns) > 0 || strings.IndexByte(raw, '\\') >= 0 {
		return true
	}
	for _, k := range r.kinds() {
		if !k.keep && k.hint(raw) {
			return true
		}
	}
	return false
}
