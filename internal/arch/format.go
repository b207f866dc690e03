package arch

import (
	"go/ast"
	"go/token"
	"regexp"
	"strconv"
	"strings"
)

// An indexed format is one that names an argument by its number, as %[1]s does. The
// printf check of vet counts no arguments there, so an argument can go missing: the
// verb after %[1]s takes argument 2, whatever was used before.

// verb is one verb of a format: an index, if any, and the letter.
var verb = regexp.MustCompile(`%[-+# 0]*[0-9]*(?:\.[0-9]+)?(?:\[([0-9]+)\])?[-+# 0]*[0-9]*(?:\.[0-9]+)?([a-zA-Z%])`)

// checkFormats refuses indexed formats that leave an argument out.
func (c *checker) checkFormats(f *source) {
	ast.Inspect(f.syntax, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || call.Ellipsis.IsValid() {
			return true
		}
		for i, arg := range call.Args {
			if format := literal(arg); strings.Contains(format, "%[") {
				for _, left := range unused(format, len(call.Args)-i-1) {
					c.report(Formats, arg.Pos(), "argument %d is not in the format: give every verb its index", left)
				}
				break
			}
		}
		return true
	})
}

// unused returns the numbers of the arguments, counted from 1, that a format does not use.
func unused(format string, args int) (left []int) {
	used, next := map[int]bool{}, 1
	for _, m := range verb.FindAllStringSubmatch(format, -1) {
		if m[2] == "%" {
			continue
		}
		if m[1] != "" {
			next, _ = strconv.Atoi(m[1])
		}
		used[next] = true
		next++
	}
	for n := 1; n <= args; n++ {
		if !used[n] {
			left = append(left, n)
		}
	}
	return left
}

// literal returns the text of a string literal, or of several joined by +.
func literal(x ast.Expr) string {
	switch x := x.(type) {
	case *ast.BasicLit:
		if x.Kind == token.STRING {
			text, _ := strconv.Unquote(x.Value)
			return text
		}
	case *ast.BinaryExpr:
		return literal(x.X) + literal(x.Y)
	}
	return ""
}
