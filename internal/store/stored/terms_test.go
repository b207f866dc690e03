package stored

import (
	"bytes"
	"slices"
	"testing"

	"github.com/satchel-memory/satchel/internal/store"
)

func TestPackedEntry(t *testing.T) {
	for _, terms := range [][]string{nil, {""}, {"a"}, {"", "a", "\x00", "ab"}, {string(make([]byte, 300)), "b"}} {
		for _, digest := range [][]byte{nil, {}, {0}, make([]byte, 300)} {
			d := store.Document{Terms: map[string]int{}, Digest: digest}
			var want []PackedTerm
			for i, term := range terms {
				d.Terms[term] = 254 + i
				want = append(want, PackedTerm{term, byte(min(254+i, 255))})
			}
			packed := packEntry(d, terms)
			if got, ok := UnpackTerms(packed); !ok || !slices.Equal(got, want) {
				t.Errorf("%q came back as %q, %v", want, got, ok)
			}
			each, kept := unpackEntry(packed)
			var got []PackedTerm
			for term, frequency := range each {
				got = append(got, PackedTerm{string(term), frequency})
			}
			if !slices.Equal(got, want) || len(terms) > 0 && (kept == nil) != (digest == nil) || !bytes.Equal(kept, digest) && len(terms) > 0 {
				t.Errorf("%q with the digest %q came back as %q with %q", want, digest, got, kept)
			}
		}
	}
	for _, packed := range []string{"\x02ab", "\x01a", "\xff", "\x01abc", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01a", "\x80", "\x01x\x00\x01"} {
		if got, ok := UnpackTerms([]byte(packed)); ok {
			t.Errorf("%q passes for %q", packed, got)
		}
		if _, digest := unpackEntry([]byte(packed)); digest != nil {
			t.Errorf("%q has the digest %q", packed, digest)
		}
	}
}
