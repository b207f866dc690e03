package condition

import (
	"strings"

	"github.com/satchel-memory/satchel/canon"
)

// logicTerm returns the term of a rule on the payload.
func logicTerm(v canon.Value) term {
	if v.Type() == canon.TypeArray {
		return of(mixed, logicTerms(v.Items())...)
	}
	if v.Type() != canon.TypeObject || v.Len() != 1 {
		return term{}
	}
	op, args := v.Members()[0].Name, logicArgs(v)
	if path, ok := logicPath(v); ok {
		return reading(path)
	}
	switch op {
	case "and":
		return of(allOf, logicTerms(args)...)
	case "or":
		return of(anyOf, logicTerms(args)...)
	case "!":
		return of(not, logicTerms(args[:min(len(args), 1)])...)
	case "==", "===", "!=", "!==":
		if t, ok := logicEqual(args); ok {
			t.loose = len(op) == 2
			if op[0] == '!' {
				return of(not, t)
			}
			return t
		}
	case "in":
		if t, ok := logicIn(args); ok {
			return t
		}
	case "missing", "missing_some":
		return term{}
	case "map", "filter", "all", "none", "some", "reduce": // the second argument sees an item
		if len(args) > 2 {
			return of(mixed, logicTerm(args[0]), logicTerm(args[2]))
		}
		return of(mixed, logicTerms(args[:min(len(args), 1)])...)
	}
	return of(mixed, logicTerms(args)...)
}

func logicTerms(list []canon.Value) []term {
	terms := make([]term, 0, len(list))
	for _, v := range list {
		terms = append(terms, logicTerm(v))
	}
	return terms
}

// logicArgs returns the arguments of a rule. A single argument may stand without a list.
func logicArgs(rule canon.Value) []canon.Value {
	arg := rule.Members()[0].Value
	if arg.Type() == canon.TypeArray {
		return arg.Items()
	}
	return []canon.Value{arg}
}

// logicPath returns the names from the payload to a value.
func logicPath(v canon.Value) ([]string, bool) {
	if v.Type() != canon.TypeObject || v.Len() != 1 || v.Members()[0].Name != "var" {
		return nil, false
	}
	args := logicArgs(v)
	if len(args) != 1 || args[0].Type() != canon.TypeString || args[0].Text() == "" {
		return nil, false
	}
	return strings.Split(args[0].Text(), "."), true
}

// logicEqual returns the term of a comparison of a value with a text, in either order.
func logicEqual(args []canon.Value) (term, bool) {
	if len(args) != 2 {
		return term{}, false
	}
	for i, v := range args {
		if path, ok := logicPath(v); ok && args[1-i].Type() == canon.TypeString {
			return equal(path, args[1-i].Text()), true
		}
	}
	return term{}, false
}

// logicIn returns the term of a test whether a list of texts holds a value.
func logicIn(args []canon.Value) (term, bool) {
	if len(args) != 2 || args[1].Len() == 0 {
		return term{}, false
	}
	path, ok := logicPath(args[0])
	var texts []string
	for _, item := range args[1].Items() {
		texts, ok = append(texts, item.Text()), ok && item.Type() == canon.TypeString
	}
	return oneOf(path, texts), ok && len(texts) > 0
}
