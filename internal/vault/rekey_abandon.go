package vault

import (
	"bytes"
	"context"
	"errors"

	"github.com/satchel-memory/satchel/internal/recall"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
)

// AbandonRekey gives a rekey up that was begun and not finished: what was written
// under the new owner goes, and the old one may be written for again.
func (v *Vault) AbandonRekey(ctx context.Context, from memory.Caller, to keys.Private) error {
	const op = "rekey"
	if err := v.mayManage(op, from); err != nil {
		return err
	}
	m, err := v.moved(ctx, from.Owner)
	if err == nil && m.state != moveBegun && m.state != moveCopied || m.to != to.DID() {
		err = errors.Join(err, invalid(op, "", "", "there is no rekey to this key that could be given up"))
	}
	if err != nil {
		return v.refusal(from, op, "", err)
	}
	k := &rekeying{vault: v, from: from.Owner, to: to, now: instant(v.now()), words: &recall.Indexer{}}
	_, err = keys.Public(from.Owner)
	k.signed = err == nil
	if err := k.takeBack(ctx); err != nil {
		return v.refusal(from, op, "", err)
	}
	err = v.bare.Update(ctx, from.Owner, func(w store.Writer) error { return unmark(w, k.now) })
	return v.refusal(from, op, "", err)
}

// takeBack removes what the rekey wrote; all of it where the new owner has
// nothing else.
func (k *rekeying) takeBack(ctx context.Context) error {
	err := k.each(ctx, func(_ store.Reader, rows []store.Row) (func() error, error) {
		return func() error {
			return k.vault.bare.Update(ctx, k.to.DID(), func(w store.Writer) error { return k.deleteAll(w, rows) })
		}, nil
	})
	if err != nil {
		return err
	}
	return k.vault.bare.Update(ctx, k.to.DID(), func(w store.Writer) error {
		if n, err := w.Count(store.Filter{}); err != nil || n > 0 {
			return err
		}
		return w.EraseOwner()
	})
}

func (k *rekeying) deleteAll(w store.Writer, rows []store.Row) error {
	for _, row := range rows {
		held, err := w.Holder(row.ID)
		if errors.Is(err, store.ErrNotFound) {
			continue
		}
		if err == nil && k.brought(held, row) {
			err = w.Delete(row.ID)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// brought reports whether the rekey wrote a row of the new owner.
func (k *rekeying) brought(held, old store.Row) bool {
	want, err := k.one(old)
	return err == nil && bytes.Equal(want.row.Origin, held.Origin) && bytes.Equal(want.row.Current, held.Current)
}
