package arch

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"io/fs"
	"slices"
	"strings"
)

// Rule names a rule of the shape.
type Rule string

// The rules.
const (
	Table     Rule = "table"     // the table itself keeps the laws of its layers
	Listed    Rule = "listed"    // every package has a row
	Edge      Rule = "edge"      // imports within the module are those of the row
	Libraries Rule = "library"   // a library is imported only where its row says
	Purity    Rule = "purity"    // a package uses only the powers of its row
	Variables Rule = "variables" // package variables never change
	Init      Rule = "init"      // no function runs by itself
	Length    Rule = "length"    // files stay short
	Sizes     Rule = "sizes"     // packages and types stay small, or a package's row gives a reason
	Comments  Rule = "comments"  // packages and exported names are documented
	Exports   Rule = "exports"   // nothing under internal/ exports what nobody uses
	Formats   Rule = "formats"   // a format that numbers its arguments uses all of them
)

const (
	maxLines   = 600  // of a file
	maxFiles   = 60   // of a package, without tests
	maxCode    = 8000 // lines of a package that are neither blank nor comment, without tests
	maxMethods = 64   // of a type: sixty, and some room
	maxLarge   = 3    // rows that give a reason to be past maxFiles or maxCode
)

// Violation is a place where the tree leaves the shape.
type Violation struct {
	Rule Rule
	File string // or the path of a package
	Line int    // 0: the whole file or package
	What string // what is wrong, and what to do
}

// String renders the violation in one line, in the form editors can follow.
func (v Violation) String() string {
	return fmt.Sprintf("%s:%d: %s [%s]", v.File, v.Line, v.What, v.Rule)
}

// Check compares the module in fsys with the tables and returns what it finds,
// by file and line. The error is for a tree that cannot be read.
func Check(fsys fs.FS, packages []Package, libraries []Library) ([]Violation, error) {
	t, err := load(fsys)
	if err != nil {
		return nil, err
	}
	found := checkTable(packages)
	for _, u := range t.units {
		row, ok := find(packages, u.path)
		if !ok {
			found = append(found, Violation{Listed, u.path, 0, "package has no row in the table of packages (internal/arch/table.go)"})
			continue
		}
		c := &checker{tree: t, unit: u, row: row, packages: packages, libraries: libraries}
		c.run()
		found = append(found, c.found...)
	}
	found = append(found, t.checkExports(packages)...)
	slices.SortStableFunc(found, func(a, b Violation) int {
		return cmp.Or(strings.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
	})
	return found, nil
}

// checker looks at one package.
type checker struct {
	tree      *tree
	unit      *unit
	row       Package
	packages  []Package
	libraries []Library
	found     []Violation
}

func (c *checker) run() {
	for _, f := range c.unit.files {
		c.checkImports(f)
		c.checkLength(f)
		c.checkInit(f)
		c.checkFormats(f)
		if !f.test {
			c.checkPowers(f)
			c.checkComments(f)
		}
	}
	c.checkPackageComment()
	c.checkSize()
	c.checkMethodCount()
	if c.row.Can&Process == 0 {
		c.checkVariables()
	}
}

// report notes a violation at a position of the source.
func (c *checker) report(rule Rule, at token.Pos, format string, args ...any) {
	p := c.tree.fset.Position(at)
	c.found = append(c.found, Violation{rule, p.Filename, p.Line, fmt.Sprintf(format, args...)})
}

func (c *checker) checkLength(f *source) {
	if f.lines > maxLines {
		c.found = append(c.found, Violation{Length, f.path, f.lines, fmt.Sprintf("%d lines; split the file, %d is the most", f.lines, maxLines)})
	}
}

// checkSize wants a reason beside the row of a package that has grown large, and none
// beside any other.
func (c *checker) checkSize() {
	var files, code int
	for _, f := range c.unit.files {
		if !f.test {
			files, code = files+1, code+f.code
		}
	}
	switch large := files > maxFiles || code > maxCode; {
	case large && c.row.Large == "":
		c.found = append(c.found, Violation{Sizes, c.unit.path, 0, fmt.Sprintf(
			"%d files and %d lines of code; %d and %d are the most: split the package, or say why not beside its row", files, code, maxFiles, maxCode)})
	case !large && c.row.Large != "":
		c.found = append(c.found, Violation{Sizes, c.unit.path, 0, fmt.Sprintf(
			"%d files and %d lines of code need no reason; take Large from its row", files, code)})
	}
}

// checkMethodCount wants no type with more than maxMethods methods.
func (c *checker) checkMethodCount() {
	count := map[string]int{}
	for _, f := range c.unit.files {
		for _, decl := range f.syntax.Decls {
			if d, ok := decl.(*ast.FuncDecl); ok && d.Recv != nil && !f.test {
				name := receiver(d)
				if count[name]++; count[name] == maxMethods+1 {
					c.report(Sizes, d.Pos(), "%s has more than %d methods; it does several jobs: give each a type", name, maxMethods)
				}
			}
		}
	}
}

// find returns the row for a path.
func find(rows []Package, path string) (Package, bool) {
	for _, row := range rows {
		if matches(row.Path, path) {
			return row, true
		}
	}
	return Package{}, false
}

// matches reports whether a path of the table, which may end in "/*", means path.
func matches(pattern, path string) bool {
	if stem, ok := strings.CutSuffix(pattern, "/*"); ok {
		rest, below := strings.CutPrefix(path, stem+"/")
		return pattern == path || below && !strings.Contains(rest, "/")
	}
	return pattern == path
}
