package belief

import (
	"context"
	"errors"
	"slices"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/internal/audit"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
)

// ImportContext imports a document into the memory, wholly or not at all (decision
// E-47). Ids and history stay as they are. For a belief that is already here, the later
// change wins; a tombstone wins a tie; a belief deleted here stays deleted. The caller
// checks whether to trust the document. With dryRun nothing changes.
func (s *Service) ImportContext(ctx context.Context, c memory.Caller, d engram.Document, dryRun bool) (engram.ImportResult, error) {
	var done engram.ImportResult
	update := s.kernel.Store().Update
	if dryRun {
		update = s.updateDryRun
	}
	err := s.govern(ctx, c, "import", update, func(g beliefTx) error {
		t, err := g.newImport(d)
		if err != nil {
			return err
		}
		err = t.importAll()
		done = t.done
		return err
	})
	if err != nil {
		return engram.ImportResult{}, err
	}
	return done, nil
}

// contextImport is the import of one document.
type contextImport struct {
	beliefTx
	doc    engram.Document
	brings []beliefDraft
	losses []codec.Loss
	done   engram.ImportResult
}

// beliefDraft holds the records that a document makes of one belief, of the identity or
// of one constraint.
type beliefDraft struct {
	role    role
	lineage engram.Lineage
	told    engram.BeliefHistory
}

// newImport makes records of a document. It drops the document's subject where that is
// the owner.
func (g beliefTx) newImport(d engram.Document) (*contextImport, error) {
	if d.Subject.ID == engram.SubjectID(g.caller.Owner) {
		d.Subject = engram.Subject{}
	}
	m := g.tell
	m.Sealed = true
	records, losses, err := m.Records(d)
	if err != nil {
		return nil, err
	}
	t := &contextImport{beliefTx: g, doc: d, losses: losses, brings: groupRecords(records)}
	for i := range t.brings {
		if b := &t.brings[i]; b.role == beliefRole {
			if b.told, err = g.tell.Belief(b.lineage); err != nil {
				return nil, err
			}
		}
	}
	return t, nil
}

// groupRecords groups the records of each belief, in the order of the document.
func groupRecords(records []memory.Record) []beliefDraft {
	var all []beliefDraft
	of := map[memory.ID]int{}
	for _, rec := range records {
		at, ok := 0, false
		about := vault.Contradicted(rec)
		if rec.Lifecycle.Status == memory.Candidate && about != "" {
			if at, ok = of[about]; ok {
				all[at].lineage.Proposals = append(all[at].lineage.Proposals, rec)
				continue
			}
		}
		for _, id := range rec.Supersedes {
			if at, ok = of[id]; ok {
				break
			}
		}
		if !ok {
			at, all = len(all), append(all, beliefDraft{role: roleOf(rec)})
		}
		all[at].lineage.Versions = append(all[at].lineage.Versions, rec)
		of[rec.ID] = at
	}
	return all
}

// importAll imports everything in the document.
func (t *contextImport) importAll() error {
	for _, l := range t.losses {
		t.warn("not taken in: " + l.Pointer + ": " + l.Reason)
	}
	if t.doc.HasConsents() {
		t.warn("not taken in: /consents: what assistants were granted is in force at the store that granted it")
	}
	for _, b := range t.brings {
		var err error
		switch b.role {
		case identityRole:
			err = t.identity()
		case constraintRole:
			err = t.constraint(b)
		default:
			err = t.belief(b)
		}
		if err != nil {
			return err
		}
	}
	n := t.done.Added + t.done.Updated + t.done.Deleted
	if n == 0 && !t.done.Identity {
		return nil
	}
	return t.vault.kernel.Note(t.w, t.caller, audit.Entry{Act: audit.Import, Format: "engram", Count: n})
}

func (t *contextImport) warn(what string) {
	if len(t.done.Warnings) < vault.MostWarnings {
		t.done.Warnings = append(t.done.Warnings, what)
	}
}

// belief imports one belief.
func (t *contextImport) belief(b beliefDraft) error {
	ours, gone := t.known(b)
	switch {
	case ours == nil && !gone:
		return t.add(b)
	case ours != nil && t.foreign(*ours):
		return vault.Invalid("import", "/subject/id", "ENGRAM-3.4-3", "the document is of another subject, and a belief of it has the id of one that is here: nothing was taken in")
	case ours == nil || ours.Status == engram.Deleted:
		return t.stillGone(b)
	case b.told.Status == engram.Deleted:
		return t.delete(b, *ours)
	case saysAll(*ours, b.told):
		t.done.Unchanged++
		return nil
	case !lastChange(b.told).After(lastChange(ours.BeliefHistory)):
		t.done.Older++
		return nil
	}
	t.done.Updated++
	return t.merge(*ours, b.told)
}

// known returns the matching belief that is already here, and whether one was erased
// here; nil: there is none.
func (t *contextImport) known(b beliefDraft) (ours *beliefRecords, gone bool) {
	for _, id := range append([]string{b.told.ID}, otherNames(b.lineage.Versions[0])...) {
		if ours := t.find(id); ours != nil {
			return ours, t.index.gone[id]
		}
		gone = gone || t.index.gone[id]
	}
	return nil, gone
}

// foreign reports whether a belief that is here has another subject than the document.
func (t *contextImport) foreign(ours beliefRecords) bool {
	id := t.doc.Subject.ID
	user := ours.current().Scope.User
	return id != "" && user != id && user != "urn:uuid:"+id
}

// stillGone counts a belief that was deleted here.
func (t *contextImport) stillGone(b beliefDraft) error {
	if b.told.Status == engram.Deleted {
		t.done.Unchanged++
		return nil
	}
	t.done.Older++
	t.warn("belief " + shortened(b.told.ID) + " was deleted here and stays deleted")
	return nil
}

// delete applies the document's tombstone, unless the belief changed after it.
func (t *contextImport) delete(b beliefDraft, ours beliefRecords) error {
	if lastChange(ours.BeliefHistory).After(b.told.DeletedAt) {
		t.done.Older++
		return nil
	}
	t.done.Deleted++
	return t.bury(ours)
}

// add stores the records of a new belief unchanged.
func (t *contextImport) add(b beliefDraft) error {
	if b.told.Status == engram.Deleted {
		t.done.Deleted++
	} else {
		t.done.Added++
	}
	for _, rec := range slices.Concat(b.lineage.Versions, b.lineage.Proposals) {
		if err := t.store(rec); err != nil {
			return err
		}
	}
	return nil
}

// store stores a record of the document under its own id.
func (t *contextImport) store(rec memory.Record) error {
	const op = "import"
	if err := vault.Admissible(op, t.caller, rec); err != nil {
		return err
	}
	p, err := t.vault.kernel.Signed(rec, memory.Draft{Record: rec, Complete: rec.Integrity != nil}, vault.Document)
	if err != nil {
		return err
	}
	if _, err := t.w.Holder(p.Rec.ID); !errors.Is(err, store.ErrNotFound) {
		return err // it is here already
	}
	if _, err := t.vault.kernel.Insert(t.w, p, false); err != nil {
		return err
	}
	if err := t.vault.kernel.SettleChain(t.w, p.Rec); err != nil {
		return err
	}
	_, err = t.w.Record(store.Change{At: t.now, Type: store.Created, ID: p.Rec.ID})
	return err
}
