package vault

import (
	"context"
	"errors"

	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/internal/audit"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// ChangeProducer puts into the log of the caller, who must be the owner, that
// bundles leave with a new key or under a new name from now on, and lets change do
// that in the same transaction: neither is there without the other, unless the
// program ends in between.
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

// takes is the mapper of what an owner takes in.
func (k *keyring) takes(owner memory.DID) aimem.Mapper {
	return aimem.Mapper{Forms: ump.Forms(), Owner: owner, Namespace: aimem.Namespace(k.producer), SignedOnly: true}
}
