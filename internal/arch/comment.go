package arch

import (
	"go/ast"
	"go/token"
	"strings"
)

// checkPackageComment wants the package described in one of its files.
func (c *checker) checkPackageComment() {
	name := c.unit.name()
	if name == "" {
		return
	}
	for _, f := range c.unit.files {
		if doc := f.syntax.Doc.Text(); !f.test && (strings.HasPrefix(doc, "Package "+name+" ") || name == "main" && doc != "") {
			return
		}
	}
	c.found = append(c.found, Violation{Comments, c.unit.path, 0, "no comment says what package " + name + " is for; begin it with its name"})
}

// checkComments wants a comment for every exported name that a user of the
// package can reach, interface methods included, struct fields excepted.
func (c *checker) checkComments(f *source) {
	for _, decl := range f.syntax.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			if d.Name.IsExported() && exportedReceiver(d) && d.Doc.Text() == "" {
				c.undocumented(d.Name)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				c.checkSpec(d, spec)
			}
		}
	}
}

func (c *checker) undocumented(name *ast.Ident) {
	c.report(Comments, name.Pos(), "%s is exported and has no comment", name.Name)
}

func (c *checker) checkSpec(decl *ast.GenDecl, spec ast.Spec) {
	switch s := spec.(type) {
	case *ast.TypeSpec:
		if !s.Name.IsExported() {
			return
		}
		if s.Doc.Text() == "" && (decl.Lparen != token.NoPos || decl.Doc.Text() == "") {
			c.undocumented(s.Name)
		}
		if face, ok := s.Type.(*ast.InterfaceType); ok {
			c.checkMethods(face)
		}
	case *ast.ValueSpec:
		documented := s.Doc.Text() != "" || s.Comment.Text() != "" || decl.Doc.Text() != ""
		for _, name := range s.Names {
			if name.IsExported() && !documented {
				c.undocumented(name)
			}
		}
	}
}

func (c *checker) checkMethods(face *ast.InterfaceType) {
	for _, method := range face.Methods.List {
		for _, name := range method.Names {
			if name.IsExported() && method.Doc.Text() == "" && method.Comment.Text() == "" {
				c.undocumented(name)
			}
		}
	}
}

// exportedReceiver reports whether d is a function, or a method of an exported
// type.
func exportedReceiver(d *ast.FuncDecl) bool {
	return d.Recv == nil || ast.IsExported(receiver(d))
}

// receiver returns the name of the type that a method belongs to.
func receiver(d *ast.FuncDecl) string {
	t := d.Recv.List[0].Type
	for {
		switch x := t.(type) {
		case *ast.StarExpr:
			t = x.X
		case *ast.IndexExpr:
			t = x.X
		case *ast.IndexListExpr:
			t = x.X
		case *ast.Ident:
			return x.Name
		default:
			return ""
		}
	}
}
