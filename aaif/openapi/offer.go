package openapi

import (
	"fmt"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/codec"
)

// OfferedTool is an operation as a tool for a model.
type OfferedTool struct {
	Name string // <tool>__<operationId>
	Operation
	Auth AuthPlacement // where the credential goes
}

// Offer returns the tools that an AAIF tool of protocol openapi gets from a description:
// one per operation, or per included operationId (AAIF-4.4-11). It also returns why
// operations are not offered: no security scheme fits the tool's auth (AAIF-4.4-12), two
// operations have one name, or an included one does not exist. at is the pointer of the
// tool.
func (d Description) Offer(t aaif.Tool, at string, include []string) (offers []OfferedTool, found []*codec.ParseError) {
	seen := map[string]bool{}
	fail := func(code aaif.Code, rule, pointer, text string, args ...any) {
		found = append(found, aaif.Violation("aaif", code, rule, pointer, text, args...))
	}
	for _, o := range d.Operations {
		if include != nil && !slices.Contains(include, o.ID) {
			continue
		}
		name := t.Name + "__" + toolWord(o.ID)
		sent, ok := d.authFor(o, t.Auth)
		switch {
		case seen[name]:
			fail(aaif.Duplicated, "4.4-11", at+"/endpoint", "two operations are called %s: which is meant nobody knows", aaif.Shown(o.ID))
			continue
		case !ok:
			fail(aaif.ToolAuthMissing, "4.4-12", at+"/auth", "%s asks for %s, and the tool's auth is %s", aaif.Shown(o.ID), d.asks(o), said(t.Auth))
		default:
			offers = append(offers, OfferedTool{Name: name, Operation: o, Auth: sent})
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

// toolWord writes an id as a part of a tool's name.
func toolWord(id string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-' {
			return r
		}
		return '_'
	}, id)
}

// asks says which authentication an operation requires.
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
