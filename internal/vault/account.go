package vault

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/satchel-memory/satchel/internal/audit"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
)

// The operator may admit owners beside the home owner; each has an account in the
// store. Either the store keeps the owner's key, wrapped under a secret of the home
// owner's key, or the owner alone holds the key and signs.

// WrappingPurpose is the purpose of the secret that wraps owners' keys.
const WrappingPurpose = "satchel sealing of owners' keys"

// ownerAccount is an owner's account, as the vault last read it from the store.
type ownerAccount struct {
	account store.Account
	key     *keys.Private // nil: not held here, or not open because the home owner's key is missing
	marks   []byte        // the key that makes marks in the audit log, see [audit.Secret]
}

// signsAlone reports whether the owner alone holds the key.
func (r *ownerAccount) signsAlone() bool { return r != nil && len(r.account.Key) == 0 }

// accountOf returns an owner's account. It is nil for other owners, and for an
// owner not yet read from the store.
func (k *keyring) accountOf(owner memory.DID) *ownerAccount {
	if r, ok := k.ownerAccounts.Load(owner); ok {
		return r.(*ownerAccount)
	}
	return nil
}

// Open reads the account of an owner from the store and opens the owner's key if the
// store keeps it. Callers open an owner with an account before any other act;
// [Vault.Admit] does so. For an owner without an account Open does nothing. It fails
// with kind Internal if the key does not open.
func (v *Vault) Open(ctx context.Context, owner memory.DID) error {
	return v.refusal(engine(owner), "open", "", v.open(ctx, owner))
}

// OpenAccount is [Vault.Open] for a service, whose own act it is that fails. It asks the store
// each time, because another server may have changed the account.
func OpenAccount(ctx context.Context, k Kernel, owner memory.DID) error { return k.open(ctx, owner) }

func (k *keyring) open(ctx context.Context, owner memory.DID) error {
	if owner == k.home {
		return nil
	}
	a, err := k.account(ctx, owner)
	if err == nil {
		err = k.settle(owner, a)
	}
	return err
}

// account reads the account of an owner, see [Kernel.Account].
func (k *keyring) account(ctx context.Context, owner memory.DID) (a store.Account, err error) {
	err = k.bare.View(ctx, owner, func(r store.Reader) error {
		a, err = r.Account()
		return err
	})
	return a, err
}

// settle remembers the account that the store has for an owner, and opens the owner's
// key.
func (k *keyring) settle(owner memory.DID, a store.Account) error {
	switch {
	case a.Added.IsZero():
		k.ownerAccounts.Delete(owner)
		return nil
	case k.upToDate(owner, a):
		return nil
	}
	r := &ownerAccount{account: a}
	home := k.holder(k.home)
	if home != nil && len(a.Key) > 0 {
		key, err := Unwrapped(*home, owner, a.Key)
		if err != nil {
			k.ownerAccounts.Delete(owner)
			return &memory.Error{Kind: memory.Internal, Err: err,
				Message: "the owner's key does not open: use the home folder, with its key, under which the owner was added"}
		}
		r.key, r.marks = &key, audit.Secret(key)
	} else if home != nil {
		r.marks = home.Secret(MarkingPurpose(owner))
	}
	k.ownerAccounts.Store(owner, r)
	return nil
}

// upToDate reports whether the remembered account equals the store's and the key, if it
// can be opened, is open.
func (k *keyring) upToDate(owner memory.DID, a store.Account) bool {
	r := k.accountOf(owner)
	return r != nil && r.account.Added.Equal(a.Added) && bytes.Equal(r.account.Key, a.Key) &&
		(r.key != nil || r.marks != nil || k.holder(k.home) == nil)
}

// Unwrapped opens an owner's key. While the home owner changes keys, wrapped holds the
// key twice, once under each key of the home owner.
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

// wrapped wraps an owner's key under the home owner's key.
func (k *keyring) wrapped(key keys.Private) ([]byte, error) {
	home := k.holder(k.home)
	if home == nil {
		return nil, &memory.Error{Kind: memory.Unsupported, Message: "the home owner's key is not open here: keys of others cannot be kept"}
	}
	return key.Wrap(home.Secret(WrappingPurpose))
}

// holder returns the owner's key for signing, or nil if the key is not held.
func (k *keyring) holder(owner memory.DID) *keys.Private {
	if key, ok := k.key(owner); ok {
		return &key
	}
	if r := k.accountOf(owner); r != nil {
		return r.key
	}
	return nil
}

// openAll opens every owner with an account, see [Kernel.OpenAll].
func (k *keyring) openAll(ctx context.Context, note func(memory.DID, error)) error {
	owners, err := k.bare.Owners(ctx)
	if err != nil {
		return err
	}
	for _, owner := range owners {
		if owner == k.home {
			continue
		}
		a, err := k.account(ctx, owner)
		if err != nil {
			return err
		}
		if err := k.settle(owner, a); err != nil {
			note(owner, err)
		}
	}
	return nil
}

// unsignable refuses a draft that only its owner can sign (decision UD-10).
func unsignable(id memory.ID) error {
	return &memory.Error{Kind: memory.SignatureInvalid, ID: id, Path: "/integrity", Rule: "UMP-6.1-1",
		Message: "no key for owner: only the owner can sign here, so send the record complete and signed; a revision is a signed record that supersedes the prior"}
}

// ErrQuota is the cause of a refusal because the owner's quota is used up.
var ErrQuota = errors.New("the owner's quota is used up")

// usage is an owner's quota, and how much the owner kept when a change began.
type usage struct {
	quota          store.Quota
	records, bytes int64
}

func usageOf(r store.Reader, a store.Account) (usage, error) {
	if a.Quota == (store.Quota{}) {
		return usage{}, nil
	}
	records, bytes, err := r.Usage()
	return usage{a.Quota, records, bytes}, err
}

// check refuses a change that exceeds the owner's quota. An owner above a lowered quota
// may still reduce the amount.
func (u usage) check(r store.Reader) error {
	if u.quota == (store.Quota{}) {
		return nil
	}
	records, bytes, err := r.Usage()
	switch {
	case err != nil:
		return err
	case u.quota.Records > 0 && records > max(u.quota.Records, u.records):
		return overfull(u.records, u.quota.Records, "records")
	case u.quota.Bytes > 0 && bytes > max(u.quota.Bytes, u.bytes):
		return overfull(u.bytes, u.quota.Bytes, "bytes")
	}
	return nil
}

// overfull returns a refusal that only erasing records or a larger quota resolves. A
// retry does not help, and the record is not at fault.
func overfull(used, quota int64, what string) error {
	return &memory.Error{Kind: memory.ForbiddenScope, Err: ErrQuota,
		Message: fmt.Sprintf("the owner's quota is used up: %d of %d %s are kept, and this would be more; erase what is no longer needed, or ask whoever runs this server for a larger quota",
			used, quota, what)}
}

// lessen is Update without the quota, for acts that forget, see [Kernel.Lessen].
func (k *keyring) lessen(ctx context.Context, owner memory.DID, fn func(store.Writer) error) error {
	g := k.guard()
	g.Store = k.bare
	return k.updateBare(ctx, owner, func(w store.Writer) error {
		if _, err := g.enter(w, owner); err != nil {
			return err
		}
		return fn(w)
	})
}

// holds reports whether an owner's key is open here.
func (k *keyring) holds(owner memory.DID) bool { return k.holder(owner) != nil }

// Take takes tokens out of a bucket that all servers of the store share, see
// [store.Limiter]. If the store has no such bucket, Take fails with kind Unsupported;
// other failures come from the store.
func (v *Vault) Take(ctx context.Context, owner memory.DID, payer string, want, burst int, rate float64) (got int, wait time.Duration, err error) {
	limiter, ok := v.bare.(store.Limiter)
	if !ok {
		return 0, 0, &memory.Error{Kind: memory.Unsupported, Op: "limit", Message: "this store does not count for several servers"}
	}
	return limiter.Take(ctx, owner, payer, want, burst, rate)
}
