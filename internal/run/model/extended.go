package model

import (
	"strings"

	"github.com/satchel-memory/satchel/canon"
)

// extend returns a request's body with the members of params.extended, verbatim
// (AAIF-4.2-22, AAIF-4.2-23), and what was left out. owned are the members that the runtime
// owns (AAIF-4.2-24), as paths with dots; a member of an object of both goes into that
// object. Names count as equal if they differ in case or in underscores, since some
// providers read them so, and the last one would win.
func extend(body, extended canon.Value, owned []string) (canon.Value, []Note) {
	return extendAt("extended.", body, extended, owned)
}

func extendAt(path string, body, extended canon.Value, owned []string) (canon.Value, []Note) {
	var notes []Note
	for _, m := range extended.Members() {
		whole, within := ownedOf(m.Name, owned)
		name, old := alike(body, m.Name)
		nested := old.Type() == canon.TypeObject && m.Value.Type() == canon.TypeObject
		switch {
		case whole, !nested && anyOf(old, within):
			notes = append(notes, Note{Collision, path + m.Name})
		case nested || len(within) > 0 && m.Value.Type() == canon.TypeObject:
			if old.Type() != canon.TypeObject {
				old = canon.Object()
			}
			inner, more := extendAt(path+m.Name+".", old, m.Value, within)
			body, notes = body.With(name, inner), append(notes, more...)
		default:
			body = body.With(name, m.Value)
		}
	}
	return body, notes
}

// ownedOf says whether a member is owned as a whole, and returns the owned paths within it.
func ownedOf(name string, owned []string) (whole bool, within []string) {
	for _, o := range owned {
		first, rest, nested := strings.Cut(o, ".")
		switch {
		case !sameName(first, name):
		case nested:
			within = append(within, rest)
		default:
			whole = true
		}
	}
	return whole, within
}

// anyOf reports whether an object has one of the members.
func anyOf(v canon.Value, paths []string) bool {
	for _, p := range paths {
		first, _, _ := strings.Cut(p, ".")
		if v.Has(first) {
			return true
		}
	}
	return false
}

// alike returns the member of an object that a provider may take for the one called name.
func alike(v canon.Value, name string) (string, canon.Value) {
	for _, m := range v.Members() {
		if sameName(m.Name, name) {
			return m.Name, m.Value
		}
	}
	return name, canon.Value{}
}

func sameName(a, b string) bool {
	plain := func(s string) string { return strings.ReplaceAll(s, "_", "") }
	return strings.EqualFold(plain(a), plain(b))
}
