package condition

import "slices"

// term is what an expression asks, as far as it can be read without a payload, in the
// same form for every language. What cannot be read is left out, so that nothing follows
// from it.
type term struct {
	op    operation
	terms []term   // of allOf, anyOf, not and mixed
	path  []string // of asksFor and is: the names that lead from the payload to a value
	text  string   // of is
	loose bool     // of is: values that are no texts may be equal, too
}

// operation is what a term is.
type operation int

// The operations. The zero term asks nothing.
const (
	mixed operation = iota // its parts are asked for, whatever is made of them
	allOf
	anyOf
	not
	asksFor // a value
	is      // compares a value with a text
)

// anyStep stands in a path for every name, or the index of every item. No name of a
// document is this one.
const anyStep = "\x00any"

func of(op operation, terms ...term) term   { return term{op: op, terms: terms} }
func reading(path []string) term            { return term{op: asksFor, path: path} }
func equal(path []string, text string) term { return term{op: is, path: path, text: text} }

// oneOf is a term that compares a value with each of some texts.
func oneOf(path, texts []string) term {
	t := term{op: anyOf}
	for _, text := range texts {
		t.terms = append(t.terms, equal(path, text))
	}
	return t
}

// must returns the texts of which the value at a path is one where the term is true, and
// false where it may be anything. text says that the value is a text or nothing, so that
// a loose comparison is as good as any.
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

// unless returns the texts of which the value at a path is one where the term is false.
func (t term) unless(path []string, text bool) ([]string, bool) {
	switch t.op {
	case not:
		return of(allOf, t.terms...).must(path, text)
	case anyOf: // all parts are false then
		for _, part := range t.terms {
			if texts, ok := part.unless(path, text); ok {
				return texts, true
			}
		}
	}
	return nil, false
}

// compared returns the paths that a term compares with a text, each once, and false where
// there are more than most, of which the rest is not looked for.
func (t term) compared(most int) (paths [][]string, ok bool) {
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
