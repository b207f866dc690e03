package ump

import (
	"time"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
)

// The texts of shells (decision UD-15).
const (
	Erased        = "[erased]"
	ErasedExpired = "[erased: retention expired]"
)

// Expiry returns when a record's retention ends, and whether it has one that
// can be read (UMP-2.7-2).
func Expiry(r memory.Record) (time.Time, bool) { return r.Expiry() }

// Shell returns what is left of a record that is forgotten: who, when and
// which, with text in place of what was remembered. What else the body says,
// relations, source, evidence and every unknown member go. The caller sets
// ValidTo where the record was still open. Origin of the result is nil, Current
// the shell, signed with the owner's key or, where key is nil, without integrity.
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

// Present returns a record whose present form says what its members say, with unknown
// members kept. It is signed with the owner's key or, where key is nil, without integrity.
// Origin of the result is nil.
func Present(r memory.Record, key *keys.Private) (memory.Record, error) {
	v, _, err := document(&r)
	if err != nil {
		return memory.Record{}, err
	}
	return presentAs(v, key)
}

// present writes a record without a document as its own present form.
func present(r memory.Record, key *keys.Private) (memory.Record, error) {
	v, _, err := encode(&r)
	if err != nil {
		return memory.Record{}, err
	}
	return presentAs(v, key)
}

// presentAs returns the record that v says, with v, signed or without
// integrity, as its present form.
func presentAs(v canon.Value, key *keys.Private) (memory.Record, error) {
	r := said(v)
	v, err := seal(v, &r, key)
	if err != nil {
		return memory.Record{}, err
	}
	r.Current = v.Append(nil)
	return r, nil
}
