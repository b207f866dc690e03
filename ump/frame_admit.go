package ump

import (
	"errors"

	"github.com/satchel-memory/satchel/memory"
)

// Why a record is kept out of a frame.
const (
	dropHash         = "hash"
	dropSignature    = "signature"
	dropSigner       = "signer"
	dropUnsigned     = "unsigned"
	dropUnresolvable = "unresolvable"
	dropOwner        = "owner"
	dropVisibility   = "visibility"
	dropExpired      = "expired"
	dropTombstoned   = "tombstoned"
	dropCandidate    = "candidate"
	dropNotValid     = "not valid now"
	dropBudget       = "budget"
)

// entry is a record that may be framed.
type entry struct {
	record   memory.Record
	verified bool
}

// admit says what of a record is framed, or why nothing is. What decides is the
// form that was verified, never the members beside it.
func (o *FrameOptions) admit(r *memory.Record) (entry, string) {
	e := entry{record: *r}
	if form := r.Form(); form != nil {
		v, err := parseForm(form)
		if err != nil {
			return entry{}, dropHash
		}
		if e.record = said(v); e.record.ID != r.ID {
			return entry{}, dropHash
		}
	}
	reason := o.unverified(r, &e.record)
	switch {
	case reason == dropHash, reason == dropSignature, reason == dropSigner:
		return entry{}, reason
	case reason != "" && (o.RequireSigned || o.Conformance == "L3"):
		return entry{}, reason
	}
	e.verified = reason == ""
	return e, o.filter(&e.record)
}

// unverified says why a record is not verified; "" means that it is.
func (o *FrameOptions) unverified(r, said *memory.Record) string {
	if r.Form() == nil || said.Integrity == nil {
		return dropUnsigned // whatever Verified says of it
	}
	var err error
	if o.Verified != nil {
		err = o.Verified(*r)
	} else {
		err = Verify(r.Form())
	}
	switch {
	case err == nil:
		return ""
	case errors.Is(err, ErrHash):
		return dropHash
	case errors.Is(err, ErrSigner):
		return dropSigner
	case errors.Is(err, ErrUnsigned):
		return dropUnsigned
	case errors.Is(err, ErrUnresolvable):
		return dropUnresolvable
	}
	return dropSignature
}

// filter says why a record is not for this reader at this time.
func (o *FrameOptions) filter(r *memory.Record) string {
	switch {
	case o.Owner != "" && r.Scope.Owner == o.Owner:
	case r.Scope.Visibility == memory.Shared && o.Shared:
	case r.Scope.Visibility != memory.Public:
		return dropOwner
	case !o.Public:
		return dropVisibility
	}
	expiry, limited := Expiry(*r)
	switch {
	case limited && !o.Now.Before(expiry), !limited && r.Consent != nil && r.Consent.Retention != "":
		return dropExpired // or kept for a time that cannot be read
	case r.Lifecycle.Status.Or() == memory.Tombstoned:
		return dropTombstoned
	case r.Lifecycle.Status.Or() != memory.Active:
		return dropCandidate
	case !r.Time.ValidAt(o.Now):
		return dropNotValid
	}
	return ""
}
