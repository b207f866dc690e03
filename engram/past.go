package engram

import (
	"slices"
	"time"
)

// At is a memory as it was at a time, as far as its history tells (ENGRAM-3.5-11,
// ENGRAM-4-4): values as they were then, without beliefs, changes, corrections and
// constraints that came later. Other members of a belief stay as they are now, because
// no history is kept of them; a tombstone stays one, because nothing else is left.
func At(m Memory, t time.Time) Memory {
	n := m
	n.Beliefs = []Belief{}
	next := changesAfter(m.Evolution, t)
	for _, b := range m.Beliefs {
		if b.CreatedAt.After(t) {
			continue
		}
		n.Beliefs = append(n.Beliefs, b.before(next[b.ID], t))
	}
	n.Evolution = keep(m.Evolution, func(c Change) bool { return !c.ChangedAt.After(t) })
	n.Corrections = keep(m.Corrections, func(c Correction) bool { return !c.CorrectedAt.After(t) })
	if m.Constraints != nil {
		n.Constraints = keep(m.Constraints, func(k Constraint) bool { return !k.CreatedAt.After(t) })
	}
	return n
}

// before is a belief before changes that came after t, the first of them first.
func (b Belief) before(later []Change, t time.Time) Belief {
	if b.Status == Deleted {
		return b
	}
	if len(later) > 0 {
		b.Text = later[0].Old
	}
	if slices.ContainsFunc(later, func(c Change) bool { return c.Trigger == Expiry }) {
		b.Status = Active // decision E-27: expiry archives
	}
	if b.LastConfirmed.After(t) {
		b.LastConfirmed = time.Time{}
	}
	return b
}

// changesAfter groups by belief the changes that came after t, in the order of time.
func changesAfter(list []Change, t time.Time) map[string][]Change {
	later := map[string][]Change{}
	for _, c := range list {
		if c.ChangedAt.After(t) {
			later[c.Belief] = append(later[c.Belief], c)
		}
	}
	for _, group := range later {
		slices.SortStableFunc(group, func(a, b Change) int { return a.ChangedAt.Compare(b.ChangedAt) })
	}
	return later
}
