package vault

import (
	"context"
	"time"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// OwnerInfo is an owner that the store knows.
type OwnerInfo struct {
	Owner   memory.DID
	Label   string      // by which the operator knows the owner
	Added   time.Time   // when the operator let the owner in; zero: nobody did
	Held    bool        // the owner's key is kept here; false: by the owner, or not at all
	Quota   store.Quota // how much the owner may keep
	Records int         // in whatever state, those of imports under way included
	Bytes   int64       // of what the records say
	MovedTo memory.DID  // the owner that everything was carried over to; see package rekey
	Moving  bool        // that is not finished
	Store   string      // the store that the owner was carried to; empty: this one
}

// Owners lists the owners that have ever been written for, first come first. Only
// the home owner in person may ask.
func (v *Vault) Owners(ctx context.Context, c memory.Caller) ([]OwnerInfo, error) {
	const op = "owners"
	if err := v.mayOperate(op, c); err != nil {
		return nil, err
	}
	owners, err := v.bare.Owners(ctx)
	if err != nil {
		return nil, v.refusal(c, op, "", err)
	}
	out := make([]OwnerInfo, len(owners))
	for i, owner := range owners {
		if out[i], err = v.ownerInfo(ctx, owner); err != nil {
			return nil, v.refusal(c, op, "", err)
		}
	}
	return out, nil
}

// Owner tells of one owner. Of others than the caller only the home owner in person
// may ask.
func (v *Vault) Owner(ctx context.Context, c memory.Caller, owner memory.DID) (OwnerInfo, error) {
	const op = "owners"
	may := v.mayOperate
	if owner == c.Owner {
		may = v.mayOwn
	}
	if err := may(op, c); err != nil {
		return OwnerInfo{}, err
	}
	info, err := v.ownerInfo(ctx, owner)
	return info, v.refusal(c, op, "", err)
}

func (v *Vault) ownerInfo(ctx context.Context, owner memory.DID) (info OwnerInfo, err error) {
	err = v.bare.View(ctx, owner, func(r store.Reader) error {
		records, bytes, err := r.Usage()
		if err != nil {
			return err
		}
		a, err := r.Account()
		if err != nil {
			return err
		}
		m, err := MoveOf(r)
		info = OwnerInfo{
			Owner: owner, Label: a.Label, Added: a.Added, Quota: a.Quota, Records: int(records), Bytes: bytes,
			Held: len(a.Key) > 0 || v.holder(owner) != nil, MovedTo: m.To, Moving: m.State == MoveBegun || m.State == MoveCopied,
		}
		if m.State == MoveElsewhere {
			info.MovedTo, info.Store = "", string(m.To)
		}
		return err
	})
	return info, err
}
