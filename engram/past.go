package engram

import (
	"slices"
	"time"
)

// At returns a memory as it was at a time, as far as its history tells (ENGRAM-3.5-11,
// ENGRAM-4-4). Values are those of that time; later beliefs, changes, corrections and
// constraints are missing. Other members of a belief stay as they are now, because there is
// no history of them. A tombstone stays a tombstone, because nothing else is left.
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

// before returns a belief as it was before the changes after t, earliest change first.
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

// changesAfter groups the changes after t by belief, in the order of time.
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
