package vault_test

import (
	"context"

	"github.com/satchel-memory/satchel/aimem"
	bundles "github.com/satchel-memory/satchel/internal/vault/bundle"
	"github.com/satchel-memory/satchel/internal/vault/rekey"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
)

// Rekey is that of rekey.Service over this house, as are the two that follow.
func (h *house) Rekey(ctx context.Context, from memory.Caller, to keys.Private, progress func(int)) (rekey.Report, error) {
	return rekey.New(h.Vault).Rekey(ctx, from, to, progress)
}

// FinishRekey is that of rekey.Service.
func (h *house) FinishRekey(ctx context.Context, from memory.Caller, to memory.DID) (bool, error) {
	return rekey.New(h.Vault).FinishRekey(ctx, from, to)
}

// AbandonRekey is that of rekey.Service.
func (h *house) AbandonRekey(ctx context.Context, from memory.Caller, to memory.DID) error {
	return rekey.New(h.Vault).AbandonRekey(ctx, from, to)
}

// ExportBrain is that of bundle.Service over this house, as is ImportBrain.
func (h *house) ExportBrain(ctx context.Context, c memory.Caller, q aimem.Export, write func(aimem.Brain, aimem.ExportReport) error) error {
	return bundles.New(h.Vault).ExportBrain(ctx, c, q, write)
}

// ImportBrain is that of bundle.Service.
func (h *house) ImportBrain(ctx context.Context, c memory.Caller, b *aimem.Bundle, o aimem.Import) (aimem.Report, error) {
	return bundles.New(h.Vault).ImportBrain(ctx, c, b, o)
}
