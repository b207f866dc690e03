package engram

import "slices"

// Categories returns the ten standard categories in the order of section 3.4.
func Categories() []Category {
	return []Category{Communication, WorkStyle, DecisionMaking, Relationships, Projects, Values, Learning, Health, Finances, CustomCategory}
}

// Standard reports whether c is one of the ten standard categories.
func (c Category) Standard() bool { return slices.Contains(Categories(), c) }

// Scopes returns the scopes that a caller can ask for by name (section 3.9).
func Scopes() []Scope { return []Scope{Full, Professional, Personal, Financial, Minimal} }

// Categories returns what a standard scope includes (section 3.7); nil for Custom and
// unknown scopes.
func (s Scope) Categories() []Category {
	switch s {
	case Full:
		return Categories()
	case Professional:
		return []Category{Communication, WorkStyle, Projects, DecisionMaking, Values}
	case Personal:
		return []Category{Relationships, Health, Learning, CustomCategory}
	case Financial:
		return []Category{Finances}
	case Minimal:
		return []Category{Communication}
	}
	return nil
}
