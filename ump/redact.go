package ump

import (
	"errors"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
)

// Redacted takes the place of a text that a record cannot do without.
const Redacted = "[redacted]"

// ErrWithheld says that a record must not be emitted at all, because what its
// owner wants removed cannot be removed.
var ErrWithheld = errors.New("the record is withheld: its redaction paths cannot be applied")

// Redact returns a copy of a record without what its consent.redact names, to
// be emitted across a visibility boundary (UMP-2.7-4). The policy itself stays
// in the copy. Copies of what is redacted go from body.structured with it, and
// so does residue, which says the whole record once more (UMP-2.7-7). Origin of
// the result is nil, Current the copy: signed with the owner's key if anything was
// removed, without integrity where key is nil, and with the integrity it had where
// there was nothing to remove.
//
// The error is of kind consent_violation, and is ErrWithheld, where a path
// cannot be read or hits what no record can lose, where there are more than 64
// different paths, or where they hit more than 10,000 places: it fails closed. The
// time it takes grows with the size of the record, whatever its policy.
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
	paths, err := policy(v)
	if err != nil || len(paths) == 0 {
		return v, err
	}
	var c cutter
	left, _ := c.cut(v, paths)
	switch {
	case c.places > maxPlaces:
		return canon.Value{}, ErrWithheld
	case c.places == 0:
		return v, nil
	}
	return removeCopies(left, c.secrets, c.outside), nil
}

// policy reads the different paths a record's own policy names.
func policy(v canon.Value) ([][]step, error) {
	var paths [][]step
	said := make(map[string]bool)
	for _, item := range v.Get("consent").Get("redact").Items() {
		if said[item.Text()] {
			continue
		}
		said[item.Text()] = true
		path, err := ParsePath(item.Text())
		if err != nil || !path.Redactable() || len(said) > maxPaths {
			return nil, ErrWithheld
		}
		paths = append(paths, path.steps)
	}
	return paths, nil
}
