package vault

import (
	"context"
	"errors"

	"github.com/satchel-memory/satchel/internal/audit"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// EditionReport says what a change of edition did.
type EditionReport struct {
	From, To string
	Signed   int // records that were signed anew
	Foreign  int // of other owners, which stay as they are
	Damaged  int // that are not what their owner signed, and stay as they are
}

// SetEdition lets the owner's memory speak another edition of UMP. To go over to 1.0,
// every record of the owner's gets a present form in 1.0, signed by the owner, in
// batches beside which others read and write; in the transaction of the last one the
// memory begins to speak 1.0. Until then it speaks 0.1. A change that was cut off goes
// on where it was when it is begun again. Ids, and what records say, stay, so that the
// feed of changes tells nothing. progress is told how many records were looked at.
//
// A memory that speaks 1.0 goes back to 0.1 only while it is empty: a record that was
// born as 1.0 was never one of 0.1, and no peer would take one that was made so.
func (v *Vault) SetEdition(ctx context.Context, c memory.Caller, edition string, progress func(done int)) (EditionReport, error) {
	const op = "edition"
	x := &editing{vault: v, caller: c, progress: progress}
	x.report.To = edition
	if err := errors.Join(v.mayWrite(op, c), v.mayOwn(op, c)); err != nil {
		return x.report, err
	}
	if edition != ump.Edition && edition != ump.LaterEdition {
		return x.report, invalid(op, "/ump", "UMP-2-2", `the editions are "0.1" and "1.0"`)
	}
	var err error
	if x.report.From, err = v.Edition(ctx, c.Owner); err != nil || x.report.From == edition {
		return x.report, v.refusal(c, op, "", err)
	}
	if edition == ump.Edition {
		err = v.store.Update(ctx, c.Owner, x.back)
	} else {
		err = x.run(ctx)
	}
	v.editions.Delete(c.Owner)
	return x.report, v.refusal(c, op, "", err)
}

// editing is one change to 1.0 under way.
type editing struct {
	vault    *Vault
	caller   memory.Caller
	progress func(int)
	seen     int   // records of this pass
	head     int64 // of the feed of changes when the pass began
	done     bool
	report   EditionReport
}

// back lets an empty memory speak 0.1 again.
func (x *editing) back(w store.Writer) error {
	n, err := w.Count(store.Filter{})
	if err != nil {
		return err
	}
	if n > 0 {
		return &memory.Error{Kind: memory.Unsupported, Op: "edition", Rule: "UMP1-0-4",
			Message: "a memory that speaks UMP 1.0 does not go back: what was born as 1.0 cannot be signed as 0.1; make a store with init --ump 0.1 and import an export there"}
	}
	return x.say(w)
}

// run goes through all records, then through what changed meanwhile, until nothing did.
func (x *editing) run(ctx context.Context) error {
	v, owner := x.vault, x.caller.Owner
	if v.holder(owner) == nil {
		return &memory.Error{Kind: memory.Unsupported, Op: "edition", Rule: "UMP1-0-3",
			Message: "the owner's key is not here: nobody else can sign the records as 1.0"}
	}
	if _, err := v.Tidy(ctx, owner); err != nil {
		return err
	}
	for whole := true; !x.done; {
		if whole {
			if err := x.all(ctx); err != nil {
				return err
			}
		}
		before := *x
		err := v.store.Update(ctx, owner, func(w store.Writer) (err error) {
			*x = before
			whole, err = x.rest(w)
			return err
		})
		if err = errors.Join(err, ctx.Err()); err != nil {
			return err
		}
	}
	return nil
}

// all signs the records anew, a batch at a time.
func (x *editing) all(ctx context.Context) error {
	v, owner := x.vault, x.caller.Owner
	x.seen, x.report.Foreign, x.report.Damaged = 0, 0, 0
	err := v.store.View(ctx, owner, func(r store.Reader) (err error) {
		x.head, err = r.Head()
		return err
	})
	for after := (store.Cursor{}); err == nil; {
		var rows []store.Row
		err = v.store.View(ctx, owner, func(r store.Reader) (err error) {
			rows, err = r.Rows(store.Filter{}, after, importBatch)
			return err
		})
		if err != nil || len(rows) == 0 {
			break
		}
		last, before := rows[len(rows)-1], *x
		err = v.store.Update(ctx, owner, func(w store.Writer) error {
			*x = before
			return x.batch(w, rows)
		})
		after = store.Cursor{Created: last.Columns.Created, Number: last.Number}
		if x.progress != nil {
			x.progress(x.seen)
		}
		if err = errors.Join(err, ctx.Err()); len(rows) < importBatch {
			break // what is written meanwhile stands in the feed of changes
		}
	}
	return err
}

// batch signs those of the rows anew that are still there.
func (x *editing) batch(w store.Writer, rows []store.Row) error {
	for _, old := range rows {
		row, err := w.Row(old.ID)
		if errors.Is(err, store.ErrNotFound) {
			continue // erased meanwhile
		}
		if err == nil {
			err = x.one(w, row)
		}
		if err != nil {
			return err
		}
		x.seen++
	}
	return nil
}

// one gives a record its present form in the new edition. The columns stay: they say
// nothing of editions.
func (x *editing) one(w store.Writer, row store.Row) error {
	rec, damage, err := x.vault.read(w, row)
	switch {
	case err != nil:
		return err
	case damage != nil:
		x.report.Damaged++ // doctor names it; to sign it would hide that
		return nil
	case foreign(rec, w.Owner()):
		x.report.Foreign++
		return nil
	case rec.Version == x.report.To:
		return nil
	}
	rec.Version = x.report.To
	if rec, err = ump.Amend(rec, x.vault.holder(w.Owner())); err != nil {
		return err
	}
	x.vault.vouch(rec)
	row.Current = rec.Current
	x.report.Signed++
	return w.Replace(row, links(rec))
}

// rest signs what was written since the pass began, and ends the change where that is
// all. Where an import came in meanwhile, another pass is needed.
func (x *editing) rest(w store.Writer) (again bool, err error) {
	imports, err := w.Imports()
	if err != nil {
		return false, err
	}
	for _, i := range imports {
		if i.State == store.Staging {
			return false, &memory.Error{Kind: memory.Unsupported, Op: "edition",
				Message: "an import is at work: do this again when it is done; what is signed already stays so"}
		}
	}
	changes, err := w.Changes(x.head, importBatch)
	if err != nil {
		return false, err
	}
	for _, c := range changes {
		x.head = c.Sequence
		if c.Type == store.Imported || c.Type == store.Undone || c.Type == store.Moved {
			return true, nil
		}
		row, err := w.Row(c.ID)
		if errors.Is(err, store.ErrNotFound) {
			continue
		}
		if err == nil {
			err = x.one(w, row)
		}
		if err != nil {
			return false, err
		}
	}
	if len(changes) == importBatch {
		return false, nil
	}
	x.done = true
	return false, x.say(w)
}

// say lets the memory speak the edition.
func (x *editing) say(w store.Writer) error {
	if err := setEdition(w, x.report.To, instant(x.vault.now())); err != nil {
		return err
	}
	return x.vault.note(w, x.caller, audit.Entry{Act: audit.Edition, Count: x.report.Signed, Format: "ump-" + x.report.To})
}
