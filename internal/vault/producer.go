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
