package engram

import (
	"strings"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

// identityText returns an identity as the text of a record.
func identityText(i Identity) string {
	parts := []string{"Name: " + i.DisplayName, "timezone: " + i.Timezone}
	if i.Role != "" {
		parts = append(parts, "role: "+i.Role)
	}
	return strings.Join(parts, "; ")
}

// identityRecord: see [Mapper.IdentityRecord].
func (m Mapper) identityRecord(i Identity) (memory.Record, error) {
	return m.Forms.Author(m.identityDraft(i))
}

func (m Mapper) identityDraft(i Identity) memory.Record {
	created, updated := i.CreatedAt, i.LastUpdated
	if updated.IsZero() {
		if updated = created; updated.IsZero() {
			updated = m.now()
		}
	}
	if created.IsZero() || created.After(updated) {
		created = updated
	}
	r := memory.Record{
		Kind: memory.Identity, Body: memory.Body{Text: identityText(i)},
		Scope:      memory.Scope{Owner: m.Owner, Visibility: memory.Private},
		Time:       memory.Times{Created: created, Observed: updated, ValidFrom: updated},
		Provenance: &memory.Provenance{Actor: string(m.Owner), ActorKind: memory.ByUser, Method: "engram_identity"},
	}
	var o object
	o.add(residueVersion, canon.Int(1))
	o.add(residueIdentity, i.Wire().Without(carrier))
	return codec.WithResidue(r, residueName, o.value())
}

// IsIdentity reports whether a record holds an identity and not a belief.
func IsIdentity(r memory.Record) bool {
	_, ok := identityOf(r)
	return ok
}

// identityOf reads the identity of a record: its residue, as long as the text still
// matches.
func identityOf(r memory.Record) (Identity, bool) {
	if r.Kind != memory.Identity {
		return Identity{}, false
	}
	v := residueOf(r).Get(residueIdentity)
	if !isObject(v) {
		return Identity{}, false
	}
	i := ReadIdentity(v)
	return i, r.Body.Text == identityText(i)
}

// identityIn: see [Mapper.Identity].
func identityIn(rs []memory.Record) (Identity, bool) {
	_, i, ok := newestIdentity(rs)
	return i, ok
}

// newestIdentity returns the newest active record of an identity: its index and what it
// says.
func newestIdentity(rs []memory.Record) (at int, found Identity, ok bool) {
	for n, r := range rs {
		if r.Lifecycle.Status.Or() != memory.Active || len(r.SupersededBy) > 0 || !r.Time.ValidTo.IsZero() {
			continue
		}
		if i, is := identityOf(r); is && (!ok || !r.Time.From().Before(rs[at].Time.From())) {
			at, found, ok = n, i, true
		}
	}
	return at, found, ok
}

// constraintRecord: see [Mapper.ConstraintRecord].
func (m Mapper) constraintRecord(k Constraint) (memory.Record, error) {
	return m.Forms.Author(m.constraintDraft(k))
}

func (m Mapper) constraintDraft(k Constraint) memory.Record {
	at := k.CreatedAt
	if at.IsZero() {
		at = m.now()
	}
	r := memory.Record{
		Kind: memory.Procedural, Body: memory.Body{Text: k.Rule},
		Scope:      memory.Scope{Owner: m.Owner, Visibility: memory.Private},
		Time:       memory.Times{Created: at, Observed: at, ValidFrom: at},
		Provenance: &memory.Provenance{Actor: string(m.Owner), ActorKind: memory.ByUser, Method: "engram_constraint"},
	}
	said := k.Wire().Without("rule")
	if k.Rule == "" || k.Status == string(Deleted) {
		r.Body.Text, r.Lifecycle.Status = goneText, memory.Tombstoned
		r.Time.ValidTo = at
		if k.DeletedAt.After(at) {
			r.Time.ValidTo = k.DeletedAt
		}
		said = said.Without("note")
	}
	var o object
	o.add(residueVersion, canon.Int(1))
	o.add(residueConstraint, said)
	return codec.WithResidue(r, residueName, o.value())
}

// goneText is the text of a record without its content.
const goneText = "[erased]"

// constraintIn: see [Mapper.Constraint].
func constraintIn(r memory.Record) (Constraint, bool) {
	said := statedConstraint(r)
	if !isObject(said) {
		return Constraint{}, false
	}
	rule := r.Body.Text
	switch {
	case r.Lifecycle.Status == memory.Tombstoned:
		rule = ""
		if !is(said.Get("status"), string(Deleted)) {
			said = without(said, "note").With("status", canon.String(string(Deleted))).
				With("deleted_at", canon.String(FormatInstant(r.Time.ValidTo)))
		}
	case r.Lifecycle.Status == memory.Candidate, len(r.SupersededBy) > 0:
		return Constraint{}, false
	}
	return ReadConstraint(said.With("rule", canon.String(rule))), true
}

// statedConstraint returns the constraint in a record's residue; undefined: there is none.
// Most records have none, and those are not parsed.
func statedConstraint(r memory.Record) canon.Value {
	if !codec.Mentions(r, residueConstraint) {
		return canon.Value{}
	}
	return residueOf(r).Get(residueConstraint)
}
