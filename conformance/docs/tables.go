package main

import (
	"go/ast"
	"slices"
	"strconv"
	"strings"
)

// group is the source of one folder: its tests, or its suite.
type group struct {
	funcs map[string]*ast.FuncDecl
	vars  map[string]ast.Expr
	types map[string]*ast.StructType
	calls map[string][]call // by the name of the function
}

// call is a call of a function of the folder.
type call struct {
	in   *ast.FuncDecl
	args []ast.Expr
}

func newGroup(files []*ast.File) *group {
	g := &group{map[string]*ast.FuncDecl{}, map[string]ast.Expr{}, map[string]*ast.StructType{}, map[string][]call{}}
	for _, file := range files {
		for _, decl := range file.Decls {
			switch d := decl.(type) {
			case *ast.FuncDecl:
				g.funcs[d.Name.Name] = d
				g.keepCalls(d)
			case *ast.GenDecl:
				g.keepSpecs(d)
			}
		}
	}
	return g
}

func (g *group) keepCalls(fn *ast.FuncDecl) {
	ast.Inspect(fn, func(n ast.Node) bool {
		if c, ok := n.(*ast.CallExpr); ok {
			if name := nameOf(c.Fun); name != "" {
				g.calls[name] = append(g.calls[name], call{fn, c.Args})
			}
		}
		return true
	})
}

func (g *group) keepSpecs(d *ast.GenDecl) {
	for _, spec := range d.Specs {
		switch s := spec.(type) {
		case *ast.TypeSpec:
			if fields, ok := s.Type.(*ast.StructType); ok {
				g.types[s.Name.Name] = fields
			}
		case *ast.ValueSpec:
			for i, name := range s.Names {
				if i < len(s.Values) {
					g.vars[name.Name] = s.Values[i]
				}
			}
		}
	}
}

// nameOf returns the last name of an identifier or a selector.
func nameOf(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return e.Sel.Name
	}
	return ""
}

// named is a text that becomes the name of a subtest, and the function that states it.
type named struct {
	in   *ast.FuncDecl
	text string
}

// rowNames returns the names that a subtest of fn gets from tables: from the key or the
// value of a loop, or from a field of the value.
func (g *group) rowNames(fn *ast.FuncDecl, name ast.Expr) []named {
	var found []named
	ast.Inspect(name, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			x, ok := n.X.(*ast.Ident)
			for _, field := range g.fields(n.Sel.Name) {
				if ok {
					found = append(found, g.fromLoop(fn, x.Name, field, n)...)
				}
			}
			return false
		case *ast.Ident:
			found = append(found, g.fromLoop(fn, n.Name, "", n)...)
		}
		return true
	})
	return slices.DeleteFunc(found, func(n named) bool { return !opening.MatchString(n.text) })
}

// fields returns the fields that a method puts into its result, and for any other name the
// name: of the field.
func (g *group) fields(name string) []string {
	method := g.funcs[name]
	if method == nil || method.Recv == nil || len(method.Recv.List[0].Names) == 0 {
		return []string{name}
	}
	var found []string
	receiver := method.Recv.List[0].Names[0].Name
	ast.Inspect(method.Body, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok && nameOf(s.X) == receiver && !slices.Contains(found, s.Sel.Name) {
			found = append(found, s.Sel.Name)
		}
		return true
	})
	return found
}

// fromLoop returns what the loop around a place gives to a name, or to a field of it.
func (g *group) fromLoop(fn *ast.FuncDecl, name, field string, at ast.Node) []named {
	var loop *ast.RangeStmt // the innermost
	ast.Inspect(fn, func(n ast.Node) bool {
		if r, ok := n.(*ast.RangeStmt); ok && r.Pos() <= at.Pos() && at.End() <= r.End() && (nameOf(r.Key) == name || nameOf(r.Value) == name) {
			loop = r
		}
		return true
	})
	if loop == nil {
		return nil
	}
	var found []named
	for _, t := range g.tables(fn, loop.X, 0) {
		keys := nameOf(loop.Key) == name
		for _, text := range g.column(t.literal, keys, field) {
			found = append(found, named{t.in, text})
		}
	}
	return found
}

// table is a literal, and the function that states it.
type table struct {
	in      *ast.FuncDecl
	literal *ast.CompositeLit
}

// tables returns the literals that an expression of fn may be made of: of a variable, of a
// function of the folder, of what callers give to fn.
func (g *group) tables(fn *ast.FuncDecl, e ast.Expr, depth int) []table {
	var found []table
	if depth > 6 {
		return nil
	}
	switch e := e.(type) {
	case *ast.CompositeLit:
		return []table{{fn, e}}
	case *ast.Ident:
		for _, value := range assigned(fn, e.Name) {
			found = append(found, g.tables(fn, value, depth+1)...)
		}
		if value, ok := g.vars[e.Name]; ok && len(found) == 0 {
			found = g.tables(fn, value, depth+1)
		}
		if at := parameter(fn, e.Name); at >= 0 {
			for _, c := range g.calls[fn.Name.Name] {
				for _, arg := range c.args[min(at, len(c.args)):min(at+1, len(c.args))] {
					found = append(found, g.tables(c.in, arg, depth+1)...)
				}
			}
		}
	case *ast.CallExpr:
		for _, arg := range e.Args {
			found = append(found, g.tables(fn, arg, depth+1)...)
		}
		if of, ok := g.funcs[nameOf(e.Fun)]; ok && of.Body != nil {
			for _, value := range returned(of) {
				for _, t := range g.tables(of, value, depth+1) {
					found = append(found, table{fn, t.literal})
				}
			}
		}
	}
	return found
}

// assigned returns what a function assigns to a variable.
func assigned(fn *ast.FuncDecl, name string) []ast.Expr {
	var found []ast.Expr
	ast.Inspect(fn, func(n ast.Node) bool {
		if a, ok := n.(*ast.AssignStmt); ok && len(a.Lhs) == len(a.Rhs) {
			for i, to := range a.Lhs {
				if nameOf(to) == name && nameOf(a.Rhs[i]) != name {
					found = append(found, a.Rhs[i])
				}
			}
		}
		return true
	})
	return found
}

// returned returns the results of a function.
func returned(fn *ast.FuncDecl) []ast.Expr {
	var found []ast.Expr
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		if r, ok := n.(*ast.ReturnStmt); ok {
			found = append(found, r.Results...)
		}
		_, inner := n.(*ast.FuncLit)
		return !inner
	})
	return found
}

// parameter returns the place of a parameter, or -1.
func parameter(fn *ast.FuncDecl, name string) int {
	at := 0
	for _, list := range fn.Type.Params.List {
		for _, p := range list.Names {
			if p.Name == name {
				return at
			}
			at++
		}
	}
	return -1
}

// column returns the texts of a table: its keys, its values, or a field of its values.
func (g *group) column(lit *ast.CompositeLit, keys bool, field string) []string {
	if g.types[nameOf(lit.Type)] != nil { // a row, of which a function makes the table
		return fieldOf(lit, field, g.place(&ast.ArrayType{Elt: lit.Type}, field))
	}
	var texts []string
	at := g.place(lit.Type, field)
	for _, element := range lit.Elts {
		if kv, ok := element.(*ast.KeyValueExpr); ok {
			if keys {
				texts = append(texts, literals(kv.Key)...)
				continue
			}
			element = kv.Value
		}
		row, ok := element.(*ast.CompositeLit)
		switch {
		case field == "":
			texts = append(texts, literal(element)...)
		case ok:
			texts = append(texts, fieldOf(row, field, at)...)
		}
	}
	return texts
}

// fieldOf returns the texts of a field of a row, by its name or its place.
func fieldOf(row *ast.CompositeLit, field string, at int) []string {
	for i, value := range row.Elts {
		if kv, ok := value.(*ast.KeyValueExpr); ok && nameOf(kv.Key) == field {
			return literals(kv.Value)
		} else if !ok && i == at {
			return literals(value)
		}
	}
	return nil
}

// place returns the place of a field in the rows of a table, or -1.
func (g *group) place(t ast.Expr, field string) int {
	switch list := t.(type) {
	case *ast.ArrayType:
		t = list.Elt
	case *ast.MapType:
		t = list.Value
	}
	row, ok := t.(*ast.StructType)
	if !ok {
		row = g.types[nameOf(t)]
	}
	if row == nil {
		return -1
	}
	at := 0
	for _, f := range row.Fields.List {
		if len(f.Names) == 0 {
			at++
		}
		for _, name := range f.Names {
			if name.Name == field {
				return at
			}
			at++
		}
	}
	return -1
}

// mutant reports whether a file or a function breaks others on purpose: what it names are
// the rows that a suite finds broken, not those that Satchel keeps.
func mutant(name string) bool { return strings.Contains(strings.ToLower(name), "mutant") }

// literals returns the string literals of an expression.
func literals(expr ast.Expr) []string {
	var texts []string
	ast.Inspect(expr, func(n ast.Node) bool {
		if e, ok := n.(ast.Expr); ok {
			texts = append(texts, literal(e)...)
		}
		return true
	})
	return texts
}

// literal returns the text of a string literal, and nothing for any other expression.
func literal(expr ast.Expr) []string {
	basic, ok := expr.(*ast.BasicLit)
	if !ok || !strings.ContainsAny(basic.Value, "\"`") {
		return nil
	}
	text, err := strconv.Unquote(basic.Value)
	if err != nil {
		return nil
	}
	return []string{text}
}
