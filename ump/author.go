package ump

import (
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
)

// Author creates a record. It writes the birth form and derives the id from it,
// unless the record has an id (decision UD-5). It signs with the owner's key if
// there is one. Origin, if any, is the draft as received; Author keeps its unknown
// members. The result's Origin is the finished record, its Current nil. Do not
// author a signed record again: Author replaces its integrity.
//
// Leave out relations to records that do not exist yet, and add them with [Amend]
// later (decision UD-31).
func Author(r memory.Record, key *keys.Private) (memory.Record, error) {
	v, err := born(&r)
	if err != nil {
		return memory.Record{}, err
	}
	if v, err = seal(v, &r, key); err != nil {
		return memory.Record{}, err
	}
	r.Origin = v.Append(nil)
	return r, nil
}

// AuthorVersions creates the records of successive versions, oldest first, without a
// key. Each names the version before it and the one after it: all but the last are born
// closed. An id does not cover the successor. The drafts have neither an id nor an Origin.
func AuthorVersions(drafts []memory.Record) ([]memory.Record, error) {
	made := make([]memory.Record, 0, len(drafts))
	var form canon.Value // of the last record in made, which still lacks its Origin
	for i, r := range drafts {
		if i > 0 {
			r.Supersedes = []memory.ID{made[i-1].ID}
		}
		v, err := born(&r)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			last := &made[i-1]
			last.SupersededBy = []memory.ID{r.ID}
			last.Origin = ordered(form.With("superseded_by", canon.Array(canon.String(string(r.ID))))).Append(nil)
		}
		made, form = append(made, r), v
	}
	if n := len(made); n > 0 {
		made[n-1].Origin = form.Append(nil)
	}
	return made, nil
}

// born makes the birth form of a record without integrity, and its id unless it has one.
func born(r *memory.Record) (canon.Value, error) {
	r.Integrity, r.Current = nil, nil
	if r.Version == "" {
		r.Version = Edition
	}
	if r.Scope.Visibility == "" {
		r.Scope.Visibility = memory.Private
	}
	var f findings
	f.checkRecord(r, false)
	f.checkTime(&r.Time, true)
	if err := f.err(); err != nil {
		return canon.Value{}, err
	}
	v, err := birthForm(r)
	if err == nil && r.ID == "" {
		r.ID = birthID(v)
		v = v.With("id", canon.String(string(r.ID)))
	}
	return v, err
}

// birthForm returns the record as the store first persists it, without integrity.
// The id is "" unless the record has one.
func birthForm(r *memory.Record) (canon.Value, error) {
	var v canon.Value
	var err error
	if r.Origin == nil {
		v, err = render(r)
	} else if v, err = parseForm(r.Origin); err == nil {
		v, _, err = reconcile(v.Without("integrity"), r)
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
	sum := sum256(v.AppendCanonical(nil))
	return memory.ID(idPrefix + base32Lower.EncodeToString(sum[:]))
}

// BirthID returns the id that [Author] derives for a record in JSON: the hash of
// the record with "id":"" and without integrity (UMP-6.2-2).
func BirthID(form []byte) (memory.ID, error) {
	v, err := parseForm(form)
	if err != nil {
		return "", err
	}
	return birthID(v.Without("integrity").With("id", canon.String(""))), nil
}

// IsBirthID reports whether the id of a record in JSON is derived from its content.
// It accepts a hash of the record with "id":"" and one without the member id. It is
// for information only: every other id is as good (UMP-6.2-4).
func IsBirthID(form []byte) bool {
	v, err := parseForm(form)
	if err != nil {
		return false
	}
	id := memory.ID(v.Get("id").Text())
	bare := v.Without("integrity")
	return id == birthID(bare.With("id", canon.String(""))) || id == birthID(bare.Without("id"))
}

// Amend writes the changes that the engine made to the members of a record into its
// present form. The result's Current is that complete form with all unknown members,
// signed with the owner's key; if key is nil, it has no integrity (decision UD-6).
// Current is nil if the members are those of Origin again. Amend returns a record
// without changes as it is.
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
	v, changed, err := reconcileUnsigned(form, &r)
	if err != nil {
		return memory.Record{}, err
	}
	if len(changed) == 0 {
		r.Integrity = recordOf(form).Integrity
		return r, nil
	}
	if r.Current != nil && r.Origin != nil { // a change that was undone gets the author's spelling back
		origin, err := parseForm(r.Origin)
		if err != nil {
			return memory.Record{}, err
		}
		if v, changed, err = reconcileUnsigned(origin, &r); err != nil {
			return memory.Record{}, err
		}
		if len(changed) == 0 {
			r.Current, r.Integrity = nil, recordOf(origin).Integrity
			return r, nil
		}
	}
	if v, err = seal(v, &r, key); err != nil {
		return memory.Record{}, err
	}
	r.Current = v.Append(nil)
	return r, nil
}

// reconcileUnsigned writes the members of r into form. It leaves integrity out of
// both.
func reconcileUnsigned(form canon.Value, r *memory.Record) (canon.Value, []string, error) {
	bare := *r
	bare.Integrity = nil
	return reconcile(form.Without("integrity"), &bare)
}
