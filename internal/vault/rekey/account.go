package rekey

import (
	"bytes"
	"context"
	"errors"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// prepare opens the keys of both owners, where the store has them, and determines the
// new owner's account: the old owner's, with the new key.
func (k *keyChange) prepare(ctx context.Context) error {
	v, to := k.Service, k.to.DID()
	if err := v.kernel.Open(ctx, k.from); err != nil {
		return err
	}
	old, err := v.kernel.Account(ctx, k.from)
	if err != nil || to == v.kernel.Home() {
		return err
	}
	k.account = old
	k.account.Key = nil
	if k.from == v.kernel.Home() || old.Added.IsZero() {
		return nil
	}
	there, err := v.kernel.Account(ctx, to)
	switch {
	case err != nil:
		return err
	case carriedFrom(old, there): // resumed
		k.account = there
	default:
		if k.account.Key, err = v.kernel.Wrapped(k.to); err != nil {
			return err
		}
	}
	return v.kernel.Settle(to, k.account)
}

// carriedFrom reports whether an account came from another by a rekey.
func carriedFrom(old, there store.Account) bool {
	return !there.Added.IsZero() && there.Added.Equal(old.Added) && there.Label == old.Label
}

// enter gives the new owner an account, if the old one had one. Subscriptions move without
// the times at which they are looked at.
func (k *keyChange) enter(w store.Writer) error {
	if err := w.Schedule(store.Tell, k.now); err != nil {
		return err
	}
	there, err := w.Account()
	if err != nil || k.to.DID() == k.kernel.Home() {
		return err
	}
	if !there.Added.IsZero() && !carriedFrom(k.account, there) {
		return vault.Invalid("rekey", "", "", "the new key belongs to an owner who was added here; take another key")
	}
	return w.SetAccount(k.account)
}

// genuine checks that a row's record is its owner's.
func (k *keyChange) genuine(rec memory.Record) error {
	for _, form := range [][]byte{rec.Origin, rec.Current} {
		if form == nil {
			continue
		}
		err := ump.Verify(form)
		if errors.Is(err, ump.ErrUnsigned) && k.kernel.SignsAlone(k.from) {
			err = k.kernel.SoundUnsigned(rec)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// rewrap also wraps the keys of other owners under the new home owner's key, so that
// they open before and after the program has made that owner its own.
func (k *keyChange) rewrap(ctx context.Context) error {
	v := k.Service
	if k.from != v.kernel.Home() {
		return nil
	}
	return v.eachWrapped(ctx, func(owner memory.DID, wrapped []byte) ([]byte, error) {
		if _, err := vault.Unwrapped(k.to, owner, wrapped); err == nil {
			return wrapped, nil
		}
		key := v.kernel.Holder(owner)
		if key == nil {
			return nil, &memory.Error{Kind: memory.Unsupported, Message: "the key of an owner that is kept here does not open: satchel doctor says whose; nothing was erased"}
		}
		again, err := key.Wrap(k.to.Secret(vault.WrappingPurpose))
		return append(bytes.Clone(wrapped[:keys.WrappedSize]), again...), err
	})
}

// keepWrapped leaves the keys of owners wrapped under one home owner's key only.
func (s *Service) keepWrapped(ctx context.Context, home keys.Private) error {
	return s.eachWrapped(ctx, func(owner memory.DID, wrapped []byte) ([]byte, error) {
		for one := wrapped; len(one) >= keys.WrappedSize; one = one[keys.WrappedSize:] {
			if _, err := keys.Unwrap(home.Secret(vault.WrappingPurpose), owner, one[:keys.WrappedSize]); err == nil {
				return one[:keys.WrappedSize], nil
			}
		}
		return wrapped, nil // of neither: doctor reports it
	})
}

// eachWrapped changes how the keys of owners are wrapped.
func (s *Service) eachWrapped(ctx context.Context, change func(memory.DID, []byte) ([]byte, error)) error {
	owners, err := s.kernel.Bare().Owners(ctx)
	if err != nil {
		return err
	}
	for _, owner := range owners {
		a, err := s.kernel.Account(ctx, owner)
		if err != nil {
			return err
		}
		if len(a.Key) == 0 {
			continue
		}
		if err := s.kernel.Settle(owner, a); err != nil {
			s.kernel.Log().Error("vault", "op", "rekey", "err", err)
		}
		next, err := change(owner, a.Key)
		if err == nil && !bytes.Equal(next, a.Key) {
			err = s.kernel.Bare().Update(ctx, owner, func(w store.Writer) error { return rewrapped(w, a.Key, next) })
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// rewrapped stores a rewrapped key, unless the stored key has changed by now.
func rewrapped(w store.Writer, was, is []byte) error {
	a, err := w.Account()
	if err != nil || !bytes.Equal(a.Key, was) {
		return err
	}
	a.Key = is
	return w.SetAccount(a)
}

// leave removes the new owner's account after a rekey is given up.
func (s *Service) leave(w store.Writer, old store.Account) error {
	if err := w.EraseOwner(); err != nil {
		return err
	}
	there, err := w.Account()
	if err != nil || !old.Added.IsZero() && !carriedFrom(old, there) {
		return err
	}
	return w.SetAccount(store.Account{})
}

// dropWrapped removes keys wrapped under a former home owner's key, once everything is
// under the present one.
func (s *Service) dropWrapped(ctx context.Context, from, to memory.DID) error {
	m, err := s.moved(ctx, from)
	home := s.kernel.Holder(to)
	if err != nil || to != s.kernel.Home() || home == nil || m.To != to || m.State != vault.MoveCopied && m.State != vault.MoveDone {
		return err
	}
	return s.keepWrapped(ctx, *home)
}
