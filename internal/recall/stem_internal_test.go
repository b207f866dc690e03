package recall

import (
	"slices"
	"strings"
	"testing"
)

// TestHeads: what a search leaves out for its first letters could not have been
// a word it looks for.
func TestHeads(t *testing.T) {
	for _, root := range strings.Fields("walk love city try hop agree control relate happy generous oscillate note sky news inning proceed early y yes by boy toy aa oed") {
		for _, ending := range []string{"", "s", "es", "ed", "ing", "ly", "er", "ation", "ness", "ment", "ity", "ful", "ous", "ive", "ize", "ies"} {
			if w := root + ending; head(stem(base(w))) != head(base(w)) {
				t.Errorf("stem of %q is %q, which begins otherwise", w, stem(base(w)))
			}
		}
	}
	for form, b := range irregular {
		if head(stem(b)) != head(b) {
			t.Errorf("stem of %q, for %q, begins otherwise", b, form)
		}
	}
}

func TestFamilies(t *testing.T) {
	for term, relatives := range families {
		for _, r := range relatives {
			if r == "" || isStop(r) {
				t.Errorf("%q has the relative %q, which nothing is found by", term, r)
			}
			if r == term {
				t.Errorf("%q is its own relative", term)
			}
		}
	}
	for _, pair := range [][2]string{{"child", "kid"}, {"kid", "child"}, {"repo", "repositori"}} {
		if !slices.Contains(families[pair[0]], pair[1]) {
			t.Errorf("%q does not lead to %q", pair[0], pair[1])
		}
	}
}

// TestLookFor: reading with a question in mind finds what reading everything
// finds.
func TestLookFor(t *testing.T) {
	text := "Anna's children went swimming; the lying sky, the ugliest shoes and 3 dying flowers bought in Łódź."
	for _, word := range strings.Fields("child go swim lie sky ugly shoe die flower buy lodz 3") {
		q := understand(word, date(2026, 1, 1), new(stemmer))
		var s stemmer
		s.lookFor(q)
		full := new(stemmer).tokens(text)
		for i, tok := range s.tokens(text) {
			if _, asked := q.index[full[i].term]; asked && tok.term != full[i].term {
				t.Errorf("%q: read %q, want %q", word, tok.term, full[i].term)
			}
		}
	}
}
