package arch

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"go/types"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
)

// tree is a parsed source tree.
type tree struct {
	module string // module path
	fset   *token.FileSet
	units  []*unit                   // by path
	typed  map[string]*types.Package // by path of the unit, without tests
}

// unit is one folder with Go files.
type unit struct {
	path  string // below the module's root
	files []*source
	info  *types.Info // what the identifiers of the package and its inner tests mean
	outer *types.Info // what the identifiers of its outer tests mean
}

// source is one Go file.
type source struct {
	path   string
	syntax *ast.File
	lines  int
	code   int // lines that hold more than blanks and comments; 0 in a test, where nobody asks
	test   bool
}

// load parses every Go file below fsys, which is the root of a module.
func load(fsys fs.FS) (*tree, error) {
	module, err := modulePath(fsys)
	if err != nil {
		return nil, err
	}
	t := &tree{module: module, fset: token.NewFileSet(), typed: map[string]*types.Package{}}
	units := map[string]*unit{}
	err = fs.WalkDir(fsys, ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (foreign(entry.Name()) || nested(fsys, name)):
			return fs.SkipDir
		case entry.IsDir() || path.Ext(name) != ".go":
			return nil
		}
		file, err := t.parse(fsys, name)
		if err != nil {
			return err
		}
		dir := path.Dir(name)
		if units[dir] == nil {
			units[dir] = &unit{path: dir}
			t.units = append(t.units, units[dir])
		}
		units[dir].files = append(units[dir].files, file)
		return nil
	})
	slices.SortFunc(t.units, func(a, b *unit) int { return strings.Compare(a.path, b.path) })
	for _, u := range t.units {
		t.resolve(u)
	}
	return t, err
}

// foreign reports whether a folder holds no packages of the module.
func foreign(name string) bool {
	return name == "testdata" || name == "vendor" || name != "." && strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_")
}

// nested reports whether a folder is the root of another module.
func nested(fsys fs.FS, name string) bool {
	_, err := fs.Stat(fsys, path.Join(name, "go.mod"))
	return name != "." && err == nil
}

func modulePath(fsys fs.FS) (string, error) {
	mod, err := fs.ReadFile(fsys, "go.mod")
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(string(mod)) {
		if rest, ok := strings.CutPrefix(line, "module "); ok {
			return strings.TrimSpace(rest), nil
		}
	}
	return "", errors.New("go.mod names no module")
}

func (t *tree) parse(fsys fs.FS, name string) (*source, error) {
	text, err := fs.ReadFile(fsys, name)
	if err != nil {
		return nil, err
	}
	syntax, err := parser.ParseFile(t.fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, fmt.Errorf("cannot parse: %w", err)
	}
	s := &source{
		path:   name,
		syntax: syntax,
		lines:  bytes.Count(text, []byte("\n")),
		test:   strings.HasSuffix(name, "_test.go"),
	}
	if !s.test {
		s.code = codeLines(text)
	}
	return s, nil
}

// codeLines counts the lines on which a token begins or ends.
func codeLines(text []byte) int {
	var s scanner.Scanner
	file := token.NewFileSet().AddFile("", -1, len(text))
	s.Init(file, text, nil, 0) // without comments
	code, last := 0, 0
	for {
		at, tok, literal := s.Scan()
		if tok == token.EOF {
			return code
		}
		if tok == token.SEMICOLON && literal == "\n" {
			continue
		}
		first := file.Line(at)
		end := first + strings.Count(literal, "\n")
		code += end - max(first-1, last)
		last = end
	}
}

// resolve finds out what the identifiers of u mean. It follows imports within the
// module only, so the type checker complains about much; it knows all the same where
// each name of the module is declared.
func (t *tree) resolve(u *unit) {
	var inner, outer []*ast.File
	for _, f := range u.files {
		if strings.HasSuffix(f.syntax.Name.Name, "_test") {
			outer = append(outer, f.syntax)
		} else {
			inner = append(inner, f.syntax)
		}
	}
	u.info, u.outer = t.meaning(u.path, inner), t.meaning(u.path+"_test", outer)
}

func (t *tree) meaning(path string, files []*ast.File) *types.Info {
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{}}
	t.check(path, files, info)
	return info
}

// check leaves the bodies of functions alone where nobody asks what their identifiers mean.
func (t *tree) check(path string, files []*ast.File, info *types.Info) *types.Package {
	config := types.Config{Importer: t, Error: func(error) {}, IgnoreFuncBodies: info == nil}
	pkg, _ := config.Check(path, t.fset, files, info) // the errors are those of imports that are not followed
	return pkg
}

// Import returns a package of the module without its tests, and an error for every
// other path.
func (t *tree) Import(path string) (*types.Package, error) {
	below, ok := strings.CutPrefix(path, t.module+"/")
	i, found := slices.BinarySearchFunc(t.units, below, func(u *unit, path string) int { return strings.Compare(u.path, path) })
	if !ok || !found {
		return nil, fmt.Errorf("%s is not followed", path)
	}
	if t.typed[below] == nil {
		t.typed[below] = types.NewPackage(below, "") // what a package that imports itself finds
		var files []*ast.File
		for _, f := range t.units[i].files {
			if !f.test {
				files = append(files, f.syntax)
			}
		}
		t.typed[below] = t.check(below, files, nil)
	}
	return t.typed[below], nil
}

// imports calls yield for every import of the file.
func (f *source) imports(yield func(path string, at token.Pos)) {
	for _, spec := range f.syntax.Imports {
		if path, err := strconv.Unquote(spec.Path.Value); err == nil {
			yield(path, spec.Pos())
		}
	}
}

// name returns the package's name, or "" where all files are tests.
func (u *unit) name() string {
	for _, f := range u.files {
		if !f.test {
			return f.syntax.Name.Name
		}
	}
	return ""
}
