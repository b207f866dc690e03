package vault

import (
	"context"
	"errors"

	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/internal/audit"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// AccountOrder names an owner to admit, and the terms.
type AccountOrder struct {
	Key    keys.Private // the owner's key, to keep here; zero: see Public
	Public memory.DID   // the owner, who keeps the key and signs; empty: the owner of Key
	Label  string       // the operator's name for the owner; empty: none
	Quota  store.Quota  // how much the owner may keep
}

// owner returns the owner of the order, or an error if the order is invalid.
func (o AccountOrder) owner() (memory.DID, error) {
	const op = "owner"
	owner := o.Public
	if !o.Key.IsZero() {
		if owner != "" && owner != o.Key.DID() {
			return "", Invalid(op, "", "UMP-5.1-1", "the key is another's than the owner's: leave one of the two out")
		}
		owner = o.Key.DID()
	}
	public, err := keys.Public(owner)
	switch {
	case err != nil:
		return "", &memory.Error{Kind: memory.InvalidRecord, Op: op, Rule: "UMP-5.1-1", Err: err,
			Message: "an owner is named by a did:key with an Ed25519 key, by which its signatures can be verified"}
	case keys.DID(public) != owner:
		return "", Invalid(op, "", "UMP-5.1-1", "name the owner by its did:key without a fragment")
	}
	if err := checkLabel(o.Label); err != nil {
		return "", err
	}
	return owner, sensible(o.Quota)
}

func sensible(q store.Quota) error {
	if q.Records < 0 || q.Bytes < 0 {
		return Invalid("owner", "", "", "a quota cannot be less than nothing; 0 stands for as much as there is room for")
	}
	return nil
}

// mayOperate refuses all callers except the home owner in person.
func (x *access) mayOperate(op string, c memory.Caller) error {
	if err := x.mayOwn(op, c); err != nil {
		return err
	}
	if x.home == "" || c.Owner != x.home {
		return x.refusal(c, op, "", Forbidden(op, "only the operator of the store may do this"))
	}
	return nil
}

// MayOperate refuses everybody but the home owner in person, who operates the store.
func MayOperate(k Kernel, op string, c memory.Caller) error { return k.mayOperate(op, c) }

// AddOwner admits an owner, and keeps the owner's key here if the order has it. It
// writes to the audit logs of both owners, first to the home owner's. If only the home
// owner's log has the entry, the admission failed.
func (v *Vault) AddOwner(ctx context.Context, c memory.Caller, o AccountOrder) (OwnerInfo, error) {
	const op = "owner"
	if err := v.mayChangeOwners(op, c); err != nil {
		return OwnerInfo{}, err
	}
	owner, err := o.owner()
	if err == nil && owner == v.home {
		err = Invalid(op, "", "", "this is the home owner, who is in already")
	}
	a := store.Account{Label: o.Label, Quota: o.Quota, Added: Instant(v.now())}
	if err == nil && !o.Key.IsZero() {
		a.Key, err = v.wrapped(o.Key)
	}
	if err != nil {
		return OwnerInfo{}, v.refusal(c, op, "", err)
	}
	may := func(r store.Reader) error {
		if err := v.absent(r); err != nil {
			return err
		}
		return v.settle(owner, a) // so that the owner's key signs the log
	}
	if err = v.labelFree(ctx, owner, o.Label); err == nil {
		edition := ump.Edition
		if len(a.Key) > 0 { // an owner who signs alone chooses the edition
			edition, err = v.Edition(ctx, v.home)
		}
		if err == nil {
			err = v.operate(ctx, c, owner, audit.AddOwner, may, func(w store.Writer) error {
				return errors.Join(w.SetAccount(a), UnmarkMove(w), SetEdition(w, edition, a.Added), fileAll(w, a.Added))
			})
		}
	}
	if err == nil {
		err = v.keepLabel(ctx, c, owner, a)
	}
	if err != nil {
		v.ownerAccounts.Delete(owner)
		return OwnerInfo{}, v.refusal(c, op, "", err)
	}
	info, err := v.ownerInfo(ctx, owner)
	return info, v.refusal(c, op, "", err)
}

// absent refuses an owner who was admitted before, or has left.
func (k *keyring) absent(r store.Reader) error {
	a, err := r.Account()
	if err != nil {
		return err
	}
	m, err := MoveOf(r)
	switch {
	case err != nil:
		return err
	case m.State != "":
		return m.Refusal(k.atHand())
	case !a.Added.IsZero():
		return &memory.Error{Kind: memory.InvalidRecord, Err: store.ErrExists, Message: "the owner was added before; satchel owner list shows who is in"}
	}
	return nil
}

// SetQuota changes how much an owner may keep. Kept records stay, even above the quota.
func (v *Vault) SetQuota(ctx context.Context, c memory.Caller, owner memory.DID, q store.Quota) error {
	const op = "owner"
	if err := v.mayChangeOwners(op, c); err != nil {
		return err
	}
	if err := sensible(q); err != nil {
		return v.refusal(c, op, "", err)
	}
	err := v.Open(ctx, owner)
	if err == nil {
		err = v.operate(ctx, c, owner, audit.SetQuota, v.present(owner), func(w store.Writer) error {
			a, err := w.Account()
			if err != nil {
				return err
			}
			a.Quota = q
			return w.SetAccount(a)
		})
	}
	return v.refusal(c, op, "", err)
}

// present refuses an owner who was not admitted, or is leaving.
func (k *keyring) present(owner memory.DID) func(store.Reader) error {
	return func(r store.Reader) error {
		a, err := r.Account()
		if err != nil {
			return err
		}
		if owner != k.home && a.Added.IsZero() {
			return &memory.Error{Kind: memory.NotFound, Message: "no such owner was added; satchel owner list shows who is in"}
		}
		return refuseMoved(r, k.atHand(), MoveBegun, MoveCopied, MoveDone, MoveElsewhere)
	}
}

// RemoveOwner erases everything of an owner, as [Vault.EraseOwner] does, and the
// owner's key if it is kept here. It closes the account: the owner's tokens end at
// once, on every server. The result is false while the files still hold erased content.
// What is left of the owner then, see [store.Removed], goes with a scrub; the home owner's
// audit log keeps the owner's name.
func (v *Vault) RemoveOwner(ctx context.Context, c memory.Caller, owner memory.DID) (cleared bool, err error) {
	const op = "owner"
	if err := v.mayChangeOwners(op, c); err != nil {
		return false, err
	}
	if owner == v.home {
		return false, v.refusal(c, op, "", Invalid(op, "", "", "the home owner stays; satchel erase erases what it keeps"))
	}
	if err := v.Open(ctx, owner); err != nil { // the removal continues; the owner's log stays unsigned
		v.log.Error("vault", "op", op, "err", err)
	}
	v.Flush(ctx)
	err = v.operate(ctx, c, owner, audit.DropOwner, v.present(owner), func(w store.Writer) error {
		if err := v.empty(w); err != nil {
			return err
		}
		return errors.Join(w.SetAccount(store.Account{}), w.SetMoved(store.Removed))
	})
	if err != nil {
		return false, v.refusal(c, op, "", err)
	}
	v.ownerAccounts.Delete(owner)
	cleared, err = v.quiet(ctx, owner)
	return cleared, v.refusal(c, op, "", err)
}

func (x *access) mayChangeOwners(op string, c memory.Caller) error {
	if err := x.mayWrite(op, c); err != nil {
		return err
	}
	return x.mayOperate(op, c)
}

// operate runs an act of the operator on an owner if may allows it. It writes the act
// to the audit logs of the owner and the home owner.
func (j *journal) operate(ctx context.Context, c memory.Caller, owner memory.DID, act audit.Act, may func(store.Reader) error, do func(store.Writer) error) error {
	if err := j.bare.View(ctx, owner, may); err != nil {
		return err
	}
	if owner != j.home {
		err := j.store.Update(ctx, j.home, func(w store.Writer) error {
			return j.note(w, c, audit.Entry{Act: act, Result: AuditName(owner)})
		})
		if err != nil {
			return err
		}
	}
	return j.bare.Update(ctx, owner, func(w store.Writer) error {
		if err := may(w); err != nil {
			return err
		}
		if err := do(w); err != nil {
			return err
		}
		e := audit.Entry{Act: act, Who: audit.Operator}
		if owner == j.home {
			e.Who = audit.Owner
		}
		return j.note(w, memory.Caller{Owner: owner, Role: memory.Owner}, e)
	})
}

// AuditName returns an owner's name for the audit log. It is "" if the owner is not a
// DID with a public key.
func AuditName(owner memory.DID) string {
	if _, err := keys.Public(owner); err != nil {
		return ""
	}
	return string(owner)
}

// ChangeProducer notes in the caller's log that bundles now leave under a new key or
// name, and runs change in the same transaction. The caller must be the owner. Both
// happen or neither, unless the program ends in between.
func (v *Vault) ChangeProducer(ctx context.Context, c memory.Caller, producer, what string, change func() error) error {
	const op = "rotate"
	if err := errors.Join(v.mayWrite(op, c), v.mayOwn(op, c)); err != nil {
		return err
	}
	err := v.store.Update(ctx, c.Owner, func(w store.Writer) error {
		if err := v.note(w, c, audit.Entry{Act: audit.Rotate, Producer: producer, Reason: what}); err != nil {
			return err
		}
		return change()
	})
	return v.refusal(c, op, "", err)
}

// takes returns the mapper for an owner's imports.
func (k *keyring) takes(owner memory.DID) aimem.Mapper {
	return aimem.Mapper{Forms: ump.Forms(), Owner: owner, Namespace: aimem.Namespace(k.producer), SignedOnly: true}
}
