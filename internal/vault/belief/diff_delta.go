package belief

import (
	"slices"
	"time"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/engram"
)

// delta returns the changes that show within the query.
func (d *diff) delta() (engram.Delta, error) {
	was, _, err := engram.Select(d.before.memory(d.label), d.query)
	if err != nil {
		return engram.Delta{}, err
	}
	whole := d.after.memory(d.label)
	is, _, err := engram.Select(whole, d.query)
	if err != nil {
		return engram.Delta{}, err
	}
	was, is = d.all.withoutRejected(was, d.caller), d.all.withoutRejected(is, d.caller)
	out := engram.Delta{
		Since: d.since.at, Added: []engram.Belief{}, Updated: []engram.Belief{}, Deleted: []engram.Tombstone{},
		Corrections: news(was.Corrections, is.Corrections, func(c engram.Correction) string { return c.ID + " " + string(c.Status) }),
		Evolution:   news(was.Evolution, is.Evolution, func(c engram.Change) string { return c.ID }),
	}
	slices.SortStableFunc(out.Corrections, func(a, b engram.Correction) int { return a.CorrectedAt.Compare(b.CorrectedAt) })
	slices.SortStableFunc(out.Evolution, func(a, b engram.Change) int { return a.ChangedAt.Compare(b.ChangedAt) })
	d.beliefs(&out, was.Beliefs, is.Beliefs, whole.Beliefs)
	d.goneBeliefs(&out, is)
	d.constraintsOf(&out, was.Constraints, is.Constraints)
	if !canon.Equal(was.Identity.Wire(), is.Identity.Wire()) { // as the query has it (decision E-14)
		out.Identity = &is.Identity
	}
	out.GeneratedAt = d.generated(out)
	return out, nil
}

// beliefs sorts the changes: added for a reader who did not have the belief, updated,
// deleted, and beliefs that left the query (ENGRAM-3.9-DIFF-5 to 8, decision E-22).
func (d *diff) beliefs(out *engram.Delta, was, is, whole []engram.Belief) {
	known, left, changed := map[string]engram.Belief{}, map[string]bool{}, map[string]bool{}
	for _, b := range was {
		known[b.ID], left[b.ID] = b, b.Status != engram.Deleted
	}
	for _, c := range out.Evolution {
		changed[c.Belief] = true
	}
	d.forgetReopened(known)
	for _, b := range is {
		before, had := known[b.ID]
		delete(left, b.ID)
		switch {
		case b.Status == engram.Deleted && before.Status != engram.Deleted:
			out.Deleted = append(out.Deleted, engram.Tombstone{ID: b.ID, DeletedAt: b.DeletedAt})
		case b.Status == engram.Deleted:
		case had && before.Status != engram.Deleted:
			if changed[b.ID] || !canon.Equal(before.Wire(), b.Wire()) { // not by a proposal alone
				out.Updated = append(out.Updated, b)
			}
		default:
			out.Added = append(out.Added, b)
		}
	}
	for _, b := range was { // now hidden, or of another category
		if left[b.ID] && !d.isGone(b.ID) {
			out.Deleted = append(out.Deleted, engram.Tombstone{ID: b.ID, DeletedAt: leftAt(whole, b.ID, d.moved[b.ID])})
		}
	}
}

// forgetReopened reduces each belief whose earlier version is in force again to the fact
// that it existed: the store no longer has its previous content.
func (d *diff) forgetReopened(known map[string]engram.Belief) {
	for id, g := range d.reopened {
		if delete(known, id); id == g.ID && d.query.Admits(g.Category) {
			known[id] = engram.Belief{ID: id}
		}
	}
}

// leftAt returns when a belief that left the query was deleted, or else when it changed.
func leftAt(whole []engram.Belief, id string, changed time.Time) time.Time {
	i := slices.IndexFunc(whole, func(b engram.Belief) bool { return b.ID == id && b.Status == engram.Deleted })
	if i < 0 {
		return changed.UTC()
	}
	return whole[i].DeletedAt
}

// goneBeliefs adds the tombstones beside the records, except for ids that are back
// within the query.
func (d *diff) goneBeliefs(out *engram.Delta, is engram.Memory) {
	here := map[string]bool{}
	for _, b := range is.Beliefs {
		here[b.ID] = true
	}
	for _, k := range is.Constraints {
		here[k.ID] = true
	}
	for _, g := range d.newly {
		stone := engram.Tombstone{ID: g.ID, DeletedAt: g.DeletedAt}
		switch {
		case here[g.ID]:
		case g.Constraint:
			out.DeletedConstraints = append(out.DeletedConstraints, stone)
		case d.query.Admits(g.Category):
			out.Deleted = append(out.Deleted, stone)
		}
	}
}

// isGone reports whether a belief is among the tombstones beside the records.
func (d *diff) isGone(id string) bool {
	return slices.ContainsFunc(d.newly, func(g tombstoneForm) bool { return g.ID == id && d.query.Admits(g.Category) })
}

// constraintsOf sorts the changed constraints. Every scope includes them.
func (d *diff) constraintsOf(out *engram.Delta, was, is []engram.Constraint) {
	dead := map[string]bool{}
	for _, k := range was {
		dead[k.ID] = k.Status == string(engram.Deleted)
	}
	if out.NewConstraints = []engram.Constraint{}; out.DeletedConstraints == nil {
		out.DeletedConstraints = []engram.Tombstone{}
	}
	for _, k := range is {
		switch {
		case k.Status != string(engram.Deleted):
			out.NewConstraints = append(out.NewConstraints, k)
		case !dead[k.ID]:
			out.DeletedConstraints = append(out.DeletedConstraints, engram.Tombstone{ID: k.ID, DeletedAt: k.DeletedAt})
		}
	}
}

// news returns the entries that were not there before.
func news[T any](was, is []T, name func(T) string) []T {
	had := map[string]bool{}
	for _, x := range was {
		had[name(x)] = true
	}
	out := []T{}
	for _, x := range is {
		if !had[name(x)] {
			out = append(out, x)
		}
	}
	return out
}
