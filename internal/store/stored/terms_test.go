package stored

import (
	"slices"
	"testing"
)

func TestPackedTerms(t *testing.T) {
	for _, terms := range [][]string{nil, {""}, {"a"}, {"", "a", "\x00", "ab"}, {string(make([]byte, 300)), "b"}} {
		frequencies := map[string]int{}
		var want []PackedTerm
		for i, term := range terms {
			frequencies[term] = 254 + i
			want = append(want, PackedTerm{term, byte(min(254+i, 255))})
		}
		if got, ok := UnpackTerms(packTerms(terms, frequencies)); !ok || !slices.Equal(got, want) {
			t.Errorf("%q came back as %q, %v", want, got, ok)
		}
	}
	for _, packed := range []string{"\x02ab", "\x01a", "\xff", "\x01abc", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01a", "\x80"} {
		if got, ok := UnpackTerms([]byte(packed)); ok {
			t.Errorf("%q passes for %q", packed, got)
		}
	}
}
