package vault

import (
	"context"
	"errors"
	"time"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/internal/audit"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// Forget turns a record into a tombstone, or erases it when the owner asks for that:
// then only its id in the change feed is left (UMP 3.6, decisions UD-21, UD-27).
func (v *Vault) Forget(ctx context.Context, c memory.Caller, f memory.ForgetRequest) (memory.ForgetOutcome, error) {
	const op = "forget"
	if err := v.mayWrite(op, c); err != nil {
		return "", err
	}
	if !f.Reason.Valid() {
		return "", Invalid(op, "/reason", "UMP-3.6-3",
			"give a reason: user_revoked, incorrect, outdated, duplicate, retention_expired or other")
	}
	if err := mayName(c, op, f.Actor); err != nil {
		return "", v.refusal(c, op, f.ID, err)
	}
	if f.Hard {
		if err := v.mayOwn(op, c); err != nil {
			return "", err
		}
	}
	MaskTexts(c, &f.Note)
	err := v.lessen(ctx, c.Owner, func(w store.Writer) error { return v.forgetAll(w, c, f, Instant(v.now()), UndoNameOf(ctx)) })
	if err != nil {
		return "", v.refusal(c, op, f.ID, err)
	}
	if !f.Hard {
		return memory.AsTombstone, nil
	}
	cleared, err := v.cleared(ctx)
	if err == nil && !cleared {
		return memory.ErasePending, nil
	}
	return memory.AsErased, v.refusal(c, op, f.ID, err)
}

// forgetAll forgets the record named, or every version of its belief. The owner can take
// that back by the name undo, unless it erases.
func (e *eraser) forgetAll(w store.Writer, c memory.Caller, f memory.ForgetRequest, now time.Time, undo string) error {
	rows, err := rowsToForget(w, f)
	if err != nil {
		return err
	}
	g, err := e.gate(w, c)
	if err != nil {
		return err
	}
	g.Now = now
	linked, err := linkedTo(w, rowIDs(rows)...)
	if err != nil {
		return err
	}
	var as BeliefName
	if f.Hard {
		if as, err = e.beliefs.KnownAs(w, now, rows...); err != nil {
			return err
		}
	}
	for _, r := range rows {
		if f.Hard { // the owner's own, even if it can no longer be read
			err = errors.Join(e.eraseFromRun(w, r), e.denyRow(w, c.Owner, r), e.erase(w, r, as, now))
		} else {
			err = e.bury(w, g, r, f, undo)
		}
		if err != nil {
			return err
		}
	}
	if err := e.prune(w, linked); err != nil {
		return err
	}
	act := audit.Forget
	if f.Hard {
		act = audit.Erase
	}
	return e.note(w, c, audit.Entry{Act: act, Reason: string(f.Reason)}, rowIDs(rows)...)
}

func rowIDs(rows []store.Row) []memory.ID {
	ids := make([]memory.ID, len(rows))
	for i, r := range rows {
		ids[i] = r.ID
	}
	return ids
}

// ChainLimit bounds how many versions of one belief are handled at once.
const ChainLimit = 100_000

// bury turns a record into a tombstone, once.
func (e *eraser) bury(w store.Writer, g Gate, r store.Row, f memory.ForgetRequest, undo string) error {
	rec, err := g.record(r)
	if err != nil {
		return err
	}
	if err := g.reaches(rec); err != nil {
		return err
	}
	if !g.Caller.Speaks() && g.status(rec) != memory.Active {
		return store.ErrNotFound
	}
	if rec.Lifecycle.Status == memory.Tombstoned { // it can still be taken back
		return unlinkFrom(w, r.ID, LinkSpace, VectorSpace)
	}
	if g.Caller.Role == memory.Peer && rec.Scope.Visibility == memory.Public {
		return Forbidden("forget", "only the owner may take back what is public")
	}
	if err := e.reopenAfterToken(w, rec); err != nil {
		return err
	}
	gone := Tombstone(rec, f, g.Now)
	mark := UndoMark{Act: UndoForget, Record: rec.ID, Status: rec.Lifecycle.Status, Ended: rec.Time.ValidTo.IsZero()}
	if g.key(rec) != nil { // without the key the record keeps its signed form
		gone.Provenance, mark.Acted = ActedBy(gone.Provenance, f.Actor), f.Actor != ""
	}
	if err := e.amend(w, r, gone); err != nil {
		return err
	}
	if err := Unlink(w, rec.ID); err != nil {
		return err
	}
	if err := MarkUndo(w, undo, mark, g.Now); err != nil {
		return err
	}
	_, err = w.Record(store.Change{At: g.Now, Type: store.Tombstoned, ID: rec.ID})
	return err
}

// Tombstone returns rec as forgotten. Its text stays for the owner's own get until
// retention ends; the reason stands beside the text and disappears with it.
func Tombstone(rec memory.Record, f memory.ForgetRequest, now time.Time) memory.Record {
	rec.Lifecycle.Status = memory.Tombstoned
	if rec.Time.ValidTo.IsZero() {
		rec.Time.ValidTo = now
		if from := rec.Time.From(); now.Before(from) {
			rec.Time.ValidTo = from
		}
	}
	why := []canon.Member{
		{Name: "at", Value: canon.String(now.Format(time.RFC3339Nano))},
		{Name: "reason", Value: canon.String(string(f.Reason))},
	}
	if f.Note != "" {
		why = append(why, canon.Member{Name: "note", Value: canon.String(f.Note)})
	}
	own, ok := codec.Residue(rec, "satchel")
	if !ok || own.Type() != canon.TypeObject {
		own = canon.Object()
	}
	return codec.WithResidue(rec, "satchel", own.With("forgotten", canon.Object(why...)))
}

// engine is the caller of automatic acts on the owner's behalf.
func engine(owner memory.DID) memory.Caller {
	return memory.Caller{Owner: owner, Role: memory.Agent, Agent: "satchel"}
}

// sweepBatch is how many expired records one transaction of a sweep empties.
const sweepBatch = 200

// Sweep empties owner's records whose retention is over, by the clock alone, and returns
// their number; see [Vault.SweepAgreed]. Reads honour retention without it. It removes
// the content from the disk, and content that an earlier erasure could not clear because
// the store was in use.
func (v *Vault) Sweep(ctx context.Context, owner memory.DID) (int, error) {
	swept, err := v.sweep(ctx, owner, Instant(v.now()))
	if err == nil {
		err = v.compactIfOwed(ctx)
	}
	return swept, v.refusal(engine(owner), "sweep", "", err)
}

// sweep empties the records that expired until an instant.
func (e *eraser) sweep(ctx context.Context, owner memory.DID, until time.Time) (int, error) {
	swept := 0
	var after store.Cursor
	for {
		seen, emptied, next := 0, 0, after
		err := e.unasked(ctx, sweeping, owner, func(w store.Writer) error {
			seen, emptied, next = 0, 0, after
			rows, err := w.Rows(store.Filter{Expired: until}, after, sweepBatch)
			if err != nil {
				return err
			}
			seen = len(rows)
			for _, r := range rows {
				done, err := e.expire(w, r, until)
				if err != nil {
					return err
				}
				if done {
					emptied++
				}
				next = store.Cursor{Created: r.Columns.Created, Number: r.Number}
			}
			if emptied == 0 {
				return nil
			}
			return e.note(w, engine(owner), audit.Entry{Act: audit.Expire, Count: emptied})
		})
		if err != nil {
			return swept, err
		}
		swept, after = swept+emptied, next
		if seen < sweepBatch {
			return swept, nil
		}
	}
}

// Expired counts owner's records whose retention is over and whose content is not swept
// yet.
func (v *Vault) Expired(ctx context.Context, owner memory.DID) (n int, err error) {
	err = v.store.View(ctx, owner, func(r store.Reader) error {
		n, err = r.Count(store.Filter{Expired: v.now()})
		return err
	})
	return n, v.refusal(engine(owner), "sweep", "", err)
}

// expire replaces a record by an empty shell (decision UD-15) and reports whether it
// did. The record decides, not the column that led to it.
func (e *eraser) expire(w store.Writer, r store.Row, until time.Time) (bool, error) {
	rec, err := e.record(w, r)
	if err != nil {
		e.log.Error("vault", "op", "sweep", "id", r.ID, "err", err)
		return false, nil // doctor reports it, and the owner can erase it
	}
	at, ok := ump.Expiry(rec)
	if !ok || until.Before(at) {
		return false, nil
	}
	shell, err := e.emptied(rec, w.Owner())
	if err != nil {
		return false, err
	}
	if err := e.beliefs.KeepExpired(w, r, at); err != nil {
		return false, err
	}
	empty := ReworkedRow(r, shell)
	empty.Origin, empty.Columns.Expires, empty.Columns.Duplicate = nil, time.Time{}, ""
	if err := w.Replace(empty, LinksOf(shell)); err != nil {
		return false, err
	}
	if err := w.Reindex(r.Number, store.Document{}); err != nil {
		return false, err
	}
	if err := e.unlinkAndPrune(w, r.ID); err != nil {
		return false, err
	}
	_, err = w.Record(store.Change{At: Instant(e.now()), Type: store.Tombstoned, ID: rec.ID})
	return err == nil, err
}
