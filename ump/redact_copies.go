package ump

import (
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
)

// secret is a text or number that is removed, folded for comparison.
type secret string

// fold is the form in which copies are found: case, white space and composition
// do not hide one.
func fold(s string) string { return strings.ToLower(MergeText(s)) }

// gone returns what is removed with places.
func gone(v canon.Value, places [][]step) []secret {
	var secrets []secret
	for _, place := range places {
		inner := v
		for _, st := range place {
			inner, _ = child(inner, st)
		}
		secrets = appendSecrets(secrets, inner)
	}
	return secrets
}

func appendSecrets(secrets []secret, v canon.Value) []secret {
	if s, ok := spoken(v); ok {
		secrets = append(secrets, secret(s))
		if name, ok := strings.CutPrefix(s, entityPrefix); ok && name != "" {
			secrets = append(secrets, secret(name)) // other formats name the thing alone
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

// spoken returns what a text or number says, folded. What says true, false,
// null or nothing gives nothing away.
func spoken(v canon.Value) (string, bool) {
	switch v.Type() {
	case canon.TypeString:
		s := fold(v.Text())
		return s, s != ""
	case canon.TypeNumber:
		return string(v.AppendCanonical(nil)), true
	}
	return "", false
}

// outsideStructured reports whether a place lies in a part of the record that
// other formats say in their own way.
func outsideStructured(place []step) bool {
	return len(place) < 2 || place[0].name != "body" || place[1].name != "structured"
}

// removeCopies takes out of body.structured every member that still holds
// something removed, residue also where it holds a part of it. Where something
// else than structured was redacted all residue goes: it says the same in other
// words, in hashes and in vectors.
func removeCopies(v canon.Value, secrets []secret, allResidue bool) canon.Value {
	structured := v.Get("body").Get("structured")
	for _, m := range structured.Members() {
		residue := codec.IsResidue(m.Name)
		if residue && allResidue || holds(m.Value, secrets, residue) {
			structured = structured.Without(m.Name)
		}
	}
	return v.With("body", v.Get("body").With("structured", structured))
}

// holds reports whether a copy of a secret lies anywhere in v, names of members
// included, or, where parts count, a part of one.
func holds(v canon.Value, secrets []secret, parts bool) bool {
	repeats := func(s string) bool {
		return slices.ContainsFunc(secrets, func(hidden secret) bool { return hidden.in(s, parts) })
	}
	if s, ok := spoken(v); ok && repeats(s) {
		return true
	}
	for _, item := range v.Items() {
		if holds(item, secrets, parts) {
			return true
		}
	}
	for _, m := range v.Members() {
		if len(m.Name) > shortSecret && repeats(fold(m.Name)) || holds(m.Value, secrets, parts) {
			return true
		}
	}
	return false
}

// shortSecret is the length up to which a text must be the whole of another to
// count as its copy.
const shortSecret = 3

// in reports whether text repeats the secret or, where parts count, is a part of
// it.
func (s secret) in(text string, parts bool) bool {
	hidden := string(s)
	return text == hidden ||
		len(hidden) > shortSecret && strings.Contains(text, hidden) ||
		parts && len(text) > shortSecret && strings.Contains(hidden, text)
}
