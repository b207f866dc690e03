package replicate

import (
	"bytes"
	"slices"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/internal/replica"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// learnFacts compares a record's present form with the form that its facts give, and stores the
// facts that are missing. It so finds what was done on this machine.
func (t *tx) learnFacts(row store.Row) error {
	f, err := t.factsOf(row.ID)
	if err != nil || row.Origin == nil || row.Current == nil && isPlain(f) {
		return err
	}
	rec, damage, err := t.kernel.Read(t.w, row)
	if err != nil || damage != nil {
		return err // doctor reports it
	}
	born, err := authored(row)
	if err != nil {
		return nil //nolint:nilerr // doctor reports it
	}
	a, err := t.relatedTo(row, born)
	if err != nil {
		return err
	}
	is, err := t.present(row, f, a)
	if err == nil && bytes.Equal(is.Form(), rec.Form()) {
		return nil
	}
	next, err := t.factsShown(row, rec, born, f, a)
	if err != nil {
		return err
	}
	return t.setFacts(row.ID, next)
}

// factsShown returns the facts f, and those that the present form rec shows besides.
func (t *tx) factsShown(row store.Row, rec, born memory.Record, f replica.Record, a related) (replica.Record, error) {
	known := withFacts(born, f, a, true, true)
	switch wasForgotten := rec.Lifecycle.Status == memory.Tombstoned && born.Lifecycle.Status != memory.Tombstoned; {
	case wasForgotten:
		act := forgetOf(rec, born)
		if now, ok := f.InForce(); !ok || !bytes.Equal(now.Mark(), act.Mark()) {
			f = f.Join(replica.Record{Forgets: []replica.Forget{act}})
		}
	default:
		f = f.TakeBack()
	}
	var more replica.Record
	if rec.Provenance != nil {
		for _, e := range rec.Provenance.Evidence {
			if born.Provenance == nil || !slices.ContainsFunc(born.Provenance.Evidence, func(k memory.Evidence) bool { return evidenceItem(k) == evidenceItem(e) }) {
				more.Evidence = append(more.Evidence, evidenceItem(e))
			}
		}
	}
	for _, rel := range rec.Relations {
		if !slices.Contains(born.Relations, rel) && !slices.Contains(a.edges, rel) {
			more.Relations = append(more.Relations, rel)
		}
	}
	for _, id := range rec.SupersededBy {
		if !slices.Contains(known.SupersededBy, id) && !t.isErased(id) {
			more.Ends = append(more.Ends, replica.End{By: id})
		}
	}
	f = f.Join(more)
	if end, is := rec.Time.ValidTo, withFacts(born, f, a, true, true).Time.ValidTo; !end.IsZero() && (is.IsZero() || end.Before(is)) {
		f = f.Join(replica.Record{Ends: []replica.End{{At: end}}})
	}
	return t.withBase(row, rec, born, f, a)
}

// withBase sets Base if the other facts do not give the present form rec.
func (t *tx) withBase(row store.Row, rec, born memory.Record, f replica.Record, a related) (replica.Record, error) {
	f.Base = nil
	is, err := t.present(row, f, a)
	if err != nil {
		return f, err
	}
	want, err := canon.Parse(rec.Form(), canon.Options{})
	if err != nil {
		return f, err
	}
	got, err := canon.Parse(is.Form(), canon.Options{})
	if err != nil {
		return f, err
	}
	origin, err := canon.Parse(row.Origin, canon.Options{})
	if err != nil {
		return f, err
	}
	if base := baseForm(want, origin); !canon.Identical(base, baseForm(got, origin)) {
		f.Base = base.AppendCanonical(nil)
	}
	return f, nil
}

// baseForm returns a form with the origin's members in place of all members that facts other
// than Base change.
func baseForm(form, origin canon.Value) canon.Value {
	form = form.Without("integrity")
	for _, name := range []string{"ump", "superseded_by", "relations"} {
		form = withMemberOf(form, origin, name)
	}
	form = form.With("lifecycle", withMemberOf(form.Get("lifecycle"), origin.Get("lifecycle"), "status"))
	form = form.With("time", withMemberOf(form.Get("time"), origin.Get("time"), "valid_to"))
	if origin.Has("provenance") {
		said := withMemberOf(form.Get("provenance"), origin.Get("provenance"), "evidence")
		form = form.With("provenance", withMemberOf(said, origin.Get("provenance"), "actor"))
	}
	body := form.Get("body")
	structured := body.Get("structured")
	if structured.Type() == canon.TypeObject {
		own := origin.Get("body").Get("structured")
		structured = withMemberOf(structured, own, engram.Name)
		structured = withMemberOf(structured, own, "satchel")
		if structured.Len() == 0 && !origin.Get("body").Has("structured") {
			body = body.Without("structured")
		} else {
			body = body.With("structured", structured)
		}
	}
	form = form.With("body", body)
	for _, name := range []string{"lifecycle", "time"} {
		if form.Get(name).Len() == 0 && !origin.Has(name) {
			form = form.Without(name)
		}
	}
	return form
}

// withMemberOf returns an object with a member as another object has it: set, or removed.
func withMemberOf(v, other canon.Value, name string) canon.Value {
	if v.Type() != canon.TypeObject {
		v = canon.Object()
	}
	if other.Has(name) {
		return v.With(name, other.Get(name))
	}
	return v.Without(name)
}

// forgetOf returns the act of forgetting that a forgotten record shows.
func forgetOf(rec, born memory.Record) (act replica.Forget) {
	own, _ := codec.Residue(rec, "satchel")
	why := own.Get("forgotten")
	if why.Type() != canon.TypeObject {
		why = canon.Object()
	}
	act.Reason = why.AppendCanonical(nil)
	said, ok := codec.Residue(rec, engram.Name)
	if was, _ := codec.Residue(born, engram.Name); ok && !canon.Identical(said, was) {
		act.Decision = said.AppendCanonical(nil)
		act.Approved = said.Get("proposal").Get("status").Text() == string(engram.Confirmed)
	}
	if rec.Provenance != nil && born.Provenance != nil && rec.Provenance.Actor != born.Provenance.Actor {
		act.Actor = rec.Provenance.Actor
	}
	return act
}

// shellForm returns the canonical form of a shell, without integrity.
func shellForm(form []byte) ([]byte, error) {
	v, err := canon.Parse(form, canon.Options{})
	if err != nil {
		return nil, err
	}
	return v.Without("integrity").AppendCanonical(nil), nil
}
