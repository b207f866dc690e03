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

// Kept returns what is kept in memory of an owner's records: what each says, and for
// each lineage that was told what tells whether it is told anew.
func Kept(v *Vault, owner memory.DID) (texts map[memory.ID]string, told map[memory.ID]any) {
	texts, told = map[memory.ID]string{}, map[memory.ID]any{}
	r, _ := v.reads.of(owner)
	if r == nil {
		return texts, told
	}
	for _, ver := range r.versions {
		texts[ver.id] = ver.rec.Body.Text
	}
	for root, b := range r.beliefs {
		texts[root] += b.told.Text
		told[root] = &b.parts[0]
	}
	return texts, told
}

// DropIdle drops what is kept in memory as if nobody had asked for it in a while.
func DropIdle(v *Vault) {
	v.reads.mu.Lock()
	for _, r := range v.reads.by {
		r.used = r.used.Add(-keptFor)
	}
	v.reads.mu.Unlock()
	v.reads.sweep()
}

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
