package arch

import (
	"fmt"
	"go/ast"
	"go/types"
	"strings"
)

// checkExports finds names that a package under internal/ exports and no other package
// uses. The tests of the package itself are no users, but for those of a tool, which
// nothing imports. Fields are left alone: encoders and the command line reach them by
// reflection.
func (t *tree) checkExports(packages []Package) []Violation {
	e := exports{tree: t, used: map[types.Object]bool{}, called: map[string]bool{}}
	for _, u := range t.units {
		e.note(u.path, u.info)
		e.note(u.path, u.outer)
	}
	var found []Violation
	for _, u := range t.units {
		row, _ := find(packages, u.path)
		if strings.HasPrefix(u.path, "internal/") && u.name() != "main" && row.Layer != Tool {
			found = append(found, e.unused(u)...)
		}
	}
	return found
}

// exports holds which names of the module are used outside of their package.
type exports struct {
	tree   *tree
	used   map[types.Object]bool
	called map[string]bool // names of methods that something outside calls, or an interface demands
}

// note takes in what the identifiers of one package mean.
func (e *exports) note(path string, info *types.Info) {
	for id, object := range info.Uses {
		if object.Pkg() != nil && object.Pkg().Path() != path {
			e.use(object)
			e.called[id.Name] = true
		}
	}
	for _, object := range info.Defs {
		if name, ok := object.(*types.TypeName); ok {
			if demands, ok := name.Type().Underlying().(*types.Interface); ok {
				for i := range demands.NumExplicitMethods() {
					e.called[demands.ExplicitMethod(i).Name()] = true
				}
			}
		}
	}
}

// use marks an object, and every type that its own type shows to a user.
func (e *exports) use(object types.Object) {
	if object == nil || e.used[object] {
		return
	}
	e.used[object] = true
	e.show(object.Type())
	if name, ok := object.(*types.TypeName); ok {
		e.show(name.Type().Underlying())
		if named, ok := name.Type().(*types.Named); ok {
			for i := range named.NumMethods() {
				if method := named.Method(i); method.Exported() {
					e.show(method.Type())
				}
			}
		}
	}
}

// show marks the types that a type is made of.
func (e *exports) show(t types.Type) {
	switch t := t.(type) {
	case *types.Named:
		e.use(t.Origin().Obj())
		for i := range t.TypeArgs().Len() {
			e.show(t.TypeArgs().At(i))
		}
	case *types.Alias:
		e.use(t.Obj())
	case *types.Map:
		e.show(t.Key())
		e.show(t.Elem())
	case interface{ Elem() types.Type }: // pointer, slice, array, channel
		e.show(t.Elem())
	case *types.Signature:
		e.show(t.Params())
		e.show(t.Results())
	case *types.Tuple:
		for i := range t.Len() {
			e.show(t.At(i).Type())
		}
	case *types.Struct:
		for i := range t.NumFields() {
			if field := t.Field(i); field.Exported() || field.Embedded() {
				e.show(field.Type())
			}
		}
	case *types.Interface:
		for i := range t.NumExplicitMethods() {
			e.show(t.ExplicitMethod(i).Type())
		}
		for i := range t.NumEmbeddeds() {
			e.show(t.EmbeddedType(i))
		}
	}
}

// unused returns the exported names of u that nobody else uses.
func (e *exports) unused(u *unit) []Violation {
	pkg, err := e.tree.Import(e.tree.module + "/" + u.path)
	if err != nil {
		return nil
	}
	var found []Violation
	report := func(object types.Object, name string) {
		at := e.tree.fset.Position(object.Pos())
		found = append(found, Violation{Exports, at.Filename, at.Line, fmt.Sprintf("%s is exported, and no other package uses it", name)})
	}
	for _, name := range pkg.Scope().Names() {
		object := pkg.Scope().Lookup(name)
		_, constant := object.(*types.Const)
		listed := constant && e.enumerates(object.Type(), pkg)
		if ast.IsExported(name) && !e.used[object] && !listed {
			report(object, name)
		}
		named, ok := object.Type().(*types.Named)
		if _, is := object.(*types.TypeName); !is || !ok || !ast.IsExported(name) {
			continue
		}
		for i := range named.NumMethods() {
			if method := named.Method(i); method.Exported() && !e.called[method.Name()] && !standard[method.Name()] {
				report(method, name+"."+method.Name())
			}
		}
	}
	return found
}

// enumerates reports whether constants of a type are the values of a type of pkg that is
// used: such a list is exported whole.
func (e *exports) enumerates(t types.Type, pkg *types.Package) bool {
	named, ok := t.(*types.Named)
	return ok && named.Obj().Pkg() == pkg && e.used[named.Obj()]
}

// standard lists the methods by which the standard library and libraries know a value.
var standard = map[string]bool{
	"Error": true, "Unwrap": true, "Is": true, "As": true, "String": true, "Format": true, "LogValue": true,
	"MarshalJSON": true, "UnmarshalJSON": true, "MarshalText": true, "UnmarshalText": true,
	"Read": true, "Write": true, "Close": true, "Seek": true, "ReadAt": true, "WriteTo": true, "ReadFrom": true,
	"Len": true, "Less": true, "Swap": true, "Value": true, "Scan": true,
	"ServeHTTP": true, "RoundTrip": true, "Header": true, "WriteHeader": true, "Flush": true,
	"Open": true, "Stat": true, "ReadDir": true, "Name": true, "Size": true, "Mode": true, "ModTime": true, "IsDir": true, "Sys": true,
	"Deadline": true, "Done": true, "Err": true, "Enabled": true, "Handle": true, "WithAttrs": true, "WithGroup": true,
	"Run": true, "Help": true, "Validate": true, "BeforeApply": true, "AfterApply": true, "Decode": true, "Import": true,
}
