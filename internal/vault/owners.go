package vault

import (
	"context"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// OwnerInfo is an owner that the store knows.
type OwnerInfo struct {
	Owner   memory.DID
	Records int        // in whatever state
	MovedTo memory.DID // the owner that everything was carried over to; see [Vault.Rekey]
	Moving  bool       // that is not finished
	Store   string     // the store that the owner was carried to; empty: this one
}

// Owners lists the owners that have ever been written for, first come first. Only
// the owner in person may ask.
func (v *Vault) Owners(ctx context.Context, c memory.Caller) ([]OwnerInfo, error) {
	const op = "owners"
	if err := v.mayOwn(op, c); err != nil {
		return nil, err
	}
	owners, err := v.bare.Owners(ctx)
	if err != nil {
		return nil, v.refusal(c, op, "", err)
	}
	out := make([]OwnerInfo, len(owners))
	for i, owner := range owners {
		err := v.bare.View(ctx, owner, func(r store.Reader) error {
			n, err := r.Count(store.Filter{})
			if err != nil {
				return err
			}
			m, err := moveOf(r)
			out[i] = OwnerInfo{Owner: owner, Records: n, MovedTo: m.to, Moving: m.state == moveBegun || m.state == moveCopied}
			if m.state == moveElsewhere {
				out[i].MovedTo, out[i].Store = "", string(m.to)
			}
			return err
		})
		if err != nil {
			return nil, v.refusal(c, op, "", err)
		}
	}
	return out, nil
}
