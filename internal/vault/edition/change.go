package edition

import (
	"context"
	"errors"

	"github.com/satchel-memory/satchel/internal/audit"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// Report says what a change of edition did.
type Report struct {
	From, To string
	Signed   int // records that were signed anew
	Foreign  int // records of other owners, which stay as they are
	Damaged  int // records that differ from what their owner signed; they stay as they are
}

// SetEdition changes the edition of UMP of the owner's memory. A change to 1.0 gives
// every record of the owner a signed present form in 1.0, in batches. Other requests
// read and write between the batches. The transaction of the last batch sets the
// edition; until then it is 0.1. An interrupted change continues where it stopped when
// it is called again. Ids and texts stay, so the feed of changes has no entry.
// SetEdition calls progress with the number of records it has read.
//
// A memory of edition 1.0 goes back to 0.1 only while it is empty: nobody can sign a
// record that was born as 1.0 as one of 0.1.
func (s *Service) SetEdition(ctx context.Context, c memory.Caller, edition string, progress func(done int)) (Report, error) {
	const op = "edition"
	x := &change{kernel: s.kernel, caller: c, progress: progress}
	x.report.To = edition
	if err := errors.Join(s.kernel.MayWrite(op, c), s.kernel.MayOwn(op, c)); err != nil {
		return x.report, err
	}
	if edition != ump.Edition && edition != ump.LaterEdition {
		return x.report, vault.Invalid(op, "/ump", "UMP-2-2", `the editions are "0.1" and "1.0"`)
	}
	var err error
	if x.report.From, err = s.kernel.Edition(ctx, c.Owner); err != nil || x.report.From == edition {
		return x.report, s.kernel.Refusal(c, op, "", err)
	}
	if edition == ump.Edition {
		err = s.kernel.Store().Update(ctx, c.Owner, x.revert)
	} else {
		err = x.run(ctx)
	}
	s.kernel.ForgetEdition(c.Owner)
	return x.report, s.kernel.Refusal(c, op, "", err)
}

// change is one change of edition.
type change struct {
	kernel   vault.Kernel
	caller   memory.Caller
	progress func(int)
	seen     int   // records of this pass
	head     int64 // the head of the feed of changes when the pass began
	done     bool
	report   Report
}

// revert gives an empty memory edition 0.1 again.
func (x *change) revert(w store.Writer) error {
	n, err := w.Count(store.Filter{})
	if err != nil {
		return err
	}
	if n > 0 {
		return &memory.Error{Kind: memory.Unsupported, Op: "edition", Rule: "UMP1-0-4",
			Message: "a memory that speaks UMP 1.0 does not go back: what was born as 1.0 cannot be signed as 0.1; make a store with init --ump 0.1 and import an export there"}
	}
	return x.set(w)
}

// run signs all records, then the records that changed meanwhile, until none did.
func (x *change) run(ctx context.Context) error {
	v, owner := x.kernel, x.caller.Owner
	if v.Holder(owner) == nil {
		return &memory.Error{Kind: memory.Unsupported, Op: "edition", Rule: "UMP1-0-3",
			Message: "the owner's key is not here: nobody else can sign the records as 1.0"}
	}
	if _, err := v.Tidy(ctx, owner); err != nil {
		return err
	}
	begin := func(w store.Writer) error { return vault.NoteEditionSince(w, vault.GoingOver, vault.Instant(v.Now())) }
	if err := v.Store().Update(ctx, owner, begin); err != nil {
		return err
	}
	for whole := true; !x.done; {
		if whole {
			if err := x.signAll(ctx); err != nil {
				return err
			}
		}
		before := *x
		err := v.Store().Update(ctx, owner, func(w store.Writer) (err error) {
			*x = before
			whole, err = x.signRest(w)
			return err
		})
		if err = errors.Join(err, ctx.Err()); err != nil {
			return err
		}
	}
	return nil
}

// signAll signs all records in the new edition, a batch at a time.
func (x *change) signAll(ctx context.Context) error {
	v, owner := x.kernel, x.caller.Owner
	x.seen, x.report.Foreign, x.report.Damaged = 0, 0, 0
	err := v.Store().View(ctx, owner, func(r store.Reader) (err error) {
		x.head, err = r.Head()
		return err
	})
	for after := (store.Cursor{}); err == nil; {
		var rows []store.Row
		err = v.Store().View(ctx, owner, func(r store.Reader) (err error) {
			rows, err = r.Rows(store.Filter{}, after, v.Batch())
			return err
		})
		if err != nil || len(rows) == 0 {
			break
		}
		last, before := rows[len(rows)-1], *x
		err = v.Store().Update(ctx, owner, func(w store.Writer) error {
			*x = before
			return x.signBatch(w, rows)
		})
		after = store.Cursor{Created: last.Columns.Created, Number: last.Number}
		if x.progress != nil {
			x.progress(x.seen)
		}
		if err = errors.Join(err, ctx.Err()); len(rows) < v.Batch() {
			break // the feed of changes has the records written meanwhile
		}
	}
	return err
}

// signBatch signs the rows of a batch that still exist.
func (x *change) signBatch(w store.Writer, rows []store.Row) error {
	for _, old := range rows {
		row, err := w.Row(old.ID)
		if errors.Is(err, store.ErrNotFound) {
			continue // erased since the batch was read
		}
		if err == nil {
			err = x.signRow(w, row)
		}
		if err != nil {
			return err
		}
		x.seen++
	}
	return nil
}

// signRow gives a record its present form in the new edition. The columns stay: no
// column depends on the edition.
func (x *change) signRow(w store.Writer, row store.Row) error {
	rec, damage, err := x.kernel.Read(w, row)
	switch {
	case err != nil:
		return err
	case damage != nil:
		x.report.Damaged++ // doctor reports it; a signature would hide the damage
		return nil
	case vault.Foreign(rec, w.Owner()):
		x.report.Foreign++
		return nil
	case rec.Version == x.report.To:
		return nil
	}
	rec.Version = x.report.To
	if rec, err = ump.Amend(rec, x.kernel.Holder(w.Owner())); err != nil {
		return err
	}
	x.kernel.Vouch(rec)
	row.Current = rec.Current
	x.report.Signed++
	return w.Replace(row, vault.LinksOf(rec))
}

// signRest signs the records that were written since the pass began. Then the change is
// done, unless more were written. After an import, another pass is needed.
func (x *change) signRest(w store.Writer) (again bool, err error) {
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
	changes, err := w.Changes(x.head, x.kernel.Batch())
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
			err = x.signRow(w, row)
		}
		if err != nil {
			return false, err
		}
	}
	if len(changes) == x.kernel.Batch() {
		return false, nil
	}
	x.done = true
	return false, x.set(w)
}

// set sets the new edition of the memory, and logs the change.
func (x *change) set(w store.Writer) error {
	if err := vault.SetEdition(w, x.report.To, vault.Instant(x.kernel.Now())); err != nil {
		return err
	}
	return x.kernel.Note(w, x.caller, audit.Entry{Act: audit.Edition, Count: x.report.Signed, Format: "ump-" + x.report.To})
}
