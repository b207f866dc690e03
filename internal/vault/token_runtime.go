package vault

import (
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/memory"
)

// checkRuntime refuses a token for a runtime that nothing could be had with, or that
// says to whom it was issued in a way that no definition of a scope may (Engram 3.7).
func checkRuntime(op string, r *memory.Runtime) error {
	if r == nil {
		return nil
	}
	unknown := func(c string) bool { return !engram.Category(c).Standard() }
	switch {
	case r.Scope != "" && !slices.Contains(engram.Scopes(), engram.Scope(r.Scope)):
		return Invalid(op, "/scope/runtime/scope", "ENGRAM-3.9-DISC-3", "the scope of a token for an assistant is full, professional, personal, financial or minimal")
	case slices.ContainsFunc(r.Categories, unknown):
		return Invalid(op, "/scope/runtime/categories", "ENGRAM-3.4-4", "the categories are "+categoryNames())
	case r.IssuedTo != "" && !engram.IsRuntimeURI(r.IssuedTo):
		return Invalid(op, "/scope/runtime/issued_to", "ENGRAM-3.7-7", "an assistant is named by a URI that begins with https://, did: or urn:")
	}
	return nil
}

func categoryNames() string {
	var names []string
	for _, c := range engram.Categories() {
		names = append(names, string(c))
	}
	return strings.Join(names, ", ")
}
