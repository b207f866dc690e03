package engram

import (
	"slices"

	"github.com/satchel-memory/satchel/canon"
)

// ScopeName returns the scope of an export that answers q: custom when q lists categories
// (decision E-19) or leaves some of all out.
func (q Query) ScopeName() Scope {
	switch {
	case q.Categories != nil, q.base() == Full && len(q.Excluded) > 0:
		return Custom
	}
	return q.base()
}

func (q Query) base() Scope {
	if q.Scope == "" {
		return Full
	}
	return q.Scope
}

// Check returns what is wrong with a query: a [*Fault] with [InvalidScope] or
// [InvalidRequest] (decisions E-19 to E-21).
func (q Query) Check() error {
	base := q.base()
	if !slices.Contains(Scopes(), base) && base != Custom {
		return &Fault{Code: InvalidScope, Rule: "ENGRAM-3.9-SCOPE-3", Detail: "there is no such scope; ask for full, professional, personal, financial or minimal"}
	}
	if base == Custom && q.Categories == nil {
		return &Fault{Code: InvalidScope, Rule: "ENGRAM-3.9-SCOPE-4", Detail: "the scope custom needs categories"}
	}
	if q.Categories != nil && len(q.Categories) == 0 {
		return &Fault{Code: InvalidRequest, Rule: "ENGRAM-3.9-CAT-4", Detail: "no category is named"}
	}
	for _, c := range slices.Concat(q.Categories, q.Excluded) {
		if !c.Standard() {
			return &Fault{Code: InvalidRequest, Rule: "ENGRAM-3.9-CAT-4", Detail: "unknown category " + quoted(string(c)) + "; name one of the ten, each in a parameter of its own"}
		}
	}
	if base == Custom {
		return nil
	}
	for _, c := range q.Categories {
		if !slices.Contains(base.Categories(), c) {
			return &Fault{Code: InvalidScope, Rule: "ENGRAM-3.9-CAT-5", Detail: "category " + quoted(string(c)) + " is outside the scope " + string(base)}
		}
	}
	return nil
}

// Included returns the categories of q, in the order of the request, else that of section
// 3.4.
func (q Query) Included() []Category {
	wanted := q.Categories
	if wanted == nil {
		wanted = q.base().Categories()
	}
	included := []Category{}
	for _, c := range wanted {
		if !slices.Contains(q.Excluded, c) && !slices.Contains(included, c) {
			included = append(included, c)
		}
	}
	return included
}

// Admits reports whether q includes a category. A category that is not standard counts as
// custom (decision E-18).
func (q Query) Admits(c Category) bool { return slices.Contains(q.Included(), c.forScope()) }

// forScope returns the standard category that c counts as.
func (c Category) forScope() Category {
	if c.Standard() {
		return c
	}
	return CustomCategory
}

// Definition returns what q narrows an export to; nil: to nothing (ENGRAM-3.7-2).
func (q Query) Definition() *Definition {
	if q.ScopeName() == Full {
		return nil
	}
	d := &Definition{Included: q.Included(), Excluded: []Category{}}
	for _, c := range Categories() {
		if !slices.Contains(d.Included, c) {
			d.Excluded = append(d.Excluded, c)
		}
	}
	return d
}

// Select narrows a memory to a query (section 3.7, decisions E-13 to E-18): beliefs of the
// wanted categories with their history, the part of the identity that the scope may have,
// and every constraint. Only the tombstone of a deleted object stays. Select does not
// modify m and ignores AsOf: see [At]. The error is that of [Query.Check].
func Select(m Memory, q Query) (Memory, *Definition, error) {
	if err := q.Check(); err != nil {
		return Memory{}, nil, err
	}
	admitted := map[Category]bool{}
	for _, c := range q.Included() {
		admitted[c] = true
	}
	n := Memory{Identity: m.Identity, Beliefs: []Belief{}, Constraints: bareConstraints(m.Constraints)}
	living := map[string]bool{}
	for _, b := range m.Beliefs {
		if !admitted[b.Category.forScope()] {
			continue
		}
		if b.Status == Deleted {
			b = b.Bare()
		}
		living[b.ID] = b.Status != Deleted
		n.Beliefs = append(n.Beliefs, b)
	}
	n.Evolution = keep(m.Evolution, func(c Change) bool { return living[c.Belief] })
	n.Corrections = keep(m.Corrections, func(c Correction) bool {
		return living[c.Belief] && !(q.NoPending && c.Status == Pending)
	})
	if minimalIdentity(q.ScopeName()) {
		n.Identity = n.Identity.minimal()
	}
	return n, q.Definition(), nil
}

// keep returns the wanted items, and an empty list rather than nil.
func keep[T any](list []T, wanted func(T) bool) []T {
	kept := []T{}
	for _, x := range list {
		if wanted(x) {
			kept = append(kept, x)
		}
	}
	return kept
}

// Bare returns the tombstone of a belief, without anything the belief said (decision E-13).
func (b Belief) Bare() Belief {
	return Belief{ID: b.ID, Category: b.Category, Key: b.Key, Source: b.Source, Status: Deleted, CreatedAt: b.CreatedAt, DeletedAt: b.DeletedAt}
}

// bareConstraints returns the constraints, with tombstones for the deleted ones.
func bareConstraints(list []Constraint) []Constraint {
	out := slices.Clone(list)
	for i, k := range out {
		if k.Status == string(Deleted) {
			out[i] = k.Bare()
		}
	}
	return out
}

// Bare returns the tombstone of a constraint, without anything it said.
func (k Constraint) Bare() Constraint {
	return Constraint{ID: k.ID, Category: k.Category, CreatedAt: k.CreatedAt, SetBy: k.SetBy, Status: string(Deleted), DeletedAt: k.DeletedAt}
}

// minimalIdentity reports whether a scope gets only the part of an identity that a reader
// needs (decision E-14).
func minimalIdentity(s Scope) bool { return s == Financial || s == Custom }

func (i Identity) minimal() Identity {
	return Identity{DisplayName: i.DisplayName, Timezone: i.Timezone, Locale: i.Locale}
}

// quoted returns foreign text, shortened and in quotes.
func quoted(s string) string {
	const most = 40
	if len(s) > most {
		s = s[:most] + "…"
	}
	return string(canon.String(s).Append(nil))
}
