package vault

import (
	"context"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// Unverify lets v serve records without verifying them, to measure what that
// costs.
func Unverify(v *Vault) *Vault {
	v.unverified = true
	return v
}

// OnlyEngineChanged and ErrBeyondEngine are what tests of every member call.
var (
	OnlyEngineChanged = onlyEngineChanged
	ErrBeyondEngine   = errBeyondEngine
)

// BornBeside returns the edition of a draft of the owner's that is about to be stored,
// while v believes that the memory speaks another edition.
func BornBeside(ctx context.Context, v *Vault, owner memory.DID, believed string) (edition string, err error) {
	draft := memory.Record{Kind: memory.Semantic, Body: memory.Body{Text: "made ready before"}, Scope: memory.Scope{Owner: owner}, Time: memory.Times{Created: v.now()}}
	draft, err = ump.Author(draft, v.holder(owner))
	if err != nil {
		return "", err
	}
	err = v.store.Update(ctx, owner, func(w store.Writer) error {
		v.editions.Store(owner, believed)
		p, err := v.inEdition(w, Prepared{Rec: draft})
		edition = p.Rec.Version
		return err
	})
	return edition, err
}
