package engram

import (
	"slices"

	"github.com/satchel-memory/satchel/canon"
)

// ScopeName is the scope of an export that answers q: custom where categories are
// listed (decision E-19), or where some of all are left out.
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

// Check says what is wrong with a query: a [*Fault] with [InvalidScope] or
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
			return &Fault{Code: InvalidRequest, Rule: "ENGRAM-3.9-CAT-4", Detail: "unknown category " + shown(string(c)) + "; name one of the ten, each in a parameter of its own"}
		}
	}
	if base == Custom {
		return nil
	}
	for _, c := range q.Categories {
		if !slices.Contains(base.Categories(), c) {
			return &Fault{Code: InvalidScope, Rule: "ENGRAM-3.9-CAT-5", Detail: "category " + shown(string(c)) + " is outside the scope " + string(base)}
		}
	}
	return nil
}

// Included returns the categories that q is about: in the order in which they were
// asked for, else that of section 3.4.
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

// Admits reports whether a category is within q. One that is not standard counts as
// custom (decision E-18).
func (q Query) Admits(c Category) bool { return slices.Contains(q.Included(), c.counted()) }

// counted is the standard category that c counts as.
func (c Category) counted() Category {
	if c.Standard() {
		return c
	}
	return CustomCategory
}

// Definition says what q narrows an export to; nil where it narrows nothing
// (ENGRAM-3.7-2).
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

// Select narrows a memory to a query: beliefs of the categories that are wanted, the
// history of these alone, as much of the identity as the scope may have, and every
// constraint (section 3.7, decisions E-13 to E-18). Of what is deleted nothing stays
// but the tombstone. The memory is not modified, AsOf is not heeded: see [At]. The
// error is that of [Query.Check].
func Select(m Memory, q Query) (Memory, *Definition, error) {
	if err := q.Check(); err != nil {
		return Memory{}, nil, err
	}
	admitted := map[Category]bool{}
	for _, c := range q.Included() {
		admitted[c] = true
	}
	n := Memory{Identity: m.Identity, Beliefs: []Belief{}, Constraints: barred(m.Constraints)}
	living := map[string]bool{}
	for _, b := range m.Beliefs {
		if !admitted[b.Category.counted()] {
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
	if reduced(q.ScopeName()) {
		n.Identity = n.Identity.reduced()
	}
	return n, q.Definition(), nil
}

// keep returns those that are wanted, and an empty list rather than nil.
func keep[T any](list []T, wanted func(T) bool) []T {
	kept := []T{}
	for _, x := range list {
		if wanted(x) {
			kept = append(kept, x)
		}
	}
	return kept
}

// Bare is the tombstone of a belief: nothing that it said (decision E-13).
func (b Belief) Bare() Belief {
	return Belief{ID: b.ID, Category: b.Category, Key: b.Key, Source: b.Source, Status: Deleted, CreatedAt: b.CreatedAt, DeletedAt: b.DeletedAt}
}

// barred are the constraints; of those that are deleted, the tombstones.
func barred(list []Constraint) []Constraint {
	out := slices.Clone(list)
	for i, k := range out {
		if k.Status == string(Deleted) {
			out[i] = k.Bare()
		}
	}
	return out
}

// Bare is the tombstone of a constraint: nothing that it said.
func (k Constraint) Bare() Constraint {
	return Constraint{ID: k.ID, Category: k.Category, CreatedAt: k.CreatedAt, SetBy: k.SetBy, Status: string(Deleted), DeletedAt: k.DeletedAt}
}

// reduced reports whether a scope gets no more of an identity than a reader needs
// (decision E-14).
func reduced(s Scope) bool { return s == Financial || s == Custom }

func (i Identity) reduced() Identity {
	return Identity{DisplayName: i.DisplayName, Timezone: i.Timezone, Locale: i.Locale}
}

// shown is a word of somebody else's, short and in quotes.
func shown(s string) string {
	const most = 40
	if len(s) > most {
		s = s[:most] + "…"
	}
	return string(canon.String(s).Append(nil))
}
