package vault

import (
	"errors"
	"time"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// errBeyondEngine reports an unsigned form that differs from the signed one in more than
// the engine may change.
var errBeyondEngine = errors.New("the present form differs from the signed one in what only its owner may change")

// soundUnsigned reports a present form without integrity that the engine cannot have
// made of the form its owner signed (decision UD-6, case 3). It serves owners who alone
// hold their keys; for other owners the engine signs its changes. Where retention
// removed the signed form, only an empty shell is sound.
func (v *verifier) soundUnsigned(rec memory.Record) error {
	if rec.Current == nil {
		return ump.ErrUnsigned
	}
	if rec.Origin == nil {
		return onlyShell(rec)
	}
	born := ump.Fingerprint(rec.Origin)
	if !v.verified.has(born) {
		if err := ump.Verify(rec.Origin); err != nil {
			return err
		}
		v.verified.add(born)
	}
	return onlyEngineChanged(rec.Origin, rec.Current)
}

// onlyShell reports a form with more than the shell of a record whose retention is over.
func onlyShell(rec memory.Record) error {
	shell, err := ump.Shell(rec, ump.ErasedExpired, nil)
	if err != nil {
		return err
	}
	is, err := canon.Parse(rec.Current, canon.Options{})
	if err != nil {
		return err
	}
	want, err := canon.Parse(shell.Current, canon.Options{})
	if err != nil {
		return err
	}
	if !canon.Identical(is, want) {
		return errBeyondEngine
	}
	return nil
}

// onlyEngineChanged reports a form that differs from the one it was made of in
// anything but what the engine changes:
//
//	integrity         gone
//	superseded_by     whatever: what replaces a record stands in its successors
//	relations         more of them, after those there were
//	lifecycle.status  tombstoned, or as it was
//	time.valid_to     set, or earlier than it was
//	body.structured   with satchel.forgotten, where the record is a tombstone
func onlyEngineChanged(origin, current []byte) error {
	was, err := canon.Parse(origin, canon.Options{})
	if err != nil {
		return err
	}
	is, err := canon.Parse(current, canon.Options{})
	if err != nil {
		return err
	}
	first, err := ump.Decode(origin, codec.Options{})
	if err != nil {
		return err
	}
	now, err := ump.Decode(current, codec.Options{})
	if err != nil {
		return err
	}
	buried := now.Lifecycle.Status == memory.Tombstoned
	switch {
	case !buried && now.Lifecycle.Status.Or() != first.Lifecycle.Status.Or(),
		longer(first.Time.ValidTo, now.Time.ValidTo),
		!grown(was.Get("relations"), is.Get("relations")),
		!canon.Identical(bare(was, false), bare(is, buried)):
		return errBeyondEngine
	}
	return nil
}

// longer reports whether the end of validity moved later.
func longer(was, is time.Time) bool { return !was.IsZero() && (is.IsZero() || is.After(was)) }

// grown reports whether the new list begins with the old one.
func grown(was, is canon.Value) bool {
	if was.Len() > is.Len() {
		return false
	}
	more := is.Items()
	for i, item := range was.Items() {
		if !canon.Identical(item, more[i]) {
			return false
		}
	}
	return true
}

// bare returns a form without the members that the engine changes; with buried, also
// without the reason for forgetting. It drops an object that is empty then: it equals
// one that never existed.
func bare(form canon.Value, buried bool) canon.Value {
	form = form.Without("integrity").Without("superseded_by").Without("relations")
	form = within(form, "lifecycle", func(v canon.Value) canon.Value { return v.Without("status") })
	form = within(form, "time", func(v canon.Value) canon.Value { return v.Without("valid_to") })
	if !buried {
		return form
	}
	return within(form, "body", func(body canon.Value) canon.Value {
		return within(body, "structured", func(s canon.Value) canon.Value {
			return within(s, "satchel", func(own canon.Value) canon.Value { return own.Without("forgotten") })
		})
	})
}

// within changes a member that is an object, and drops it when it becomes empty.
func within(v canon.Value, name string, change func(canon.Value) canon.Value) canon.Value {
	member := v.Get(name)
	switch member.Type() {
	case canon.TypeNull: // the engine may have replaced it by an object
		return v.Without(name)
	case canon.TypeObject:
		if member = change(member); member.Len() == 0 {
			return v.Without(name)
		}
		return v.With(name, member)
	}
	return v
}

// sameBirth reports whether two records differ only in members that engines change.
func sameBirth(a, b memory.Record) bool {
	x, err := ump.Amend(unchanged(a), nil)
	if err != nil {
		return false
	}
	y, err := ump.Amend(unchanged(b), nil)
	return err == nil && sameContent(x.Form(), y.Form())
}

// unchanged returns rec with fixed values for the members that engines change.
func unchanged(rec memory.Record) memory.Record {
	rec.Version = ump.Edition
	rec.Time.ValidTo = rec.Time.From()
	rec.SupersededBy = []memory.ID{"urn:ump:none"}
	rec.Lifecycle.Status = memory.Active
	return rec
}
