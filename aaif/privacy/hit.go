package privacy

import (
	"cmp"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/text/redact"
)

// hit is the place of a secret, or of personal data, in a text.
type hit struct {
	start, end int
	kind       string // names the token that replaces it, and its count
	what       string // describes the find to people
}

// finder finds secrets or personal data in a text that stands in a certain member. The
// hits come in ascending order and do not overlap.
type finder func(text string, t memberContext) []hit

// searcher finds secrets or personal data in a text, whatever member it stands in, and
// appends the hits.
type searcher interface {
	search(found []hit, text string) []hit
}

// searchAll searches a text as it is, and again with its escapes undone.
func searchAll(text string, l searcher) []hit {
	found := searchPlain(text, l)
	if p, ok := unescape(text); ok {
		for _, h := range searchPlain(p.text, l) {
			h.start, h.end = p.from[h.start], p.from[h.end]
			found = append(found, h)
		}
	}
	return merged(found)
}

// searchPlain searches a text as it is, and again without the signs that disguise it as a
// token.
func searchPlain(text string, l searcher) []hit {
	found := withoutTokens(l.search(nil, text), text)
	if bare, ok := redact.Undisguised(text); ok {
		found = append(found, withoutTokens(l.search(nil, bare), bare)...)
	}
	return found
}

// withoutTokens drops hits that are empty, and those that are tokens already.
func withoutTokens(found []hit, text string) []hit {
	return slices.DeleteFunc(found, func(h hit) bool { return h.start >= h.end || isToken(text[h.start:h.end]) })
}

// merged sorts hits and joins those that overlap.
func merged(found []hit) []hit {
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

// isToken reports whether a text is a token that replaced a secret or personal data.
func isToken(text string) bool { return redact.IsToken(text) }

// mask replaces every hit in a text by its token, and counts the hits.
func (f finder) mask(text string, t memberContext, counts redact.Counts) string {
	const rounds = 4 // a token and the text around it may look like another hit
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

// maxNesting is how deep texts of JSON inside texts of JSON are searched.
const maxNesting = 8

// innerJSON returns the JSON value that a text holds.
func innerJSON(text string, t memberContext) (canon.Value, bool) {
	if text = strings.TrimLeft(text, " \t\r\n"); text == "" || t.depth >= maxNesting || strings.IndexByte(`{["`, text[0]) < 0 {
		return canon.Value{}, false
	}
	v, err := aaif.FromJSON([]byte(text), aaif.ReadOptions{Bytes: int64(len(text)) + 1, Values: len(text) + 1})
	return v, err == nil
}
