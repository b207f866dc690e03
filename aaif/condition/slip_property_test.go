package condition_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/satchel-memory/satchel/aaif/condition"
	"github.com/satchel-memory/satchel/canon"
)

// atom is the question whether what a path leads to is a text.
type atom struct{ path, text string }

func drawnAtom(rt *rapid.T) atom {
	return atom{
		rapid.SampledFrom([]string{"tool.name", "tool.name", "tool.protocol", "args.amount", "args.to", "args.query", "variables.v", "tool.nmae", "args.zz", "tols.name"}).Draw(rt, "path"),
		rapid.SampledFrom([]string{"book", "find", "http", "function", "bok", "x"}).Draw(rt, "text"),
	}
}

// in writes an atom in a language.
func (a atom) in(lang condition.Language) string {
	steps := strings.Split(a.path, ".")
	switch lang {
	case condition.JSONPath: // of what is there in every payload
		return fmt.Sprintf("$.%s == '%s'", a.path, a.text)
	case condition.JSONLogic:
		return fmt.Sprintf(`{"==":[{"var":"%s"},"%s"]}`, a.path, a.text)
	case condition.JMESPath:
		return fmt.Sprintf("%s.%s == '%s'", steps[0], steps[1], a.text)
	}
	return fmt.Sprintf("%s == '%s'", a.path, a.text)
}

// node is an atom, or others that all hold, or of which one does.
type node struct {
	atom
	parts []node
	all   bool
}

func drawnNode(rt *rapid.T, depth int) node {
	if depth == 0 || rapid.IntRange(0, 2).Draw(rt, "leaf") == 0 {
		return node{atom: drawnAtom(rt)}
	}
	n := node{all: rapid.Bool().Draw(rt, "all")}
	for range rapid.IntRange(2, 3).Draw(rt, "parts") {
		n.parts = append(n.parts, drawnNode(rt, depth-1))
	}
	return n
}

func (n node) in(lang condition.Language) string {
	if n.parts == nil {
		return n.atom.in(lang)
	}
	var parts []string
	for _, p := range n.parts {
		parts = append(parts, p.in(lang))
	}
	sign, name := " || ", "or"
	if n.all {
		sign, name = " && ", "and"
	}
	if lang == condition.JSONLogic {
		return `{"` + name + `":[` + strings.Join(parts, ",") + `]}`
	}
	return "(" + strings.Join(parts, sign) + ")"
}

// ways returns the ways in which a node holds, each being what holds together in it.
func (n node) ways() [][]atom {
	if n.parts == nil {
		return [][]atom{{n.atom}}
	}
	all := [][]atom{{}}
	var any [][]atom
	for _, p := range n.parts {
		var next [][]atom
		for _, w := range p.ways() {
			any = append(any, w)
			for _, before := range all {
				next = append(next, append(slices.Clip(before), w...))
			}
		}
		all = next
	}
	if n.all {
		return all
	}
	return any
}

// possible reports whether some call makes all atoms hold.
func possible(way []atom) bool {
	for tool, args := range map[string][]string{"book http": {"args.amount", "args.to"}, "find function": {"args.query"}} {
		name, protocol, _ := strings.Cut(tool, " ")
		fixed := map[string]string{"tool.name": name, "tool.protocol": protocol}
		for _, path := range append(args, "variables.v") {
			fixed[path] = ""
		}
		if !slices.ContainsFunc(way, func(a atom) bool {
			v, known := fixed[a.path]
			if known && v == "" {
				fixed[a.path] = a.text
			}
			return !known || v != "" && v != a.text
		}) {
			return true
		}
	}
	return false
}

// TestSlipsAreRight: a condition that can be true in every way it says is left alone, and
// one that asks for a few things at once, of which lint tells one, is true of no call.
func TestSlipsAreRight(t *testing.T) {
	told, silent := 0, 0
	compiler := condition.NewCompiler(condition.Options{})
	rapid.Check(t, func(rt *rapid.T) {
		for range 20 {
			lang := rapid.SampledFrom([]condition.Language{condition.CEL, condition.JMESPath, condition.JSONLogic, condition.JSONPath}).Draw(rt, "lang")
			n := drawnNode(rt, 2)
			expr := n.in(lang)
			if lang == condition.JSONPath {
				expr = "$.tool[?" + expr + "]"
			}
			if found := slipFinder(t, condition.Approval, slipTools, string(written(t, lang, expr).AppendCanonical(nil))); found == "" {
				silent++
			} else {
				told++
				right(rt, compiler, lang, expr, n.ways(), found)
			}
		}
	})
	if told == 0 || silent == 0 {
		t.Errorf("told of %d, silent of %d", told, silent)
	}
}

// right fails where what lint says of an expression is wrong.
func right(rt *rapid.T, compiler *condition.Compiler, lang condition.Language, expr string, ways [][]atom, found string) {
	if !slices.ContainsFunc(ways, func(way []atom) bool { return !possible(way) }) {
		rt.Fatalf("AAIF-5-21: %s can be true in every way, and lint says %s", expr, found)
	}
	if len(ways) > 1 {
		return
	}
	c, err := compiler.Compile(canon.Object(canon.Member{Name: "lang", Value: canon.String(string(lang))}, canon.Member{Name: "expr", Value: exprOf(lang, expr)}), "/x")
	if err != nil {
		rt.Fatal(err)
	}
	for _, call := range []string{
		`{"tool":{"name":"book","protocol":"http"},"args":{"amount":"x","to":"x"},"variables":{"v":"x"}}`,
		`{"tool":{"name":"book","protocol":"http"},"args":{"amount":"book","to":"http"},"variables":{"v":"book"}}`,
		`{"tool":{"name":"find","protocol":"function"},"args":{"query":"x"},"variables":{}}`,
	} {
		v, err := canon.Parse([]byte(call), canon.Options{})
		if err != nil {
			rt.Fatal(err)
		}
		if c.Decide(condition.Filter, v, condition.Policy{}).Satisfied {
			rt.Fatalf("AAIF-5-21: %s is true of %s, and lint says %s", expr, call, found)
		}
	}
}

func exprOf(lang condition.Language, expr string) canon.Value {
	if lang != condition.JSONLogic {
		return canon.String(expr)
	}
	v, err := canon.Parse([]byte(expr), canon.Options{})
	if err != nil {
		panic(err)
	}
	return v
}
