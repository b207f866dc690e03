package engram

import (
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

// candidateOf makes the candidate of a proposal; a rejected one has ended.
func (in *recordBuilder) candidateOf(b Belief, current memory.Record, c Correction) (memory.Record, error) {
	was := version{Record: current, residue: residueOf(current), before: -1}
	if c.CorrectedAt.IsZero() {
		c.CorrectedAt = in.issued()
	}
	r := in.candidateDraft(was, c)
	if c.Status == Rejected {
		r.Time.ValidTo = c.CorrectedAt
	}
	r.Provenance = &memory.Provenance{Actor: actorOf(c.Runtime, in.Owner), ActorKind: memory.ByAgent, Method: methodProposed}
	r = in.imported(r, "")
	v := proposalResidue(was, c, "")
	if places := in.placesOf(c.ID); isObject(places) {
		v = v.With(residuePlaces, places)
	}
	return in.Forms.Author(codec.WithResidue(r, residueName, v))
}

// tombstone makes the record of a deleted belief.
func (in *recordBuilder) tombstone(i int, b Belief, history bool) error {
	said := b.Wire()
	kept := object{}
	for _, name := range []string{"category", "key", "value", "confidence", "source", "status", "created_at", "deleted_at"} {
		if v := said.Get(name); name != "value" || is(v, "") {
			kept.put(name, v)
		}
	}
	v := kept.value()
	if history || said.Len() > v.Len()+1 {
		in.lose(pointer("beliefs", i), lossDeleted)
	}
	at, end := b.CreatedAt, b.DeletedAt
	if end.IsZero() {
		end = in.issued()
	}
	if at.IsZero() || at.After(end) {
		at = end
	}
	r := memory.Record{
		Kind: memory.Semantic, Body: memory.Body{Text: goneText},
		Scope:      memory.Scope{Owner: in.Owner, Visibility: memory.Private},
		Time:       memory.Times{Created: at, Observed: at, ValidFrom: at, ValidTo: end},
		Lifecycle:  memory.Lifecycle{Status: memory.Tombstoned},
		Provenance: in.provenance(b.Source, ""),
	}
	var o object
	o.add(residueVersion, canon.Int(1))
	o.add(residueID, canon.String(b.ID))
	o.add(residueBelief, v)
	in.addDocument(&o)
	made, err := in.Forms.Author(codec.WithResidue(in.imported(r, ""), residueName, o.value()))
	if err != nil {
		return err
	}
	in.records = append(in.records, made)
	return nil
}
