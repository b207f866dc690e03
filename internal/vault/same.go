package vault

import (
	"slices"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// same settles a record whose id is here already: the same content is fine, what
// another store has done to it since is taken over, anything else is refused
// and changes nothing (UMP-3.3-11, decisions UD-11, UD-19).
func (v *Vault) same(w store.Writer, old store.Row, p prepared) (memory.Remembered, error) {
	have, err := record(old)
	if err != nil {
		return memory.Remembered{}, err
	}
	merged := memory.Remembered{ID: have.ID, Outcome: memory.Merged}
	for _, known := range [][]byte{old.Origin, old.Current} {
		if known != nil && sameContent(known, p.rec.Form()) {
			return merged, nil
		}
	}
	if v.redactedCopy(have, p.rec) {
		return merged, nil
	}
	if p.imp != 0 && sameBirth(have, p.rec) {
		return merged, v.catchUp(w, old, have, p.rec)
	}
	return memory.Remembered{}, otherContent(p.rec.ID)
}

// twice settles a record whose id the same import has staged before.
func (v *Vault) twice(w store.Writer, p prepared) (memory.Remembered, error) {
	rows, err := w.Duplicates(ump.DuplicateKey(p.rec), p.imp)
	if err != nil {
		return memory.Remembered{}, err
	}
	for _, r := range rows {
		if r.ID == p.rec.ID && sameContent(r.Origin, p.rec.Form()) {
			return memory.Remembered{ID: r.ID, Outcome: memory.Merged}, nil
		}
	}
	return memory.Remembered{}, otherContent(p.rec.ID)
}

func otherContent(id memory.ID) error {
	return &memory.Error{
		Kind: memory.InvalidRecord, ID: id, Path: "/id", Rule: "UMP-3.3-11",
		Message: "a record with this id says something else; leave the id out, or revise the record",
	}
}

// sameContent compares two forms by what is hashed: all but integrity.
func sameContent(a, b []byte) bool {
	x, err := ump.ContentHash(a)
	if err != nil {
		return false
	}
	y, err := ump.ContentHash(b)
	return err == nil && x == y
}

// redactedCopy reports whether incoming is have with its redacted paths removed:
// the fuller record stays.
func (v *Vault) redactedCopy(have, incoming memory.Record) bool {
	stripped, err := ump.Redact(have, v.holder(have.Scope.Owner))
	return err == nil && sameContent(stripped.Form(), incoming.Form())
}

// sameBirth reports whether two records differ at most in what engines change.
func sameBirth(a, b memory.Record) bool {
	x, err := ump.Amend(open(a), nil)
	if err != nil {
		return false
	}
	y, err := ump.Amend(open(b), nil)
	return err == nil && sameContent(x.Form(), y.Form())
}

// open returns rec as if no engine had closed it.
func open(rec memory.Record) memory.Record {
	rec.Time.ValidTo = rec.Time.From()
	rec.SupersededBy = []memory.ID{"urn:ump:none"}
	rec.Lifecycle.Status = memory.Active
	return rec
}

// catchUp takes over what another store has done to the same record: it was
// closed there. Nothing is opened, shortened validity wins, and a tombstone from
// outside forgets nothing here.
func (v *Vault) catchUp(w store.Writer, old store.Row, have, incoming memory.Record) error {
	next := have
	if to := incoming.Time.ValidTo; !to.IsZero() && (have.Time.ValidTo.IsZero() || to.Before(have.Time.ValidTo)) {
		next.Time.ValidTo = to
	}
	for _, id := range incoming.SupersededBy {
		if !slices.Contains(next.SupersededBy, id) {
			next.SupersededBy = append(slices.Clone(next.SupersededBy), id)
		}
	}
	if next.Time.ValidTo.Equal(have.Time.ValidTo) && len(next.SupersededBy) == len(have.SupersededBy) {
		return nil
	}
	return v.amend(w, old, next)
}
