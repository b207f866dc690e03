package server

import (
	"context"

	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/internal/vault/belief"
	"github.com/satchel-memory/satchel/internal/vault/bundle"
	"github.com/satchel-memory/satchel/internal/vault/trust"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
	"github.com/satchel-memory/satchel/ump/umpmcp"
)

// Over returns the vault as the bindings ask for it. Program code that speaks
// MCP without a server, over stdio, uses it too.
func Over(v *vault.Vault) Backend {
	return over{Vault: v, beliefs: belief.Of(v), bundles: bundle.New(v), trusts: trust.New(v)}
}

type (
	beliefs = belief.Service
	bundles = bundle.Service
	trusts  = trust.Service
)

type over struct {
	*vault.Vault
	*beliefs
	*bundles
	*trusts
	shown memory.DID // whose public memory the other owners may recall; empty: nobody's
}

var _ aimem.Backend = over{}

// nobody has no memory anywhere.
const nobody = memory.DID("did:satchel:nobody")

// wall returns the backend of a server, which shows no owner anything of another,
// except what strangers are shown of the server's own.
func wall(o Options) Backend {
	b, ok := o.Backend.(over)
	if !ok {
		return o.Backend
	}
	if b.shown = ""; o.Public {
		b.shown = o.Owner
	}
	return b
}

// Recall answers a question. Whoever asks for another owner's memory is a stranger
// there.
func (o over) Recall(ctx context.Context, c memory.Caller, q memory.Query) ([]memory.Hit, error) {
	return o.Vault.Recall(ctx, c, o.walled(c, q))
}

// Rehydrate frames what Recall finds.
func (o over) Rehydrate(ctx context.Context, c memory.Caller, q memory.Query) (memory.Frame, error) {
	return o.Vault.Rehydrate(ctx, c, o.walled(c, q))
}

// walled asks nobody what is asked of an owner who is not shown. The vault refuses
// peers by itself.
func (o over) walled(c memory.Caller, q memory.Query) memory.Query {
	if c.Role != memory.Peer && q.Scope.Owner != "" && q.Scope.Owner != c.Owner && q.Scope.Owner != o.shown {
		q.Scope.Owner = nobody
	}
	return q
}

var (
	_ Backend        = over{}
	_ Admitter       = over{}
	_ Refuser        = over{}
	_ Counter        = over{}
	_ Publisher      = over{}
	_ Shared         = over{}
	_ Gatekeeper     = over{}
	_ umpmcp.Backend = over{}
	_ ump.Rehydrator = over{}
)

// Export yields what may leave: for the owner, or for somebody else who has a
// token for it.
func (o over) Export(ctx context.Context, c memory.Caller, yield func(memory.Record) error) ([]codec.Loss, error) {
	report, err := o.Vault.Export(ctx, c, vault.ExportQuery{Verbatim: true}, yield)
	return report.Losses, err
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
	_, err := o.Get(ctx, memory.Caller{Owner: nobody, Role: memory.Agent}, "urn:ump:ready", memory.CurrentView)
	if memory.KindOf(err) == memory.NotFound {
		return nil
	}
	return err
}
