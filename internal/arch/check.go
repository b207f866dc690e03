package arch

import (
	"cmp"
	"fmt"
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
	Comments  Rule = "comments"  // packages and exported names are documented
	Formats   Rule = "formats"   // a format that numbers its arguments uses all of them
)

// maxLines is the most lines a file may have.
const maxLines = 600

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
