package vault

import (
	"bytes"
	"context"

	"github.com/satchel-memory/satchel/internal/audit"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
)

// Owners other than the home owner, whom the operator let in, have an account in
// the store. Their keys lie there, each wrapped under a secret of the home owner's
// key, or are held by the owners alone, who sign for themselves.

// WrappingPurpose is the purpose of the secret under which owners' keys are wrapped.
const WrappingPurpose = "satchel sealing of owners' keys"

// resident is an owner who was let in, as the store said last.
type resident struct {
	account store.Account
	key     *keys.Private // nil: not held here, or not to be opened without the home owner's
	marks   []byte        // key of the marks in the audit log, see [audit.Secret]
}

// signsAlone reports whether the owner alone holds the key.
func (r *resident) signsAlone() bool { return r != nil && len(r.account.Key) == 0 }

// resident returns an owner who was let in, nil for others and for one for whom
// nobody has asked the store yet.
func (v *Vault) resident(owner memory.DID) *resident {
	if r, ok := v.residents.Load(owner); ok {
		return r.(*resident)
	}
	return nil
}

// Open makes ready for an owner who has an account: what the store says of the
// owner is read, and the key opened if it lies there. Whatever is done for such
// an owner is preceded by it; [Vault.Admit] calls it. Of an owner without an
// account there is nothing to open. The error is of kind Internal where the key does
// not open.
func (v *Vault) Open(ctx context.Context, owner memory.DID) error {
	if owner == v.home {
		return nil
	}
	a, err := v.account(ctx, owner)
	if err == nil {
		err = v.settle(owner, a)
	}
	return v.refusal(engine(owner), "open", "", err)
}

// account reads what the store says of an owner as one of many.
func (v *Vault) account(ctx context.Context, owner memory.DID) (a store.Account, err error) {
	err = v.bare.View(ctx, owner, func(r store.Reader) error {
		a, err = r.Account()
		return err
	})
	return a, err
}

// settle takes note of what the store says of an owner.
func (v *Vault) settle(owner memory.DID, a store.Account) error {
	switch {
	case a.Added.IsZero():
		v.residents.Delete(owner)
		return nil
	case v.upToDate(owner, a):
		return nil
	}
	r := &resident{account: a}
	home := v.holder(v.home)
	if home != nil && len(a.Key) > 0 {
		key, err := Unwrapped(*home, owner, a.Key)
		if err != nil {
			v.residents.Delete(owner)
			return &memory.Error{Kind: memory.Internal, Err: err,
				Message: "the owner's key does not open: use the home folder, with its key, under which the owner was added"}
		}
		r.key, r.marks = &key, audit.Secret(key)
	} else if home != nil {
		r.marks = home.Secret(MarkingPurpose(owner))
	}
	v.residents.Store(owner, r)
	return nil
}

// upToDate reports whether what is known of an owner is what the store says, and
// all that can be known.
func (v *Vault) upToDate(owner memory.DID, a store.Account) bool {
	r := v.resident(owner)
	return r != nil && r.account.Added.Equal(a.Added) && bytes.Equal(r.account.Key, a.Key) &&
		(r.key != nil || r.marks != nil || v.holder(v.home) == nil)
}

// Unwrapped opens an owner's key. While the home owner goes over to another key,
// it lies there twice, wrapped under either.
func Unwrapped(home keys.Private, owner memory.DID, wrapped []byte) (keys.Private, error) {
	secret := home.Secret(WrappingPurpose)
	first := wrapped
	if len(wrapped) == 2*keys.WrappedSize {
		first = wrapped[:keys.WrappedSize]
		if key, err := keys.Unwrap(secret, owner, wrapped[keys.WrappedSize:]); err == nil {
			return key, nil
		}
	}
	return keys.Unwrap(secret, owner, first)
}

// wrapped wraps an owner's key under the home owner's.
func (v *Vault) wrapped(key keys.Private) ([]byte, error) {
	home := v.holder(v.home)
	if home == nil {
		return nil, &memory.Error{Kind: memory.Unsupported, Message: "the home owner's key is not open here: keys of others cannot be kept"}
	}
	return key.Wrap(home.Secret(WrappingPurpose))
}

// holder returns the owner's key for signing, or nil when it is not held.
func (v *Vault) holder(owner memory.DID) *keys.Private {
	if k, ok := v.key(owner); ok {
		return &k
	}
	if r := v.resident(owner); r != nil {
		return r.key
	}
	return nil
}

// openAll makes ready for every owner who has an account. One whose key does not
// open is named by note and passed over.
func (v *Vault) openAll(ctx context.Context, note func(memory.DID, error)) error {
	owners, err := v.bare.Owners(ctx)
	if err != nil {
		return err
	}
	for _, owner := range owners {
		if owner == v.home {
			continue
		}
		a, err := v.account(ctx, owner)
		if err != nil {
			return err
		}
		if err := v.settle(owner, a); err != nil {
			note(owner, err)
		}
	}
	return nil
}

// unsignable refuses a draft of an owner who alone can sign it (decision UD-10).
func unsignable(id memory.ID) error {
	return &memory.Error{Kind: memory.SignatureInvalid, ID: id, Path: "/integrity", Rule: "UMP-6.1-1",
		Message: "no key for owner: only the owner can sign here, so send the record complete and signed; a revision is a signed record that supersedes the prior"}
}
