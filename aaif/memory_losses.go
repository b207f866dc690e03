package aaif

import (
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

// What items of memory cannot express, and what states may not hold.
const (
	lossNotActive  = "proposed, replaced or erased: it is not in the snapshot"
	lossExpired    = "expired: it is left out"
	lossUser       = "about another person: it is not in the snapshot"
	lossSession    = "of another session: it is not in the snapshot"
	lossAgent      = "of another agent: it is not in the snapshot"
	lossEmpty      = "empty: there is nothing to remember"
	lossNewSession = "of a session that does not go on: it is left out"
	lossLongTTL    = "longer than a hundred years: kept without end"
	lossKind       = "the kind of a memory has no place in an item"
	lossStructured = "structured content has no place in an item"
	lossScope      = "a project, an agent or a visibility has no place in an item"
	lossRelations  = "relations have no place in an item"
	lossProvenance = "who said it has no place in an item"
	lossLifecycle  = "confidence, salience and decay have no place in an item"
	lossConsent    = "terms of consent other than a retention have no place in an item"
	lossTime       = "when it was said, and from when on it is true, has no place in an item"
	lossSupersedes = "what it replaces has no place in an item"
	lossSignature  = "a signature holds for the record, and not for an item"
)

// MemoryLosses lists all losses that [Snapshot] and [State.Memories] report.
func MemoryLosses() codec.Declared {
	return codec.Declared{
		Reading: []string{lossEmpty, lossExpired, lossNewSession, lossLongTTL},
		Writing: []string{lossNotActive, lossExpired, lossUser, lossSession, lossAgent, lossKind, lossStructured, lossScope, lossRelations,
			lossProvenance, lossLifecycle, lossConsent, lossTime, lossSupersedes, lossSignature},
	}
}

// lossesOf returns what an item does not express of a record in a snapshot. captured says
// that the item has the time of capture in place of the time of creation.
func lossesOf(r memory.Record, captured bool) []codec.Loss {
	was, returns := codec.Residue(r, format)
	scope, kind := scopeOf(r), memory.Semantic
	if scope == SessionScope || scope == TaskScope {
		kind = memory.Working
	}
	others := 0
	for _, m := range codec.Structured(r).Members() {
		if m.Name != format {
			others++
		}
	}
	ours := r.Provenance == nil || r.Provenance.Method == format
	c, l := r.Consent, r.Lifecycle
	undated := captured && !returns || !r.Time.ValidFrom.IsZero() || !r.Time.Observed.IsZero() && !was.Has("captured_at")
	var lost []codec.Loss
	for _, part := range []struct {
		there           bool
		pointer, reason string
	}{
		{r.Kind != kind, "/kind", lossKind},
		{others > 0, "/body/structured", lossStructured},
		{r.Scope.Project != "" || r.Scope.Agent != "" && scope != TaskScope || r.Scope.Visibility.WiderThan(memory.Private), "/scope", lossScope},
		{len(r.Relations) > 0, "/relations", lossRelations},
		{!ours, "/provenance", lossProvenance},
		{l.Confidence != nil || l.Salience != nil || l.Decay != "", "/lifecycle", lossLifecycle},
		{c != nil && (c.Exportable != nil || len(c.Redact) > 0), "/consent", lossConsent},
		{undated, "/time", lossTime},
		{len(r.Supersedes) > 0, "/supersedes", lossSupersedes},
		{r.Integrity != nil && r.Integrity.Signature != "", "/integrity", lossSignature},
	} {
		if part.there {
			lost = append(lost, codec.Loss{ID: r.ID, Pointer: part.pointer, Reason: part.reason})
		}
	}
	return lost
}
