package ump

import (
	"strings"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
)

// secret is a removed text or number, folded for comparison.
type secret string

// fold returns a text without differences of case, white space and composition, for
// the search for copies.
func fold(s string) string { return strings.ToLower(MergeText(s)) }

// appendSecrets appends the texts and numbers of a removed value.
func appendSecrets(secrets []secret, v canon.Value) []secret {
	if s, ok := comparableText(v); ok {
		secrets = append(secrets, secret(s))
		if name, ok := strings.CutPrefix(s, entityPrefix); ok && name != "" {
			secrets = append(secrets, secret(name)) // other formats write the name without the prefix
		}
	}
	for _, item := range v.Items() {
		secrets = appendSecrets(secrets, item)
	}
	for _, m := range v.Members() {
		secrets = appendSecrets(secrets, m.Value)
	}
	return secrets
}

// comparableText returns a text or number, folded. It returns false for true, false,
// null and the empty text, which reveal nothing.
func comparableText(v canon.Value) (string, bool) {
	switch v.Type() {
	case canon.TypeString:
		s := fold(v.Text())
		return s, s != ""
	case canon.TypeNumber:
		return string(v.AppendCanonical(nil)), true
	}
	return "", false
}

// appendTexts appends all texts and numbers in v, and the names of members that are
// long enough to reveal something.
func appendTexts(texts []string, v canon.Value) []string {
	if s, ok := comparableText(v); ok {
		texts = append(texts, s)
	}
	for _, item := range v.Items() {
		texts = appendTexts(texts, item)
	}
	for _, m := range v.Members() {
		if len(m.Name) > shortSecret {
			texts = append(texts, fold(m.Name))
		}
		texts = appendTexts(texts, m.Value)
	}
	return texts
}

// removeCopies removes every member of body.structured that contains a secret. It
// removes residue that contains a part of one. With allResidue it removes all residue,
// which repeats the record in other words, in hashes and in vectors.
func removeCopies(v canon.Value, secrets []secret, allResidue bool) canon.Value {
	structured := v.Get("body").Get("structured")
	members := structured.Members()
	if len(members) == 0 {
		return v
	}
	passages := make([]passage, len(members))
	for i, m := range members {
		passages[i].residue = codec.IsResidue(m.Name)
		if passages[i].hasCopy = passages[i].residue && allResidue; !passages[i].hasCopy {
			passages[i].texts = appendTexts(nil, m.Value)
		}
	}
	findCopies(passages, secrets)
	kept := make([]canon.Member, 0, len(members))
	for i, m := range members {
		if !passages[i].hasCopy {
			kept = append(kept, m)
		}
	}
	return v.With("body", v.Get("body").With("structured", canon.Object(kept...)))
}
