package server

import (
	"context"

	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump/umpmcp"
)

// Over returns the vault as the bindings ask for it. Program code that speaks
// MCP without a server, over stdio, uses it too.
func Over(v *vault.Vault) Backend { return over{v} }

type over struct{ *vault.Vault }

var (
	_ Backend        = over{}
	_ Admitter       = over{}
	_ Refuser        = over{}
	_ Counter        = over{}
	_ Publisher      = over{}
	_ Shared         = over{}
	_ umpmcp.Backend = over{}
)

// Export yields what may leave: for the owner, or for somebody else who has a
// token for it.
func (o over) Export(ctx context.Context, c memory.Caller, yield func(memory.Record) error) error {
	_, err := o.Vault.Export(ctx, c, vault.ExportQuery{}, yield)
	return err
}

// Public yields what anybody may have of the owner's.
func (o over) Public(ctx context.Context, owner memory.DID, yield func(memory.Record) error) error {
	_, err := o.Vault.Export(ctx, memory.Caller{Owner: owner}, vault.ExportQuery{PublicOnly: true}, yield)
	return err
}

// Brief returns the text of a brief.
func (o over) Brief(ctx context.Context, c memory.Caller, project string, budget int) (string, error) {
	brief, err := o.Vault.Brief(ctx, c, vault.BriefQuery{Project: project, Budget: budget})
	return brief.Text, err
}

// Ready asks the store for a record that cannot be there.
func (o over) Ready(ctx context.Context) error {
	_, err := o.Get(ctx, memory.Caller{Owner: "did:satchel:nobody", Role: memory.Agent}, "urn:ump:ready", memory.CurrentView)
	if memory.KindOf(err) == memory.NotFound {
		return nil
	}
	return err
}
