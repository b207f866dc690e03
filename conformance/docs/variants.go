package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
)

// chosen is the variable of a package that says which of its variants is at work.
const chosen = "proofVariant"

// variants returns the source of a file in which every mutation stands beside the code that
// it breaks, and the places in mutations that it could so include. A function that mutations
// change becomes one that calls the variant at work, so that one build serves them all:
//
//	func (g Gate) Sees(p0 memory.Record) (bool, error) {
//		switch proofVariant {
//		case 7:
//			return g.proofSees7(p0)
//		}
//		return g.proofSees(p0)
//	}
//
// A mutation outside of functions needs a build of its own.
func variants(source string, mutations map[int]mutation) (string, []int, error) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, "", source, parser.SkipObjectResolution)
	if err != nil {
		return "", nil, err
	}
	offset := func(p token.Pos) int { return files.Position(p).Offset }
	var out strings.Builder
	var included []int
	last := 0
	for _, decl := range file.Decls {
		fn, ok := decl.(*ast.FuncDecl)
		if !ok || fn.Body == nil || fn.Name.Name == "main" || fn.Name.Name == "init" {
			continue
		}
		from, body, to := offset(fn.Pos()), offset(fn.Body.Pos()), offset(fn.End())
		broken := map[int]string{}
		for number, m := range mutations {
			if at := strings.Index(source, m.code); at >= body && at+len(m.code) <= to {
				broken[number] = source[body:at] + m.broken + source[at+len(m.code):to]
			}
		}
		if len(broken) == 0 {
			continue
		}
		v := variant{source: source, offset: offset, fn: fn}
		out.WriteString(source[last:from])
		numbers := sorted(broken)
		out.WriteString(v.chooser(numbers))
		out.WriteString(v.named("") + source[body:to])
		for _, number := range numbers {
			out.WriteString("\n\n" + v.named(fmt.Sprint(number)) + broken[number])
		}
		included = append(included, numbers...)
		last = to
	}
	return out.String() + source[last:], included, nil
}

func sorted[T any](m map[int]T) []int {
	var keys []int
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

// variant renders the variants of a function.
type variant struct {
	source string
	offset func(token.Pos) int
	fn     *ast.FuncDecl
}

func (v variant) text(n ast.Node) string { return v.source[v.offset(n.Pos()):v.offset(n.End())] }

// named returns the head of the function under the name of a variant.
func (v variant) named(suffix string) string {
	head := v.source[v.offset(v.fn.Pos()):v.offset(v.fn.Body.Pos())]
	at, end := v.offset(v.fn.Name.Pos())-v.offset(v.fn.Pos()), v.offset(v.fn.Name.End())-v.offset(v.fn.Pos())
	return head[:at] + v.name(suffix) + head[end:]
}

func (v variant) name(suffix string) string { return "proof" + v.fn.Name.Name + suffix }

// chooser returns the function that calls the variant at work.
func (v variant) chooser(numbers []int) string {
	receiver, call := v.receiver()
	params, args := v.params()
	generic, instance := v.generic()
	results := ""
	back := ""
	if v.fn.Type.Results != nil {
		results, back = " "+v.text(v.fn.Type.Results), "return "
	}
	var b strings.Builder
	fmt.Fprintf(&b, "func %s%s%s(%s)%s {\n\tswitch %s() {\n", receiver, v.fn.Name.Name, generic, params, results, chosen)
	for _, number := range numbers {
		fmt.Fprintf(&b, "\tcase %d:\n\t\t%s%s%s%s(%s)\n", number, back, call, v.name(fmt.Sprint(number)), instance, args)
		if back == "" {
			b.WriteString("\t\treturn\n")
		}
	}
	fmt.Fprintf(&b, "\t}\n\t%s%s%s%s(%s)\n}\n\n", back, call, v.name(""), instance, args)
	return b.String()
}

// receiver returns the receiver as declared and as called.
func (v variant) receiver() (declared, called string) {
	if v.fn.Recv == nil {
		return "", ""
	}
	return "(proofSelf " + v.text(v.fn.Recv.List[0].Type) + ") ", "proofSelf."
}

// params returns the parameters as declared and as passed on.
func (v variant) params() (declared, passed string) {
	var names, types []string
	for _, field := range v.fn.Type.Params.List {
		for range max(1, len(field.Names)) {
			name := fmt.Sprintf("proof%d", len(types))
			types = append(types, name+" "+v.text(field.Type))
			if _, many := field.Type.(*ast.Ellipsis); many {
				name += "..."
			}
			names = append(names, name)
		}
	}
	return strings.Join(types, ", "), strings.Join(names, ", ")
}

// generic returns the type parameters as declared and as passed on.
func (v variant) generic() (declared, passed string) {
	if v.fn.Type.TypeParams == nil {
		return "", ""
	}
	var names []string
	for _, field := range v.fn.Type.TypeParams.List {
		for _, name := range field.Names {
			names = append(names, name.Name)
		}
	}
	return v.text(v.fn.Type.TypeParams), "[" + strings.Join(names, ", ") + "]"
}
