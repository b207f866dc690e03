package engram

import (
	"cmp"
	"slices"
	"time"

	"github.com/satchel-memory/satchel/canon"
)

// memory returns what all exports say.
func (m *merger) memory() Memory {
	var out Memory
	out.Beliefs, out.Evolution, out.Corrections = []Belief{}, []Change{}, []Correction{}
	for _, id := range m.order {
		out.Beliefs = append(out.Beliefs, m.beliefs[id].withStores(len(m.docs) > 1))
	}
	living := func(id string) bool { x, ok := m.beliefs[id]; return !ok || x.Status != Deleted }
	for _, c := range m.changes {
		if living(c.Belief) {
			out.Evolution = append(out.Evolution, c)
		}
	}
	for _, c := range m.fixes {
		if living(c.Belief) {
			out.Corrections = append(out.Corrections, c)
		}
	}
	byTime := func(a, b time.Time, x, y string) int { return cmp.Or(a.Compare(b), cmp.Compare(x, y)) }
	slices.SortFunc(out.Beliefs, func(a, b Belief) int { return byTime(a.CreatedAt, b.CreatedAt, a.ID, b.ID) })
	slices.SortFunc(out.Evolution, func(a, b Change) int { return byTime(a.ChangedAt, b.ChangedAt, a.ID, b.ID) })
	slices.SortFunc(out.Corrections, func(a, b Correction) int { return byTime(a.CorrectedAt, b.CorrectedAt, a.ID, b.ID) })
	out.Identity = m.identity()
	out.Constraints = m.constraints()
	return out
}

// withStores returns a belief that names its stores (ENGRAM-12.2-2). A changed belief drops
// the records that a store carried with it, since they no longer match.
func (x *mergedBelief) withStores(several bool) Belief {
	v := x.Wire()
	if x.touch {
		v = v.Without(carrier)
	}
	if several {
		list := make([]canon.Value, len(x.stores))
		for i, s := range x.stores {
			list[i] = canon.String(s)
		}
		v = v.With(mergeSource, canon.Array(list...))
	}
	return ReadBelief(v)
}

// identity returns the latest of the fullest identities: an export of a narrow scope has
// only a part.
func (m *merger) identity() Identity {
	best := 0
	for i := range m.docs {
		if a, b := m.docs[i], m.docs[best]; laterIdentity(a, b) {
			best = i
		}
	}
	m.report.Identity = m.docs[best].Issuer.URL
	return m.docs[best].Identity
}

func laterIdentity(a, b Document) bool {
	whole := func(d Document) int {
		if minimalIdentity(d.Scope) {
			return 0
		}
		return 1
	}
	at := func(d Document) time.Time {
		for _, t := range []time.Time{d.Identity.LastUpdated, d.Identity.CreatedAt} {
			if !t.IsZero() {
				return t
			}
		}
		return time.Time{}
	}
	return cmp.Or(cmp.Compare(whole(a), whole(b)), at(a).Compare(at(b)), -cmp.Compare(spells(a.Identity), spells(b.Identity))) > 0
}

// constraints returns the constraints of all exports; nil when no export has the member. A
// constraint deleted in any export is deleted; any other stays in force, so a merge loses
// no hard rule.
func (m *merger) constraints() []Constraint {
	by := map[string]Constraint{}
	some := false
	for _, d := range m.docs {
		some = some || d.Constraints != nil
		for _, k := range d.Constraints {
			if had, ok := by[k.ID]; !ok || stricter(k, had) {
				by[k.ID] = k
			}
		}
	}
	if !some {
		return nil
	}
	out := []Constraint{}
	for _, k := range by {
		out = append(out, k)
	}
	slices.SortFunc(out, func(a, b Constraint) int { return cmp.Or(a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(a.ID, b.ID)) })
	return out
}

func stricter(k, had Constraint) bool {
	standing := func(k Constraint) int { return slices.Index([]string{"suspended", "active", "deleted"}, k.Status) }
	return cmp.Or(cmp.Compare(standing(k), standing(had)), k.CreatedAt.Compare(had.CreatedAt), -cmp.Compare(spells(k), spells(had))) > 0
}

// extent returns the scope of the result and its end: the common scope, or the categories
// of any export, until the earliest end.
func (m *merger) extent() (Scope, *Definition) {
	scope, until := m.docs[0].Scope, time.Time{}
	var included []Category
	for _, d := range m.docs {
		if d.Scope != scope {
			scope = Custom
		}
		included = append(included, categoriesOf(d)...)
		if d.Definition != nil && !d.Definition.ValidUntil.IsZero() && (until.IsZero() || d.Definition.ValidUntil.Before(until)) {
			until = d.Definition.ValidUntil
		}
	}
	q := Query{Scope: scope}
	if scope == Custom {
		q.Scope, q.Categories = "", keep(Categories(), func(c Category) bool { return slices.Contains(included, c) })
	}
	def := q.Definition()
	if def == nil && !until.IsZero() {
		def = &Definition{Included: Categories(), Excluded: []Category{}}
	}
	if def != nil {
		def.ValidUntil = until
	}
	if len(q.Categories) == len(Categories()) {
		scope = Full
	}
	return scope, def
}

// categoriesOf returns the categories that an export may hold.
func categoriesOf(d Document) []Category {
	if d.Definition != nil && len(d.Definition.Included) > 0 {
		return d.Definition.Included
	}
	return d.Scope.Categories()
}

// mergeReport completes the report.
func (m *merger) mergeReport() MergeReport {
	r := m.report
	for _, d := range m.docs {
		r.Sources = append(r.Sources, MergeSource{Issuer: d.Issuer.URL, Subject: d.Subject.ID, Scope: d.Scope, IssuedAt: d.IssuedAt, Beliefs: len(d.Beliefs)})
	}
	for _, id := range m.order {
		switch m.beliefs[id].Status {
		case Active:
			r.Active++
		case Archived:
			r.Archived++
		case Deleted:
			r.Deleted++
		}
	}
	for _, d := range r.Decisions {
		if d.Outcome == Waits {
			r.Waiting++
		}
	}
	return r
}
