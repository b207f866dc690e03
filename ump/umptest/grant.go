package umptest

import (
	"cmp"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/memory"
)

// authorize refuses a request that the caller's token does not grant. It fills missing
// limits of the request from the token (section 5.2, decision UD-25).
func authorize(c memory.Caller, verb memory.Verb, s memory.Scope) (memory.Scope, error) {
	switch {
	case c.Speaks():
		return s, nil
	case c.Role == memory.Peer && c.Grant.Allows(verb):
	case c.Grant == nil && verb == memory.ReadVerb:
		return s, nil
	default:
		return s, refusal(memory.ForbiddenScope, "", "that is not granted: "+string(verb))
	}
	limits := c.Grant.Scope
	s.Project, s.Agent = cmp.Or(s.Project, limits.Project), cmp.Or(s.Agent, limits.Agent)
	if s.Owner != "" && s.Owner != c.Owner || !covers(limits, s) {
		return s, refusal(memory.ForbiddenScope, "/scope", "the token is for another part of the memory")
	}
	return s, nil
}

// authorizeWrite refuses a record that a peer may not write, and returns its scope.
func authorizeWrite(c memory.Caller, r memory.Record) (memory.Scope, error) {
	scope, err := authorize(c, memory.WriteVerb, r.Scope)
	switch {
	case err != nil || c.Role != memory.Peer:
		return scope, err
	case r.Scope.Visibility == memory.Public:
		return scope, refusal(memory.ForbiddenScope, "/record/scope/visibility", "only the owner publishes")
	case cites(r) && !c.Grant.Allows(memory.DeriveVerb):
		return scope, refusal(memory.ForbiddenScope, "/record", "that is not granted: derive")
	}
	return scope, nil
}

// cites reports whether a record names others that it was derived from.
func cites(r memory.Record) bool {
	return len(r.Supersedes) > 0 ||
		slices.ContainsFunc(r.Relations, func(x memory.Relation) bool { return x.Type == memory.DerivedFrom }) ||
		r.Provenance != nil && slices.ContainsFunc(r.Provenance.Evidence, func(e memory.Evidence) bool { return strings.HasPrefix(e.Ref, "urn:ump:") })
}

// sees reports whether the caller may see the record.
func sees(c memory.Caller, r memory.Record) bool {
	switch {
	case c.Speaks():
		return r.Scope.Visibility == memory.Public || r.Scope.Owner == c.Owner
	case c.Role == memory.Peer && c.Grant != nil:
		return r.Scope.Owner == c.Owner && covers(c.Grant.Scope, r.Scope) && isOpenTo(c, r)
	}
	return r.Scope.Visibility == memory.Public
}

// isOpenTo reports whether a record has the visibility that a token needs, or was written
// with that token.
func isOpenTo(c memory.Caller, r memory.Record) bool {
	reach := cmp.Or(c.Grant.Scope.Visibility, memory.Shared)
	return !reach.WiderThan(r.Scope.Visibility) || r.Provenance != nil && r.Provenance.Source != nil && r.Provenance.Source.Ref == sourceRef(c)
}

// covers reports whether a scope is within limits. A token for a project does not cover
// records without a project.
func covers(limits, s memory.Scope) bool {
	return (limits.Project == "" || limits.Project == s.Project) && (limits.Agent == "" || limits.Agent == s.Agent)
}

// sourceRef is the provenance of records that a caller writes.
func sourceRef(c memory.Caller) string { return c.Agent + "#" + c.Session }
