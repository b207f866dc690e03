package vault

import (
	"context"
	"errors"
	"time"

	"github.com/satchel-memory/satchel/internal/audit"
	"github.com/satchel-memory/satchel/internal/recall"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
)

// RekeyReport says what a rekey carried over.
type RekeyReport struct {
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
// Nothing of the old owner is erased; [Vault.FinishRekey] does that once the
// program has made the new owner its own. A rekey that was cut off, or failed,
// is taken up where it was by calling Rekey again with the same key, or given up
// by [Vault.AbandonRekey]. The key of the new owner is given; that of the old one
// signs the last entry of the old audit log, where it is held.
//
// A record that is not as its owner signed it makes the rekey fail before
// anything is changed: to sign it anew would hide that.
func (v *Vault) Rekey(ctx context.Context, from memory.Caller, to keys.Private, progress func(done int)) (RekeyReport, error) {
	const op = "rekey"
	k := &rekeying{vault: v, from: from.Owner, to: to, now: instant(v.now()), words: &recall.Indexer{}, progress: progress}
	if err := v.mayManage(op, from); err != nil {
		return RekeyReport{}, err
	}
	if to.IsZero() || to.DID() == from.Owner {
		return RekeyReport{}, invalid(op, "", "UMP-5.1-1", "the new key must be another than the owner's")
	}
	k.report = RekeyReport{From: from.Owner, To: to.DID()}
	_, err := keys.Public(from.Owner)
	k.signed = err == nil
	v.Flush(ctx)
	return k.report, v.refusal(from, op, "", k.run(ctx, from))
}

// rekeying is one rekey under way.
type rekeying struct {
	vault    *Vault
	from     memory.DID
	to       keys.Private
	signed   bool // the old owner's records carry signatures that can be verified
	now      time.Time
	words    *recall.Indexer
	progress func(int)
	account  store.Account   // what the new owner is to be as one of many
	edition  string          // that the new owner's memory speaks
	imports  map[int64]int64 // number of the old owner's -> of the new one's
	report   RekeyReport
}

func (k *rekeying) run(ctx context.Context, from memory.Caller) error {
	m, err := k.vault.moved(ctx, k.from)
	if err != nil {
		return err
	}
	if err := k.prepare(ctx); err != nil {
		return err
	}
	speaker := k.from
	if k.to.DID() == k.vault.home {
		speaker = k.to.DID()
	}
	if k.edition, err = k.vault.Edition(ctx, speaker); err != nil {
		return err
	}
	if m.state == "" {
		if err := k.begin(ctx); err != nil {
			return err
		}
		m.to = k.to.DID()
	}
	switch {
	case m.state == moveElsewhere:
		return m.refusal(k.vault.atHand())
	case m.to != k.to.DID():
		return invalid("rekey", "", "", "a rekey to another key was begun: finish it with that key, or abandon it")
	case m.state == moveDone:
		return nil
	}
	for _, step := range []func(context.Context) error{k.copyProjects, k.copyImports, k.copyRecords, k.copyAttachments,
		k.copyAgents, k.copySpent, k.verify, k.verifyAttachments, k.verifyAgents, k.rewrap, k.carryDenials} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	if m.state == moveCopied {
		return nil
	}
	return k.note(ctx, from)
}

// moved returns how far a rekey of the owner has come.
func (v *Vault) moved(ctx context.Context, owner memory.DID) (m move, err error) {
	err = v.bare.View(ctx, owner, func(r store.Reader) error {
		m, err = moveOf(r)
		return err
	})
	return m, err
}

// begin makes sure that everything can be carried over, and keeps others from
// writing from then on.
func (k *rekeying) begin(ctx context.Context) error {
	if _, err := k.vault.Tidy(ctx, k.from); err != nil {
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
	var last Hold
	err = k.vault.bare.View(ctx, k.from, func(r store.Reader) (err error) {
		last, err = written(r, k.now)
		return err
	})
	if err != nil {
		return err
	}
	err = k.vault.updateBare(ctx, k.to.DID(), func(w store.Writer) error { return errors.Join(k.vacate(w), k.enter(w), k.goOn(w, last)) })
	if err != nil {
		return err
	}
	return k.vault.bare.Update(ctx, k.from, func(w store.Writer) error {
		imports, err := w.Imports()
		if err != nil {
			return err
		}
		for _, i := range imports {
			if i.State == store.Staging || working(i, k.vault.now()) {
				return &memory.Error{Kind: memory.Unsupported, Message: "an import is at work: wait until it is done"}
			}
		}
		return move{moveBegun, k.to.DID()}.mark(w)
	})
}

// untouched makes sure that nobody changed the store behind the owner's back: what
// is written anew would look as if all were well.
func (k *rekeying) untouched(ctx context.Context) error {
	findings, err := k.vault.bare.Check(ctx)
	if err == nil && len(findings) > 0 {
		err = &memory.Error{Kind: memory.SignatureInvalid, Op: "rekey", Rule: "UMP-7-7",
			Message: "the store was changed outside of satchel: see satchel doctor, and mend it before its owner takes another key"}
	}
	return err
}

// goOn lets the numbers of the new owner's changes go on from the old one's, so
// that subscribers miss nothing, and from the time up to which they bear the clock out,
// so that a clock that is wrong is not believed for them.
func (k *rekeying) goOn(w store.Writer, last Hold) error {
	own, err := w.Head()
	if err != nil || own >= last.head {
		return err
	}
	_, err = w.Record(store.Change{At: last.Until, Type: store.Moved, First: 1, Last: last.head - own})
	return err
}

// vacate makes sure that the new owner is nobody yet, or the program's own, and
// may be written for: it may be one that went over to another key before.
func (k *rekeying) vacate(w store.Writer) error {
	n, err := w.Count(store.Filter{})
	if err != nil {
		return err
	}
	m, err := moveOf(w)
	switch {
	case err != nil:
		return err
	case n > 0 && k.to.DID() != k.vault.home, m.state == moveBegun, m.state == moveCopied:
		return invalid("rekey", "", "", "the new key belongs to an owner who has memories here; take another key")
	case m.state == moveDone:
		return unmark(w)
	}
	return nil
}

// each calls look for every page of the old owner's rows, in the order of their
// creation, and then what it returned, when the snapshot is given back.
func (k *rekeying) each(ctx context.Context, look func(store.Reader, []store.Row) (func() error, error)) error {
	for after := (store.Cursor{}); ; {
		var rows []store.Row
		var then func() error
		err := k.vault.bare.View(ctx, k.from, func(r store.Reader) (err error) {
			if rows, err = r.Rows(store.Filter{}, after, importBatch); err == nil {
				then, err = look(r, rows)
			}
			return err
		})
		if err == nil && then != nil {
			err = then()
		}
		if err != nil || len(rows) < importBatch {
			return errors.Join(err, ctx.Err())
		}
		last := rows[len(rows)-1]
		after = store.Cursor{Created: last.Columns.Created, Number: last.Number}
	}
}

// read returns what a row of the old owner says, once it is clear that the owner
// said it, in either form.
func (k *rekeying) read(row store.Row) (memory.Record, error) {
	rec, err := decoded(row)
	another := err == nil && foreign(rec, k.from)
	switch {
	case another && mayBeHeld(rec):
		err = k.vault.sound(rec, k.from)
	case err == nil && k.signed:
		err = k.genuine(rec)
	}
	if err == nil && another && !mayBeHeld(rec) {
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
func (k *rekeying) note(ctx context.Context, from memory.Caller) error {
	entry := audit.Entry{Act: audit.Rekey, Count: k.report.Records}
	err := k.vault.bare.Update(ctx, k.to.DID(), func(w store.Writer) error {
		e := entry
		e.At, e.Who, e.Via, e.Result = k.now, audit.Owner, k.vault.via, code(k.from)
		err := audit.Log{Owner: k.to.DID(), Secret: audit.Secret(k.to), Key: &k.to}.Append(w, e)
		if errors.Is(err, audit.ErrDamaged) {
			return nil // doctor names it
		}
		return err
	})
	if err != nil {
		return err
	}
	return k.vault.bare.Update(ctx, k.from, func(w store.Writer) error {
		e := entry
		e.Result = code(k.to.DID())
		if k.vault.holder(k.from) != nil {
			if err := k.vault.note(w, from, e); err != nil {
				return err
			}
		}
		return move{moveCopied, k.to.DID()}.mark(w)
	})
}

// code returns an owner as the audit log can have it: "" where it is a name of
// more than letters and digits.
func code(owner memory.DID) string {
	if _, err := keys.Public(owner); err != nil {
		return ""
	}
	return string(owner)
}

// FinishRekey erases everything of an owner whose rekey to another owner has been
// copied, and waits for what is on its way out. The result is false while the files are
// not yet clear of it. Once is enough.
func (v *Vault) FinishRekey(ctx context.Context, from memory.Caller, to memory.DID) (cleared bool, err error) {
	const op = "rekey"
	if err := v.mayManage(op, from); err != nil {
		return false, err
	}
	k := &rekeying{vault: v, from: from.Owner}
	if err := k.untouched(ctx); err != nil {
		return false, v.refusal(from, op, "", err)
	}
	if err := v.dropWrapped(ctx, from.Owner, to); err != nil {
		return false, v.refusal(from, op, "", err)
	}
	err = v.updateBare(ctx, from.Owner, func(w store.Writer) error {
		m, err := moveOf(w)
		switch {
		case err != nil || m == move{moveDone, to}:
			return err
		case m != move{moveCopied, to}:
			return invalid(op, "", "", "nothing was erased: not everything of the old owner is under the new one yet")
		}
		if err := errors.Join(w.EraseOwner(), w.SetAccount(store.Account{})); err != nil {
			return err
		}
		return move{moveDone, to}.mark(w)
	})
	if err != nil {
		return false, v.refusal(from, op, "", err)
	}
	cleared, err = v.quiet(ctx, from.Owner)
	return cleared, v.refusal(from, op, "", err)
}
