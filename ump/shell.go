package ump

import (
	"time"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
)

// The texts of a [Shell] (decision UD-15).
const (
	Erased        = "[erased]"
	ErasedExpired = "[erased: retention expired]"
)

// Expiry returns the end of a record's retention, and whether it has a valid one
// (UMP-2.7-2).
func Expiry(r memory.Record) (time.Time, bool) { return r.Expiry() }

// Shell returns the rest of a forgotten record: its id, owner and times, with text as
// its body. It removes the rest of the body, relations, source, evidence and every
// unknown member. The caller sets ValidTo if the record has none. Origin of the result
// is nil. Current is the shell, signed with the owner's key; if key is nil, it has no
// integrity.
func Shell(r memory.Record, text string, key *keys.Private) (memory.Record, error) {
	r.Origin, r.Current, r.Integrity = nil, nil, nil
	r.Body = memory.Body{Text: text}
	r.Relations = nil
	r.Lifecycle.Status = memory.Tombstoned
	if r.Provenance != nil {
		p := *r.Provenance
		p.Source, p.Evidence = nil, nil
		r.Provenance = &p
	}
	return present(r, key)
}

// Present returns a record whose present form agrees with its members and keeps unknown
// members. The form is signed with the owner's key; if key is nil, it has no integrity.
// Origin of the result is nil.
func Present(r memory.Record, key *keys.Private) (memory.Record, error) {
	v, _, err := document(&r)
	if err != nil {
		return memory.Record{}, err
	}
	return presentAs(v, key)
}

// present is Present for a valid record without a document.
func present(r memory.Record, key *keys.Private) (memory.Record, error) {
	v, _, err := encode(&r)
	if err != nil {
		return memory.Record{}, err
	}
	return presentAs(v, key)
}

// presentAs returns the record of tree v with v as its present form, signed or without
// integrity.
func presentAs(v canon.Value, key *keys.Private) (memory.Record, error) {
	r := recordOf(v)
	v, err := seal(v, &r, key)
	if err != nil {
		return memory.Record{}, err
	}
	r.Current = v.Append(nil)
	return r, nil
}
