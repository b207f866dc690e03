package vault

import (
	"context"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// Erasures returns how often everything of an owner was erased. Whoever hands
// something out asks for it before anything is read of what is to leave (decision
// AD-28).
func (v *Vault) Erasures(ctx context.Context, owner memory.DID) (int64, error) {
	s, ok := v.bare.(store.Gatekeeper)
	if !ok {
		return 0, nil
	}
	n, err := s.Erasures(ctx, owner)
	return n, v.refusal(memory.Caller{}, "read", "", err)
}

// Emit runs write, which hands content of an owner to somebody, unless everything of
// the owner was erased since erasures was asked for; then it fails with
// [store.ErrErased].
func (v *Vault) Emit(ctx context.Context, owner memory.DID, erasures int64, write func() error) error {
	s, ok := v.bare.(store.Gatekeeper)
	if !ok {
		return write()
	}
	return s.Emit(ctx, owner, erasures, write)
}
