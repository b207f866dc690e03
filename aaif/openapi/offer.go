package openapi

import (
	"fmt"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/codec"
)

// Offered is an operation as a tool for a model.
type Offered struct {
	Name string // <tool>__<operationId>
	Operation
	Sent Sent // how it says who calls
}

// Offer returns the tools that an AAIF tool of protocol openapi makes of a description:
// of all operations, or where the operator includes only some, of these, by operationId
// (AAIF-4.4-11). What keeps one from being offered is returned as well: that no way to be
// let in fits the tool's auth (AAIF-4.4-12), that two have one name, or that the operator
// includes what is not there. at is the pointer of the tool.
func (d Description) Offer(t aaif.Tool, at string, include []string) (offers []Offered, found []*codec.ParseError) {
	seen := map[string]bool{}
	fail := func(code aaif.Code, rule, pointer, text string, args ...any) {
		found = append(found, aaif.Violation("aaif", code, rule, pointer, text, args...))
	}
	for _, o := range d.Operations {
		if include != nil && !slices.Contains(include, o.ID) {
			continue
		}
		name := t.Name + "__" + word(o.ID)
		sent, ok := d.lets(o, t.Auth)
		switch {
		case seen[name]:
			fail(aaif.Duplicated, "4.4-11", at+"/endpoint", "two operations are called %s: which is meant nobody knows", aaif.Shown(o.ID))
			continue
		case !ok:
			fail(aaif.ToolAuthMissing, "4.4-12", at+"/auth", "%s asks for %s, and the tool's auth is %s", aaif.Shown(o.ID), d.asks(o), said(t.Auth))
		default:
			offers = append(offers, Offered{Name: name, Operation: o, Sent: sent})
		}
		seen[name] = true
	}
	for _, id := range include {
		if !slices.ContainsFunc(d.Operations, func(o Operation) bool { return o.ID == id }) {
			fail(aaif.Unresolved, "4.4-11", at+"/endpoint", "no operation is called %s", aaif.Shown(id))
		}
	}
	return offers, found
}

// word returns an id as names of tools are written.
func word(id string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-' {
			return r
		}
		return '_'
	}, id)
}

// asks says what an operation asks for.
func (d Description) asks(o Operation) string {
	var ways []string
	for i, way := range o.Needs {
		if i == 3 {
			ways = append(ways, "others")
			break
		}
		var names []string
		for _, name := range way[:min(len(way), 3)] {
			names = append(names, fmt.Sprintf("%s (%s)", aaif.Shown(name), d.Schemes[name]))
		}
		ways = append(ways, strings.Join(names, " and "))
	}
	return strings.Join(ways, ", or ")
}

func said(a aaif.Auth) string {
	if a.Type == "" || a.Type == "none" {
		return "none"
	}
	return aaif.Shown(a.Type)
}
