package rekey

import (
	"context"
	"errors"
	"time"

	"github.com/satchel-memory/satchel/internal/audit"
	"github.com/satchel-memory/satchel/internal/recall"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
)

// Report counts what a rekey copied.
type Report struct {
	From, To memory.DID
	Records  int // of From, all of which are under To now
	Already  int // of them: those that To had already, from before or from an interrupted rekey
	Imports  int // in the journal of imports
}

// Rekey copies everything of an owner to another key, which is another owner (decision
// 11). It copies every record with its id, its place among versions and both its forms,
// signed by that key and with evidence of its origin. It copies lessons, project names,
// the journal of imports, attachments, agents and their checkpoints and runs. It also serves
// owners without a key, whose records nobody could sign (UMP-5.1-4). Receipts and tokens
// stay behind: a token belongs to its issuer. An owner with an account keeps it under
// the new key. When the home owner changes keys, the other owners' keys are wrapped
// under the new one.
//
// From the first step on, no process writes for the old owner. Nothing of the old owner
// is erased; [Service.FinishRekey] does that once the program has made the new owner its
// own. To resume an interrupted or failed rekey, call Rekey again with the same key; to
// give it up, call [Service.AbandonRekey]. The caller gives the new owner's key. The old
// owner's key signs the last entry of the old audit log, where it is held.
//
// A record that differs from what its owner signed makes the rekey fail before anything
// is changed: signing it anew would hide that.
func (s *Service) Rekey(ctx context.Context, from memory.Caller, to keys.Private, progress func(done int)) (Report, error) {
	const op = "rekey"
	k := &keyChange{Service: s, from: from.Owner, to: to, now: vault.Instant(s.kernel.Now()), words: &recall.Indexer{}, progress: progress}
	if err := s.kernel.MayManage(op, from); err != nil {
		return Report{}, err
	}
	if to.IsZero() || to.DID() == from.Owner {
		return Report{}, vault.Invalid(op, "", "UMP-5.1-1", "the new key must be another than the owner's")
	}
	k.report = Report{From: from.Owner, To: to.DID()}
	_, err := keys.Public(from.Owner)
	k.signed = err == nil
	s.kernel.Flush(ctx)
	return k.report, s.kernel.Refusal(from, op, "", k.run(ctx, from))
}

// keyChange is one rekey in progress.
type keyChange struct {
	*Service
	from     memory.DID
	to       keys.Private
	signed   bool // the old owner's records carry signatures that can be verified
	now      time.Time
	words    *recall.Indexer
	progress func(int)
	account  store.Account   // the new owner's account
	edition  string          // of the new owner's memory
	imports  map[int64]int64 // number of the old owner's -> of the new one's
	report   Report
}

func (k *keyChange) run(ctx context.Context, from memory.Caller) error {
	m, err := k.moved(ctx, k.from)
	if err != nil {
		return err
	}
	if err := k.prepare(ctx); err != nil {
		return err
	}
	speaker := k.from
	if k.to.DID() == k.kernel.Home() {
		speaker = k.to.DID()
	}
	if k.edition, err = k.kernel.Edition(ctx, speaker); err != nil {
		return err
	}
	if m.State == "" {
		if err := k.begin(ctx); err != nil {
			return err
		}
		m.To = k.to.DID()
	}
	switch {
	case m.State == vault.MoveElsewhere:
		return m.Refusal(k.kernel.Via() == "cli")
	case m.To != k.to.DID():
		return vault.Invalid("rekey", "", "", "a rekey to another key was begun: finish it with that key, or abandon it")
	case m.State == vault.MoveDone:
		return nil
	}
	for _, step := range []func(context.Context) error{k.copyProjects, k.copyImports, k.copyRecords, k.copyAttachments,
		k.copyAgents, k.copyRuns, k.copySpent, k.verify, k.verifyAttachments, k.verifyAgents, k.verifyRuns, k.rewrap, k.carryDenials} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	if m.State == vault.MoveCopied {
		return nil
	}
	return k.note(ctx, from)
}

// moved returns how far a rekey of the owner has progressed.
func (s *Service) moved(ctx context.Context, owner memory.DID) (m vault.Move, err error) {
	err = s.kernel.Bare().View(ctx, owner, func(r store.Reader) error {
		m, err = vault.MoveOf(r)
		return err
	})
	return m, err
}

// begin checks that everything can be copied, and stops others from writing from then
// on.
func (k *keyChange) begin(ctx context.Context) error {
	if _, err := k.kernel.Tidy(ctx, k.from); err != nil {
		return err
	}
	if err := errors.Join(k.untouched(ctx), k.agentsOpen(ctx), k.runsOpen(ctx)); err != nil {
		return err
	}
	err := k.each(ctx, func(_ store.Reader, rows []store.Row) (func() error, error) {
		for _, row := range rows {
			if _, err := k.read(row); err != nil {
				return nil, err
			}
		}
		return nil, nil
	})
	if err != nil {
		return err
	}
	var last vault.Hold
	err = k.kernel.Bare().View(ctx, k.from, func(r store.Reader) (err error) {
		last, err = vault.Written(r, k.now)
		return err
	})
	if err != nil {
		return err
	}
	err = k.kernel.UpdateBare(ctx, k.to.DID(), func(w store.Writer) error { return errors.Join(k.vacate(w), k.enter(w), k.goOn(w, last)) })
	if err != nil {
		return err
	}
	return k.kernel.Bare().Update(ctx, k.from, func(w store.Writer) error {
		imports, err := w.Imports()
		if err != nil {
			return err
		}
		for _, i := range imports {
			if i.State == store.Staging || vault.IsWorking(i, k.kernel.Now()) {
				return &memory.Error{Kind: memory.Unsupported, Message: "an import is at work: wait until it is done"}
			}
		}
		return vault.Move{State: vault.MoveBegun, To: k.to.DID()}.Mark(w)
	})
}

// untouched checks that nobody changed the store outside of satchel: the copy would hide
// that.
func (k *keyChange) untouched(ctx context.Context) error {
	findings, err := k.kernel.Bare().Check(ctx)
	if err == nil && len(findings) > 0 {
		err = &memory.Error{Kind: memory.SignatureInvalid, Op: "rekey", Rule: "UMP-7-7",
			Message: "the store was changed outside of satchel: see satchel doctor, and mend it before its owner takes another key"}
	}
	return err
}

// goOn continues the old owner's change numbers for the new one, so that subscribers
// miss nothing. It also continues the time up to which the changes confirm the clock, so
// that a wrong clock is not believed.
func (k *keyChange) goOn(w store.Writer, last vault.Hold) error {
	own, err := w.Head()
	if err != nil || own >= last.Head {
		return err
	}
	_, err = w.Record(store.Change{At: last.Until, Type: store.Moved, First: 1, Last: last.Head - own})
	return err
}

// vacate checks that the new owner is unused or the program's own, and makes it
// writable: it may have changed to another key before.
func (k *keyChange) vacate(w store.Writer) error {
	n, err := w.Count(store.Filter{})
	if err != nil {
		return err
	}
	m, err := vault.MoveOf(w)
	switch {
	case err != nil:
		return err
	case n > 0 && k.to.DID() != k.kernel.Home(), m.State == vault.MoveBegun, m.State == vault.MoveCopied:
		return vault.Invalid("rekey", "", "", "the new key belongs to an owner who has memories here; take another key")
	case m.State == vault.MoveDone:
		return vault.UnmarkMove(w)
	}
	return nil
}

// each calls look with every page of the old owner's rows, in the order of their
// creation. It calls the function that look returned after releasing the snapshot.
func (k *keyChange) each(ctx context.Context, look func(store.Reader, []store.Row) (func() error, error)) error {
	for after := (store.Cursor{}); ; {
		var rows []store.Row
		var then func() error
		err := k.kernel.Bare().View(ctx, k.from, func(r store.Reader) (err error) {
			if rows, err = r.Rows(store.Filter{}, after, k.kernel.Batch()); err == nil {
				then, err = look(r, rows)
			}
			return err
		})
		if err == nil && then != nil {
			err = then()
		}
		if err != nil || len(rows) < k.kernel.Batch() {
			return errors.Join(err, ctx.Err())
		}
		last := rows[len(rows)-1]
		after = store.Cursor{Created: last.Columns.Created, Number: last.Number}
	}
}

// read returns the record of an old owner's row, once either form proves to be the
// owner's.
func (k *keyChange) read(row store.Row) (memory.Record, error) {
	rec, err := vault.Decoded(row)
	another := err == nil && vault.Foreign(rec, k.from)
	switch {
	case another && vault.MayBeHeld(rec):
		err = k.kernel.Sound(rec, k.from)
	case err == nil && k.signed:
		err = k.genuine(rec)
	}
	if err == nil && another && !vault.MayBeHeld(rec) {
		err = errors.New("it belongs to another owner than its row")
	}
	if err != nil {
		return rec, &memory.Error{Kind: memory.SignatureInvalid, ID: row.ID, Rule: "UMP-7-7", Err: err,
			Message: "the stored record is not what its owner signed, and cannot be signed anew; restore it from a backup, or erase it with satchel forget --hard"}
	}
	return rec, nil
}

// note writes the rekey to both audit logs and marks it as copied. An owner whose key is
// not held has no log that anybody could sign.
func (k *keyChange) note(ctx context.Context, from memory.Caller) error {
	entry := audit.Entry{Act: audit.Rekey, Count: k.report.Records}
	err := k.kernel.Bare().Update(ctx, k.to.DID(), func(w store.Writer) error {
		e := entry
		e.At, e.Who, e.Via, e.Result = k.now, audit.Owner, k.kernel.Via(), vault.AuditName(k.from)
		err := audit.Log{Owner: k.to.DID(), Secret: audit.Secret(k.to), Key: &k.to}.Append(w.AuditKeeper(), e)
		if errors.Is(err, audit.ErrDamaged) {
			return nil // doctor reports it
		}
		return err
	})
	if err != nil {
		return err
	}
	return k.kernel.Bare().Update(ctx, k.from, func(w store.Writer) error {
		e := entry
		e.Result = vault.AuditName(k.to.DID())
		if k.kernel.Holder(k.from) != nil {
			if err := k.kernel.Note(w, from, e); err != nil {
				return err
			}
		}
		return vault.Move{State: vault.MoveCopied, To: k.to.DID()}.Mark(w)
	})
}

// FinishRekey erases everything of an owner whose rekey has been copied, and waits for
// content that is still being sent. The result is false while the files still hold
// erased content. Once is enough.
func (s *Service) FinishRekey(ctx context.Context, from memory.Caller, to memory.DID) (cleared bool, err error) {
	const op = "rekey"
	if err := s.kernel.MayManage(op, from); err != nil {
		return false, err
	}
	k := &keyChange{Service: s, from: from.Owner}
	if err := k.untouched(ctx); err != nil {
		return false, s.kernel.Refusal(from, op, "", err)
	}
	if err := s.dropWrapped(ctx, from.Owner, to); err != nil {
		return false, s.kernel.Refusal(from, op, "", err)
	}
	err = s.kernel.UpdateBare(ctx, from.Owner, func(w store.Writer) error {
		m, err := vault.MoveOf(w)
		switch {
		case err != nil || m == vault.Move{State: vault.MoveDone, To: to}:
			return err
		case m != vault.Move{State: vault.MoveCopied, To: to}:
			return vault.Invalid(op, "", "", "nothing was erased: not everything of the old owner is under the new one yet")
		}
		if err := errors.Join(w.EraseOwner(), w.SetAccount(store.Account{})); err != nil {
			return err
		}
		return vault.Move{State: vault.MoveDone, To: to}.Mark(w)
	})
	if err != nil {
		return false, s.kernel.Refusal(from, op, "", err)
	}
	cleared, err = s.kernel.Quiet(ctx, from.Owner)
	return cleared, s.kernel.Refusal(from, op, "", err)
}
