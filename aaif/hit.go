package aaif

import (
	"cmp"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/text/redact"
)

// hit is where in a text something stands that does not leave.
type hit struct {
	start, end int
	kind       string // of the token that takes its place, and of the count
	what       string // it is, for people
}

// finder finds what does not leave in a text that stands under the names of a trail: in
// ascending order, and not overlapping.
type finder func(text string, t trail) []hit

// looker finds what does not leave in a text wherever it stands, and appends it.
type looker interface {
	look(found []hit, text string) []hit
}

// spots has a text looked through as it is, and as it reads once its escapes are undone.
func spots(text string, l looker) []hit {
	found := looked(text, l)
	if p, ok := unescaped(text); ok {
		for _, h := range looked(p.text, l) {
			h.start, h.end = p.from[h.start], p.from[h.end]
			found = append(found, h)
		}
	}
	return united(found)
}

// looked has a text looked through as it is, and without what only looks like a token.
func looked(text string, l looker) []hit {
	found := but(l.look(nil, text), text)
	if bare, ok := redact.Undisguised(text); ok {
		found = append(found, but(l.look(nil, bare), bare)...)
	}
	return found
}

// but leaves out hits that are nothing, or tokens already.
func but(found []hit, text string) []hit {
	return slices.DeleteFunc(found, func(h hit) bool { return h.start >= h.end || isToken(text[h.start:h.end]) })
}

// united sorts hits, and makes one of those that overlap.
func united(found []hit) []hit {
	if len(found) < 2 {
		return found
	}
	slices.SortStableFunc(found, func(a, b hit) int { return cmp.Compare(a.start, b.start) })
	one := found[:1]
	for _, h := range found[1:] {
		if last := &one[len(one)-1]; h.start < last.end {
			last.end = max(last.end, h.end)
		} else {
			one = append(one, h)
		}
	}
	return one
}

// isToken reports whether a text is the token that stands where something was.
func isToken(text string) bool { return redact.IsToken(text) }

// mask returns a text in which nothing is found any more, and counts what was.
func (f finder) mask(text string, t trail, counts redact.Counts) string {
	const rounds = 4 // what is left around a token may look like something itself
	for range rounds {
		found := f(text, t)
		if len(found) == 0 {
			return text
		}
		var b strings.Builder
		at := 0
		for _, h := range found {
			b.WriteString(text[at:h.start])
			b.WriteString(redact.Token(h.kind))
			counts[h.kind]++
			at = h.end
		}
		text = b.String() + text[at:]
	}
	if found := f(text, t); len(found) > 0 {
		return redact.Token(found[0].kind)
	}
	return text
}

// mostTexts is how many texts of JSON may stand in each other that are looked into.
const mostTexts = 8

// inside returns what a text holds that is JSON itself.
func inside(text string, t trail) (canon.Value, bool) {
	if text = strings.TrimLeft(text, " \t\r\n"); text == "" || t.depth >= mostTexts || strings.IndexByte(`{["`, text[0]) < 0 {
		return canon.Value{}, false
	}
	v, err := FromJSON([]byte(text), ReadOptions{Bytes: int64(len(text)) + 1, Values: len(text) + 1})
	return v, err == nil
}
