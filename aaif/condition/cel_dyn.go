package condition

import (
	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/ast"
)

// untyped hides the types of lists and maps while an expression is checked. A
// list of lists of maps has a type as large as it is deep, {a:a} has one twice as
// large as that of a, and the library works them all out, whatever that takes.
// As dyn(…) their types are all the same. What is put around them is taken away
// afterwards: the library knows its own macros by their lists.
type untyped struct {
	factory ast.ExprFactory
	next    int64 // id of a node
	hidden  []hidden
}

// hidden is a list or a map, and the node that it stood in.
type hidden struct{ at, inside ast.Expr }

// checkUntyped checks an expression, except for what is in its lists and maps.
func checkUntyped(language *cel.Env, parsed *cel.Ast) (*cel.Ast, *cel.Issues) {
	tree := parsed.NativeRep()
	u := untyped{factory: ast.NewExprFactory(), next: ast.MaxID(tree)}
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

// result returns the list or map that is all an expression can come to. It stays
// in sight, for the type of an expression is asked for.
func result(e ast.Expr) ast.Expr {
	if e.Kind() == ast.ComprehensionKind {
		return e.AsComprehension().AccuInit()
	}
	return e
}

func (u *untyped) hide(e ast.Expr) {
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
	u.hidden = append(u.hidden, hidden{e, inside})
	e.SetKindCase(u.factory.NewCall(e.ID(), "dyn", inside))
}
