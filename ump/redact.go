package ump

import (
	"errors"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
)

// Redacted takes the place of a text that a record cannot do without.
const Redacted = "[redacted]"

// ErrWithheld says that a record must not be emitted at all, because what its
// owner wants removed cannot be removed.
var ErrWithheld = errors.New("the record is withheld: one of its redaction paths cannot be applied")

// Redact returns a copy of a record without what its consent.redact names, to
// be emitted across a visibility boundary (UMP-2.7-4). The policy itself stays
// in the copy. Copies of what is redacted go from body.structured with it, and
// so does residue, which says the whole record once more (UMP-2.7-7). Origin of the result is nil, Current the copy: signed with the
// owner's key if anything was removed, without integrity where key is nil, and
// with the integrity it had where there was nothing to remove.
//
// The error is of kind consent_violation, and is ErrWithheld, where a path
// cannot be read or hits what no record can lose: fail closed.
func Redact(r memory.Record, key *keys.Private) (memory.Record, error) {
	v, _, err := document(&r) // one with a policy that is not valid is withheld, not refused
	if err != nil {
		return memory.Record{}, err
	}
	cut, err := redact(v)
	if err != nil {
		return memory.Record{}, &memory.Error{
			Kind: memory.ConsentViolation, Op: "redact", ID: r.ID, Rule: "UMP-2.7-4", Message: ErrWithheld.Error(), Err: ErrWithheld,
		}
	}
	if canon.Identical(v, cut) {
		out := said(v)
		out.Current = v.Append(nil)
		return out, nil
	}
	return presentAs(cut, key)
}

// redact removes what a record's own policy names. Every path is applied to the
// record as it was, so that the index of an element does not depend on the
// order of paths.
func redact(v canon.Value) (canon.Value, error) {
	var places [][]step
	for _, item := range v.Get("consent").Get("redact").Items() {
		path, err := ParsePath(item.Text())
		if err != nil || !path.Redactable() {
			return canon.Value{}, ErrWithheld
		}
		path.matches(v, func(place []step) { places = append(places, widen(place)) })
	}
	if len(places) == 0 {
		return v, nil
	}
	secrets := gone(v, places)
	slices.SortFunc(places, laterFirst)
	places = slices.CompactFunc(places, func(a, b []step) bool { return laterFirst(a, b) == 0 })
	for _, place := range places {
		v = remove(v, place, "")
	}
	return removeCopies(v, secrets, slices.ContainsFunc(places, outsideStructured)), nil
}

// widen turns a place whose loss would make its object meaningless into the
// object: a relation needs its target, evidence its ref, provenance its
// actor_kind.
func widen(place []step) []step {
	last := place[len(place)-1].name
	switch {
	case len(place) == 3 && place[0].name == "relations" && (last == "type" || last == "target"):
		return place[:2]
	case len(place) == 4 && place[0].name == "provenance" && place[1].name == "evidence" && last == "ref":
		return place[:3]
	case len(place) == 2 && place[0].name == "provenance" && last == "actor_kind":
		return place[:1]
	}
	return place
}

// laterFirst orders places so that removing one does not move another: higher
// indices first, and what is inside before what is around it.
func laterFirst(a, b []step) int {
	for i := range min(len(a), len(b)) {
		if a[i].index != b[i].index {
			return b[i].index - a[i].index
		}
		if c := strings.Compare(a[i].name, b[i].name); c != 0 {
			return c
		}
	}
	return len(b) - len(a)
}

// remove returns v, the value at around in a record, without what is at place
// in it. A word takes the place of a text that must be there, and of a body.
func remove(v canon.Value, place []step, around string) canon.Value {
	st := place[0]
	inner, ok := child(v, st)
	pointer := around + "/" + st.name
	switch {
	case !ok: // it went with what was around it
		return v
	case len(place) > 1:
		return withChild(v, st, remove(inner, place[1:], pointer))
	case st.kind == byElement:
		return v.WithoutItem(st.index)
	}
	switch pointer {
	case "/body":
		return v.With(st.name, canon.Object(canon.Member{Name: "text", Value: canon.String(Redacted)}))
	case "/body/text", "/provenance/actor", "/provenance/method":
		return v.With(st.name, canon.String(Redacted))
	}
	return v.Without(st.name)
}

func child(v canon.Value, st step) (canon.Value, bool) {
	if st.kind == byElement {
		items := v.Items()
		if st.index >= len(items) {
			return canon.Value{}, false
		}
		return items[st.index], true
	}
	return v.Get(st.name), v.Has(st.name)
}

func withChild(v canon.Value, st step, inner canon.Value) canon.Value {
	if st.kind == byElement {
		return v.WithItem(st.index, inner)
	}
	return v.With(st.name, inner)
}
