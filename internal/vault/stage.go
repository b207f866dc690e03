package vault

import (
	"context"
	"errors"
	"time"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// prepareImport readies one record of a document. A record that carries its own
// id is complete: nothing but a missing actor is filled in, and only a record
// without integrity is signed anew. Records of the owner named by adopt, such as
// the opaque name a level 1 tool wrote, become the caller's and keep their ids,
// so that their history holds together (UMP 5.1).
func (v *Vault) prepareImport(c memory.Caller, rec memory.Record, adopt memory.DID, now time.Time) (prepared, error) {
	const op = "import"
	if adopt != "" && rec.Scope.Owner == adopt && rec.Integrity == nil {
		rec.Scope.Owner = c.Owner
		if p := rec.Provenance; p != nil && p.Actor == string(adopt) {
			mine := *p
			mine.Actor = string(c.Owner)
			rec.Provenance = &mine
		}
	}
	asked := rec
	switch {
	case rec.Integrity != nil:
		if err := importable(op, c, rec); err != nil {
			return prepared{}, err
		}
		return v.signed(rec, memory.Draft{Record: rec, Complete: true})
	case rec.ID == "":
		rec = fill(rec, c, now, op)
	default:
		if rec.Scope.Visibility == "" {
			rec.Scope.Visibility = memory.Private
		}
		if rec.Provenance == nil {
			rec.Provenance = stamp(c, op, "")
		}
	}
	if err := importable(op, c, rec); err != nil {
		return prepared{}, err
	}
	if err := coherent(op, rec); err != nil {
		return prepared{}, err
	}
	return v.signed(rec, memory.Draft{Record: asked})
}

// importable refuses records of another owner and records without provenance.
func importable(op string, c memory.Caller, rec memory.Record) error {
	if rec.Scope.Owner != c.Owner {
		return &memory.Error{Kind: memory.ForbiddenScope, Op: op, ID: rec.ID, Path: "/scope/owner", Rule: "UMP-3.3-10",
			Message: "the document holds records of another owner; import --adopt OWNER takes over unsigned ones"}
	}
	return ump.CheckLevel2(rec)
}

// forgottenHere reports whether what p says was forgotten in this store: an
// import does not bring it back.
func (v *Vault) forgottenHere(r store.Reader, p prepared) (bool, error) {
	if p.mergeKey == "" {
		return false, nil
	}
	rows, err := r.Duplicates(p.mergeKey, 0)
	if err != nil || len(rows) == 0 {
		return false, err
	}
	for _, row := range rows {
		if row.Columns.Status != memory.Tombstoned {
			return false, nil
		}
	}
	return true, nil
}

// present reports whether p would merge into what is stored.
func (v *Vault) present(r store.Reader, p prepared, now time.Time) (bool, error) {
	if p.mergeKey != "" {
		rows, err := r.Duplicates(p.mergeKey, 0)
		if err != nil {
			return false, err
		}
		for _, row := range rows {
			target, err := record(row)
			if err != nil {
				return false, err
			}
			if v.mergeable(target, p, now) {
				return true, nil
			}
		}
	}
	_, err := r.Row(p.rec.ID)
	if errors.Is(err, store.ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

// UndoReport says what taking an import back did.
type UndoReport struct {
	Removed int // records erased
	Kept    int // records that were changed since, or that others build on
}

// Undo takes an import back: its records are erased, except those that have been
// revised, forgotten or built on since.
func (v *Vault) Undo(ctx context.Context, c memory.Caller, number int64) (UndoReport, error) {
	const op = "undo"
	if err := v.mayWrite(op, c); err != nil {
		return UndoReport{}, err
	}
	if err := mayOwn(op, c); err != nil {
		return UndoReport{}, err
	}
	err := v.store.View(ctx, c.Owner, func(r store.Reader) error {
		i, err := r.Import(number)
		if err == nil && i.State != store.Published {
			err = store.ErrNotFound
		}
		if errors.Is(err, store.ErrNotFound) {
			return &memory.Error{Kind: memory.NotFound, Op: op, Message: "no such import; import --list shows them"}
		}
		return err
	})
	if err != nil {
		return UndoReport{}, v.refusal(op, "", err)
	}
	done, err := v.unstage(ctx, c.Owner, number)
	if err == nil {
		err = v.compact(ctx)
	}
	return done, v.refusal(op, "", err)
}

// unstage erases what an import brought, batch by batch, and marks it undone.
func (v *Vault) unstage(ctx context.Context, owner memory.DID, number int64) (UndoReport, error) {
	var done UndoReport
	var after store.Cursor
	for {
		start, from, n := done, after, 0
		err := v.store.Update(ctx, owner, func(w store.Writer) error {
			done, after = start, from
			rows, err := w.Rows(store.Filter{Import: number}, after, importBatch)
			if err != nil {
				return err
			}
			n = len(rows)
			for _, r := range rows {
				if err := v.takeBack(w, r, &done); err != nil {
					return err
				}
				after = store.Cursor{Created: r.Columns.Created, Number: r.Number}
			}
			if n < importBatch {
				return v.markUndone(w, number)
			}
			return nil
		})
		if err != nil || n < importBatch {
			return done, err
		}
	}
}

func (v *Vault) takeBack(w store.Writer, r store.Row, done *UndoReport) error {
	if r.Current != nil {
		done.Kept++
		return nil
	}
	rec, err := record(r)
	if err != nil {
		return err
	}
	if !r.Columns.Staged {
		users, err := w.Relating(string(rec.ID))
		if err != nil {
			return err
		}
		if len(users) > 0 {
			done.Kept++
			return nil
		}
	}
	done.Removed++
	return w.Delete(rec.ID)
}

func (v *Vault) markUndone(w store.Writer, number int64) error {
	i, err := w.Import(number)
	if err != nil {
		return err
	}
	wasPublished := i.State == store.Published
	i.State = store.TakenBack
	if _, err := w.SetImport(i); err != nil || !wasPublished {
		return err
	}
	_, err = w.Record(store.Change{At: instant(v.now()), Type: store.Undone, Import: number})
	return err
}

// Imports lists what has been taken in, newest first.
func (v *Vault) Imports(ctx context.Context, c memory.Caller) ([]store.Import, error) {
	const op = "import"
	if err := mayOwn(op, c); err != nil {
		return nil, err
	}
	var out []store.Import
	err := v.store.View(ctx, c.Owner, func(r store.Reader) (err error) {
		out, err = r.Imports()
		return err
	})
	return out, v.refusal(op, "", err)
}

// Tidy removes what imports left behind that were cut off, and returns how many
// there were. An import that is still at work renews its lease.
func (v *Vault) Tidy(ctx context.Context, owner memory.DID) (int, error) {
	var stalled []int64
	err := v.store.View(ctx, owner, func(r store.Reader) error {
		imports, err := r.Imports()
		for _, i := range imports {
			if i.State == store.Staging && i.Lease.Before(v.now()) {
				stalled = append(stalled, i.Number)
			}
		}
		return err
	})
	for _, number := range stalled {
		if err == nil {
			_, err = v.unstage(ctx, owner, number)
		}
	}
	return len(stalled), v.refusal("tidy", "", err)
}

// Health reports what is wrong with the store, one finding a line.
func (v *Vault) Health(ctx context.Context) ([]string, error) {
	findings, err := v.store.Check(ctx)
	return findings, v.refusal("doctor", "", err)
}
