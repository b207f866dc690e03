package ump

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/memory"
)

// What a token says of a runtime is bounded, besides by the length of a token: it
// stands in lists, and is shown to the owner.
const (
	maxRuntimeText = 256 // bytes of a name, a scope, a category, a URI
	maxPurpose     = 1024
	maxCategories  = 64
)

// runtimeMember is the member of scope that makes a token one for a runtime. It
// stands there because programs that do not know it refuse the token, rather than
// let its bearer read what it is not for.
const runtimeMember = "runtime"

// runtimeScope spells for whom a token is.
func runtimeScope(r *memory.Runtime) canon.Value {
	m := members{}
	m.text("name", r.Name)
	m.text("scope", r.Scope)
	if r.Categories != nil {
		m = append(m, canon.Member{Name: "categories", Value: texts(r.Categories)})
	}
	m.text("purpose", r.Purpose)
	m.text("issued_to", r.IssuedTo)
	return canon.Object(m...)
}

// runtime reads for whom a token is. A member that is not known would narrow what is
// granted, like one of scope.
func (r *claimReader) runtime(v canon.Value) *memory.Runtime {
	out := &memory.Runtime{}
	for _, m := range v.Members() {
		said := m.Value.Text()
		switch m.Name {
		case "name":
			out.Name = said
		case "scope":
			out.Scope = said
		case "purpose":
			out.Purpose = said
		case "issued_to":
			out.IssuedTo = said
		case "categories":
			said = "a list"
			out.Categories = r.categories(m.Value)
		default:
			said = ""
		}
		if said == "" {
			r.refuse(ErrTokenRuntime, "/scope/runtime"+canon.Pointer(m.Name))
		}
	}
	return out
}

func (r *claimReader) categories(list canon.Value) []string {
	if list.Type() != canon.TypeArray {
		r.refuse(ErrTokenRuntime, "/scope/runtime/categories")
		return nil
	}
	out := make([]string, list.Len())
	for i, item := range list.Items() {
		out[i] = item.Text()
	}
	return out
}

// runtimeFault returns what a token for a runtime may not say: it names one, is for
// a scope or for categories and not for both, and has no other limits, nor an owner
// who carries it.
func (c *Claims) runtimeFault() tokenFault {
	r := c.Runtime
	if r == nil {
		return tokenFault{}
	}
	at := func(member string) tokenFault { return tokenFault{ErrTokenRuntime, "/scope/runtime/" + member} }
	s := c.Scope
	switch {
	case !shown(r.Name, maxRuntimeText):
		return at("name")
	case (r.Scope == "") == (len(r.Categories) == 0), r.Scope != "" && !shown(r.Scope, maxRuntimeText):
		return at("scope")
	case len(r.Categories) > maxCategories, slices.ContainsFunc(r.Categories, func(c string) bool { return !shown(c, maxRuntimeText) }):
		return at("categories")
	case r.Purpose != "" && !shown(r.Purpose, maxPurpose):
		return at("purpose")
	case r.IssuedTo != "" && !shown(r.IssuedTo, maxRuntimeText):
		return at("issued_to")
	case s.Project != "" || s.Agent != "" || s.Visibility != "":
		return tokenFault{ErrTokenRuntime, "/scope"}
	case c.Subject == string(c.Issuer):
		return tokenFault{ErrTokenScope, "/sub"}
	}
	return tokenFault{}
}

// shown reports whether a text says something in one line, within a limit.
func shown(s string, limit int) bool {
	return strings.TrimSpace(s) != "" && len(s) <= limit && utf8.ValidString(s) && !strings.ContainsFunc(s, unicode.IsControl)
}
