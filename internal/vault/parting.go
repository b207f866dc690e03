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

// update runs an update of an owner, and drops what leaves by it, whatever becomes of it.
func (k *reads) update(ctx context.Context, s store.Store, owner memory.DID, fn func(store.Writer) error) error {
	p := &parting{}
	err := s.Update(ctx, owner, func(w store.Writer) error {
		p.Writer = w
		return fn(p)
	})
	switch {
	case p.all, len(p.gone) > maxParting:
		k.drop(owner)
	case len(p.gone) > 0:
		k.drop(owner, p.gone...)
	}
	return err
}

// updateBare is update past the guard.
func (v *Vault) updateBare(ctx context.Context, owner memory.DID, fn func(store.Writer) error) error {
	return v.reads.update(ctx, v.bare, owner, fn)
}
