package ump

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/memory"
)

// The limits of the members of runtime, beside the length of the token: lists show
// them to the owner.
const (
	maxRuntimeText = 256 // bytes of a name, a scope, a category, a URI
	maxPurpose     = 1024
	maxCategories  = 64
)

// runtimeMember is the member of scope that limits a token to a runtime. It is in
// scope so that programs which do not know it refuse the token, rather than grant
// more.
const runtimeMember = "runtime"

// runtimeScope writes the runtime of a token.
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

// runtime reads the runtime of a token. It refuses unknown members, because they would
// narrow the grant.
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

// runtimeFault returns the first violation in a token for a runtime. Such a token has
// a name, either a scope or categories, no other limits, and is not the owner's own.
func (c *Claims) runtimeFault() tokenFault {
	r := c.Runtime
	if r == nil {
		return tokenFault{}
	}
	at := func(member string) tokenFault { return tokenFault{ErrTokenRuntime, "/scope/runtime/" + member} }
	s := c.Scope
	switch {
	case !isOneLine(r.Name, maxRuntimeText):
		return at("name")
	case (r.Scope == "") == (len(r.Categories) == 0), r.Scope != "" && !isOneLine(r.Scope, maxRuntimeText):
		return at("scope")
	case len(r.Categories) > maxCategories, slices.ContainsFunc(r.Categories, func(c string) bool { return !isOneLine(c, maxRuntimeText) }):
		return at("categories")
	case r.Purpose != "" && !isOneLine(r.Purpose, maxPurpose):
		return at("purpose")
	case r.IssuedTo != "" && !isOneLine(r.IssuedTo, maxRuntimeText):
		return at("issued_to")
	case s.Project != "" || len(c.Projects) > 0 || s.Agent != "" || s.Visibility != "":
		return tokenFault{ErrTokenRuntime, "/scope"}
	case c.Subject == string(c.Issuer):
		return tokenFault{ErrTokenScope, "/sub"}
	}
	return tokenFault{}
}

// isOneLine reports whether a text is one line, not blank, and within a limit.
func isOneLine(s string, limit int) bool {
	return strings.TrimSpace(s) != "" && len(s) <= limit && utf8.ValidString(s) && !strings.ContainsFunc(s, unicode.IsControl)
}
