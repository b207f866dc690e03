package ump

import (
	"errors"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
)

// Redacted replaces a redacted text that every record needs.
const Redacted = "[redacted]"

// ErrWithheld means that a record must not leave, because Redact cannot remove what
// its owner wants removed.
var ErrWithheld = errors.New("the record is withheld: its redaction paths cannot be applied")

// Redact returns a copy of a record without the values that its consent.redact names,
// for readers across a visibility boundary (UMP-2.7-4). The policy itself stays in
// the copy. Redact also removes copies of the redacted values from body.structured,
// and residue, which repeats the whole record (UMP-2.7-7). Origin of the result is
// nil, Current the copy. If Redact removed anything, it signs the copy with the
// owner's key, or drops integrity if key is nil. Otherwise the integrity stays.
//
// Redact fails closed: it fails with kind consent_violation and ErrWithheld if a path
// cannot be read or hits a member that every record needs, if there are more than 64
// different paths, or if they hit more than 10,000 places. Its time grows with the
// size of the record, independent of the policy.
func Redact(r memory.Record, key *keys.Private) (memory.Record, error) {
	v, _, err := document(&r) // a record with an invalid policy is withheld, not refused
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
		out := recordOf(v)
		out.Current = v.Append(nil)
		return out, nil
	}
	return presentAs(cut, key)
}

// redact removes the values that the record's own policy names. It applies every path
// to the original record, so that the index of an element does not depend on the order
// of paths.
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

// policy reads the different paths of the record's own policy.
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
