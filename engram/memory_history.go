package engram

import (
	"cmp"
	"slices"
	"time"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/memory"
)

// addHistory adds the evolution and the applied corrections of a belief's versions.
func (t *BeliefHistory) addHistory(id string, list []version) {
	for i, v := range list {
		for _, m := range v.ownMember(residuePlaces).Members() {
			t.places[m.Name] = int(m.Value.Float())
		}
		if v.deleted() {
			continue
		}
		before, known := valueBefore(list, i)
		if known {
			t.addChange(id, list[v.before], v)
		}
		t.addCorrections(id, before, known, v)
	}
}

// valueBefore returns the value of the version that list[i] replaced, if it is known.
func valueBefore(list []version, i int) (string, bool) {
	j := list[i].before
	if j < 0 || list[j].deleted() {
		return "", false
	}
	return list[j].value(), true
}

// addChange adds the entry of evolution between two versions.
func (t *BeliefHistory) addChange(id string, before, v version) {
	if v.ownMember(residueGap).True() {
		return
	}
	old, now := before.value(), v.value()
	if e := v.ownMember(residueEvolution); isObject(e) {
		t.Evolution = append(t.Evolution, ReadChange(restoreEntry(e, id, old, now)))
		return
	}
	if old == now {
		return // confirmed, or changed in another member
	}
	c := Change{
		ID: IDFrom("engram-ump:evolution", string(before.ID), string(v.ID)), Belief: id,
		Old: old, New: now, ChangedAt: v.at(), Trigger: nativeTrigger(v.Provenance),
	}
	c.Value = c.fields()
	t.Evolution = append(t.Evolution, c)
}

// nativeTrigger returns why a record replaced another.
func nativeTrigger(p *memory.Provenance) Trigger {
	if p != nil {
		switch t := Trigger(p.Method); t {
		case UserCorrection, ContradictionResolution, Expiry:
			return t
		}
	}
	return NaturalUpdate
}

// addCorrections adds the corrections that led to a version.
func (t *BeliefHistory) addCorrections(id, before string, known bool, v version) {
	for _, c := range v.ownMember(residueCorrections).Items() {
		if known || c.Has("new_value") {
			t.Corrections = append(t.Corrections, ReadCorrection(restoreEntry(c, id, before, v.value())))
		}
	}
	if !known || before == v.value() || v.hasOwnResidue() || v.Provenance == nil || v.Provenance.Method != string(UserCorrection) {
		return
	}
	c := Correction{
		ID: IDFrom("engram-ump:correction", string(v.ID)), Belief: id, By: ByUser, CorrectedAt: v.at(),
		Old: before, New: v.value(), Method: Explicit,
	}
	c.Value = c.fields()
	t.Corrections = append(t.Corrections, c)
}

// addProposals adds the candidates that contradict one of the versions.
func (t *BeliefHistory) addProposals(id string, list []version, candidates []memory.Record) {
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
		if context := p.residue.Get(residueContext).Text(); context != "" && !p.deleted() {
			t.Contexts[c.ID] = context
		}
		t.Corrections = append(t.Corrections, c)
	}
}

// contradicted returns the index of the newest version that a candidate contradicts; -1:
// none.
func contradicted(list []version, r memory.Record) int {
	for i := len(list) - 1; i >= 0; i-- {
		if slices.Contains(r.Relations, memory.Relation{Type: memory.Contradicts, Target: string(list[i].ID)}) {
			return i
		}
	}
	return -1
}

// proposal returns the correction of one candidate. A deleted candidate has no value.
func proposal(id string, about, p version) Correction {
	old, now := about.value(), p.proposedValue(about)
	if about.deleted() {
		old = ""
	}
	if said := p.residue.Get(residueProposal); isObject(said) {
		c := ReadCorrection(restoreEntry(said, id, old, now))
		if p.deleted() && c.Status != Confirmed {
			c.Status = Rejected
			c.Value = c.Wire()
		}
		return c
	}
	c := Correction{
		ID: IDFrom("engram-ump:proposal", string(p.ID)), Belief: id, By: ByRuntime, CorrectedAt: firstKnown(p.Record),
		Old: old, New: now, Method: Implicit, Status: Pending, Runtime: p.Scope.Agent, ObservedAt: p.at(),
	}
	if c.Runtime == "" {
		c.Runtime = "unknown"
	}
	if p.deleted() {
		c.Status = Rejected
	}
	c.Value = c.fields()
	return c
}

// proposedValue returns the value that a candidate proposes for a belief.
func (v version) proposedValue(about version) string {
	if v.deleted() {
		return ""
	}
	if _, ok := v.statedBelief(); !ok {
		if said, ok := about.statedBelief(); ok {
			v.residue = canon.Object(canon.Member{Name: residueBelief, Value: canon.Object(canon.Member{Name: "key", Value: said.Get("key")})})
		}
	}
	return v.value()
}

// sortByTime sorts entries by time.
func (t *BeliefHistory) sortByTime() {
	sortStable(t.Evolution, func(a, b *Change) int { return a.ChangedAt.Compare(b.ChangedAt) })
	sortStable(t.Corrections, func(a, b *Correction) int { return a.CorrectedAt.Compare(b.CorrectedAt) })
}

// sortStable is [slices.SortStableFunc] for large elements, each of which it moves once: it sorts
// 100,000 changes in no order in less than half the time.
func sortStable[T any](list []T, compare func(a, b *T) int) {
	order, sorted := make([]int, len(list)), true
	for i := range list {
		order[i], sorted = i, sorted && (i == 0 || compare(&list[i-1], &list[i]) <= 0)
	}
	if sorted {
		return
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Or(compare(&list[i], &list[j]), i-j) })
	was := slices.Clone(list)
	for to, from := range order {
		list[to] = was[from]
	}
}

// Collect joins the histories of several beliefs into one memory. Beliefs keep the given
// order. Evolution and corrections come by time, or in the order of the document they came
// from.
func Collect(told []BeliefHistory) Memory {
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
	arrange(m.Evolution, places, func(c *Change) (string, time.Time) { return c.ID, c.ChangedAt })
	arrange(m.Corrections, places, func(c *Correction) (string, time.Time) { return c.ID, c.CorrectedAt })
	return m
}

// arrange sorts entries by time, and then by their recorded places if all have one.
func arrange[T any](list []T, places map[string]int, of func(*T) (string, time.Time)) {
	sortStable(list, func(a, b *T) int {
		_, s := of(a)
		_, u := of(b)
		return s.Compare(u)
	})
	for i := range list {
		id, _ := of(&list[i])
		if _, ok := places[id]; !ok {
			return
		}
	}
	sortStable(list, func(a, b *T) int {
		x, _ := of(a)
		y, _ := of(b)
		return places[x] - places[y]
	})
}
