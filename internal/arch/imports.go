package arch

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// allows reports whether a package at path, in layer l, may have other in its
// row at all. It is the law that rows are written under.
func (l Layer) allows(path string, other Package) bool {
	switch l {
	case Model, Room:
		return other.Layer == Model
	case Binding:
		room, _, _ := strings.Cut(path, "/")
		pure := other.Layer == Engine && other.Can == 0 && strings.HasPrefix(other.Path, room+"/")
		return other.Layer == Model || other.Layer == Room && strings.HasPrefix(path, other.Path+"/") || pure
	case Engine:
		return other.Layer == Model || other.Layer == Room || other.Layer == Engine
	case Suite:
		return other.Layer != Binding && other.Layer != Whole && other.Layer != Tool
	case Whole:
		return other.Layer != Suite && other.Layer != Tool
	}
	return false
}

// checkTable holds the table to its own laws: imports point up, and no layer
// sees what it must not.
func checkTable(rows []Package) []Violation {
	var found []Violation
	large := 0
	for i, row := range rows {
		if row.Large != "" {
			large++
		}
		for _, use := range row.Uses {
			if use == everything && row.Layer == Whole {
				continue
			}
			other, above := find(rows[:i], use)
			switch {
			case !above:
				found = append(found, Violation{Table, row.Path, 0, "its row uses " + use + ", which does not stand further up"})
			case !row.Layer.allows(row.Path, other):
				found = append(found, Violation{Table, row.Path, 0, "its row uses " + use + ", which layer " + string(row.Layer) + " must not see"})
			}
		}
		if pure := row.Layer == Room || row.Path == "memory" || row.Path == "canon" || row.Path == "codec"; pure && row.Can != 0 {
			found = append(found, Violation{Table, row.Path, 0, "model, canon, codec and rooms are pure: its row must grant no power"})
		}
		if row.Layer == Binding && row.Can&^Net != 0 {
			found = append(found, Violation{Table, row.Path, 0, "a binding may speak to the network and no more"})
		}
	}
	if large > maxLarge {
		found = append(found, Violation{Table, "internal/arch/table.go", 0, fmt.Sprintf("%d rows say why their package is large; %d may", large, maxLarge)})
	}
	return found
}

// checkImports compares what a file imports with the row and the import policy.
func (c *checker) checkImports(f *source) {
	f.imports(func(path string, at token.Pos) {
		own, ours := strings.CutPrefix(path, c.tree.module+"/")
		first, _, _ := strings.Cut(path, "/")
		switch {
		case ours && !f.test && !c.mayReach(own):
			c.report(Edge, at, "%s may not import %s; only those may whom its row in internal/arch/table.go names", c.unit.path, own)
		case ours && !c.mayUse(own, f.test):
			c.report(Edge, at, "%s may not import %s; its row in internal/arch/table.go says what it may", c.unit.path, own)
		case !ours && strings.Contains(first, ".") && !c.mayImport(path, f.test):
			c.report(Libraries, at, "%s may not import %s; the policy is internal/arch/library.go", c.unit.path, path)
		}
	})
}

// mayUse reports whether the package may import another one of the module.
func (c *checker) mayUse(path string, test bool) bool {
	if slices.ContainsFunc(c.row.Uses, func(use string) bool { return matches(use, path) }) {
		return true
	}
	other, listed := find(c.packages, path)
	if slices.Contains(c.row.Uses, everything) && listed && c.row.Layer.allows(c.unit.path, other) {
		return true
	}
	own := path == c.unit.path || slices.ContainsFunc(c.row.Test, func(use string) bool { return matches(use, path) })
	return test && (own || other.Layer == Suite)
}

// mayReach reports whether a package that keeps to few users counts this one
// among them.
func (c *checker) mayReach(path string) bool {
	other, listed := find(c.packages, path)
	if !listed || other.Only == nil || other.Layer == Suite {
		return true
	}
	return slices.ContainsFunc(append(other.Only, path), func(user string) bool { return matches(user, c.unit.path) })
}

// mayImport reports whether the package may import a library.
func (c *checker) mayImport(path string, test bool) bool {
	row, ok := library(c.libraries, path)
	if !ok {
		return false
	}
	if row.Tests && (test || c.row.Can&Testing != 0) {
		return true
	}
	return slices.ContainsFunc(row.Users, func(user string) bool { return matches(user, c.unit.path) })
}

// checkPowers finds the use of powers that the row does not grant.
func (c *checker) checkPowers(f *source) {
	f.imports(func(path string, at token.Pos) { c.power(path, "", at) })
	ast.Inspect(f.syntax, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if path := c.packageOf(s.X); path != "" {
				c.power(path, s.Sel.Name, s.Pos())
			}
		}
		return true
	})
}

func (c *checker) power(path, name string, at token.Pos) {
	for _, s := range signs() {
		if s.uses(path, name) && c.row.Can&s.Power == 0 {
			what := path
			if name != "" {
				what += "." + name
			}
			c.report(Purity, at, "%s may not use %s; %s", c.unit.path, what, s.Advice)
		}
	}
}

// packageOf returns the import path that x names, or "" where x is no package.
func (c *checker) packageOf(x ast.Expr) string {
	if id, ok := x.(*ast.Ident); ok {
		if name, ok := c.unit.info.Uses[id].(*types.PkgName); ok {
			return name.Imported().Path()
		}
	}
	return ""
}
