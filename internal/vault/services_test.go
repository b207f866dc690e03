package vault_test

import (
	"context"

	"github.com/satchel-memory/satchel/internal/vault/rekey"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
)

// Rekey is that of the package rekey over this house, as are the two that follow.
func (h *house) Rekey(ctx context.Context, from memory.Caller, to keys.Private, progress func(int)) (rekey.Report, error) {
	return rekey.New(h.Vault).Rekey(ctx, from, to, progress)
}

func (h *house) FinishRekey(ctx context.Context, from memory.Caller, to memory.DID) (bool, error) {
	return rekey.New(h.Vault).FinishRekey(ctx, from, to)
}

func (h *house) AbandonRekey(ctx context.Context, from memory.Caller, to memory.DID) error {
	return rekey.New(h.Vault).AbandonRekey(ctx, from, to)
}
