package umptest

import (
	"cmp"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/memory"
)

// may refuses what the caller's token does not grant, and gives what a request
// leaves open the token's own limits (section 5.2, decision UD-25).
func may(c memory.Caller, verb memory.Verb, s memory.Scope) (memory.Scope, error) {
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

// mayWrite refuses what a peer may not bring in, and returns where it belongs.
func mayWrite(c memory.Caller, r memory.Record) (memory.Scope, error) {
	scope, err := may(c, memory.WriteVerb, r.Scope)
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

// cites reports whether a record was made from others.
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
		return r.Scope.Owner == c.Owner && covers(c.Grant.Scope, r.Scope) && shown(c, r)
	}
	return r.Scope.Visibility == memory.Public
}

// shown reports whether a record is as open as a token asks, or came in with it.
func shown(c memory.Caller, r memory.Record) bool {
	reach := cmp.Or(c.Grant.Scope.Visibility, memory.Shared)
	return !reach.WiderThan(r.Scope.Visibility) || r.Provenance != nil && r.Provenance.Source != nil && r.Provenance.Source.Ref == turn(c)
}

// covers reports whether limits are kept. A token for a project is not about what
// belongs to none.
func covers(limits, s memory.Scope) bool {
	return (limits.Project == "" || limits.Project == s.Project) && (limits.Agent == "" || limits.Agent == s.Agent)
}

// turn is what a caller is stamped as.
func turn(c memory.Caller) string { return c.Agent + "#" + c.Session }
