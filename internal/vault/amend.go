package vault

import (
	"slices"
	"time"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// addition is what a repeated statement adds to a record that is here. The zero addition
// adds nothing.
type addition struct {
	id       memory.ID
	evidence []memory.Evidence
	closedAt time.Time   // another store ended its valid time
	closedBy []memory.ID // by these
}

func (a addition) empty() bool {
	return len(a.evidence) == 0 && a.closedAt.IsZero() && len(a.closedBy) == 0
}

// apply adds a to its record and reports whether that changed it. It never reopens a
// record, the shorter validity wins, and a tombstone from outside forgets nothing here.
// Without the owner's key it leaves evidence out, which would cost the record its
// signature (decision UD-19).
func (e *editor) apply(w store.Writer, a addition, now time.Time) (changed bool, err error) {
	if a.empty() {
		return false, nil
	}
	r, err := w.Row(a.id)
	if err != nil {
		return false, err
	}
	rec, err := e.record(w, r)
	if err != nil {
		return false, err
	}
	next := rec
	if !a.closedAt.IsZero() && (rec.Time.ValidTo.IsZero() || a.closedAt.Before(rec.Time.ValidTo)) {
		next.Time.ValidTo = a.closedAt
	}
	next.SupersededBy = Union(rec.SupersededBy, a.closedBy)
	if e.signer(rec, w.Owner()) != nil && len(a.evidence) > 0 {
		p := *rec.Provenance
		p.Evidence = Union(p.Evidence, a.evidence)
		next.Provenance = &p
	}
	if len(a.evidence) == 0 && next.Time.ValidTo.Equal(rec.Time.ValidTo) && len(next.SupersededBy) == len(rec.SupersededBy) {
		return false, nil // it ended here at least as early
	}
	err = e.amend(w, r, next)
	if memory.KindOf(err) == memory.InvalidRecord {
		return false, nil // full: the record says enough as it is
	}
	if err != nil {
		return false, err
	}
	_, err = w.Record(store.Change{At: now, Type: store.Merged, ID: rec.ID})
	return err == nil, err
}

// mergeNow applies the addition of a merge. Repeating a memory is a change even where it
// adds nothing.
func (e *editor) mergeNow(w store.Writer, d Verdict, now time.Time) error {
	changed, err := e.apply(w, d.addition, now)
	if err != nil || changed {
		return err
	}
	_, err = w.Record(store.Change{At: now, Type: store.Merged, ID: d.id})
	return err
}

// Union returns have and the elements of more that it lacks.
func Union[T comparable](have, more []T) []T {
	out := slices.Clip(have)
	for _, x := range more {
		if !slices.Contains(out, x) {
			out = append(out, x)
		}
	}
	return out
}

// amend writes the current form of a record that the engine has changed, signed in the
// same transaction when the key is held (decision 1). It refuses a change that makes the
// record too long.
func (e *editor) amend(w store.Writer, old store.Row, rec memory.Record) error {
	amended, err := ump.Amend(rec, e.signer(rec, w.Owner()))
	if err != nil {
		return err
	}
	e.vouch(amended)
	if amended.Current != nil {
		if _, err := ump.Decode(amended.Current, codec.Options{}); err != nil {
			return &memory.Error{Kind: memory.InvalidRecord, ID: rec.ID, Err: err,
				Message: "the record is full: it cannot grow by this change"}
		}
	}
	return w.Replace(ReworkedRow(old, amended), LinksOf(amended))
}
