package vault

import (
	"context"
	"time"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// Forget makes a tombstone of a record, or erases it without a trace when the
// owner says so (UMP 3.6, decision UD-21).
func (v *Vault) Forget(ctx context.Context, c memory.Caller, f memory.Forgetting) (memory.Forgotten, error) {
	const op = "forget"
	if err := v.mayWrite(op, c); err != nil {
		return "", err
	}
	if !f.Reason.Valid() {
		return "", invalid(op, "/reason", "UMP-3.6-3",
			"give a reason: user_revoked, incorrect, outdated, duplicate, retention_expired or other")
	}
	if f.Hard {
		if err := mayOwn(op, c); err != nil {
			return "", err
		}
	}
	err := v.store.Update(ctx, c.Owner, func(w store.Writer) error { return v.forgetAll(w, c, f, instant(v.now())) })
	if err != nil {
		return "", v.refusal(op, f.ID, err)
	}
	if !f.Hard {
		return memory.AsTombstone, nil
	}
	return memory.AsErased, v.refusal(op, f.ID, v.compact(ctx))
}

// compact makes sure that what was erased is gone from the files as well.
func (v *Vault) compact(ctx context.Context) error {
	if s, ok := v.store.(store.Compacter); ok {
		return s.Compact(ctx)
	}
	return nil
}

// forgetAll forgets the record named, or every version of its belief.
func (v *Vault) forgetAll(w store.Writer, c memory.Caller, f memory.Forgetting, now time.Time) error {
	r, err := w.Row(f.ID)
	if err != nil {
		return err
	}
	rows := []store.Row{r}
	if f.Chain {
		if rows, err = w.Rows(store.Filter{Lineage: r.Columns.Lineage}, store.Cursor{}, chainLimit); err != nil {
			return err
		}
	}
	for _, r := range rows {
		rec, err := record(r)
		if err != nil {
			return err
		}
		if !v.gate(c).sees(rec) {
			return store.ErrNotFound
		}
		if err := v.forgetOne(w, r, rec, f, now); err != nil {
			return err
		}
	}
	return nil
}

// chainLimit bounds how many versions of one belief are handled at once.
const chainLimit = 100_000

func (v *Vault) forgetOne(w store.Writer, r store.Row, rec memory.Record, f memory.Forgetting, now time.Time) error {
	if f.Hard {
		if err := w.Delete(rec.ID); err != nil {
			return err
		}
		_, err := w.Record(store.Change{At: now, Type: store.Erased, ID: rec.ID})
		return err
	}
	if rec.Lifecycle.Status == memory.Tombstoned {
		return nil
	}
	buried := tombstone(rec, f, now)
	if err := v.amend(w, r, buried); err != nil {
		return err
	}
	if err := w.Reindex(r.Number, store.Document{}); err != nil {
		return err
	}
	_, err := w.Record(store.Change{At: now, Type: store.Tombstoned, ID: rec.ID})
	return err
}

// tombstone returns rec as forgotten. Its text stays for the owner's own get
// until retention ends; why it was forgotten stands beside it and goes with it.
func tombstone(rec memory.Record, f memory.Forgetting, now time.Time) memory.Record {
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
	return codec.WithResidue(rec, "satchel",
		canon.Object(canon.Member{Name: "forgotten", Value: canon.Object(why...)}))
}

// sweepBatch is how many expired records one transaction of a sweep empties.
const sweepBatch = 200

// Sweep empties the records of owner whose retention has run out and returns how
// many. Reads honour retention without it; it makes the content leave the disk.
func (v *Vault) Sweep(ctx context.Context, owner memory.DID) (int, error) {
	now, swept := instant(v.now()), 0
	for {
		n := 0
		err := v.store.Update(ctx, owner, func(w store.Writer) error {
			rows, err := w.Rows(store.Filter{Expired: now}, store.Cursor{}, sweepBatch)
			if err != nil {
				return err
			}
			n = len(rows)
			for _, r := range rows {
				if err := v.expire(w, r, now); err != nil {
					return err
				}
			}
			return nil
		})
		swept += n
		if err != nil {
			return swept, v.refusal("sweep", "", err)
		}
		if n < sweepBatch {
			break
		}
	}
	if swept == 0 {
		return 0, nil
	}
	return swept, v.refusal("sweep", "", v.compact(ctx))
}

// expire replaces a record by an empty shell (decision UD-15).
func (v *Vault) expire(w store.Writer, r store.Row, now time.Time) error {
	rec, err := record(r)
	if err != nil {
		return err
	}
	shell, err := ump.Shell(rec, expiredText, v.holder(rec.Scope.Owner))
	if err != nil {
		return err
	}
	empty := reworked(r, shell)
	empty.Origin, empty.Columns.Expires, empty.Columns.Duplicate = nil, time.Time{}, ""
	if err := w.Replace(empty, links(shell)); err != nil {
		return err
	}
	if err := w.Reindex(r.Number, store.Document{}); err != nil {
		return err
	}
	_, err = w.Record(store.Change{At: now, Type: store.Tombstoned, ID: rec.ID})
	return err
}
