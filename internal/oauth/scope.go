package oauth

import (
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/memory"
)

// contextScope begins the scopes of a context: "engram:professional".
const contextScope = "engram:"

// contextScopes are the parts of a context (Engram 3.7).
func contextScopes() []string {
	return []string{"full", "professional", "personal", "financial", "minimal"}
}

// usualScope is asked for by a client that names no scope, and named in challenges.
func usualScope() []memory.Verb { return []memory.Verb{memory.ReadVerb, memory.WriteVerb} }

// access is what a scope means.
type access struct {
	verbs   []memory.Verb
	context string
}

// accessOf reads the parameter scope of a request for a resource. The scopes are the verbs,
// and for a context one of its parts. "offline_access" asks for what every client gets.
func accessOf(scope string, context bool) (access, bool) {
	var a access
	for _, s := range strings.Fields(scope) {
		part, ofContext := strings.CutPrefix(s, contextScope)
		switch v := memory.Verb(s); {
		case s == "offline_access":
		case ofContext && context && slices.Contains(contextScopes(), part) && (a.context == "" || a.context == part):
			a.context = part
		case v.Valid() && (!context || v == memory.ReadVerb || v == memory.WriteVerb):
			if !slices.Contains(a.verbs, v) {
				a.verbs = append(a.verbs, v)
			}
		default:
			return access{}, false
		}
	}
	switch {
	case context && a.context == "":
		a.context = "minimal"
	case !context && len(a.verbs) == 0:
		a.verbs = usualScope()
	}
	if context && !slices.Contains(a.verbs, memory.ReadVerb) {
		a.verbs = append(a.verbs, memory.ReadVerb)
	}
	a.verbs = inOrder(a.verbs)
	return a, true
}

// narrowerScope reads the parameter scope of a refresh, which asks for a part of the grant; an
// empty one asks for all.
func narrowerScope(scope string) (verbs []memory.Verb, context string, ok bool) {
	for _, s := range strings.Fields(scope) {
		part, ofContext := strings.CutPrefix(s, contextScope)
		switch {
		case s == "offline_access":
		case ofContext && slices.Contains(contextScopes(), part) && context == "":
			context = part
		case memory.Verb(s).Valid():
			verbs = append(verbs, memory.Verb(s))
		default:
			return nil, "", false
		}
	}
	return inOrder(verbs), context, true
}

// inOrder returns verbs in the order of the specification.
func inOrder(verbs []memory.Verb) []memory.Verb {
	return slices.DeleteFunc(memory.Verbs(), func(v memory.Verb) bool { return !slices.Contains(verbs, v) })
}

// scopeOf is the inverse of accessOf.
func scopeOf(verbs []memory.Verb, context string) string {
	var all []string
	if context != "" {
		all = append(all, contextScope+context)
	}
	for _, v := range verbs {
		all = append(all, string(v))
	}
	return strings.Join(all, " ")
}

// scopes are those of a resource.
func (r resource) scopes() []string {
	if !r.context {
		return strings.Fields(scopeOf(memory.Verbs(), ""))
	}
	var all []string
	for _, part := range contextScopes() {
		all = append(all, contextScope+part)
	}
	return append(all, string(memory.ReadVerb), string(memory.WriteVerb))
}
