package ump

import (
	"index/suffixarray"
	"slices"
	"strings"
)

// passage holds the texts of a member of body.structured.
type passage struct {
	texts   []string // folded
	residue bool     // a part of a secret counts as a copy, too
	hasCopy bool
}

// shortSecret is the length up to which a text must be the whole of another to
// count as its copy.
const shortSecret = 3

// findCopies flags the passages that contain a copy of a secret: a text equal to the
// secret, a text that contains a secret longer than shortSecret, and in residue a text
// longer than shortSecret that is a part of the secret. Its time grows with the length
// of passages and secrets, not with their product: a record may have thousands of
// both.
func findCopies(passages []passage, secrets []secret) {
	flagEqual(passages, secrets)
	flagParts(passages, secrets)
	flagContaining(passages, secrets)
}

// flagEqual flags the passages with a text that equals a secret.
func flagEqual(passages []passage, secrets []secret) {
	whole := make(map[string]bool, len(secrets))
	for _, s := range secrets {
		whole[string(s)] = true
	}
	for i := range passages {
		passages[i].hasCopy = passages[i].hasCopy || slices.ContainsFunc(passages[i].texts, func(text string) bool { return whole[text] })
	}
}

// flagParts flags the residue with a text that is a part of a secret.
func flagParts(passages []passage, secrets []secret) {
	var within *suffixarray.Index
	for i := range passages {
		if passages[i].hasCopy || !passages[i].residue {
			continue
		}
		if within == nil {
			within = suffixarray.New(joinTexts(secrets))
		}
		passages[i].hasCopy = slices.ContainsFunc(passages[i].texts, func(text string) bool {
			return len(text) > shortSecret && within.Lookup([]byte(text), 1) != nil
		})
	}
}

// flagContaining flags the passages with a text that contains a secret.
func flagContaining(passages []passage, secrets []secret) {
	sought := prefixFree(secrets)
	if len(sought) == 0 {
		return
	}
	var text []byte
	var ends []int // of each passage in text
	for _, p := range passages {
		if !p.hasCopy {
			text = append(text, joinTexts(p.texts)...)
		}
		ends = append(ends, len(text))
	}
	within := suffixarray.New(text)
	for _, s := range sought {
		for _, offset := range within.Lookup([]byte(s), -1) {
			i, _ := slices.BinarySearch(ends, offset+1) // the first passage that ends after the match
			passages[i].hasCopy = true
		}
	}
}

// prefixFree returns the secrets longer than shortSecret, without those that begin
// with another one: a text with the longer one contains the shorter one. So at most
// one of them matches at each byte of a text.
func prefixFree(secrets []secret) []secret {
	sorted := slices.Sorted(slices.Values(secrets))
	kept := sorted[:0]
	for _, s := range sorted {
		if len(s) > shortSecret && (len(kept) == 0 || !strings.HasPrefix(string(s), string(kept[len(kept)-1]))) {
			kept = append(kept, s)
		}
	}
	return kept
}

// joinTexts joins texts with a byte after each one that no text contains, because all
// are UTF-8.
func joinTexts[S ~string](texts []S) []byte {
	var all []byte
	for _, t := range texts {
		all = append(all, t...)
		all = append(all, 0xFF)
	}
	return all
}
