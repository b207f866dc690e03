package condition

import (
	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/ast"
)

// typeHider hides the types of lists and maps while an expression is checked. A list of
// lists of maps has a type as large as it is deep, and {a:a} has one twice as large as
// that of a; the library computes them all, whatever that costs. Wrapped in dyn(…), all
// have the same type. The wrappers are removed afterwards, because the library recognises
// its own macros by their lists.
type typeHider struct {
	factory ast.ExprFactory
	next    int64 // a node's id
	hidden  []hiddenValue
}

// hiddenValue is a list or a map, and the node it stood in.
type hiddenValue struct{ at, inside ast.Expr }

// checkHidingTypes checks an expression, except for the content of its lists and maps.
func checkHidingTypes(language *cel.Env, parsed *cel.Ast) (*cel.Ast, *cel.Issues) {
	tree := parsed.NativeRep()
	u := typeHider{factory: ast.NewExprFactory(), next: ast.MaxID(tree)}
	visible := result(tree.Expr())
	ast.PostOrderVisit(tree.Expr(), ast.NewExprVisitor(func(e ast.Expr) {
		if e != visible {
			u.hide(e)
		}
	}))
	checked, issues := language.Check(parsed)
	for _, h := range u.hidden {
		h.at.SetKindCase(h.inside)
	}
	return checked, issues
}

// result returns the list or map that is the only possible result of an expression. It
// stays visible, because the expression's type is needed.
func result(e ast.Expr) ast.Expr {
	if e.Kind() == ast.ComprehensionKind {
		return e.AsComprehension().AccuInit()
	}
	return e
}

func (u *typeHider) hide(e ast.Expr) {
	var inside ast.Expr
	switch e.Kind() {
	case ast.ListKind:
		inside = u.factory.NewList(u.next, e.AsList().Elements(), e.AsList().OptionalIndices())
	case ast.MapKind:
		inside = u.factory.NewMap(u.next, e.AsMap().Entries())
	default:
		return
	}
	u.next++
	u.hidden = append(u.hidden, hiddenValue{e, inside})
	e.SetKindCase(u.factory.NewCall(e.ID(), "dyn", inside))
}
