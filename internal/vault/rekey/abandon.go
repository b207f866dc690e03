package rekey

import (
	"bytes"
	"context"
	"errors"

	"github.com/satchel-memory/satchel/internal/recall"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
)

// AbandonRekey gives up a rekey that was begun and not finished. It removes the records
// written under the new owner, and the old owner may be written for again.
func (s *Service) AbandonRekey(ctx context.Context, from memory.Caller, to memory.DID) error {
	const op = "rekey"
	if err := s.kernel.MayManage(op, from); err != nil {
		return err
	}
	if err := s.kernel.Open(ctx, from.Owner); err != nil {
		return err
	}
	m, err := s.moved(ctx, from.Owner)
	switch {
	case err != nil:
	case m.State != vault.MoveBegun && m.State != vault.MoveCopied || m.To != to:
		err = vault.Invalid(op, "", "", "there is no rekey to this owner that could be given up")
	case to == s.kernel.Home():
		err = s.takeBackRekey(ctx, from.Owner)
	default: // no program writes for the new owner yet
		err = s.giveUp(ctx, from.Owner, to)
	}
	if err == nil {
		err = s.kernel.Bare().Update(ctx, from.Owner, func(w store.Writer) error { return vault.UnmarkMove(w) })
	}
	return s.kernel.Refusal(from, op, "", err)
}

// giveUp erases the records that a rekey wrote for a new owner, and leaves the keys of
// others wrapped as before.
func (s *Service) giveUp(ctx context.Context, from, to memory.DID) error {
	old, err := s.kernel.Account(ctx, from)
	if err == nil {
		err = s.kernel.Open(ctx, to)
	}
	if err == nil {
		err = s.kernel.UpdateBare(ctx, to, func(w store.Writer) error { return s.leave(w, old) })
	}
	if err == nil {
		err = s.kernel.Silence(ctx, to)
	}
	home := s.kernel.Holder(s.kernel.Home())
	if err == nil && from == s.kernel.Home() && home != nil {
		err = s.keepWrapped(ctx, *home)
	}
	return err
}

// takeBackRekey removes the records that a rekey wrote for the program's own owner, who
// has other records too.
func (s *Service) takeBackRekey(ctx context.Context, from memory.DID) error {
	key := s.kernel.Holder(s.kernel.Home())
	if key == nil {
		return &memory.Error{Kind: memory.Unsupported, Message: "the owner's key is not open here"}
	}
	_, err := keys.Public(from)
	k := &keyChange{Service: s, from: from, to: *key, signed: err == nil, now: vault.Instant(s.kernel.Now()), words: &recall.Indexer{}}
	if err := errors.Join(k.detachAll(ctx), k.dropAgents(ctx), k.dropRuns(ctx)); err != nil {
		return err
	}
	return k.each(ctx, func(_ store.Reader, rows []store.Row) (func() error, error) {
		return func() error {
			return s.kernel.UpdateBare(ctx, s.kernel.Home(), func(w store.Writer) error { return k.deleteAll(w, rows) })
		}, nil
	})
}

func (k *keyChange) deleteAll(w store.Writer, rows []store.Row) error {
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
func (k *keyChange) brought(held, old store.Row) bool {
	want, err := k.one(old)
	return err == nil && bytes.Equal(want.row.Origin, held.Origin) && bytes.Equal(want.row.Current, held.Current)
}
