package belief

import (
	"cmp"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// tombstoneForm is the layout of a tombstone in the store, as JSON.
type tombstoneForm struct {
	ID         string          `json:"id"`       // of the belief or the constraint
	Category   engram.Category `json:"category"` // for scopes
	DeletedAt  time.Time       `json:"deleted_at"`
	Record     memory.ID       `json:"record"`           // the belief's present version, as the feed of changes names it
	Before     bool            `json:"before,omitempty"` // it was forgotten earlier
	Constraint bool            `json:"constraint,omitempty"`
	Swept      bool            `json:"swept,omitempty"` // its retention is over

	replaced bool // its successor was removed before it, or was never here
}

// KeepTombstone keeps a tombstone for a belief whose present version is about to be
// removed from row r; as is the name it had. Earlier versions, proposals and identities
// get none.
func (s *Service) KeepTombstone(w store.Writer, r store.Row, as vault.BeliefName, now time.Time) error {
	g, ok, err := s.tombstoneOf(w, r, as, now)
	if err != nil || !ok {
		return err
	}
	return g.keep(w, r.Columns.Lineage)
}

// KeepExpired is KeepTombstone for a record that is emptied because its retention ended
// at an instant.
func (s *Service) KeepExpired(w store.Writer, r store.Row, at time.Time) error {
	as, err := s.KnownAs(w, at, r)
	if err != nil {
		return err
	}
	g, ok, err := s.tombstoneOf(w, r, as, at)
	if err != nil || !ok {
		return err
	}
	g.Swept = !g.Before
	return g.keep(w, r.Columns.Lineage)
}

// keep stores a tombstone in place of an earlier one.
func (g tombstoneForm) keep(w store.Writer, lineage memory.ID) error {
	data, err := json.Marshal(g)
	if err != nil {
		return err
	}
	a := store.Attachment{Space: vault.GoneSpace, Key: string(lineage), Data: data}
	if _, err = store.Attach(w, a); !errors.Is(err, store.ErrExists) {
		return err
	}
	if g.replaced {
		return nil // the tombstone is that of its successor
	}
	if err := w.Detach(vault.GoneSpace, a.Key); err != nil {
		return err
	}
	_, err = store.Attach(w, a)
	return err
}

// tombstoneOf makes the tombstone of a row; ok is false where none is kept.
func (b *beliefs) tombstoneOf(w store.Writer, r store.Row, as vault.BeliefName, now time.Time) (g tombstoneForm, ok bool, err error) {
	g = tombstoneForm{ID: engram.IDFrom("engram-ump:" + string(r.Columns.Lineage)), Category: engram.CustomCategory, DeletedAt: now, Record: r.ID}
	rec, err := vault.Decoded(r)
	if err != nil {
		return g, true, nil // damaged: nothing more is known
	}
	ver := version{id: r.ID, rec: rec}
	role := roleOf(rec)
	switch {
	case r.Columns.Staged, ver.swept(), isProposal(ver), role == identityRole, rec.Lifecycle.Status == memory.Candidate:
		return g, false, nil
	case rec.Consent != nil && rec.Consent.Exportable != nil && !*rec.Consent.Exportable:
		return g, false, nil // nobody has seen it
	}
	if replaced, err := b.replacedHere(w, r, rec); replaced || err != nil {
		return g, false, err
	}
	if rec.Lifecycle.Status == memory.Tombstoned {
		ver.expires, _ = ump.Expiry(rec)
		g.Before, g.DeletedAt = true, ver.goneAt(moment{at: now})
	}
	g.replaced = len(rec.SupersededBy) > 0
	return g.named(rec, role, as), true, nil
}

// hidesID reports whether others know a belief by the id of its lineage, because
// redaction hides the id in its only version.
func hidesID(rec memory.Record) bool {
	if rec.Consent == nil || len(rec.Consent.Redact) == 0 || len(rec.Supersedes) > 0 {
		return false
	}
	left, err := ump.Redact(rec, nil)
	said, _ := codec.Residue(left, engram.Name)
	return err == nil && !said.Has("id")
}

// replacedHere reports whether another version of the same lineage replaces a record.
func (b *beliefs) replacedHere(r store.Reader, row store.Row, rec memory.Record) (bool, error) {
	for _, id := range rec.SupersededBy {
		next, err := r.Row(id)
		if err == nil && next.Columns.Lineage == row.Columns.Lineage {
			return true, nil
		}
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return false, err
		}
	}
	return false, nil
}

// named fills in the id and category by which assistants know the record. A belief keeps
// those that its lineage gave it, if it had a lineage.
func (g tombstoneForm) named(rec memory.Record, r role, as vault.BeliefName) tombstoneForm {
	mapper := engram.Mapper{Forms: ump.Forms(), Owner: rec.Scope.Owner}
	if r == constraintRole {
		k, _ := mapper.Constraint(rec)
		g.ID, g.Category, g.Constraint = k.ID, engram.Category(k.Category), true
		return g
	}
	if as.ID != "" {
		g.ID, g.Category = as.ID, as.Category
		return g
	}
	if said, _ := codec.Residue(rec, "engram"); said.Get("id").Type() == canon.TypeString && !hidesID(rec) {
		g.ID = said.Get("id").Text()
	}
	rec.Lifecycle.Status = memory.Active
	rec.Consent = nil
	if told, err := mapper.Belief(engram.Lineage{Versions: []memory.Record{rec}}); err == nil {
		g.Category = told.Category
	}
	return g
}

// eachTombstone calls do with the tombstones of the store, in the order of their times and
// lineages: another machine of the owner has them in the same order.
func eachTombstone(r store.Reader, do func(lineage memory.ID, g tombstoneForm)) error {
	type kept struct {
		lineage memory.ID
		tombstoneForm
	}
	var all []kept
	err := vault.EachBeside(r, store.AttachmentFilter{Space: vault.GoneSpace}, func(a store.Attachment) error {
		k := kept{lineage: memory.ID(a.Key)}
		if err := json.Unmarshal(a.Data, &k.tombstoneForm); err != nil {
			return &memory.Error{Kind: memory.Internal, Op: "read", Message: "a stored tombstone is damaged; satchel doctor says more", Err: err}
		}
		all = append(all, k)
		return nil
	})
	slices.SortFunc(all, func(a, b kept) int {
		return cmp.Or(a.DeletedAt.Compare(b.DeletedAt), cmp.Compare(a.lineage, b.lineage))
	})
	for _, k := range all {
		do(k.lineage, k.tombstoneForm)
	}
	return err
}

// belief returns the tombstone in the form of exports (decision E-13).
func (g tombstoneForm) belief() engram.Belief {
	return engram.Belief{
		ID: g.ID, Category: g.Category, Key: "deleted", Source: engram.Inferred, Status: engram.Deleted,
		CreatedAt: g.DeletedAt, DeletedAt: g.DeletedAt,
	}
}

// constraint returns the tombstone of a constraint in the form of exports.
func (g tombstoneForm) constraint() engram.Constraint {
	return engram.Constraint{
		ID: g.ID, Category: string(g.Category), Status: string(engram.Deleted), SetBy: "user_stated",
		CreatedAt: g.DeletedAt, DeletedAt: g.DeletedAt,
	}
}
