package condition

import (
	"slices"
	"strconv"
	"strings"

	"github.com/theory/jsonpath/spec"
)

// pathTerm returns the term of a query on the payload.
func pathTerm(q *spec.PathQuery) term {
	var path []string
	for _, segment := range q.Segments() {
		selectors := segment.Selectors()
		if segment.IsDescendant() {
			break
		}
		if name, ok := selectors[0].(spec.Name); ok && len(selectors) == 1 {
			path = append(path, string(name))
			continue
		}
		return of(mixed, selectorTerms(path, selectors)...)
	}
	return reading(path)
}

// selectorTerms returns the term of the selectors after a value. Several of them may
// select.
func selectorTerms(path []string, selectors []spec.Selector) []term {
	terms := []term{reading(path)}
	for _, s := range selectors {
		switch s := s.(type) {
		case spec.Name:
			terms = append(terms, reading(append(slices.Clip(path), string(s))))
		case *spec.FilterSelector:
			terms = append(terms, filterTerm(s.LogicalOr, append(slices.Clip(path), anyStep)))
		}
	}
	return terms
}

// filterTerm returns the term of a filter on the value at current.
func filterTerm(or spec.LogicalOr, current []string) term {
	t := term{op: anyOf}
	for _, and := range or {
		all := term{op: allOf}
		for _, e := range and {
			all.terms = append(all.terms, testTerm(e, current))
		}
		t.terms = append(t.terms, all)
	}
	return t
}

// testTerm returns the term of a part of a filter. A query that selects several values is
// read up to there.
func testTerm(e spec.BasicExpr, current []string) term {
	switch e := e.(type) {
	case *spec.CompExpr:
		return comparisonTerm(e.String(), current)
	case *spec.ParenExpr:
		return filterTerm(e.LogicalOr, current)
	case *spec.NotParenExpr:
		return of(not, filterTerm(e.LogicalOr, current))
	case *spec.ExistExpr:
		return existing(e.PathQuery, current)
	case *spec.NonExistExpr:
		return of(not, existing(e.PathQuery, current))
	}
	return term{}
}

func existing(q *spec.PathQuery, current []string) term {
	from := []string{}
	if strings.HasPrefix(q.String(), "@") {
		from = slices.Clip(current)
	}
	for _, segment := range q.Segments() {
		name, ok := segment.Selectors()[0].(spec.Name)
		if !ok || segment.IsDescendant() || len(segment.Selectors()) > 1 {
			break
		}
		from = append(from, string(name))
	}
	return reading(from)
}

// comparisonTerm returns the term of a comparison, which the library shows only as text.
func comparisonTerm(text string, current []string) term {
	left, rest, ok := operand(text, current)
	op, right, spaced := strings.Cut(strings.TrimPrefix(rest, " "), " ")
	if !ok || !spaced {
		return term{}
	}
	second, rest, ok := operand(right, current)
	if !ok || rest != "" {
		return of(mixed, left)
	}
	for _, pair := range [][2]term{{left, second}, {second, left}} {
		if pair[0].op != asksFor || pair[1].op != is {
			continue
		}
		switch t := equal(pair[0].path, pair[1].text); op {
		case "==":
			return t
		case "!=":
			return of(not, t)
		}
	}
	return of(mixed, left, second)
}

// operand reads the first operand of a comparison: a value, a text (a term with nothing
// else), or anything else without a blank (the zero term).
func operand(text string, current []string) (t term, rest string, ok bool) {
	if quoted, err := strconv.QuotedPrefix(text); err == nil {
		text, rest = quoted, text[len(quoted):]
		text, err = strconv.Unquote(text)
		return term{op: is, text: text}, rest, err == nil
	}
	var path []string
	switch {
	case strings.HasPrefix(text, "@"):
		path = slices.Clip(current)
	case !strings.HasPrefix(text, "$"):
		end := strings.IndexByte(text+" ", ' ')
		return term{}, text[end:], !strings.ContainsAny(text[:end], `("`)
	}
	rest = text[1:]
	for strings.HasPrefix(rest, "[") {
		step, err := strconv.QuotedPrefix(rest[1:])
		if err != nil { // an index
			step, _, _ = strings.Cut(rest[1:], "]")
			path = append(path, step)
		} else if name, err := strconv.Unquote(step); err == nil {
			path = append(path, name)
		}
		rest = strings.TrimPrefix(rest[1+len(step):], "]")
	}
	return reading(path), rest, true
}
