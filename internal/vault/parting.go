package vault

import (
	"context"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// parting is a Writer that notes what leaves: of that, nothing is kept in memory.
type parting struct {
	store.Writer
	gone []memory.ID
	all  bool
}

// Replace notes a record that becomes a tombstone.
func (p *parting) Replace(row store.Row, links store.Links) error {
	if row.Columns.Status == memory.Tombstoned {
		p.gone = append(p.gone, row.ID)
	}
	return p.Writer.Replace(row, links)
}

// Delete notes a record that is erased.
func (p *parting) Delete(id memory.ID) error {
	p.gone = append(p.gone, id)
	return p.Writer.Delete(id)
}

// EraseOwner notes that everything is erased.
func (p *parting) EraseOwner() error {
	p.all = true
	return p.Writer.EraseOwner()
}

// maxParting is from how many records on everything is dropped, which takes less time.
const maxParting = 64

// updateDropping runs an update of an owner, and drops from memory what leaves by it,
// whatever becomes of the update.
func updateDropping(ctx context.Context, s store.Store, drop func(memory.DID, ...memory.ID), owner memory.DID, fn func(store.Writer) error) error {
	p := &parting{}
	err := s.Update(ctx, owner, func(w store.Writer) error {
		p.Writer = w
		return fn(p)
	})
	switch {
	case p.all, len(p.gone) > maxParting:
		drop(owner)
	case len(p.gone) > 0:
		drop(owner, p.gone...)
	}
	return err
}

// dropped drops records of an owner from memory.
func (v *Vault) dropped(owner memory.DID, ids ...memory.ID) { v.beliefs.Drop(owner, ids...) }

// updateBare is update past the guard.
func (v *Vault) updateBare(ctx context.Context, owner memory.DID, fn func(store.Writer) error) error {
	return updateDropping(ctx, v.bare, v.dropped, owner, fn)
}
