package arch

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// checkInit refuses functions that run by themselves.
func (c *checker) checkInit(f *source) {
	for _, decl := range f.syntax.Decls {
		if fn, ok := decl.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Name.Name == "init" {
			c.report(Init, fn.Pos(), "no init: build the value where it is used, or list it literally")
		}
	}
}

// checkVariables allows package variables only as constants that the language
// cannot express: sentinels, compiled patterns, tables, embedded files, checks of
// an interface.
func (c *checker) checkVariables() {
	for _, f := range c.unit.files {
		for _, decl := range f.syntax.Decls {
			if d, ok := decl.(*ast.GenDecl); ok && d.Tok == token.VAR && !f.test {
				for _, spec := range d.Specs {
					c.checkVariable(d, spec.(*ast.ValueSpec))
				}
			}
		}
		if c.unit.info != nil {
			ast.Inspect(f.syntax, c.checkWrite)
		}
	}
}

func (c *checker) checkVariable(decl *ast.GenDecl, spec *ast.ValueSpec) {
	for i, name := range spec.Names {
		var value ast.Expr
		if i < len(spec.Values) {
			value = spec.Values[i]
		}
		switch {
		case name.Name == "_":
		case embedded(decl.Doc) || embedded(spec.Doc):
		case name.IsExported() && !c.sentinel(name.Name, value):
			c.report(Variables, name.Pos(), "%s can be set from outside: make it a function or an option", name.Name)
		case value == nil && len(spec.Values) == 0:
			c.report(Variables, name.Pos(), "%s has no value: it is there to be changed", name.Name)
		case c.changeable(spec.Type) || c.changeable(value):
			c.report(Variables, name.Pos(), "%s holds state: keep it in a struct", name.Name)
		}
	}
}

// embedded reports whether a comment embeds files.
func embedded(doc *ast.CommentGroup) bool {
	if doc == nil {
		return false
	}
	for _, line := range doc.List {
		if strings.HasPrefix(line.Text, "//go:embed ") {
			return true
		}
	}
	return false
}

// sentinel reports whether a variable is an error to compare with.
func (c *checker) sentinel(name string, value ast.Expr) bool {
	call, ok := value.(*ast.CallExpr)
	if !ok || !strings.HasPrefix(name, "Err") {
		return false
	}
	fn, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	full := c.packageOf(fn.X) + "." + fn.Sel.Name
	return full == "errors.New" || full == "fmt.Errorf"
}

// changeable reports whether a type or value exists in order to change: locks,
// counters, pools, channels.
func (c *checker) changeable(x ast.Expr) bool {
	switch x := x.(type) {
	case *ast.ChanType:
		return true
	case *ast.UnaryExpr:
		return c.changeable(x.X)
	case *ast.StarExpr:
		return c.changeable(x.X)
	case *ast.IndexExpr:
		return c.changeable(x.X)
	case *ast.CompositeLit:
		return c.changeable(x.Type)
	case *ast.CallExpr:
		made, ok := x.Fun.(*ast.Ident)
		return ok && (made.Name == "make" || made.Name == "new") && len(x.Args) > 0 && c.changeable(x.Args[0])
	case *ast.SelectorExpr:
		path := c.packageOf(x.X)
		return path == "sync" || path == "sync/atomic"
	}
	return false
}

// checkWrite finds statements that change a package variable, of this package or
// of another one.
func (c *checker) checkWrite(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.AssignStmt:
		for _, left := range n.Lhs {
			if n.Tok != token.DEFINE {
				c.written(left)
			}
		}
	case *ast.IncDecStmt:
		c.written(n.X)
	case *ast.RangeStmt:
		if n.Tok == token.ASSIGN {
			c.written(n.Key)
			c.written(n.Value)
		}
	case *ast.UnaryExpr:
		if n.Op == token.AND {
			c.written(n.X)
		}
	case *ast.CallExpr:
		if fn, ok := n.Fun.(*ast.Ident); ok && len(n.Args) > 0 && (fn.Name == "delete" || fn.Name == "clear" || fn.Name == "copy") {
			c.written(n.Args[0])
		}
	}
	return true
}

// written reports a violation where x is, or is part of, a package variable.
func (c *checker) written(x ast.Expr) {
	for x != nil {
		switch e := x.(type) {
		case *ast.ParenExpr:
			x = e.X
		case *ast.IndexExpr:
			x = e.X
		case *ast.StarExpr:
			x = e.X
		case *ast.SelectorExpr:
			if path := c.packageOf(e.X); path != "" {
				c.report(Variables, e.Pos(), "%s.%s belongs to another package: leave it alone", path, e.Sel.Name)
				return
			}
			x = e.X
		case *ast.Ident:
			if c.packageVariable(e) {
				c.report(Variables, e.Pos(), "package variable %s is changed here: keep what changes in a struct", e.Name)
			}
			return
		default:
			return
		}
	}
}

// packageVariable reports whether id names a variable of the package that lives
// outside its tests.
func (c *checker) packageVariable(id *ast.Ident) bool {
	v, ok := c.unit.info.Uses[id].(*types.Var)
	if !ok || v.Pkg() == nil || v.Parent() != v.Pkg().Scope() {
		return false
	}
	return !strings.HasSuffix(c.tree.fset.Position(v.Pos()).Filename, "_test.go")
}
