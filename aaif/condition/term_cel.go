package condition

import (
	"slices"

	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/operators"
	"cel.dev/cel-go/common/types"
)

// celTerm returns the term of an expression. bound are the variables of macros.
func celTerm(e ast.Expr, bound []string) term {
	if path, ok := celPath(e, bound); ok {
		return reading(path)
	}
	switch e.Kind() {
	case ast.SelectKind:
		return celTerm(e.AsSelect().Operand(), bound)
	case ast.CallKind:
		return celCall(e.AsCall(), bound)
	case ast.ListKind:
		return of(mixed, celTerms(e.AsList().Elements(), bound)...)
	case ast.MapKind:
		t := term{}
		for _, entry := range e.AsMap().Entries() {
			t.terms = append(t.terms, celTerm(entry.AsMapEntry().Key(), bound), celTerm(entry.AsMapEntry().Value(), bound))
		}
		return t
	case ast.ComprehensionKind:
		c := e.AsComprehension()
		inner := append(slices.Clip(bound), c.IterVar(), c.IterVar2(), c.AccuVar())
		return of(mixed, celTerm(c.IterRange(), bound), celTerm(c.AccuInit(), bound), celTerm(c.LoopCondition(), inner), celTerm(c.LoopStep(), inner), celTerm(c.Result(), inner))
	}
	return term{}
}

func celTerms(list []ast.Expr, bound []string) []term {
	terms := make([]term, 0, len(list))
	for _, e := range list {
		terms = append(terms, celTerm(e, bound))
	}
	return terms
}

func celCall(call ast.CallExpr, bound []string) term {
	args := call.Args()
	switch call.FunctionName() {
	case operators.LogicalAnd:
		return of(allOf, celTerms(args, bound)...)
	case operators.LogicalOr:
		return of(anyOf, celTerms(args, bound)...)
	case operators.LogicalNot:
		return of(not, celTerms(args, bound)...)
	case operators.Equals, operators.NotEquals:
		if t, ok := celEqual(args, bound); ok {
			if call.FunctionName() == operators.NotEquals {
				return of(not, t)
			}
			return t
		}
	case operators.In:
		if path, ok := celPath(args[0], bound); ok {
			if texts, ok := literalTexts(args[1]); ok {
				return oneOf(path, texts)
			}
		}
	}
	terms := celTerms(args, bound)
	if call.IsMemberFunction() {
		terms = append(terms, celTerm(call.Target(), bound))
	}
	return of(mixed, terms...)
}

// celEqual returns the term of a comparison of a value with a text, in either order.
func celEqual(args []ast.Expr, bound []string) (term, bool) {
	for i, e := range args {
		if path, ok := celPath(e, bound); ok {
			if text, ok := literalText(args[1-i]); ok {
				return equal(path, text), true
			}
		}
	}
	return term{}, false
}

// celPath returns the names from the payload to a value.
func celPath(e ast.Expr, bound []string) ([]string, bool) {
	switch e.Kind() {
	case ast.IdentKind:
		name := e.AsIdent()
		return []string{name}, !slices.Contains(bound, name) && !slices.Contains(typeNames(), name)
	case ast.SelectKind:
		path, ok := celPath(e.AsSelect().Operand(), bound)
		return append(path, e.AsSelect().FieldName()), ok
	case ast.CallKind:
		if call := e.AsCall(); call.FunctionName() == operators.Index {
			key, known := literalText(call.Args()[1])
			path, ok := celPath(call.Args()[0], bound)
			return append(path, key), known && ok
		}
	}
	return nil, false
}

func literalText(e ast.Expr) (string, bool) {
	if e.Kind() != ast.LiteralKind {
		return "", false
	}
	text, ok := e.AsLiteral().(types.String)
	return string(text), ok
}

func literalTexts(e ast.Expr) ([]string, bool) {
	if e.Kind() != ast.ListKind {
		return nil, false
	}
	var texts []string
	for _, item := range e.AsList().Elements() {
		text, ok := literalText(item)
		if !ok {
			return nil, false
		}
		texts = append(texts, text)
	}
	return texts, len(texts) > 0
}
