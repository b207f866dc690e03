package vault

import (
	"context"
	"errors"
	"time"

	"github.com/satchel-memory/satchel/internal/audit"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// UndoReport counts what the undoing of an import did.
type UndoReport struct {
	Removed   int  // records erased
	Kept      int  // records that were changed since the import, or that others build on
	Proposals int  // erased proposals that were found in those records and waited for the owner
	Pending   bool // the files still hold erased content; a later clearing removes it
	// Again names the later imports that found some of these records already here.
	// Their documents count as unknown again: importing them again brings back missing
	// records.
	Again []string
}

// Undo undoes an import. It erases the import's records, except those revised,
// forgotten or built on since. Records that they had superseded are in force again.
func (v *Vault) Undo(ctx context.Context, c memory.Caller, number int64) (UndoReport, error) {
	return v.UndoTelling(ctx, c, number, func(UndoReport) {})
}

// UndoTelling is Undo, and calls tell with the progress after each transaction. If it
// is cut off, it returns the progress with the error: erased records stay erased, and
// the same call continues.
func (v *Vault) UndoTelling(ctx context.Context, c memory.Caller, number int64, tell func(UndoReport)) (UndoReport, error) {
	const op = "undo"
	if err := v.mayWrite(op, c); err != nil {
		return UndoReport{}, err
	}
	if err := v.mayOwn(op, c); err != nil {
		return UndoReport{}, err
	}
	err := v.halt(ctx, c.Owner, number)
	var done UndoReport
	if err == nil {
		done, err = v.takeBackTelling(ctx, v.lessen, c.Owner, number, func(i store.Import) bool {
			return i.State == store.Published || i.State == store.Partial || i.State == store.Staging && !IsWorking(i, v.now())
		}, tell)
	}
	if errors.Is(err, store.ErrNotFound) {
		return done, v.notThere(ctx, c.Owner, number)
	}
	if err == nil {
		var cleared bool
		cleared, err = v.cleared(ctx)
		done.Pending = err == nil && !cleared
	}
	return done, v.refusal(c, op, "", err)
}

// notThere says why an import cannot be undone.
func (e *eraser) notThere(ctx context.Context, owner memory.DID, number int64) error {
	message := "no such import; import --list shows them"
	err := e.store.View(ctx, owner, func(r store.Reader) error {
		imports, err := r.Imports()
		for _, i := range imports {
			if i.Number == number && i.State == store.TakenBack {
				message = "it was taken back before"
			}
		}
		return err
	})
	if err != nil {
		return err
	}
	return &memory.Error{Kind: memory.NotFound, Op: "undo", Message: message}
}

// halt stops a running import of an archive, and marks an import as being undone. It does not
// count as whole from then on, also if the undoing is cut off.
func (e *eraser) halt(ctx context.Context, owner memory.DID, number int64) error {
	return e.lessen(ctx, owner, func(w store.Writer) error {
		i, err := w.Import(number)
		if err != nil || i.State != store.Published && (i.State != store.Partial || i.Lease.IsZero()) {
			return err
		}
		i.State, i.Lease = store.Partial, time.Time{}
		_, err = w.SetImport(i)
		return err
	})
}

// UpdateFunc changes rows of an owner, on behalf of a caller or a job.
type UpdateFunc func(ctx context.Context, owner memory.DID, fn func(store.Writer) error) error

// takeBack erases the records of an import, newest first, batch by batch, and marks the
// import undone. An import that may rejects counts as not found.
func (e *eraser) takeBack(ctx context.Context, update UpdateFunc, owner memory.DID, number int64, may func(store.Import) bool) (UndoReport, error) {
	return e.takeBackTelling(ctx, update, owner, number, may, func(UndoReport) {})
}

// takeBackTelling is takeBack, and calls tell with the progress after each batch.
func (e *eraser) takeBackTelling(ctx context.Context, update UpdateFunc, owner memory.DID, number int64, may func(store.Import) bool, tell func(UndoReport)) (UndoReport, error) {
	var done UndoReport
	var after store.Cursor
	for {
		report, next, more := done, after, false
		err := update(ctx, owner, func(w store.Writer) error {
			report, next, more = done, after, false
			i, err := w.Import(number)
			if err != nil {
				return err
			}
			if !may(i) {
				return store.ErrNotFound
			}
			if more, err = e.detachSome(w, number); err != nil || more {
				return err
			}
			rows, err := w.Rows(store.Filter{Import: number, Newest: true}, after, e.batch)
			if err != nil {
				return err
			}
			for _, r := range rows {
				if err := e.takeBackOne(w, r, &report); err != nil {
					return err
				}
				next = store.Cursor{Created: r.Columns.Created, Number: r.Number}
			}
			if more = len(rows) == e.batch; more {
				return nil
			}
			return e.markUndone(w, owner, i, &report)
		})
		if err != nil {
			return done, err
		}
		done, after = report, next
		tell(done)
		if !more {
			return done, nil
		}
	}
}

// takeBackOne erases a record unless it is in use by now. It always erases a staged
// record, because nobody has seen one.
func (e *eraser) takeBackOne(w store.Writer, r store.Row, done *UndoReport) error {
	if r.Columns.Staged {
		done.Removed++
		return w.Delete(r.ID)
	}
	// Read the row again: the undoing of a successor may have reopened it.
	now, err := w.Row(r.ID)
	if err != nil {
		return err
	}
	users, err := w.Relating(string(r.ID))
	if err != nil {
		return err
	}
	users, err = builtOn(w, r, users)
	if err != nil {
		return err
	}
	users, found, err := e.foundIn(w, users)
	if err != nil {
		return err
	}
	if now.Current != nil || len(users) > 0 {
		done.Kept++
		return nil
	}
	at := Instant(e.now())
	for _, proposal := range found {
		as, err := e.beliefs.KnownAs(w, at, proposal)
		if err != nil {
			return err
		}
		if err := e.erase(w, proposal, as, at); err != nil {
			return err
		}
		done.Proposals++
	}
	as, err := e.beliefs.KnownAs(w, at, now)
	if err != nil {
		return err
	}
	back, decodes := Decoded(now)
	if err := e.reopenAfterUndo(w, now, back); err != nil {
		return err
	}
	done.Removed++
	if err := e.erase(w, now, as, at); err != nil || decodes != nil {
		return err
	}
	if err := errors.Join(e.aliasBack(w, back), nameBack(w, back, now.Columns.Import)); err != nil {
		return err
	}
	return e.takeBackPriors(w, back, done)
}

// reopenAfterUndo puts in force again what a record superseded. The record is verified for
// that: a damaged one reopens nothing.
func (e *eraser) reopenAfterUndo(w store.Writer, row store.Row, rec memory.Record) error {
	if len(rec.Supersedes) == 0 {
		return nil
	}
	rec, damage, err := e.read(w, row)
	if err != nil || damage != nil {
		return err
	}
	return e.reopen(w, rec)
}

// takeBackPriors erases the records that gone had superseded if their own import was
// undone before and only gone kept them.
func (e *eraser) takeBackPriors(w store.Writer, gone memory.Record, done *UndoReport) error {
	for _, id := range gone.Supersedes {
		r, err := w.Row(id)
		if errors.Is(err, store.ErrNotFound) || err == nil && r.Columns.Import == 0 {
			continue
		}
		if err != nil {
			return err
		}
		i, err := w.Import(r.Columns.Import)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return err
		}
		if err != nil || i.State != store.TakenBack {
			continue
		}
		var kept UndoReport
		if err := e.takeBackOne(w, r, &kept); err != nil {
			return err
		}
		done.Removed += kept.Removed
		done.Proposals += kept.Proposals
	}
	return nil
}

// foundIn divides the records that refer to a record. resting are those that build on
// it. found are the proposals that were only found in it and wait for the owner: undo
// erases them, too. Rejected and forgotten records are in neither.
func (v *verifier) foundIn(w store.Reader, users []memory.ID) (resting []memory.ID, found []store.Row, err error) {
	for _, id := range users {
		row, err := w.Row(id)
		if err != nil {
			return nil, nil, err
		}
		rec, damage, err := v.read(w, row)
		if err != nil {
			return nil, nil, err
		}
		switch {
		case damage != nil:
			resting = append(resting, id)
		case rec.Lifecycle.Status == memory.Tombstoned:
		case rec.Lifecycle.Status == memory.Candidate && row.Columns.Import == 0 && isFound(rec):
			found = append(found, row)
		default:
			resting = append(resting, id)
		}
	}
	return resting, found, nil
}

func (e *eraser) markUndone(w store.Writer, owner memory.DID, i store.Import, done *UndoReport) (err error) {
	was := i.State
	if i.State = store.TakenBack; was == store.Staging {
		i.State, i.Created, i.Merged = store.CutOff, 0, 0
	}
	if _, err := w.SetImport(i); err != nil || was == store.Staging {
		return err
	}
	if done.Again, err = openAgain(w, i); err != nil {
		return err
	}
	if _, err := w.Record(store.Change{At: Instant(e.now()), Type: store.Undone, Import: i.Number}); err != nil {
		return err
	}
	return e.note(w, memory.Caller{Owner: owner, Role: memory.Owner}, audit.Entry{Act: audit.Undo, Import: i.Number, Format: i.Format, Count: done.Removed})
}

// Imports lists the imports, newest first.
func (v *Vault) Imports(ctx context.Context, c memory.Caller) ([]store.Import, error) {
	const op = "import"
	if err := v.mayOwn(op, c); err != nil {
		return nil, err
	}
	var out []store.Import
	err := v.store.View(ctx, c.Owner, func(r store.Reader) (err error) {
		out, err = r.Imports()
		return err
	})
	return out, v.refusal(c, op, "", err)
}

// IsWorking reports whether an import is still running.
func IsWorking(i store.Import, now time.Time) bool {
	return (i.State == store.Staging || i.State == store.Partial) && !i.Lease.Before(now)
}

// Tidy removes the remains of imports that were cut off, and returns their number. A
// running import renews its lease, so Tidy leaves it alone.
func (v *Vault) Tidy(ctx context.Context, owner memory.DID) (int, error) {
	stalled := func(i store.Import) bool { return i.State == store.Staging && !IsWorking(i, v.now()) }
	var numbers []int64
	err := v.store.View(ctx, owner, func(r store.Reader) error {
		imports, err := r.Imports()
		for _, i := range imports {
			if stalled(i) {
				numbers = append(numbers, i.Number)
			}
		}
		return err
	})
	tidied := 0
	update := func(ctx context.Context, owner memory.DID, fn func(store.Writer) error) error {
		return v.unasked(ctx, tidying, owner, fn)
	}
	for _, number := range numbers {
		if err != nil {
			break
		}
		if _, err = v.takeBack(ctx, update, owner, number, stalled); errors.Is(err, store.ErrNotFound) {
			err = nil // the import is running again
			continue
		}
		tidied++
	}
	return tidied, v.refusal(engine(owner), "tidy", "", err)
}
