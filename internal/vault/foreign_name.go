package vault

import (
	"errors"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// ForeignName identifies the thing elsewhere that a record describes, such as a note of
// Claude Code. When the thing is imported again with other content, the new record
// supersedes the old one.
type ForeignName struct {
	Space, Name string
	ID          memory.ID
}

// ForeignNameOf returns the foreign name of an imported record. A reference to a place
// inside a file has a "#" and names nothing lasting; nor does a bare file name, unless a
// project tells two folders with such a file apart.
func ForeignNameOf(rec memory.Record) (ForeignName, bool) {
	ref := sourceRef(rec)
	if ref == "" || strings.Contains(ref, "#") || rec.Scope.Project == "" && !strings.Contains(ref, "/") {
		return ForeignName{}, false
	}
	return ForeignName{Space: "import:" + rec.Provenance.Source.Provider, Name: rec.Scope.Project + "\x00" + ref, ID: rec.ID}, true
}

// sourceRef returns the source of an imported record; empty: unknown.
func sourceRef(rec memory.Record) string {
	p := rec.Provenance
	if p == nil || p.ActorKind != memory.ByImport || p.Source == nil {
		return ""
	}
	return p.Source.Ref
}

// ImportNames lists the names, beside the id, that identify an imported record when it
// returns: the thing it describes, or else its content.
func ImportNames(rec memory.Record) []string {
	if n, ok := ForeignNameOf(rec); ok {
		return []string{"told\x00" + n.Space + "\x00" + n.Name}
	}
	if rec.Provenance == nil || rec.Provenance.ActorKind != memory.ByImport || rec.Body.Text == "" {
		return nil
	}
	return []string{"said\x00" + string(rec.Kind) + "\x00" + rec.Scope.Project + "\x00" + ump.MergeText(rec.Body.Text)}
}

// Reasons to leave out an imported record.
const (
	revisedSince = "it was revised here since; what is here stays"
	endedSince   = "it was ended here since and is not brought back"
	olderVersion = "a later version of it is here"
)

// importedBefore is what the store knows of the thing that an imported draft describes.
type importedBefore struct {
	named bool // the thing has a name
	known bool // it was imported before
	there bool // and its record is still here
	row   store.Row

	elsewhere bool // its record came from another place
}

// findImported looks up the thing that an imported draft describes.
func findImported(r store.Reader, p Prepared) (*importedBefore, error) {
	n, ok := ForeignNameOf(p.Rec)
	if !ok || p.Imp == 0 {
		return &importedBefore{named: ok}, nil
	}
	told := &importedBefore{named: true}
	id, elsewhere, err := n.lookUp(r, p.place, p.Imp)
	if err == nil {
		told.known, told.elsewhere = true, elsewhere
		told.row, err = holder(r, id, p.Imp)
		told.there = err == nil
	}
	if errors.Is(err, store.ErrNotFound) {
		err = nil
	}
	return told, err
}

// decideByEarlier decides about an imported draft with new content by the earlier record of
// the same thing. The draft supersedes that record, unless the owner has changed,
// forgotten or erased it.
func (a *arbiter) decideByEarlier(r store.Reader, p Prepared, told *importedBefore, now time.Time) (Verdict, error) {
	switch {
	case !told.known:
		return a.unlessErased(r, p)
	case !told.there:
		return Verdict{}, nil
	case told.elsewhere:
		found, err := a.unlessErased(r, p)
		if err == nil && found.Outcome == "" {
			found = Verdict{Outcome: memory.Created, id: p.Rec.ID, beside: told.row.ID}
		}
		return found, err
	}
	old, damage, err := a.read(r, told.row)
	if err != nil || damage != nil {
		return Verdict{}, err // damaged: there is nothing to continue
	}
	return a.continues(p, told.row, old, now), nil
}

// continues decides about a draft by the earlier record of the same thing.
func (a *arbiter) continues(p Prepared, row store.Row, old memory.Record, now time.Time) Verdict {
	conflict := func(why string) Verdict {
		return Verdict{Outcome: memory.Rejected, id: old.ID, Why: why, conflict: true}
	}
	switch status := a.ownersGate(old.Scope.Owner, now).status(old); {
	case status == memory.Tombstoned:
		return conflict(forgottenBefore)
	case len(old.SupersededBy) > 0:
		return conflict(revisedSince)
	case row.Current != nil && !old.Time.ValidAt(now):
		return conflict(endedSince)
	case status != memory.Active:
		return Verdict{}
	case p.Rec.Time.Observed.Before(old.Time.Observed):
		return Verdict{Outcome: memory.Rejected, id: old.ID, Why: olderVersion}
	}
	return Verdict{Outcome: memory.Created, id: p.Rec.ID, prior: old.ID}
}

// unlessErased leaves out a record that the owner has erased.
func (a *arbiter) unlessErased(r store.Reader, p Prepared) (Verdict, error) {
	if !p.denies || p.Restores {
		return Verdict{}, nil
	}
	erased, err := a.isDenied(r, p.Rec.Scope.Owner, append(ImportNames(p.Rec), string(p.Rec.ID))...)
	if err != nil || !erased {
		return Verdict{}, err
	}
	return Verdict{Outcome: memory.Rejected, id: p.Rec.ID, Why: erasedBefore, conflict: true}, nil
}

// supersede makes p the successor of the earlier record of the same thing.
func (e *editor) supersede(p Prepared, prior memory.ID) (Prepared, error) {
	next := p.Rec
	next.ID, next.Integrity, next.Supersedes = "", nil, []memory.ID{prior}
	rec, err := e.authored(next)
	p.Rec = rec
	return p, err
}

// nameBack returns a foreign name to the record that an undone record had superseded.
func nameBack(w store.Writer, gone memory.Record, imp int64) error {
	n, ok := ForeignNameOf(gone)
	if !ok || len(gone.Supersedes) == 0 {
		return nil
	}
	row, err := w.Row(gone.Supersedes[0])
	if err != nil {
		return NotFoundIsNone(err)
	}
	prior, err := Decoded(row)
	if err != nil {
		return nil //nolint:nilerr // damaged: doctor reports it
	}
	if was, ok := ForeignNameOf(prior); ok && was.Space == n.Space && was.Name == n.Name {
		place, err := placeOf(w, imp)
		if err != nil {
			return err
		}
		was.ID = prior.ID
		return was.call(w, place)
	}
	return nil
}
