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

// Report says what a rekey carried over.
type Report struct {
	From, To memory.DID
	Records  int // of From, all of which are under To now
	Already  int // of them: those whose content To had, from before or from a rekey that was cut off
	Imports  int // in the journal of imports
}

// Rekey writes everything of an owner again under another key, which is another
// owner (decision 11): every record with its id, its place among versions and
// both its forms, signed by that key and with evidence of where it comes from;
// lessons, project names, the journal of imports, what stands beside the records,
// agents and their checkpoints. It serves owners without a key
// as well, whose records nobody could sign (UMP-5.1-4). Receipts and tokens stay
// behind: a token is its issuer's. An owner who was let in stays so under the new
// key; when the home owner takes another, the keys of the others are wrapped under
// that.
//
// From the first step on nobody writes for the old owner, in whatever process.
// Nothing of the old owner is erased; [Service.FinishRekey] does that once the
// program has made the new owner its own. A rekey that was cut off, or failed,
// is taken up where it was by calling Rekey again with the same key, or given up
// by [Service.AbandonRekey]. The key of the new owner is given; that of the old one
// signs the last entry of the old audit log, where it is held.
//
// A record that is not as its owner signed it makes the rekey fail before
// anything is changed: to sign it anew would hide that.
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

// keyChange is one rekey under way.
type keyChange struct {
	*Service
	from     memory.DID
	to       keys.Private
	signed   bool // the old owner's records carry signatures that can be verified
	now      time.Time
	words    *recall.Indexer
	progress func(int)
	account  store.Account   // what the new owner is to be as one of many
	edition  string          // that the new owner's memory speaks
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
		return m.Refusal(k.kernel.AtHand())
	case m.To != k.to.DID():
		return vault.Invalid("rekey", "", "", "a rekey to another key was begun: finish it with that key, or abandon it")
	case m.State == vault.MoveDone:
		return nil
	}
	for _, step := range []func(context.Context) error{k.copyProjects, k.copyImports, k.copyRecords, k.copyAttachments,
		k.copyAgents, k.copySpent, k.verify, k.verifyAttachments, k.verifyAgents, k.rewrap, k.carryDenials} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	if m.State == vault.MoveCopied {
		return nil
	}
	return k.note(ctx, from)
}

// moved returns how far a rekey of the owner has come.
func (s *Service) moved(ctx context.Context, owner memory.DID) (m vault.Move, err error) {
	err = s.kernel.Bare().View(ctx, owner, func(r store.Reader) error {
		m, err = vault.MoveOf(r)
		return err
	})
	return m, err
}

// begin makes sure that everything can be carried over, and keeps others from
// writing from then on.
func (k *keyChange) begin(ctx context.Context) error {
	if _, err := k.kernel.Tidy(ctx, k.from); err != nil {
		return err
	}
	if err := errors.Join(k.untouched(ctx), k.agentsOpen(ctx)); err != nil {
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

// untouched makes sure that nobody changed the store behind the owner's back: what
// is written anew would look as if all were well.
func (k *keyChange) untouched(ctx context.Context) error {
	findings, err := k.kernel.Bare().Check(ctx)
	if err == nil && len(findings) > 0 {
		err = &memory.Error{Kind: memory.SignatureInvalid, Op: "rekey", Rule: "UMP-7-7",
			Message: "the store was changed outside of satchel: see satchel doctor, and mend it before its owner takes another key"}
	}
	return err
}

// goOn lets the numbers of the new owner's changes go on from the old one's, so
// that subscribers miss nothing, and from the time up to which they bear the clock out,
// so that a clock that is wrong is not believed for them.
func (k *keyChange) goOn(w store.Writer, last vault.Hold) error {
	own, err := w.Head()
	if err != nil || own >= last.Head {
		return err
	}
	_, err = w.Record(store.Change{At: last.Until, Type: store.Moved, First: 1, Last: last.Head - own})
	return err
}

// vacate makes sure that the new owner is nobody yet, or the program's own, and
// may be written for: it may be one that went over to another key before.
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

// each calls look for every page of the old owner's rows, in the order of their
// creation, and then what it returned, when the snapshot is given back.
func (k *keyChange) each(ctx context.Context, look func(store.Reader, []store.Row) (func() error, error)) error {
	for after := (store.Cursor{}); ; {
		var rows []store.Row
		var then func() error
		err := k.kernel.Bare().View(ctx, k.from, func(r store.Reader) (err error) {
			if rows, err = r.Rows(store.Filter{}, after, vault.ImportBatch); err == nil {
				then, err = look(r, rows)
			}
			return err
		})
		if err == nil && then != nil {
			err = then()
		}
		if err != nil || len(rows) < vault.ImportBatch {
			return errors.Join(err, ctx.Err())
		}
		last := rows[len(rows)-1]
		after = store.Cursor{Created: last.Columns.Created, Number: last.Number}
	}
}

// read returns what a row of the old owner says, once it is clear that the owner
// said it, in either form.
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

// note puts the rekey into both audit logs and marks it as copied. An owner whose
// key is not held has no log that anybody could sign.
func (k *keyChange) note(ctx context.Context, from memory.Caller) error {
	entry := audit.Entry{Act: audit.Rekey, Count: k.report.Records}
	err := k.kernel.Bare().Update(ctx, k.to.DID(), func(w store.Writer) error {
		e := entry
		e.At, e.Who, e.Via, e.Result = k.now, audit.Owner, k.kernel.Via(), vault.AuditName(k.from)
		err := audit.Log{Owner: k.to.DID(), Secret: audit.Secret(k.to), Key: &k.to}.Append(w.AuditKeeper(), e)
		if errors.Is(err, audit.ErrDamaged) {
			return nil // doctor names it
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

// FinishRekey erases everything of an owner whose rekey to another owner has been
// copied, and waits for what is on its way out. The result is false while the files are
// not yet clear of it. Once is enough.
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
