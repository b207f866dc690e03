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
func (v *Vault) AbandonRekey(ctx context.Context, from memory.Caller, to memory.DID) error {
	const op = "rekey"
	if err := v.mayManage(op, from); err != nil {
		return err
	}
	if err := v.Open(ctx, from.Owner); err != nil {
		return err
	}
	m, err := v.moved(ctx, from.Owner)
	switch {
	case err != nil:
	case m.state != moveBegun && m.state != moveCopied || m.to != to:
		err = invalid(op, "", "", "there is no rekey to this owner that could be given up")
	case to == v.home:
		err = v.takeBackRekey(ctx, from.Owner)
	default: // nobody else writes for an owner that is not anybody's yet
		err = v.giveUp(ctx, from.Owner, to)
	}
	if err == nil {
		err = v.bare.Update(ctx, from.Owner, func(w store.Writer) error { return unmark(w) })
	}
	return v.refusal(from, op, "", err)
}

// giveUp erases what a rekey wrote for an owner who is nobody yet, and leaves the
// keys of others as they were wrapped before.
func (v *Vault) giveUp(ctx context.Context, from, to memory.DID) error {
	old, err := v.account(ctx, from)
	if err == nil {
		err = v.Open(ctx, to)
	}
	if err == nil {
		err = v.updateBare(ctx, to, func(w store.Writer) error { return v.leave(w, old) })
	}
	if err == nil {
		err = v.silence(ctx, to)
	}
	home := v.holder(v.home)
	if err == nil && from == v.home && home != nil {
		err = v.keepWrapped(ctx, *home)
	}
	return err
}

// takeBackRekey removes what a rekey wrote for the program's own owner, who has
// other records too.
func (v *Vault) takeBackRekey(ctx context.Context, from memory.DID) error {
	key := v.holder(v.home)
	if key == nil {
		return &memory.Error{Kind: memory.Unsupported, Message: "the owner's key is not open here"}
	}
	_, err := keys.Public(from)
	k := &rekeying{vault: v, from: from, to: *key, signed: err == nil, now: instant(v.now()), words: &recall.Indexer{}}
	if err := errors.Join(k.detachAll(ctx), k.dropAgents(ctx)); err != nil {
		return err
	}
	return k.each(ctx, func(_ store.Reader, rows []store.Row) (func() error, error) {
		return func() error {
			return v.updateBare(ctx, v.home, func(w store.Writer) error { return k.deleteAll(w, rows) })
		}, nil
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
