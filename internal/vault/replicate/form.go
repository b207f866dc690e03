package replicate

import (
	"bytes"
	"errors"
	"slices"
	"time"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/internal/replica"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// related holds the other records and the attachments that determine a record's present form.
type related struct {
	successors []memory.Record   // that end the record's validity, by id
	edges      []memory.Relation // from bundles
}

// relatedTo reads what is related to the record of a row. born is the record as its author wrote
// it.
func (t *tx) relatedTo(row store.Row, born memory.Record) (a related, err error) {
	users, err := t.w.Relating(string(row.ID))
	if err != nil {
		return a, err
	}
	for _, id := range users {
		if id == row.ID {
			continue
		}
		later, err := t.w.Row(id)
		if errors.Is(err, store.ErrNotFound) {
			continue
		}
		if err != nil {
			return a, err
		}
		next, damage, err := t.kernel.Read(t.w, later)
		if err != nil {
			return a, err
		}
		if damage == nil && t.closes(later, next, row, born) {
			a.successors = append(a.successors, next)
		}
	}
	slices.SortFunc(a.successors, func(x, y memory.Record) int { return bytes.Compare([]byte(x.ID), []byte(y.ID)) })
	err = vault.EachBeside(t.w, store.AttachmentFilter{Space: vault.EdgeSpace, From: row.ID}, func(e store.Attachment) error {
		if rel, ok := vault.RelationOf(e); ok && !e.Staged {
			a.edges = append(a.edges, rel)
		}
		return nil
	})
	slices.SortFunc(a.edges, replica.CompareRelations)
	a.edges = slices.Compact(a.edges)
	return a, err
}

// closes reports whether next ends the validity of the record of a row. A proposal does not end a
// record in force. A successor that a token's bearer wrote no longer does once it is forgotten.
func (t *tx) closes(nextRow store.Row, next memory.Record, row store.Row, born memory.Record) bool {
	if !slices.Contains(next.Supersedes, row.ID) || vault.OfAnother(row, next) {
		return false
	}
	if next.Lifecycle.Status == memory.Tombstoned && vault.OfToken(t.kernel, next) {
		return false
	}
	first := nextRow
	first.Current = nil
	if first.Origin == nil {
		return true
	}
	made, err := vault.Decoded(first)
	proposed := err == nil && made.Lifecycle.Status.Or() == memory.Candidate
	return !proposed || born.Lifecycle.Status.Or() == memory.Candidate
}

// authored decodes the record of a row as its author wrote it.
func authored(row store.Row) (memory.Record, error) {
	row.Current = nil
	return vault.Decoded(row)
}

// present returns a record in its present form, by its facts and its related records. It returns
// the same bytes on every machine with the same facts and related records.
func (t *tx) present(row store.Row, f replica.Record, a related) (memory.Record, error) {
	rec, err := authored(row)
	if err != nil {
		return rec, err
	}
	if f.Base != nil {
		base, err := ump.DecodeForm(f.Base, codec.Options{})
		if err != nil || base.ID != rec.ID {
			return rec, errors.Join(replica.ErrMalformed, err)
		}
		base.Origin, base.Integrity = rec.Origin, rec.Integrity
		rec = base
	}
	rec.Current = nil
	var key *keys.Private
	if !vault.Foreign(rec, t.owner) {
		key = t.kernel.Holder(t.owner)
		if t.later() {
			rec.Version = ump.LaterEdition
		}
	}
	bare := rec
	for _, with := range []struct{ evidence, edges bool }{{true, true}, {true, false}, {false, false}} {
		rec, err = ump.Amend(withFacts(bare, f, a, with.evidence, with.edges), key)
		if err == nil && rec.Current != nil {
			_, err = ump.Decode(rec.Current, codec.Options{})
		}
		if err == nil {
			t.kernel.Vouch(rec)
			return rec, nil
		}
	}
	return rec, err // the record is too large even without added evidence and edges
}

// withFacts returns a record with the changes that its facts and its related records make.
func withFacts(rec memory.Record, f replica.Record, a related, evidence, edges bool) memory.Record {
	if evidence && rec.Provenance != nil && len(f.Evidence) > 0 {
		p := *rec.Provenance
		p.Evidence = slices.Clone(p.Evidence)
		for _, e := range f.Evidence {
			if !slices.ContainsFunc(p.Evidence, func(k memory.Evidence) bool { return evidenceItem(k) == e }) {
				p.Evidence = append(p.Evidence, memoryEvidence(e))
			}
		}
		rec.Provenance = &p
	}
	rec.Relations = vault.Union(rec.Relations, f.Relations)
	if edges {
		rec.Relations = vault.Union(rec.Relations, a.edges)
	}
	var by []memory.ID
	for _, e := range f.Ends {
		if e.By != "" {
			by = append(by, e.By)
		}
		if !e.At.IsZero() && (rec.Time.ValidTo.IsZero() || e.At.Before(rec.Time.ValidTo)) {
			rec.Time.ValidTo = e.At
		}
	}
	for _, next := range a.successors {
		by = append(by, next.ID)
		rec.Time = vault.Until(rec.Time, next.Time)
	}
	slices.Sort(by)
	rec.SupersededBy = vault.Union(rec.SupersededBy, by)
	if act, ok := f.InForce(); ok {
		rec = tombstoned(rec, act)
	}
	return rec
}

// tombstoned returns a record after an act of forgetting.
func tombstoned(rec memory.Record, act replica.Forget) memory.Record {
	if said, err := canon.Parse(act.Decision, canon.Options{}); act.Decision != nil && err == nil {
		rec = codec.WithResidue(rec, engram.Name, said)
	}
	why, err := canon.Parse(act.Reason, canon.Options{})
	if err != nil {
		why = canon.Object()
	}
	at, _ := time.Parse(time.RFC3339Nano, why.Get("at").Text())
	rec = vault.Tombstone(rec, memory.ForgetRequest{}, at)
	own, _ := codec.Residue(rec, "satchel")
	rec = codec.WithResidue(rec, "satchel", own.With("forgotten", why))
	if act.Actor != "" && rec.Provenance != nil {
		p := *rec.Provenance
		p.Actor = act.Actor
		rec.Provenance = &p
	}
	return rec
}

func evidenceItem(e memory.Evidence) replica.Evidence {
	if e.Weight == nil {
		return replica.Evidence{Ref: e.Ref}
	}
	return replica.Evidence{Ref: e.Ref, Weight: *e.Weight, Weighted: true}
}

func memoryEvidence(e replica.Evidence) memory.Evidence {
	if !e.Weighted {
		return memory.Evidence{Ref: e.Ref}
	}
	return memory.Evidence{Ref: e.Ref, Weight: &e.Weight}
}
