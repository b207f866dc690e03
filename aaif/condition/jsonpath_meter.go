package condition

import (
	"strings"

	"github.com/theory/jsonpath/spec"
)

// gauge is the meter of a query and its payload. It belongs to one query and is set for
// each decision.
type gauge struct {
	meter *meter
	size  int // the payload's size
	// program sizes of the latest patterns
	pattern     string
	patternSize int
}

func (g *gauge) spend(n int) bool { return g.meter.spend(n) }

// query returns q with selectors that count.
func (g *gauge) query(q *spec.PathQuery) *spec.PathQuery {
	segments := make([]*spec.Segment, 0, len(q.Segments()))
	for _, s := range q.Segments() {
		selectors := make([]spec.Selector, 0, len(s.Selectors()))
		for _, selector := range s.Selectors() {
			selectors = append(selectors, g.selector(selector, s.IsDescendant()))
		}
		if s.IsDescendant() {
			segments = append(segments, spec.Descendant(selectors...))
		} else {
			segments = append(segments, spec.Child(selectors...))
		}
	}
	return spec.Query(strings.HasPrefix(q.String(), "$"), segments...)
}

// descentSteps is the steps of a value found at any depth: the library copies it once per
// level.
const descentSteps = 8

func (g *gauge) selector(s spec.Selector, descendant bool) spec.Selector {
	filter, ok := s.(*spec.FilterSelector)
	switch {
	case !ok && descendant:
		return meteredSelector{s, g, descentSteps}
	case !ok:
		return meteredSelector{s, g, 1}
	}
	return meteredFilter{
		FilterSelector: spec.Filter(g.logical(filter.LogicalOr)...),
		gauge:          g,
		cost:           1 + len(filter.String())/testBytes,
		compared:       comparisons(filter.LogicalOr),
	}
}

// meteredSelector is a selector that selects nothing once the steps are spent. It embeds
// a selector, because no other package can implement all its methods.
type meteredSelector struct {
	spec.Selector
	gauge *gauge
	cost  int // steps per selected value
}

// Select implements [spec.Selector].
func (c meteredSelector) Select(current, root any) []any {
	if !c.gauge.spend(1) {
		return nil
	}
	found := c.Selector.Select(current, root)
	if !c.gauge.spend(len(found) * c.cost) {
		return nil
	}
	return found
}

// testBytes is how many bytes of a filter's text are tested per step.
const testBytes = 8

// meteredFilter is a filter that charges for every value before testing it.
type meteredFilter struct {
	*spec.FilterSelector
	gauge    *gauge
	cost     int // steps per test
	compared int // comparisons between two parts of the payload
}

// Select implements [spec.Selector].
func (c meteredFilter) Select(current, root any) []any {
	var found []any
	test := func(v any) bool {
		if !c.gauge.spend(c.cost + c.compared*c.gauge.size) {
			return false
		}
		if c.Eval(v, root) {
			found = append(found, v)
		}
		return true
	}
	switch current := current.(type) {
	case []any:
		for _, v := range current {
			if !test(v) {
				return nil
			}
		}
	case map[string]any:
		for _, v := range current {
			if !test(v) {
				return nil
			}
		}
	}
	return found
}

// logical returns a filter expression whose queries count.
func (g *gauge) logical(or spec.LogicalOr) spec.LogicalOr {
	out := make(spec.LogicalOr, 0, len(or))
	for _, and := range or {
		counted := make(spec.LogicalAnd, 0, len(and))
		for _, e := range and {
			counted = append(counted, g.basic(e))
		}
		out = append(out, counted)
	}
	return out
}

// basic returns a part of a filter whose queries count. Comparisons hold only single
// values, and functions got metered arguments when they were parsed.
func (g *gauge) basic(e spec.BasicExpr) spec.BasicExpr {
	switch e := e.(type) {
	case *spec.ExistExpr:
		return spec.Existence(g.query(e.PathQuery))
	case *spec.NonExistExpr:
		return spec.Nonexistence(g.query(e.PathQuery))
	case *spec.ParenExpr:
		return spec.Paren(g.logical(e.LogicalOr)...)
	case *spec.NotParenExpr:
		return spec.NotParen(g.logical(e.LogicalOr)...)
	}
	return e
}

// comparisons counts the comparisons between two non-literals, which can take as long as
// the payload is large.
func comparisons(or spec.LogicalOr) int {
	n := 0
	for _, and := range or {
		for _, e := range and {
			switch e := e.(type) {
			case *spec.CompExpr:
				if queries(e.String()) > 1 {
					n++
				}
			case *spec.ParenExpr:
				n += comparisons(e.LogicalOr)
			case *spec.NotParenExpr:
				n += comparisons(e.LogicalOr)
			}
		}
	}
	return n
}

// queries counts the beginnings of queries in the text of an expression.
func queries(text string) int {
	n, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case !quoted && (c == '@' || c == '$'):
			n++
		}
	}
	return n
}
