package ump

import (
	"index/suffixarray"
	"slices"
	"strings"
)

// passage is what a member of body.structured says.
type passage struct {
	texts   []string // folded
	residue bool     // a part of a secret is a copy, too
	repeats bool     // it holds a copy
}

// shortSecret is the length up to which a text must be the whole of another to
// count as its copy.
const shortSecret = 3

// findCopies marks the passages that repeat a secret: as a whole text, within one if
// the secret is longer than shortSecret, and in residue with a text longer than
// that which is a part of the secret. What it takes grows with the length of the
// passages and of the secrets, never with their product: a record could be made of
// thousands of both.
func findCopies(passages []passage, secrets []secret) {
	markEqual(passages, secrets)
	markParts(passages, secrets)
	markHolders(passages, secrets)
}

// markEqual marks the passages with a text that is a secret.
func markEqual(passages []passage, secrets []secret) {
	whole := make(map[string]bool, len(secrets))
	for _, s := range secrets {
		whole[string(s)] = true
	}
	for i := range passages {
		passages[i].repeats = passages[i].repeats || slices.ContainsFunc(passages[i].texts, func(text string) bool { return whole[text] })
	}
}

// markParts marks the residue with a text that is a part of a secret.
func markParts(passages []passage, secrets []secret) {
	var within *suffixarray.Index
	for i := range passages {
		if passages[i].repeats || !passages[i].residue {
			continue
		}
		if within == nil {
			within = suffixarray.New(joined(secrets))
		}
		passages[i].repeats = slices.ContainsFunc(passages[i].texts, func(text string) bool {
			return len(text) > shortSecret && within.Lookup([]byte(text), 1) != nil
		})
	}
}

// markHolders marks the passages with a text that a secret is a part of.
func markHolders(passages []passage, secrets []secret) {
	sought := shortest(secrets)
	if len(sought) == 0 {
		return
	}
	var text []byte
	var ends []int // of each passage in text
	for _, p := range passages {
		if !p.repeats {
			text = append(text, joined(p.texts)...)
		}
		ends = append(ends, len(text))
	}
	within := suffixarray.New(text)
	for _, s := range sought {
		for _, offset := range within.Lookup([]byte(s), -1) {
			i, _ := slices.BinarySearch(ends, offset+1) // the first that ends beyond
			passages[i].repeats = true
		}
	}
}

// shortest returns the secrets longer than shortSecret of which no other one is
// the beginning: where the longer one stands, the shorter does. So no byte of a
// text begins more than one of them.
func shortest(secrets []secret) []secret {
	sorted := slices.Sorted(slices.Values(secrets))
	kept := sorted[:0]
	for _, s := range sorted {
		if len(s) > shortSecret && (len(kept) == 0 || !strings.HasPrefix(string(s), string(kept[len(kept)-1]))) {
			kept = append(kept, s)
		}
	}
	return kept
}

// joined returns texts one after the other, each with a byte behind it that is in
// none, since all are UTF-8.
func joined[S ~string](texts []S) []byte {
	var all []byte
	for _, t := range texts {
		all = append(all, t...)
		all = append(all, 0xFF)
	}
	return all
}
