package vault

import (
	"errors"
	"slices"
	"time"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// Verdict is the outcome for a prepared record, before anything is written.
type Verdict struct {
	Outcome  memory.Outcome
	id       memory.ID
	addition addition // what merging adds to the existing record
	Why      string   // of outcome Rejected: an import leaves the record out
	// conflict: of outcome Rejected: the owner has decided otherwise about id, or about
	// an earlier record.
	conflict bool
	// displaces, of outcome Created: another owner's record has the id, and gives it up.
	displaces bool
	prior     memory.ID // of outcome Created: the earlier record of the same foreign thing
	beside    memory.ID // of outcome Created: a record of the same name from another place
}

func (d Verdict) remembered() memory.RememberResult {
	return memory.RememberResult{ID: d.id, Outcome: d.Outcome}
}

// judge decides the outcome of p. It only reads, so that a dry run and the real run
// decide alike.
func (a *arbiter) judge(r store.Reader, p Prepared, now time.Time) (Verdict, error) {
	if p.Imp != 0 && a.ownersGate(p.Rec.Scope.Owner, now).HasExpired(p.Rec) {
		return Verdict{Outcome: memory.Rejected, Why: "its retention is over"}, nil
	}
	if p.mergeKey != "" {
		told, err := findImported(r, p)
		if err != nil {
			return Verdict{}, err
		}
		found, err := a.sayingTheSame(r, p, told, now)
		if err == nil && found.Outcome == "" && p.Imp != 0 {
			found, err = a.saidHere(r, p, told, now)
		}
		if err == nil && found.Outcome == "" && p.Imp != 0 {
			found, err = a.decideByEarlier(r, p, told, now)
		}
		if err != nil || found.Outcome != "" {
			return found, err
		}
	}
	old, err := holder(r, p.Rec.ID, p.Imp)
	if errors.Is(err, store.ErrNotFound) {
		return a.unknown(r, p)
	}
	if err != nil {
		return Verdict{}, err
	}
	return a.sameID(r, old, p)
}

// unknown decides about a record whose id is not here. An import does not restore an
// erased record unless asked to.
func (a *arbiter) unknown(r store.Reader, p Prepared) (Verdict, error) {
	if p.Imp != 0 && p.asked.ID != "" && !p.Restores {
		erased, err := a.isDenied(r, r.Owner(), string(p.Rec.ID))
		if err != nil || erased {
			return Verdict{Outcome: memory.Rejected, id: p.Rec.ID, Why: erasedBefore, conflict: true}, err
		}
	}
	return Verdict{Outcome: memory.Created, id: p.Rec.ID}, nil
}

// holder returns the row of an id that the import imp may see: a published row, or one
// that it staged itself.
func holder(r store.Reader, id memory.ID, imp int64) (store.Row, error) {
	w, ok := r.(store.Writer)
	if !ok || imp == 0 {
		return r.Row(id)
	}
	row, err := w.Holder(id)
	if err == nil && row.Columns.Staged && row.Columns.Import != imp {
		return store.Row{}, store.ErrNotFound
	}
	return row, err
}

// sayingTheSame looks for a live record with the content of the draft. For an import, a
// record that was forgotten here counts too.
func (a *arbiter) sayingTheSame(r store.Reader, p Prepared, told *importedBefore, now time.Time) (Verdict, error) {
	rows, err := alike(r, p, told)
	if err != nil {
		return Verdict{}, err
	}
	var forgotten memory.ID
	live := false
	for _, row := range rows {
		target, damage, err := a.read(r, row)
		if err != nil {
			return Verdict{}, err
		}
		if damage != nil {
			live = true
			continue // it is empty, so its content may be stated anew
		}
		alone, err := apart(p, target)
		if err != nil {
			return Verdict{}, err
		}
		if alone {
			live = true
			continue
		}
		if a.mergeable(target, p, now) {
			return Verdict{Outcome: memory.Merged, id: target.ID, addition: addition{id: target.ID, evidence: newEvidence(target, p.asked)}}, nil
		}
		if a.ownersGate(target.Scope.Owner, now).status(target) == memory.Tombstoned {
			forgotten = target.ID
		} else {
			live = true
		}
	}
	if forgotten != "" && !live && p.Imp != 0 {
		return Verdict{Outcome: memory.Rejected, id: forgotten, Why: forgottenBefore, conflict: true}, nil
	}
	return Verdict{}, nil
}

// alike returns the rows that may have the content of the draft. For an event with a
// foreign name that is the row of that name: other rows with the same words are other
// events, and there may be very many.
func alike(r store.Reader, p Prepared, told *importedBefore) ([]store.Row, error) {
	switch {
	case p.Imp == 0:
		var rows []store.Row
		for _, key := range ump.DuplicateKeys(p.Rec) {
			more, err := r.Duplicates(key, 0)
			if err != nil {
				return nil, err
			}
			rows = append(rows, more...)
		}
		return rows, nil
	case p.Rec.Kind != memory.Episodic || !told.named:
		return r.Duplicates(p.mergeKey, p.Imp)
	case told.there && told.row.Columns.Duplicate == p.digest:
		return []store.Row{told.row}, nil
	}
	return nil, nil
}

// apart reports whether a draft and a record must not merge. Merging would reveal to a
// peer that a record exists, or its redacted part, or reveal to the bearer of a token
// that the owner says the same.
func apart(p Prepared, target memory.Record) (bool, error) {
	switch {
	case p.Imp != 0 || p.gate.vault == nil:
		return false, nil
	case p.gate.Caller.Role == memory.Peer:
		sees, err := p.gate.Sees(target)
		return !sees || target.Consent != nil && len(target.Consent.Redact) > 0, err
	}
	return ofToken(target), nil
}

const erasedBefore = "it was erased here earlier; import with --restore to take it in again"

const forgottenBefore = "it was forgotten here earlier and is not brought back; remember its text anew, or erase it with forget --hard and import with --restore"

// AnothersID is the reason to leave out a record whose id belongs to another owner's
// record.
const AnothersID = "a record of another owner has this id here; erase that one with forget --hard and import with --restore"

// OwnersID is the reason to leave out a record whose id belongs to the owner's own
// record.
const OwnersID = "a record of this store's owner has this id; what is here stays"

func (v *verifier) ownersGate(owner memory.DID, now time.Time) Gate {
	return Gate{vault: v, Caller: memory.Caller{Owner: owner, Role: memory.Owner}, Now: now}
}

// mergeable reports whether target can stand for the draft without loss: it is live, or
// ended when the document of an import says, and has everything that the author gave.
func (a *arbiter) mergeable(target memory.Record, p Prepared, now time.Time) bool {
	asked := p.asked
	ended := p.Imp != 0 && !asked.Time.ValidTo.IsZero() // a document may state the end again
	if a.ownersGate(target.Scope.Owner, now).status(target) != memory.Active || !ended && !target.Time.ValidAt(now) {
		return false
	}
	if p.Imp != 0 && asked.Time.Observed.IsZero() && asked.Time.ValidFrom.IsZero() {
		if ended && asked.Time.ValidTo.Equal(asked.Time.Created) && !target.Time.ValidAt(now) {
			asked.Time.ValidTo = target.Time.ValidTo // nor when it ended
		}
		asked.Time.Created = time.Time{} // when a file was written does not say since when its content holds
	}
	return asked.Lifecycle.Status.Or() == memory.Active && says(target, asked)
}

// says reports whether target has everything that the author of asked gave besides text
// and scope.
func says(target, asked memory.Record) bool {
	return sameConsent(target.Consent, asked.Consent) && sameTimes(target, asked) &&
		sameHints(target.Lifecycle, asked.Lifecycle) &&
		given(asked.Scope.Agent, target.Scope.Agent) && given(asked.Scope.Session, target.Scope.Session) &&
		containsAll(target.Relations, asked.Relations) &&
		containsAll(target.Supersedes, asked.Supersedes) &&
		keepsUnknown(target.Form(), asked.Origin)
}

// given reports whether target has the value asked for, if there is one.
func given(asked, target string) bool { return asked == "" || asked == target }

// sameTimes reports whether target is valid for all the time that the author gave. An
// absent time does not matter. An event at another time is another event.
func sameTimes(target, asked memory.Record) bool {
	same := func(given, have time.Time) bool { return given.IsZero() || given.Equal(have) }
	if !same(asked.Time.ValidFrom, target.Time.ValidFrom) || !same(asked.Time.ValidTo, target.Time.ValidTo) {
		return false
	}
	if from := asked.Time.From(); !from.IsZero() && target.Time.From().After(from) {
		return false // it was true, or known, earlier than target says
	}
	return asked.Kind != memory.Episodic || same(asked.Time.Observed, target.Time.Observed)
}

func sameHints(target, asked memory.Lifecycle) bool {
	same := func(given, have *float64) bool { return given == nil || have != nil && *given == *have }
	return same(asked.Confidence, target.Confidence) && same(asked.Salience, target.Salience) && given(asked.Decay, target.Decay)
}

// sameConsent compares what consents allow. An absent consent equals an empty one.
func sameConsent(a, b *memory.Consent) bool {
	if a == nil {
		a = &memory.Consent{}
	}
	if b == nil {
		b = &memory.Consent{}
	}
	exportable := func(c *memory.Consent) bool { return c.Exportable == nil || *c.Exportable }
	return a.Retention == b.Retention && exportable(a) == exportable(b) && slices.Equal(a.Redact, b.Redact)
}

func containsAll[T comparable](have, want []T) bool {
	return !slices.ContainsFunc(want, func(x T) bool { return !slices.Contains(have, x) })
}

// judged are the members of a record that mergeable compares by their meaning.
var judged = map[string]bool{
	"ump": true, "id": true, "kind": true, "supersedes": true, "superseded_by": true, "relations": true, "consent": true,
	"text": true, "structured": true, "owner": true, "user": true, "project": true, "agent": true, "session": true,
	"visibility": true, "created": true, "observed": true, "valid_from": true, "valid_to": true,
	"confidence": true, "salience": true, "decay": true, "status": true, "provenance": true, "integrity": true,
}

// keepsUnknown reports whether the target has the draft's members that the model does
// not know.
func keepsUnknown(target, draft []byte) bool {
	if draft == nil {
		return true
	}
	t, err := canon.Parse(target, canon.Options{})
	if err != nil {
		return false
	}
	d, err := canon.Parse(draft, canon.Options{})
	return err == nil && holds(t, d, 2)
}

func holds(target, draft canon.Value, depth int) bool {
	for _, m := range draft.Members() {
		if judged[m.Name] {
			continue
		}
		have := target.Get(m.Name)
		if depth > 1 && m.Value.Type() == canon.TypeObject && have.Type() == canon.TypeObject {
			if !holds(have, m.Value, depth-1) {
				return false
			}
			continue
		}
		if have.Type() == canon.TypeUndefined || !canon.Equal(have, m.Value) {
			return false
		}
	}
	return true
}

func newEvidence(target, asked memory.Record) []memory.Evidence {
	if target.Provenance == nil || asked.Provenance == nil {
		return nil
	}
	offered := slices.Clone(asked.Provenance.Evidence)
	if ref := saidAgain(target.Provenance, asked.Provenance); ref != "" {
		offered = append(offered, memory.Evidence{Ref: ref})
	}
	var fresh []memory.Evidence
	for _, e := range offered {
		known := func(k memory.Evidence) bool { return k.Ref == e.Ref }
		if !slices.ContainsFunc(target.Provenance.Evidence, known) {
			fresh = append(fresh, e)
		}
	}
	return fresh
}

// saidAgain returns the source of a draft that repeats target, if it is another. The
// source of an import is a line of a file, which moves and means nothing new.
func saidAgain(target, asked *memory.Provenance) string {
	if asked.ActorKind == memory.ByImport || asked.Source == nil {
		return ""
	}
	if target.Source != nil && target.Source.Ref == asked.Source.Ref {
		return ""
	}
	return asked.Source.Ref
}

// sameID decides about a record whose id is here already. Equal content is fine; an
// import takes over later changes by another store; anything else is refused and changes
// nothing (UMP-3.3-11, decisions UD-11, UD-19).
func (a *arbiter) sameID(r store.Reader, old store.Row, p Prepared) (Verdict, error) {
	have, err := a.record(r, old)
	if err != nil {
		return Verdict{}, err
	}
	if p.Imp != 0 && p.asked.Integrity != nil && p.Rec.Scope.Owner == r.Owner() && Foreign(have, r.Owner()) {
		return Verdict{Outcome: memory.Created, id: have.ID, displaces: true}, nil // verified: the id is in the owner's word
	}
	merged := Verdict{Outcome: memory.Merged, id: have.ID}
	if have.Lifecycle.Status == memory.Tombstoned && p.Rec.Lifecycle.Status != memory.Tombstoned {
		return stillForgotten(have.ID, p.Imp)
	}
	if p.asked.Integrity == nil && ump.DuplicateKey(have) == ump.DuplicateKey(p.Rec) && says(have, p.asked) {
		return merged, nil // the same draft again, which the engine has completed meanwhile
	}
	for _, known := range [][]byte{old.Origin, old.Current} {
		if known != nil && sameContent(known, p.Rec.Form()) {
			return merged, nil
		}
	}
	if redactedCopy(have, p.Rec) {
		return merged, nil
	}
	if p.Imp != 0 && p.asked.Integrity != nil && sameBirth(have, p.Rec) { // verified: the owner's key closed it there
		merged.addition = addition{id: have.ID, closedAt: p.Rec.Time.ValidTo, closedBy: p.Rec.SupersededBy}
		return merged, nil
	}
	if p.Imp != 0 && have.Scope.Owner != p.Rec.Scope.Owner { // an owner answers for the ids of no other
		why := AnothersID
		if !Foreign(have, r.Owner()) {
			why = OwnersID
		}
		return Verdict{Outcome: memory.Rejected, id: have.ID, Why: why, conflict: true}, nil
	}
	return Verdict{}, &memory.Error{
		Kind: memory.InvalidRecord, ID: have.ID, Path: "/id", Rule: "UMP-3.3-11",
		Message: "a record with this id says something else; leave the id out, or revise the record",
	}
}

// stillForgotten answers a record that returns after it was forgotten.
func stillForgotten(id memory.ID, imp int64) (Verdict, error) {
	if imp != 0 {
		return Verdict{Outcome: memory.Rejected, id: id, Why: forgottenBefore, conflict: true}, nil
	}
	return Verdict{}, &memory.Error{Kind: memory.InvalidRecord, ID: id, Path: "/id", Rule: "UMP-3.3-11",
		Message: "the record with this id was forgotten; to remember it again, leave the id out"}
}

// sameContent compares two forms by their hashed members: all but integrity.
func sameContent(a, b []byte) bool {
	x, err := ump.ContentHash(a)
	if err != nil {
		return false
	}
	y, err := ump.ContentHash(b)
	return err == nil && x == y
}

// redactedCopy reports whether incoming is have without its redacted paths; then the
// fuller record stays.
func redactedCopy(have, incoming memory.Record) bool {
	stripped, err := ump.Redact(have, nil)
	if err != nil {
		return false
	}
	stripped.Version = incoming.Version
	stripped, err = ump.Amend(stripped, nil)
	return err == nil && sameContent(stripped.Form(), incoming.Form())
}
