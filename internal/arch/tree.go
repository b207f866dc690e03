package arch

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
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
	units  []*unit // by path
}

// unit is one folder with Go files.
type unit struct {
	path  string // below the module's root
	files []*source
	info  *types.Info // what the identifiers of the package and its inner tests mean
}

// source is one Go file.
type source struct {
	path   string
	syntax *ast.File
	lines  int
	test   bool
}

// load parses every Go file below fsys, which is the root of a module.
func load(fsys fs.FS) (*tree, error) {
	module, err := modulePath(fsys)
	if err != nil {
		return nil, err
	}
	t := &tree{module: module, fset: token.NewFileSet()}
	units := map[string]*unit{}
	err = fs.WalkDir(fsys, ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && foreign(entry.Name()):
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
	return &source{
		path:   name,
		syntax: syntax,
		lines:  bytes.Count(text, []byte("\n")),
		test:   strings.HasSuffix(name, "_test.go"),
	}, nil
}

// resolve finds out what the identifiers of u mean. Imports are not followed, so
// the checker complains about much; what matters here, which name is declared
// where, it knows all the same.
func (t *tree) resolve(u *unit) {
	var files []*ast.File
	for _, f := range u.files {
		if !strings.HasSuffix(f.syntax.Name.Name, "_test") {
			files = append(files, f.syntax)
		}
	}
	u.info = &types.Info{Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{}}
	config := types.Config{Importer: nothing{}, Error: func(error) {}}
	config.Check(u.path, t.fset, files, u.info)
}

// nothing is an importer that finds nothing.
type nothing struct{}

// Import returns an error for every path.
func (nothing) Import(path string) (*types.Package, error) {
	return nil, fmt.Errorf("%s is not followed", path)
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
