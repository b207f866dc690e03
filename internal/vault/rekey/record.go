package rekey

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// one makes the new owner's row of an old owner's: the same record, in both its forms,
// with another owner and another signature.
func (k *keyChange) one(row store.Row) (carried, error) {
	now, err := k.read(row)
	if err != nil {
		return carried{}, err
	}
	if vault.Foreign(now, k.from) {
		return k.asItIs(row, now), nil
	}
	rec, born, err := k.reauthored(row, now, true)
	if err != nil { // full: the evidence is left out
		rec, born, err = k.reauthored(row, now, false)
	}
	if err != nil {
		return carried{}, fmt.Errorf("%s: %w", row.ID, err)
	}
	next := vault.ReworkedRow(row, rec)
	next.Number, next.Columns.Import = 0, k.imports[row.Columns.Import]
	c := carried{row: next, rec: rec}
	if born == nil { // emptied: nothing to index, and nothing left to do
		c.row.Columns.Duplicate, c.row.Columns.Expires = "", time.Time{}
		return c, nil
	}
	if next.Columns.Status == memory.Tombstoned && next.Columns.Duplicate != "" { // an import recognises a forgotten record
		c.row.Columns.Duplicate = ump.DuplicateKey(*born)
	}
	c.doc = vault.DocumentBy(k.words, rec)
	return c, nil
}

// asItIs copies a foreign record unchanged: neither owner signs it.
func (k *keyChange) asItIs(row store.Row, rec memory.Record) carried {
	next := row
	next.Number, next.Columns.Import = 0, k.imports[row.Columns.Import]
	c := carried{row: next, rec: rec}
	if row.Origin != nil {
		c.doc = vault.DocumentBy(k.words, rec)
	}
	return c
}

// reauthored returns the record as the new owner's, and its first form; nil where only
// the shell is left.
func (k *keyChange) reauthored(row store.Row, now memory.Record, evidence bool) (rec memory.Record, born *memory.Record, err error) {
	rec = k.owned(now, evidence && row.Origin != nil)
	if row.Origin == nil {
		rec.Origin, rec.Current = nil, row.Current
		rec, err = ump.Amend(k.spoken(rec, rec.Version), &k.to)
		return rec, nil, errors.Join(err, tooLong(rec))
	}
	first, err := ump.Decode(row.Origin, codec.Options{})
	if err != nil {
		return rec, nil, err
	}
	first = k.owned(first, evidence)
	first.Origin, first.Current = row.Origin, nil
	if first, err = ump.Author(first, &k.to); err != nil {
		return rec, nil, err
	}
	if row.Current == nil && k.spoken(first, first.Version).Version == first.Version {
		return first, &first, tooLong(first)
	}
	rec.Origin, rec.Current = first.Origin, row.Current
	rec, err = ump.Amend(k.spoken(rec, first.Version), &k.to)
	return rec, &first, errors.Join(err, tooLong(first), tooLong(rec))
}

// spoken gives the present form of a record the edition of the new owner's memory. A
// memory of 0.1 keeps records created as 1.0.
func (k *keyChange) spoken(rec memory.Record, born string) memory.Record {
	rec.Version = born
	if k.edition == ump.LaterEdition {
		rec.Version = k.edition
	}
	return rec
}

// tooLong reports a form that is too long to be read again.
func tooLong(rec memory.Record) error {
	_, err := ump.Decode(rec.Form(), codec.Options{})
	return err
}

// owned returns rec with the new owner in place of the old one. It adds evidence of
// that, if the record has provenance.
func (k *keyChange) owned(rec memory.Record, evidence bool) memory.Record {
	rec.Scope.Owner = k.to.DID()
	if rec.Scope.User == string(k.from) {
		rec.Scope.User = string(k.to.DID())
	}
	if rec.Provenance != nil && evidence {
		p := *rec.Provenance
		p.Evidence = append(slices.Clone(p.Evidence), memory.Evidence{Ref: evidenceOf(k.from)})
		rec.Provenance = &p
	}
	return rec
}

// evidenceOf is the evidence of a record's former owner.
func evidenceOf(from memory.DID) string { return "rekey:" + string(from) }

// verify checks in the store that the new owner has every record of the old owner, with
// the new signature and the same content.
func (k *keyChange) verify(ctx context.Context) error {
	return k.each(ctx, func(_ store.Reader, rows []store.Row) (func() error, error) {
		return func() error {
			return k.kernel.Bare().View(ctx, k.to.DID(), func(r store.Reader) error { return k.compareAll(r, rows) })
		}, nil
	})
}

func (k *keyChange) compareAll(r store.Reader, rows []store.Row) error {
	for _, old := range rows {
		row, err := r.Row(old.ID)
		if err == nil {
			err = k.compare(old, row)
		}
		if memory.KindOf(err) == memory.InvalidRecord {
			return err // it holds another record: the owner has to decide
		}
		if err != nil {
			return &memory.Error{Kind: memory.Internal, ID: old.ID, Err: err,
				Message: "the record did not arrive under the new owner as it was; nothing was erased"}
		}
	}
	return nil
}

// compare verifies one record.
func (k *keyChange) compare(old, row store.Row) error {
	want, err := k.one(old)
	if err != nil {
		return err
	}
	if !bytes.Equal(want.row.Origin, row.Origin) || !bytes.Equal(want.row.Current, row.Current) {
		return holdsSame(row, want) // the new owner had it before
	}
	if row.Columns.Lineage != old.Columns.Lineage {
		return errors.New("it stands elsewhere among its versions")
	}
	if vault.Foreign(want.rec, k.from) {
		return nil // neither form is signed anew
	}
	current := old.Current
	if current == nil && row.Current != nil {
		current = old.Origin // only its edition differs
	}
	for _, forms := range [][2][]byte{{old.Origin, row.Origin}, {current, row.Current}} {
		if forms[0] == nil && forms[1] == nil {
			continue
		}
		if err := ump.Verify(forms[1]); err != nil {
			return err
		}
		if same, err := k.unchanged(forms[0], forms[1]); err != nil || !same {
			return errors.Join(errors.New("it says something else"), err)
		}
	}
	return nil
}

// unchanged reports whether the new form equals the old one, apart from what a rekey
// changes.
func (k *keyChange) unchanged(old, now []byte) (bool, error) {
	before, err := canon.Parse(old, canon.Options{})
	if err != nil {
		return false, err
	}
	after, err := canon.Parse(now, canon.Options{})
	if err != nil {
		return false, err
	}
	scope := after.Get("scope").With("owner", before.Get("scope").Get("owner"))
	if user := before.Get("scope").Get("user"); user.Text() == string(k.from) {
		scope = scope.With("user", user)
	}
	after = after.With("scope", scope)
	if p := after.Get("provenance"); p.Get("evidence").Len() > 0 {
		after = after.With("provenance", k.withoutEvidence(p, before.Get("provenance")))
	}
	said := func(v canon.Value) canon.Value { return v.Without("integrity").Without("ump") }
	return canon.Equal(said(before), said(after)), nil
}

// withoutEvidence removes the evidence of the rekey from a provenance.
func (k *keyChange) withoutEvidence(p, before canon.Value) canon.Value {
	items := p.Get("evidence").Items()
	last := len(items) - 1
	switch {
	case items[last].Get("ref").Text() != evidenceOf(k.from) || before.Get("evidence").Len() > last:
		return p
	case last == 0 && !before.Has("evidence"):
		return p.Without("evidence")
	}
	return p.With("evidence", canon.Array(items[:last]...))
}
