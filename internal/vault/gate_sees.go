package vault

import (
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// Sees reports whether the caller may know of the record at all: the owner is a hard
// wall, visibility a second one (UMP 2.2), the scope of a token a third. Only this owner
// and the owner's agents see records that another owner shared with this one. An error
// means that the store failed, and says nothing of the record.
func (g Gate) Sees(rec memory.Record) (bool, error) {
	if Foreign(rec, g.Caller.Owner) {
		return g.Caller.Speaks() && MayBeHeld(rec), nil
	}
	switch g.Caller.Role {
	case memory.Owner, memory.Agent:
		return true, nil
	case memory.Peer:
		if g.Caller.Grant != nil && g.Caller.Grant.Runtime != nil { // a runtime's token is for beliefs, never for records
			return false, nil
		}
		unhidden, err := g.unhidden(rec)
		return unhidden && g.names.covers(g.Caller.Grant, rec.Scope), err
	}
	return rec.Scope.Visibility == memory.Public, nil
}

// unhidden reports whether the record's visibility admits a peer: shared records, unless
// the token says otherwise, and records that came with this very token.
func (g Gate) unhidden(rec memory.Record) (bool, error) {
	if g.Caller.Grant == nil {
		return rec.Scope.Visibility == memory.Public, nil
	}
	reach := g.Caller.Grant.Scope.Visibility
	if reach == "" {
		reach = memory.Shared
	}
	if !reach.WiderThan(Visibility(rec)) {
		return true, nil
	}
	return g.broughtBy(rec.ID)
}

// Visibility returns who may see a record; private by default.
func Visibility(rec memory.Record) memory.Visibility {
	if rec.Scope.Visibility == "" {
		return memory.Private
	}
	return rec.Scope.Visibility
}

// broughtBy reports whether a record came with the caller's token. The store keeps that
// beside the record, where nobody can forge it.
func (g Gate) broughtBy(id memory.ID) (bool, error) {
	if g.rows == nil || !g.Caller.Grant.Allows(memory.WriteVerb) {
		return false, nil
	}
	_, err := g.rows.Alias(g.Caller.Session, string(id))
	return err == nil, NotFoundIsNone(err)
}

// BroughtIn notes the token with which a record came.
func BroughtIn(w store.Writer, c memory.Caller, id memory.ID) error {
	if c.Role != memory.Peer || c.Session == "" {
		return nil
	}
	return w.SetAlias(c.Session, string(id), id)
}

// ofToken reports whether a record says that it came with any token.
func ofToken(rec memory.Record) bool {
	p := rec.Provenance
	if p == nil {
		return false
	}
	begins := func(ref string) bool { return strings.HasPrefix(ref, TokenSession) }
	return p.Source != nil && begins(p.Source.Ref) || slices.ContainsFunc(p.Evidence, func(e memory.Evidence) bool { return begins(e.Ref) })
}

// covers reports whether a token is about records of this scope. A project's token does
// not cover records without a project.
func (n ProjectNames) covers(g *memory.Grant, s memory.Scope) bool {
	if g == nil {
		return true
	}
	if p := g.Scope.Project; p != "" && n.canonical(p) != n.canonical(s.Project) {
		return false
	}
	return g.Scope.Agent == "" || g.Scope.Agent == s.Agent
}
