package vault

import (
	"context"
	"errors"
	"slices"

	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/internal/audit"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// Suggested is the outcome for facts that were found in conversations.
type Suggested struct {
	Waiting  []memory.Record // stored as candidates, or would be
	Known    int             // already here, or waiting
	Declined int             // rejected or forgotten by the owner before
}

// Found is the provenance method of facts found in conversations.
const Found = "distill"

// suggestBatch is how many candidates are stored in one transaction.
const suggestBatch = 128

// Suggest stores facts found in conversations as candidates: no surface shows them as
// facts until the owner confirms them. It does not propose again what is here, waits or
// was rejected. It links a draft whose provenance names an imported conversation to that
// conversation's record. Only the owner suggests facts; a dry run changes nothing.
func (v *Vault) Suggest(ctx context.Context, c memory.Caller, drafts []memory.Record, dryRun bool) (Suggested, error) {
	const op = "suggest"
	var all Suggested
	if err := v.mayOwn(op, c); err != nil {
		return all, err
	}
	if err := v.mayWrite(op, c); err != nil && !dryRun {
		return all, err
	}
	seen := map[string]bool{}
	for batch := range slices.Chunk(drafts, suggestBatch) {
		ready, err := v.suggestions(ctx, c, batch)
		if err != nil {
			return all, v.refusal(c, op, "", err)
		}
		if err := v.suggest(ctx, c, ready, seen, dryRun, &all); err != nil {
			return all, v.refusal(c, op, "", err)
		}
	}
	return all, nil
}

// isFound reports whether a record was found in conversations, and not remembered by
// somebody.
func isFound(rec memory.Record) bool {
	p := rec.Provenance
	return p != nil && (p.ActorKind == memory.ByScan || p.ActorKind == memory.ByModel) && p.Method == Found
}

// suggest stores the facts that are not known yet.
func (e *editor) suggestions(ctx context.Context, c memory.Caller, drafts []memory.Record) ([]Prepared, error) {
	now := Instant(e.now())
	drafts = slices.Clone(drafts)
	err := e.store.View(ctx, c.Owner, func(r store.Reader) error {
		for i := range drafts {
			linked, err := fromConversation(r, drafts[i])
			if err != nil {
				return err
			}
			drafts[i] = linked
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	ready := make([]Prepared, 0, len(drafts))
	for _, rec := range drafts {
		rec.ID, rec.Lifecycle.Status = "", memory.Candidate
		p, err := e.prepare("suggest", c, memory.Draft{Record: rec}, "", now)
		if err != nil {
			return nil, err
		}
		p.gate = e.ownersGate(c.Owner, now)
		ready = append(ready, p)
	}
	return ready, nil
}

// fromConversation links a draft to the record of the conversation in which it was said,
// if that was imported.
func fromConversation(r store.Reader, rec memory.Record) (memory.Record, error) {
	if slices.ContainsFunc(rec.Relations, func(l memory.Relation) bool { return l.Type == memory.DerivedFrom }) ||
		rec.Provenance == nil || rec.Provenance.Source == nil {
		return rec, nil
	}
	imported := rec
	said := *rec.Provenance
	said.ActorKind, imported.Provenance = memory.ByImport, &said
	n, ok := ForeignNameOf(imported)
	if !ok {
		return rec, nil
	}
	id, err := r.Alias(n.Space, n.Name)
	if errors.Is(err, store.ErrNotFound) {
		return rec, nil
	}
	rec.Relations = append(slices.Clip(rec.Relations), memory.Relation{Type: memory.DerivedFrom, Target: string(id)})
	return rec, err
}

// suggest stores what is not known yet.
func (e *editor) suggest(ctx context.Context, c memory.Caller, ready []Prepared, seen map[string]bool, dryRun bool, all *Suggested) error {
	var found Suggested
	var fresh []string
	each := func(r store.Reader, lay func(Prepared) error) error {
		found, fresh = Suggested{}, nil
		now := map[string]bool{}
		for _, p := range ready {
			rows, err := r.Duplicates(p.mergeKey, 0)
			if err != nil {
				return err
			}
			switch {
			case declined(rows):
				found.Declined++
				continue
			case len(rows) > 0 || seen[p.mergeKey] || now[p.mergeKey]:
				found.Known++
				continue
			}
			if err := lay(p); err != nil {
				return err
			}
			now[p.mergeKey], fresh = true, append(fresh, p.mergeKey)
			found.Waiting = append(found.Waiting, p.Rec)
		}
		return nil
	}
	var err error
	if dryRun {
		err = e.store.View(ctx, c.Owner, func(r store.Reader) error {
			return each(r, func(Prepared) error { return nil })
		})
	} else {
		err = e.store.Update(ctx, c.Owner, func(w store.Writer) error {
			return each(w, func(p Prepared) error { return e.insertCandidate(w, c, p) })
		})
	}
	if err != nil {
		return err
	}
	for _, key := range fresh {
		seen[key] = true
	}
	all.Waiting = append(all.Waiting, found.Waiting...)
	all.Known += found.Known
	all.Declined += found.Declined
	return nil
}

// declined reports whether the content of rows was rejected or forgotten, and no other
// row states or proposes it.
func declined(rows []store.Row) bool {
	gone := func(r store.Row) bool { return r.Columns.Status == memory.Tombstoned }
	return len(rows) > 0 && !slices.ContainsFunc(rows, func(r store.Row) bool { return !gone(r) })
}

// insertCandidate stores one candidate.
func (e *editor) insertCandidate(w store.Writer, c memory.Caller, p Prepared) error {
	if _, err := e.insert(w, p, false); err != nil {
		return err
	}
	if _, err := w.Record(store.Change{At: p.gate.Now, Type: store.Created, ID: p.Rec.ID}); err != nil {
		return err
	}
	return e.note(w, c, audit.Entry{Act: audit.Propose}, p.Rec.ID)
}

// Waiting lists the candidates that wait for the owner, oldest first, without those that
// would correct a belief or set a constraint, which have lists of their own.
func (v *Vault) Waiting(ctx context.Context, c memory.Caller) ([]memory.Record, error) {
	const op = "waiting"
	if err := v.mayOwn(op, c); err != nil {
		return nil, err
	}
	var all []memory.Record
	err := v.store.View(ctx, c.Owner, func(r store.Reader) error {
		all = nil
		return EachPage(ctx, r, store.Filter{Statuses: []memory.Status{memory.Candidate}}, func(rows []store.Row) error {
			for _, row := range rows {
				rec, damage, err := v.read(r, row)
				if err != nil {
					return err
				}
				if damage == nil && !Foreign(rec, c.Owner) && v.waits(rec) {
					all = append(all, rec)
				}
			}
			return nil
		})
	})
	return all, v.refusal(c, op, "", err)
}

// waits reports whether a record is a fact that waits for its owner.
func (v *verifier) waits(rec memory.Record) bool {
	return v.ownersGate(rec.Scope.Owner, Instant(v.now())).status(rec) == memory.Candidate && len(rec.SupersededBy) == 0 &&
		Contradicted(rec) == "" && (engram.IsIdentity(rec) || !StatesConstraint(rec))
}
