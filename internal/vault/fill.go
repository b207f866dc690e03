package vault

import (
	"time"

	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// fill completes a draft as decision UD-2 says. It adds nothing to a record with
// integrity.
func fill(rec memory.Record, c memory.Caller, now time.Time, method string) memory.Record {
	if rec.Version == "" {
		rec.Version = ump.Edition
	}
	if rec.Scope.Owner == "" {
		rec.Scope.Owner = c.Owner
	}
	if rec.Scope.Visibility == "" {
		rec.Scope.Visibility = memory.Private
	}
	if rec.Kind == "" {
		rec.Kind = memory.Semantic
	}
	rec.Time = filledTimes(rec.Time, now)
	rec.Lifecycle.Status = rec.Lifecycle.Status.Or()
	if rec.Provenance == nil {
		rec.Provenance = Stamp(c, method, "")
	}
	return rec
}

func filledTimes(t memory.Times, now time.Time) memory.Times {
	if t.Created.IsZero() {
		t.Created = now
	}
	if t.Observed.IsZero() {
		t.Observed = t.Created
	}
	if t.ValidFrom.IsZero() {
		t.ValidFrom = t.Observed
		if !t.ValidTo.IsZero() && t.ValidTo.Before(t.ValidFrom) {
			t.ValidFrom = time.Time{} // learnt after it ended: its beginning is unknown
		}
	}
	return t
}

// Stamp returns a provenance that names the caller as the one who asserted the record
// (decision UD-19). ref points to its source; empty: the caller's session.
func Stamp(c memory.Caller, method, ref string) *memory.Provenance {
	p := &memory.Provenance{Actor: string(c.Owner), ActorKind: memory.ByAgent, Method: method}
	if c.Role == memory.Owner {
		p.ActorKind = memory.ByUser
	}
	if ref == "" {
		ref = c.Session
	}
	if ref != "" || c.Agent != "" {
		p.Source = &memory.Source{Ref: ref, Provider: c.Agent}
	}
	return p
}

// mayName refuses an actor that a caller may not name: a peer's token names the peer
// (UMP 1.0, section 9).
func mayName(c memory.Caller, op, actor string) error {
	if actor == "" || c.Speaks() {
		return nil
	}
	return &memory.Error{Kind: memory.ForbiddenScope, Op: op, Path: "/actor", Rule: "UMP1-9-1",
		Message: "only the owner and the owner's agents may name who acts: leave actor out"}
}

// ActedBy returns a provenance that names an actor, if there is one to name.
func ActedBy(p *memory.Provenance, actor string) *memory.Provenance {
	if actor == "" || p == nil {
		return p
	}
	next := *p
	next.Actor = actor
	return &next
}

// Unexpired refuses a record whose retention ends before the record begins.
func Unexpired(op string, rec memory.Record, now time.Time) error {
	if at, ok := ump.Expiry(rec); ok && !now.Before(at) {
		return &memory.Error{Kind: memory.ConsentViolation, Op: op, Path: "/consent/retention", Rule: "UMP-3.3-7",
			Message: "the record's retention has already ended"}
	}
	return nil
}

// coherent refuses a record whose policy contradicts itself or cannot be applied.
func coherent(op string, rec memory.Record) error {
	if rec.Consent == nil {
		return nil
	}
	exportable := rec.Consent.Exportable == nil || *rec.Consent.Exportable
	if rec.Scope.Visibility == memory.Public && !exportable {
		return &memory.Error{Kind: memory.ConsentViolation, Op: op, Path: "/consent/exportable", Rule: "UMP-3.3-7",
			Message: "a public record cannot forbid export: make it private or exportable"}
	}
	return ump.CheckRedact(rec.Consent.Redact)
}
