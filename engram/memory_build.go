package engram

import (
	"slices"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

// now returns the time of new records.
func (m Mapper) now() time.Time {
	if m.Now == nil {
		return time.Time{}
	}
	return m.Now()
}

// residueBeliefOf returns what a version's residue keeps of a belief.
func residueBeliefOf(b Belief) canon.Value { return without(b.Wire(), "id", "value", carrier) }

// setMembers sets the record's members that repeat what a belief says.
func setMembers(r *memory.Record, said canon.Value) {
	r.Lifecycle.Confidence, r.Lifecycle.Decay = nil, ""
	if c, ok := confidenceIn(said); ok {
		r.Lifecycle.Confidence = &c
	}
	if days, ok := wholeDays(said.Get("stale_after_days")); ok {
		r.Lifecycle.Decay = decayOf(days)
	}
	r.Relations = slices.DeleteFunc(slices.Clone(r.Relations), func(rel memory.Relation) bool {
		return rel.Type == memory.About && strings.HasPrefix(rel.Target, "entity:"+categoryEntity)
	})
	if category := said.Get("category").Text(); category != "" {
		r.Relations = append(r.Relations, memory.Relation{Type: memory.About, Target: "entity:" + categoryEntity + category})
	}
}

// provenance returns the provenance of a record made here.
func (m Mapper) provenance(s Source, method string) *memory.Provenance {
	p := &memory.Provenance{Actor: string(m.Owner), ActorKind: memory.ByUser, Method: method}
	if s == Inferred {
		p.ActorKind = memory.ByModel
	}
	if method == "" {
		p.Method = methodOf(s)
	}
	return p
}

// methodOf returns the provenance method for a belief's source.
func methodOf(s Source) string {
	switch s {
	case Corrected:
		return string(UserCorrection)
	case "":
		return string(Inferred)
	}
	return string(s)
}

// draft: see [Mapper.Draft].
func (m Mapper) draft(b Belief) (memory.Record, error) {
	at := b.CreatedAt
	if at.IsZero() {
		at = m.now()
	}
	said := residueBeliefOf(b)
	r := memory.Record{
		Kind: memory.Semantic, Body: memory.Body{Text: b.Key + keyed + b.Text},
		Scope:      memory.Scope{Owner: m.Owner, Visibility: memory.Private},
		Time:       memory.Times{Created: at, Observed: at, ValidFrom: at},
		Provenance: m.provenance(b.Source, ""),
	}
	if b.Status == Archived {
		r.Time.ValidTo = at
	}
	setMembers(&r, said)
	var o object
	o.add(residueVersion, canon.Int(1))
	o.add(residueID, canon.String(b.ID))
	o.add(residueBelief, said)
	return m.Forms.Author(codec.WithResidue(r, residueName, o.value()))
}

// next: see [Mapper.Next].
func (m Mapper) next(prior memory.Record, b Belief, c Change, by []Correction) (memory.Record, error) {
	at := c.ChangedAt
	if at.IsZero() {
		at = m.now()
	}
	was := version{Record: prior, residue: residueOf(prior), before: -1}
	said := residueBeliefOf(b)
	r := successor(was, b, at)
	r.Provenance = m.provenance(b.Source, string(c.Trigger))
	if len(by) > 0 && !slices.ContainsFunc(by, func(c Correction) bool { return c.By == ByUser }) {
		r.Provenance.ActorKind = memory.ByAgent
	}
	if c.ID != "" && c.Context != "" {
		r.Provenance.Evidence = []memory.Evidence{{Ref: evidenceOf(c.ID)}}
	}
	setMembers(&r, said)
	var o object
	o.add(residueVersion, canon.Int(1))
	o.add(residueID, canon.String(b.ID))
	o.add(residueBelief, said)
	if c.ID != "" {
		o.add(residueEvolution, trimEntry(c.Wire(), was.value(), b.Text))
	} else {
		o.add(residueGap, canon.Bool(true))
	}
	o.put(residueCorrections, correctionsOf(by, was.value(), b.Text))
	o.put(residueIssuer, was.residue.Get(residueIssuer))
	return m.Forms.Author(codec.WithResidue(r, residueName, o.value()))
}

// evidenceOf returns a record's reference to an entry of evolution.
func evidenceOf(id string) string { return "engram:evolution:" + id }

// correctionsOf returns what a version's residue keeps of corrections; undefined: none.
func correctionsOf(list []Correction, before, after string) canon.Value {
	if len(list) == 0 {
		return canon.Value{}
	}
	items := make([]canon.Value, len(list))
	for i, c := range list {
		items[i] = trimEntry(c.Wire(), before, after)
	}
	return canon.Array(items...)
}

// successor returns the record that follows was and holds b, without the members that
// setMembers sets.
func successor(was version, b Belief, at time.Time) memory.Record {
	r := memory.Record{
		Kind: was.Kind, Scope: was.Scope, Consent: was.Consent, Relations: was.Relations,
		Body:       memory.Body{Text: was.text(b.Key, b.Text), Structured: was.Body.Structured},
		Time:       memory.Times{Created: at, Observed: at, ValidFrom: at},
		Supersedes: []memory.ID{was.ID},
	}
	r.Lifecycle.Salience = was.Lifecycle.Salience
	if b.Status == Archived {
		r.Time.ValidTo = at
	}
	return r
}

// text spells a value the way this version does: with its key, unless the version states
// none.
func (v version) text(key, value string) string {
	if v.Scope.Project != "" && v.Kind != memory.Identity {
		value = strings.TrimPrefix(value, inProject(v.Scope.Project))
	}
	if _, ok := v.statedBelief(); ok || value == "" || strings.HasPrefix(v.Body.Text, v.key()+keyed) || strings.HasPrefix(value, key+keyed) {
		return key + keyed + value
	}
	return value
}

// candidate: see [Mapper.Candidate].
func (m Mapper) candidate(current memory.Record, p Proposal, id string, at time.Time) (memory.Record, error) {
	was := version{Record: current, residue: residueOf(current), before: -1}
	c := Correction{
		ID: id, Belief: p.Belief, By: ByRuntime, CorrectedAt: at, Old: was.value(), New: p.New,
		Method: Implicit, Status: Pending, Runtime: p.Runtime, ObservedAt: p.ObservedAt,
	}
	if p.Runtime == "" {
		c.By = BySystem
	}
	r := m.candidateDraft(was, c)
	r.Provenance = &memory.Provenance{Actor: actorOf(p.Runtime, m.Owner), ActorKind: memory.ByAgent, Method: methodProposed}
	return m.Forms.Author(codec.WithResidue(r, residueName, proposalResidue(was, c, p.Context)))
}

// methodProposed is the provenance method of a candidate.
const methodProposed = "engram_correction"

func actorOf(runtime string, owner memory.DID) string {
	if runtime == "" {
		return string(owner)
	}
	return runtime
}

// candidateDraft returns the candidate record of a correction to was, without provenance
// and residue. It is valid from the observation, but no later than the correction: the
// runtime may name a wrong time, and a confirmed candidate must hold.
func (m Mapper) candidateDraft(was version, c Correction) memory.Record {
	from := c.ObservedAt
	if from.IsZero() || from.After(c.CorrectedAt) {
		from = c.CorrectedAt
	}
	r := memory.Record{
		Kind: was.Kind, Scope: was.Scope, Consent: was.Consent,
		Body:      memory.Body{Text: was.text(was.key(), c.New)},
		Time:      memory.Times{Created: c.CorrectedAt, Observed: c.CorrectedAt, ValidFrom: from},
		Lifecycle: memory.Lifecycle{Status: memory.Candidate},
		Relations: []memory.Relation{{Type: memory.Contradicts, Target: string(was.ID)}},
	}
	r.Scope.Agent = c.Runtime
	return r
}

func proposalResidue(was version, c Correction, context string) canon.Value {
	var o object
	o.add(residueVersion, canon.Int(1))
	o.add(residueID, canon.String(c.Belief))
	if _, ok := was.statedBelief(); ok {
		o.add(residueBelief, keyOnly(was.key(), ""))
	}
	o.add(residueProposal, trimEntry(c.Wire(), was.value(), c.New))
	if context != "" {
		o.add(residueContext, canon.String(context))
	}
	return o.value()
}

// keyOnly returns the residue's belief for a version that was never current in this store.
func keyOnly(key string, category Category) canon.Value {
	var o object
	o.may("category", string(category))
	o.must("key", key)
	return o.value()
}
