package ump

import (
	"strings"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
)

// secret is a text or number that is removed, folded for comparison.
type secret string

// fold is the form in which copies are found: case, white space and composition
// do not hide one.
func fold(s string) string { return strings.ToLower(MergeText(s)) }

// appendSecrets appends what v says, which is removed.
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

// appendTexts appends what v says anywhere in it, names of members included
// where they are long enough to give something away.
func appendTexts(texts []string, v canon.Value) []string {
	if s, ok := spoken(v); ok {
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

// removeCopies takes out of body.structured every member that still holds
// something removed, residue also where it holds a part of it. Where something
// else than structured was redacted all residue goes: it says the same in other
// words, in hashes and in vectors.
func removeCopies(v canon.Value, secrets []secret, allResidue bool) canon.Value {
	structured := v.Get("body").Get("structured")
	members := structured.Members()
	if len(members) == 0 {
		return v
	}
	passages := make([]passage, len(members))
	for i, m := range members {
		passages[i].residue = codec.IsResidue(m.Name)
		if passages[i].repeats = passages[i].residue && allResidue; !passages[i].repeats {
			passages[i].texts = appendTexts(nil, m.Value)
		}
	}
	findCopies(passages, secrets)
	kept := make([]canon.Member, 0, len(members))
	for i, m := range members {
		if !passages[i].repeats {
			kept = append(kept, m)
		}
	}
	return v.With("body", v.Get("body").With("structured", canon.Object(kept...)))
}
