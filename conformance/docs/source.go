package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"regexp"
	"slices"
	"strings"
)

// parsed returns a test or a suite, and nil for any other source.
func parsed(name string, text []byte) (*ast.File, error) {
	file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	suite := slices.ContainsFunc(file.Imports, func(s *ast.ImportSpec) bool { return s.Path.Value == `"testing"` })
	if !suite && !strings.HasSuffix(name, "_test.go") || mutant(path.Base(name)) {
		return nil, nil
	}
	return file, nil
}

// inSource finds claims in the tests or the suite of a folder: in the names of test
// functions, and in the names that t.Run gets, also from a table. An id in any other text
// claims nothing, for example in a failure message or as the rule of an expected error.
func inSource(folder string, files []*ast.File, claim func(id, where string)) {
	g := newGroup(files)
	tell := func(fn *ast.FuncDecl, text string) {
		if mutant(fn.Name.Name) {
			return
		}
		for _, id := range identifier.FindAllString(text, -1) {
			claim(id, folder+" "+fn.Name.Name)
		}
	}
	for _, file := range files {
		for _, decl := range file.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if !ok || mutant(fn.Name.Name) {
				continue
			}
			for _, id := range inFunction(fn.Name.Name) {
				tell(fn, id)
			}
			ast.Inspect(fn, func(n ast.Node) bool {
				if name := runName(n); name != nil {
					for _, text := range literals(name) {
						tell(fn, text)
					}
					for _, row := range g.rowNames(fn, name) {
						tell(row.in, row.text)
					}
				}
				return true
			})
		}
	}
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

// runName returns the name of a subtest: the first argument of a two-argument call of Run.
func runName(n ast.Node) ast.Expr {
	call, ok := n.(*ast.CallExpr)
	if !ok {
		return nil
	}
	if fn, ok := call.Fun.(*ast.SelectorExpr); ok && fn.Sel.Name == "Run" && len(call.Args) == 2 {
		return call.Args[0]
	}
	return nil
}
