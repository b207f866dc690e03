package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// inSource finds claims in a test or a suite: in the names of test functions, and in the
// names that t.Run gets, also from a table. An id in any other text claims nothing, for
// example in a failure message or as the rule of an expected error.
func inSource(name string, text []byte, claim func(id, where string)) error {
	file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	suite := slices.ContainsFunc(file.Imports, func(s *ast.ImportSpec) bool { return s.Path.Value == `"testing"` })
	if !suite && !strings.HasSuffix(name, "_test.go") {
		return nil
	}
	tables := namesFromTables(file)
	for _, decl := range file.Decls {
		where := path.Dir(name) + " " + path.Base(name)
		if fn, ok := decl.(*ast.FuncDecl); ok {
			where = path.Dir(name) + " " + fn.Name.Name
			for _, id := range inFunction(fn.Name.Name) {
				claim(id, where)
			}
		}
		ast.Inspect(decl, func(n ast.Node) bool {
			for _, text := range testNames(n, tables) {
				for _, id := range identifier.FindAllString(text, -1) {
					claim(id, where)
				}
			}
			return true
		})
	}
	return nil
}

var spelled = regexp.MustCompile(`(?:UMP|AIMEM)(?:_[0-9]+)+`)

// opening matches the beginning of a row's name in a table.
var opening = regexp.MustCompile(`^(?:UMP1?|AIMEM|ENGRAM|AICF|AAIF)-`)

// inFunction returns the ids in the name of a test function: TestUMP_2_1_3 claims
// UMP-2.1-3.
func inFunction(name string) []string {
	var ids []string
	if !strings.HasPrefix(name, "Test") {
		return nil
	}
	for _, id := range spelled.FindAllString(name, -1) {
		spec, numbers, _ := strings.Cut(id, "_")
		parts := strings.Split(numbers, "_")
		if last := len(parts) - 1; last > 0 {
			ids = append(ids, spec+"-"+strings.Join(parts[:last], ".")+"-"+parts[last])
		}
	}
	return ids
}

// testNames returns the texts of a node that become names of subtests.
func testNames(n ast.Node, tables bool) []string {
	switch n := n.(type) {
	case *ast.CallExpr:
		if name := runName(n); name != nil {
			return literals(name)
		}
	case *ast.CompositeLit:
		if tables {
			return rowNames(n)
		}
	}
	return nil
}

// runName returns the first argument of a two-argument call of Run.
func runName(call *ast.CallExpr) ast.Expr {
	if fn, ok := call.Fun.(*ast.SelectorExpr); ok && fn.Sel.Name == "Run" && len(call.Args) == 2 {
		return call.Args[0]
	}
	return nil
}

// namesFromTables reports whether a file runs subtests with names from a table, or passes a
// table to a helper that does.
func namesFromTables(file *ast.File) bool {
	found := false
	ast.Inspect(file, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			found = found || handsTable(call)
			if name := runName(call); name != nil {
				ast.Inspect(name, func(n ast.Node) bool {
					_, ok := n.(*ast.Ident)
					found = found || ok
					return true
				})
			}
		}
		return !found
	})
	return found
}

// handsTable reports whether a call gets the test and a list as arguments.
func handsTable(call *ast.CallExpr) bool {
	if len(call.Args) < 2 {
		return false
	}
	t, ok := call.Args[0].(*ast.Ident)
	return ok && t.Name == "t" && slices.ContainsFunc(call.Args[1:], func(arg ast.Expr) bool {
		list, ok := arg.(*ast.CompositeLit)
		if !ok {
			return false
		}
		_, ok = list.Type.(*ast.ArrayType)
		return ok
	})
}

// rowNames returns the names in a literal that may be a table or a row of a table: its first
// value, its field called name or id, its keys.
func rowNames(n *ast.CompositeLit) []string {
	var names []string
	for i, element := range n.Elts {
		switch element := element.(type) {
		case *ast.KeyValueExpr:
			if key, ok := element.Key.(*ast.Ident); ok && (strings.EqualFold(key.Name, "name") || key.Name == "id") {
				names = append(names, literals(element.Value)...)
			}
			names = append(names, literal(element.Key)...)
		case *ast.BasicLit:
			if i == 0 {
				names = append(names, literal(element)...)
			}
		}
	}
	return slices.DeleteFunc(names, func(name string) bool { return !opening.MatchString(name) })
}

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
	if !ok || basic.Kind != token.STRING {
		return nil
	}
	text, err := strconv.Unquote(basic.Value)
	if err != nil {
		return nil
	}
	return []string{text}
}
