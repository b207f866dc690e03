package vault

import (
	"slices"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// Gate is the one place that a record passes on its way to a caller, a file or a feed.
// It decides from the record itself, never from a column.
type Gate struct {
	vault  *verifier
	Caller memory.Caller
	Now    time.Time
	rows   store.Reader
	names  ProjectNames // of projects, for a token limited to some

	verbatim bool   // the format carries whole signed records, also those of other owners
	edition  string // the UMP edition of leaving records; empty: each record's own
}

// gate returns the gate for a caller, who may know a project by several names.
func (v *verifier) gate(r store.Reader, c memory.Caller) (Gate, error) {
	g := Gate{vault: v, Caller: c, Now: v.now(), rows: r}
	if c.Grant.EveryProject() {
		return g, nil
	}
	var err error
	g.names, err = projectNames(r)
	return g, err
}

// record returns the record of a row. Nobody can trust the owner and visibility of a
// damaged one, so only the owner's side learns of it.
func (g Gate) record(row store.Row) (memory.Record, error) {
	rec, damage, err := g.vault.read(g.rows, row)
	switch {
	case err != nil || damage == nil:
		return rec, err
	case g.Caller.Speaks():
		return rec, damage
	}
	return rec, store.ErrNotFound
}

// HasExpired reports whether the record's retention has run out, swept or not.
func (g Gate) HasExpired(rec memory.Record) bool { return g.isOver(&rec) }

// isOver is HasExpired. A search decides on many records and passes them by pointers, since a
// record is large.
func (g *Gate) isOver(rec *memory.Record) bool {
	if rec.Consent == nil { // as of most
		return false
	}
	at, ok := ump.Expiry(*rec)
	return ok && !g.Now.Before(at)
}

// status is the status in force: an expired record counts as tombstoned before any sweep
// (UMP-2.7-3).
func (g Gate) status(rec memory.Record) memory.Status { return g.statusOf(&rec) }

func (g *Gate) statusOf(rec *memory.Record) memory.Status {
	if g.isOver(rec) {
		return memory.Tombstoned
	}
	return rec.Lifecycle.Status.Or()
}

// admits reports whether a search or a listing may show the record: the caller sees it,
// and its status is wanted. Only the owner's side sees tombstones.
func (g *Gate) admits(rec *memory.Record, statuses []memory.Status) (bool, error) {
	if sees, err := g.sees(rec); !sees || err != nil {
		return false, err
	}
	s := g.statusOf(rec)
	if s != memory.Active && !g.Caller.Speaks() {
		return false, nil
	}
	if len(statuses) == 0 {
		return s == memory.Active, nil
	}
	return slices.Contains(statuses, s), nil
}

// emit returns the record in the form for the caller. Tombstones leave as shells, except
// for the owner's own get (keep) within retention. A record that crosses a visibility
// boundary is redacted.
func (g Gate) emit(rec memory.Record, keep bool) (memory.Record, error) {
	rec, err := g.WithoutHiddenVersions(rec)
	switch {
	case err != nil:
		return rec, err
	case g.HasExpired(rec):
		return g.vault.emptied(rec, g.Caller.Owner)
	case rec.Lifecycle.Status == memory.Tombstoned && !keep:
		return ump.Shell(rec, ump.Erased, g.key(rec))
	case !g.Caller.Speaks():
		return ump.Redact(rec, g.key(rec))
	}
	return rec, nil
}

// emptied returns the shell of a record whose retention is over: the same before and
// after the sweep. Its valid time ends with the retention at the latest.
func (v *verifier) emptied(rec memory.Record, owner memory.DID) (memory.Record, error) {
	if rec.Lifecycle.Status == memory.Tombstoned && rec.Body.Text == ump.ErasedExpired {
		return rec, nil // swept, and signed at the sweep
	}
	if at, ok := ump.Expiry(rec); ok && rec.Time.ValidTo.IsZero() {
		rec.Time.ValidTo = at
		if from := rec.Time.From(); at.Before(from) {
			rec.Time.ValidTo = from
		}
	}
	return ump.Shell(rec, ump.ErasedExpired, v.signer(rec, owner))
}

// Export returns the record in the form for a file: redacted even for the owner
// (decision UD-13). The second result is the reason to omit it, or "". The caller has
// checked that the record is visible.
func (g Gate) Export(rec memory.Record, toPeer bool) (memory.Record, string, error) {
	switch {
	case g.status(rec) == memory.Tombstoned:
		return rec, "forgotten", nil
	case Foreign(rec, g.Caller.Owner) && !g.verbatim:
		return rec, anothersRecord, nil
	case Foreign(rec, g.Caller.Owner) && g.edition == ump.LaterEdition && rec.Version != g.edition:
		return rec, earlierEdition, nil
	case Foreign(rec, g.Caller.Owner) && toPeer && rec.Scope.Visibility != memory.Public:
		return rec, "another owner's, who shared it with you and not with others", nil
	case g.status(rec) == memory.Candidate && len(rec.SupersededBy) > 0:
		return rec, "proposed; what came of it is exported", nil
	case g.status(rec) == memory.Candidate:
		return rec, "not confirmed", nil
	case rec.Consent != nil && rec.Consent.Exportable != nil && !*rec.Consent.Exportable:
		return rec, "consent: not exportable", nil
	case toPeer && rec.Scope.Visibility != memory.Shared && rec.Scope.Visibility != memory.Public:
		return rec, "private", nil
	case toPeer && rec.Consent != nil && rec.Consent.Retention != "":
		return rec, "consent: retention", nil
	}
	rec, err := g.WithoutHiddenVersions(rec)
	if err != nil {
		return rec, "", err
	}
	out, err := ump.Redact(rec, g.key(rec))
	if memory.KindOf(err) == memory.ConsentViolation {
		return rec, "consent: cannot be redacted", nil
	}
	return out, "", err
}

// Sees reports whether the caller may know of the record at all: the owner is a hard
// wall, visibility a second one (UMP 2.2), the scope of a token a third. Only this owner
// and the owner's agents see records that another owner shared with this one. An error
// means that the store failed, and says nothing of the record.
func (g Gate) Sees(rec memory.Record) (bool, error) { return g.sees(&rec) }

func (g *Gate) sees(rec *memory.Record) (bool, error) {
	if rec.Scope.Owner != g.Caller.Owner { // see Foreign
		return g.Caller.Speaks() && MayBeHeld(*rec), nil
	}
	switch g.Caller.Role {
	case memory.Owner, memory.Agent:
		return true, nil
	case memory.Peer:
		if g.Caller.Grant != nil && g.Caller.Grant.Runtime != nil { // a runtime's token is for beliefs, never for records
			return false, nil
		}
		unhidden, err := g.unhidden(*rec)
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
// not cover records without a project, unless it says so.
func (n ProjectNames) covers(g *memory.Grant, s memory.Scope) bool {
	if g == nil {
		return true
	}
	if p := g.Scope.Project; p != "" && n.canonical(p) != n.canonical(s.Project) {
		return false
	}
	same := func(p string) bool { return n.canonical(p) == n.canonical(s.Project) }
	if len(g.Projects) > 0 && !slices.ContainsFunc(g.Projects, same) {
		return false
	}
	return g.Scope.Agent == "" || g.Scope.Agent == s.Agent
}
