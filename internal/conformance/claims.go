package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
)

var (
	identifier = regexp.MustCompile(`\bUMP-[0-9.]+-[0-9]+\b`)
	field      = regexp.MustCompile(`(?m)^[\s#{"]*(?:ids?|rules?)"?\s*:.*$`)
)

// claims finds, by id, where requirements are tested: "ump TestDecode" for a test
// or a helper of tests, "ump/testdata/record" for vectors.
func claims(fsys fs.FS) (map[string][]string, error) {
	found := map[string][]string{}
	err := fs.WalkDir(fsys, ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir():
			if skipped(name) {
				return fs.SkipDir
			}
			return nil
		case path.Ext(name) != ".go" && !strings.Contains(name, "testdata/"):
			return nil
		}
		text, err := fs.ReadFile(fsys, name)
		if err != nil {
			return err
		}
		claim := func(id, where string) {
			if !slices.Contains(found[id], where) {
				found[id] = append(found[id], where)
			}
		}
		if path.Ext(name) == ".go" {
			return inSource(name, text, claim)
		}
		inVector(name, text, claim)
		return nil
	})
	return found, err
}

// skipped names the folders that make no claims: this one, whose tests speak of
// rows that they invent, and those that are not ours.
func skipped(name string) bool {
	base := path.Base(name)
	return name == "internal/conformance" || base == "vendor" || name != "." && strings.HasPrefix(base, ".")
}

// inVector finds claims in the fields of a vector.
func inVector(name string, text []byte, claim func(id, where string)) {
	for _, line := range field.FindAll(text, -1) {
		for _, id := range identifier.FindAll(line, -1) {
			claim(string(id), path.Dir(name))
		}
	}
}

// inSource finds claims in the string literals of a test or a suite.
func inSource(name string, text []byte, claim func(id, where string)) error {
	if !identifier.Match(text) {
		return nil
	}
	file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	suite := slices.ContainsFunc(file.Imports, func(s *ast.ImportSpec) bool { return s.Path.Value == `"testing"` })
	if !suite && !strings.HasSuffix(name, "_test.go") {
		return nil
	}
	for _, decl := range file.Decls {
		where := path.Dir(name) + " " + path.Base(name)
		if fn, ok := decl.(*ast.FuncDecl); ok {
			where = path.Dir(name) + " " + fn.Name.Name
		}
		ast.Inspect(decl, func(n ast.Node) bool {
			if literal, ok := n.(*ast.BasicLit); ok && literal.Kind == token.STRING {
				for _, id := range identifier.FindAllString(literal.Value, -1) {
					claim(id, where)
				}
			}
			return true
		})
	}
	return nil
}
