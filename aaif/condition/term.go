package condition

import "slices"

// term is the meaning of an expression, as far as it can be read without a payload, in
// one form for all languages. Unreadable parts are left out, so that no conclusion
// depends on them.
type term struct {
	op    termKind
	terms []term   // for allOf, anyOf, not and mixed
	path  []string // for asksFor and is: the names from the payload to a value
	text  string   // for is
	loose bool     // for is: a value that is no text may be equal, too
}

// termKind is the kind of a term.
type termKind int

// The kinds. The zero term asks nothing.
const (
	mixed termKind = iota // uses its parts in an unknown way
	allOf
	anyOf
	not
	asksFor // uses a value
	is      // compares a value with a text
)

// anyStep stands in a path for any name or index. No document has such a name.
const anyStep = "\x00any"

func of(op termKind, terms ...term) term    { return term{op: op, terms: terms} }
func reading(path []string) term            { return term{op: asksFor, path: path} }
func equal(path []string, text string) term { return term{op: is, path: path, text: text} }

// oneOf returns a term that compares a value with each of some texts.
func oneOf(path, texts []string) term {
	t := term{op: anyOf}
	for _, text := range texts {
		t.terms = append(t.terms, equal(path, text))
	}
	return t
}

// must returns the texts that the value at a path can be if the term is true; false if it
// can be anything. text says that the value is a text or missing, so that a loose
// comparison counts as a strict one.
func (t term) must(path []string, text bool) (texts []string, ok bool) {
	switch t.op {
	case is:
		return []string{t.text}, slices.Equal(t.path, path) && (text || !t.loose)
	case allOf:
		for _, part := range t.terms {
			switch more, known := part.must(path, text); {
			case known && ok:
				texts = slices.DeleteFunc(texts, func(s string) bool { return !slices.Contains(more, s) })
			case known:
				texts, ok = more, true
			}
		}
		return texts, ok
	case anyOf:
		for _, part := range t.terms {
			more, known := part.must(path, text)
			if !known {
				return nil, false
			}
			texts = append(texts, more...)
		}
		return texts, len(t.terms) > 0
	}
	return nil, false
}

// unless returns the texts that the value at a path can be if the term is false.
func (t term) unless(path []string, text bool) ([]string, bool) {
	switch t.op {
	case not:
		return of(allOf, t.terms...).must(path, text)
	case anyOf: // then all its parts are false
		for _, part := range t.terms {
			if texts, ok := part.unless(path, text); ok {
				return texts, true
			}
		}
	}
	return nil, false
}

// comparedPaths returns the paths that a term compares with a text, each once. It returns
// false and stops if there are more than most.
func (t term) comparedPaths(most int) (paths [][]string, ok bool) {
	for part := range t.all() {
		if part.op != is || slices.ContainsFunc(paths, func(p []string) bool { return slices.Equal(p, part.path) }) {
			continue
		}
		if len(paths) == most {
			return nil, false
		}
		paths = append(paths, part.path)
	}
	return paths, true
}

// all yields a term and all its parts.
func (t term) all() func(func(term) bool) {
	return func(yield func(term) bool) { t.visit(yield) }
}

func (t term) visit(yield func(term) bool) bool {
	if !yield(t) {
		return false
	}
	for _, part := range t.terms {
		if !part.visit(yield) {
			return false
		}
	}
	return true
}
