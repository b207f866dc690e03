package engram

import (
	"slices"
	"time"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/memory"
)

// history tells evolution and applied corrections of the versions of a belief.
func (t *Told) history(id string, list []version) {
	for i, v := range list {
		for _, m := range v.own(residuePlaces).Members() {
			t.places[m.Name] = int(m.Value.Float())
		}
		if v.gone() {
			continue
		}
		before, known := valueBefore(list, i)
		if known {
			t.evolved(id, list[v.before], v)
		}
		t.corrected(id, before, known, v)
	}
}

// valueBefore returns what the version said that another replaced, if that is known.
func valueBefore(list []version, i int) (string, bool) {
	j := list[i].before
	if j < 0 || list[j].gone() {
		return "", false
	}
	return list[j].value(), true
}

// evolved appends the entry of evolution that led from one version to the next.
func (t *Told) evolved(id string, before, v version) {
	if v.own(residueGap).True() {
		return
	}
	old, now := before.value(), v.value()
	if e := v.own(residueEvolution); isObject(e) {
		t.Evolution = append(t.Evolution, ReadChange(underived(e, id, old, now)))
		return
	}
	if old == now {
		return // confirmed, or changed in something else
	}
	c := Change{
		ID: IDFrom("engram-ump:evolution", string(before.ID), string(v.ID)), Belief: id,
		Old: old, New: now, ChangedAt: v.at(), Trigger: nativeTrigger(v.Provenance),
	}
	c.Value = c.fields()
	t.Evolution = append(t.Evolution, c)
}

// nativeTrigger says why a record replaced another.
func nativeTrigger(p *memory.Provenance) Trigger {
	if p != nil {
		switch t := Trigger(p.Method); t {
		case UserCorrection, ContradictionResolution, Expiry:
			return t
		}
	}
	return NaturalUpdate
}

// corrected appends the corrections by which a version came to be.
func (t *Told) corrected(id, before string, known bool, v version) {
	for _, c := range v.own(residueCorrections).Items() {
		if known || c.Has("new_value") {
			t.Corrections = append(t.Corrections, ReadCorrection(underived(c, id, before, v.value())))
		}
	}
	if !known || before == v.value() || v.told() || v.Provenance == nil || v.Provenance.Method != string(UserCorrection) {
		return
	}
	c := Correction{
		ID: IDFrom("engram-ump:correction", string(v.ID)), Belief: id, By: ByUser, CorrectedAt: v.at(),
		Old: before, New: v.value(), Method: Explicit,
	}
	c.Value = c.fields()
	t.Corrections = append(t.Corrections, c)
}

// proposals tells the candidates that contradict one of the versions.
func (t *Told) proposals(id string, list []version, candidates []memory.Record) {
	for _, r := range candidates {
		about := contradicted(list, r)
		if about < 0 {
			continue
		}
		p := version{Record: r, residue: residueOf(r), before: about}
		for _, m := range p.residue.Get(residuePlaces).Members() {
			t.places[m.Name] = int(m.Value.Float())
		}
		c := proposal(id, list[about], p)
		if context := p.residue.Get(residueContext).Text(); context != "" && !p.gone() {
			t.Contexts[c.ID] = context
		}
		t.Corrections = append(t.Corrections, c)
	}
}

// contradicted returns the index of the newest version that a candidate contradicts,
// -1: there is none.
func contradicted(list []version, r memory.Record) int {
	for i := len(list) - 1; i >= 0; i-- {
		if slices.Contains(r.Relations, memory.Relation{Type: memory.Contradicts, Target: string(list[i].ID)}) {
			return i
		}
	}
	return -1
}

// proposal tells one candidate. What was deleted is told without its value.
func proposal(id string, about, p version) Correction {
	old, now := about.value(), p.proposed(about)
	if about.gone() {
		old = ""
	}
	if said := p.residue.Get(residueProposal); isObject(said) {
		c := ReadCorrection(underived(said, id, old, now))
		if p.gone() && c.Status != Confirmed {
			c.Status = Rejected
			c.Value = c.Wire()
		}
		return c
	}
	c := Correction{
		ID: IDFrom("engram-ump:proposal", string(p.ID)), Belief: id, By: ByRuntime, CorrectedAt: learned(p.Record),
		Old: old, New: now, Method: Implicit, Status: Pending, Runtime: p.Scope.Agent, ObservedAt: p.at(),
	}
	if c.Runtime == "" {
		c.Runtime = "unknown"
	}
	if p.gone() {
		c.Status = Rejected
	}
	c.Value = c.fields()
	return c
}

// proposed returns the value that a candidate proposes for a belief.
func (v version) proposed(about version) string {
	if v.gone() {
		return ""
	}
	if _, ok := v.stated(); !ok {
		if said, ok := about.stated(); ok {
			v.residue = canon.Object(canon.Member{Name: residueBelief, Value: canon.Object(canon.Member{Name: "key", Value: said.Get("key")})})
		}
	}
	return v.value()
}

// order puts entries in the order of time.
func (t *Told) order() {
	slices.SortStableFunc(t.Evolution, func(a, b Change) int { return a.ChangedAt.Compare(b.ChangedAt) })
	slices.SortStableFunc(t.Corrections, func(a, b Correction) int { return a.CorrectedAt.Compare(b.CorrectedAt) })
}

// Collect puts what was told of several beliefs into one memory: beliefs in the order
// given, evolution and corrections by time, or as they stood in the document that they
// came in.
func Collect(told []Told) Memory {
	m := Memory{Beliefs: make([]Belief, 0, len(told)), Evolution: []Change{}, Corrections: []Correction{}}
	places := map[string]int{}
	for _, t := range told {
		m.Beliefs = append(m.Beliefs, t.Belief)
		m.Evolution = append(m.Evolution, t.Evolution...)
		m.Corrections = append(m.Corrections, t.Corrections...)
		for id, n := range t.places {
			places[id] = n
		}
	}
	arrange(m.Evolution, places, func(c Change) (string, time.Time) { return c.ID, c.ChangedAt })
	arrange(m.Corrections, places, func(c Correction) (string, time.Time) { return c.ID, c.CorrectedAt })
	return m
}

// arrange sorts entries by time, and puts those that have a place into it.
func arrange[T any](list []T, places map[string]int, of func(T) (string, time.Time)) {
	slices.SortStableFunc(list, func(a, b T) int {
		_, s := of(a)
		_, u := of(b)
		return s.Compare(u)
	})
	all := len(list) > 0
	for _, e := range list {
		id, _ := of(e)
		_, ok := places[id]
		all = all && ok
	}
	if !all {
		return
	}
	slices.SortStableFunc(list, func(a, b T) int {
		x, _ := of(a)
		y, _ := of(b)
		return places[x] - places[y]
	})
}
