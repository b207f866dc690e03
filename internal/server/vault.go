package server

import (
	"context"

	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/internal/vault/assistant"
	"github.com/satchel-memory/satchel/internal/vault/belief"
	"github.com/satchel-memory/satchel/internal/vault/bundle"
	"github.com/satchel-memory/satchel/internal/vault/delegation"
	"github.com/satchel-memory/satchel/internal/vault/trust"
	"github.com/satchel-memory/satchel/internal/vault/visit"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
	"github.com/satchel-memory/satchel/ump/umpmcp"
)

// Over returns the backend that serves a vault. A program that speaks MCP over stdio,
// without a server, uses it as well.
func Over(v *vault.Vault) Backend {
	return vaultBackend{Vault: v, beliefs: belief.Of(v), bundles: bundle.New(v), trusts: trust.New(v), visits: visit.New(v), assistants: assistant.New(v), delegations: delegation.New(v)}
}

type (
	beliefs = belief.Service
	bundles = bundle.Service
	trusts  = trust.Service
)

type vaultBackend struct {
	*vault.Vault
	*beliefs
	*bundles
	*trusts
	visits      *visit.Service
	assistants  *assistant.Service
	delegations *delegation.Service
	shown       memory.DID // other owners may recall this owner's public memory; empty: nobody's
}

var _ aimem.Backend = vaultBackend{}

// nobody has no memory anywhere.
const nobody = memory.DID("did:satchel:nobody")

// isolate returns the backend of a server, which hides each owner from the others. It shows
// other owners only what strangers see of the server's own owner.
func isolate(o Options) Backend {
	b, ok := o.Backend.(vaultBackend)
	if !ok {
		return o.Backend
	}
	if b.shown = ""; o.Public {
		b.shown = o.Owner
	}
	return b
}

// Recall answers a question. A caller that asks for another owner's memory counts as a
// stranger.
func (o vaultBackend) Recall(ctx context.Context, c memory.Caller, q memory.Query) ([]memory.Hit, error) {
	return o.Vault.Recall(ctx, c, o.hideOthers(c, q))
}

// RecallNoting is Recall, and says what the answer lacks.
func (o vaultBackend) RecallNoting(ctx context.Context, c memory.Caller, q memory.Query) ([]memory.Hit, []memory.Warning, error) {
	return o.Vault.RecallNoting(ctx, c, o.hideOthers(c, q))
}

// Rehydrate frames the hits of Recall.
func (o vaultBackend) Rehydrate(ctx context.Context, c memory.Caller, q memory.Query) (memory.Frame, error) {
	return o.Vault.Rehydrate(ctx, c, o.hideOthers(c, q))
}

// hideOthers directs a question about a hidden owner to nobody. The vault itself refuses
// peers.
func (o vaultBackend) hideOthers(c memory.Caller, q memory.Query) memory.Query {
	if c.Role != memory.Peer && q.Scope.Owner != "" && q.Scope.Owner != c.Owner && q.Scope.Owner != o.shown {
		q.Scope.Owner = nobody
	}
	return q
}

var (
	_ Backend         = vaultBackend{}
	_ admitter        = vaultBackend{}
	_ refusalRecorder = vaultBackend{}
	_ statsSource     = vaultBackend{}
	_ publisher       = vaultBackend{}
	_ sharedLimiter   = vaultBackend{}
	_ gatekeeper      = vaultBackend{}
	_ umpmcp.Backend  = vaultBackend{}
	_ ump.Rehydrator  = vaultBackend{}
	_ umpmcp.Admitter = vaultBackend{}
)

// Export yields the records that may leave: to the owner, or to a caller with a token for
// it.
func (o vaultBackend) Export(ctx context.Context, c memory.Caller, yield func(memory.Record) error) ([]codec.Loss, error) {
	report, err := o.Vault.Export(ctx, c, vault.ExportQuery{Verbatim: true}, yield)
	return report.Losses, err
}

// Public yields the owner's records that anybody may have.
func (o vaultBackend) Public(ctx context.Context, owner memory.DID, yield func(memory.Record) error) error {
	_, err := o.Vault.Export(ctx, memory.Caller{Owner: owner}, vault.ExportQuery{PublicOnly: true}, yield)
	return err
}

// AdmitHost refuses a program that the owner has paused.
func (o vaultBackend) AdmitHost(ctx context.Context, c memory.Caller) error {
	return o.assistants.AdmitHost(ctx, c)
}

// Brief returns the text of a brief.
func (o vaultBackend) Brief(ctx context.Context, c memory.Caller, project string, budget int) (string, error) {
	brief, err := o.Vault.Brief(ctx, c, vault.BriefQuery{Project: project, Budget: budget})
	return brief.Text, err
}

// Ready asks a store on several machines which of them answer, and any other store for a
// record that cannot exist.
func (o vaultBackend) Ready(ctx context.Context) ([]string, error) {
	if away, several, err := o.Reached(ctx); several {
		return away, err
	}
	_, err := o.Get(ctx, memory.Caller{Owner: nobody, Role: memory.Agent}, "urn:ump:ready", memory.CurrentView)
	if memory.KindOf(err) == memory.NotFound {
		return nil, nil
	}
	return nil, err
}
