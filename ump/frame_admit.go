package ump

import (
	"errors"

	"github.com/satchel-memory/satchel/memory"
)

// The reasons for which Frame drops a record.
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

// admit returns the entry of a record, or the reason why there is none. It decides by
// the verified form, never by the members beside it.
func (o *FrameOptions) admit(r *memory.Record) (entry, string) {
	e := entry{record: *r}
	if form := r.Form(); form != nil {
		v, err := parseForm(form)
		if err != nil {
			return entry{}, dropHash
		}
		if e.record = recordOf(v); e.record.ID != r.ID {
			return entry{}, dropHash
		}
	}
	reason := o.whyUnverified(r, &e.record)
	switch {
	case reason == dropHash, reason == dropSignature, reason == dropSigner:
		return entry{}, reason
	case reason != "" && (o.RequireSigned || o.Conformance == "L3"):
		return entry{}, reason
	}
	e.verified = reason == ""
	return e, o.filter(&e.record)
}

// whyUnverified returns the reason why a record is not verified; "": it is verified.
func (o *FrameOptions) whyUnverified(r, said *memory.Record) string {
	if r.Form() == nil || said.Integrity == nil {
		return dropUnsigned // even if Verified accepts it
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

// filter returns the reason why this reader may not have a record at this time; "":
// there is none.
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
		return dropExpired // or its retention cannot be read
	case r.Lifecycle.Status.Or() == memory.Tombstoned:
		return dropTombstoned
	case r.Lifecycle.Status.Or() != memory.Active:
		return dropCandidate
	case !r.Time.ValidAt(o.Now):
		return dropNotValid
	}
	return ""
}
