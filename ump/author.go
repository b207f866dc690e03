package ump

import (
	"lukechampine.com/blake3"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
)

// Author gives birth to a record: it writes its birth form, derives the id from
// it unless the record has one (decision UD-5), and signs with the owner's key
// if one is given. The Origin, if any, is the draft as received; what it says
// beyond the members is kept. The result's Origin is the finished record, its
// Current nil. A record in hand that carries integrity must not be authored
// again: its integrity is replaced.
//
// Relations to records that are not yet born must be left out, and attached
// with [Amend] later (decision UD-31).
func Author(r memory.Record, key *keys.Private) (memory.Record, error) {
	r.Integrity, r.Current = nil, nil
	if r.Version == "" {
		r.Version = Edition
	}
	if r.Scope.Visibility == "" {
		r.Scope.Visibility = memory.Private
	}
	var f findings
	f.checkRecord(&r, false)
	f.checkTime(&r.Time, true)
	if err := f.err(); err != nil {
		return memory.Record{}, err
	}
	v, err := birthForm(&r)
	if err != nil {
		return memory.Record{}, err
	}
	if r.ID == "" {
		r.ID = birthID(v)
		v = v.With("id", canon.String(string(r.ID)))
	}
	if v, err = seal(v, &r, key); err != nil {
		return memory.Record{}, err
	}
	r.Origin = v.Append(make([]byte, 0, 1024))
	return r, nil
}

// birthForm is the record as it will first be persisted, without integrity; its
// id is "" unless it has one.
func birthForm(r *memory.Record) (canon.Value, error) {
	var v canon.Value
	var err error
	if r.Origin == nil {
		v, err = render(r)
	} else if v, err = parseForm(r.Origin); err == nil {
		v, _, err = edited(v.Without("integrity"), r)
	}
	if err != nil {
		return canon.Value{}, err
	}
	if !v.Has("id") || r.ID == "" {
		v = v.With("id", canon.String(string(r.ID)))
	}
	return ordered(v), nil
}

func birthID(v canon.Value) memory.ID {
	sum := blake3.Sum256(v.AppendCanonical(make([]byte, 0, 1024)))
	return memory.ID(idPrefix + base32Lower.EncodeToString(sum[:]))
}

// BirthID returns the id that a record in JSON would be born with: the hash of
// it with "id":"" and without integrity (UMP-6.2-2).
func BirthID(form []byte) (memory.ID, error) {
	v, err := parseForm(form)
	if err != nil {
		return "", err
	}
	return birthID(v.Without("integrity").With("id", canon.String(""))), nil
}

// IsBirthID reports whether the id of a record in JSON is the one it would be
// born with, the member id being "" or left out in what is hashed. It is for
// information only: an id that cannot be derived is as good as any (UMP-6.2-4).
func IsBirthID(form []byte) bool {
	v, err := parseForm(form)
	if err != nil {
		return false
	}
	id := memory.ID(v.Get("id").Text())
	bare := v.Without("integrity")
	return id == birthID(bare.With("id", canon.String(""))) || id == birthID(bare.Without("id"))
}

// Amend writes what the engine has made of a record: its members differ from
// its Form. The result's Current is the complete present form, unknown members
// kept, signed with the owner's key or, where key is nil, without integrity
// (decision UD-6). Current is nil if the record says again what its Origin
// says. A record that differs in nothing is returned as it is.
func Amend(r memory.Record, key *keys.Private) (memory.Record, error) {
	var f findings
	f.checkRecord(&r, true)
	if err := f.err(); err != nil {
		return memory.Record{}, err
	}
	form, err := parseForm(r.Form())
	if err != nil {
		return memory.Record{}, err
	}
	v, changed, err := amended(form, &r)
	if err != nil {
		return memory.Record{}, err
	}
	if len(changed) == 0 {
		r.Integrity = said(form).Integrity
		return r, nil
	}
	if r.Current != nil && r.Origin != nil { // what was undone is spelled as its author spelled it
		origin, err := parseForm(r.Origin)
		if err != nil {
			return memory.Record{}, err
		}
		if v, changed, err = amended(origin, &r); err != nil {
			return memory.Record{}, err
		}
		if len(changed) == 0 {
			r.Current, r.Integrity = nil, said(origin).Integrity
			return r, nil
		}
	}
	if v, err = seal(v, &r, key); err != nil {
		return memory.Record{}, err
	}
	r.Current = v.Append(nil)
	return r, nil
}

// amended puts what r says, but for its integrity, into form without its
// integrity.
func amended(form canon.Value, r *memory.Record) (canon.Value, []string, error) {
	bare := *r
	bare.Integrity = nil
	return edited(form.Without("integrity"), &bare)
}
