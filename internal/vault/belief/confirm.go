package belief

import (
	"context"

	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
)

// Confirm notes that the owner has just validated a belief: its value stays, and nothing
// evolves (ENGRAM-3.4-19). It puts an archived belief in force again.
func (s *Service) Confirm(ctx context.Context, c memory.Caller, belief string) (engram.Belief, error) {
	return s.onBelief(ctx, c, "confirm", belief, governing.confirm)
}

func (g governing) confirm(b held) (held, error) {
	s := nextVersion{belief: b.Belief}
	s.belief.Status, s.belief.LastConfirmed = engram.Active, g.now
	return g.succeed(b, s)
}

// Archive ends a belief now. It stays in exports as archived, and recall no longer finds
// it. Archiving it again changes nothing.
func (s *Service) Archive(ctx context.Context, c memory.Caller, belief string) (engram.Belief, error) {
	return s.onBelief(ctx, c, "archive", belief, func(g governing, b held) (held, error) {
		if b.Status == engram.Archived {
			return b, nil
		}
		return g.end(b)
	})
}

// end ends the valid time of a belief that nothing replaces.
func (g governing) end(b held) (held, error) {
	rec := b.current()
	r, err := g.w.Row(rec.ID)
	if err != nil {
		return b, err
	}
	rec.Time = vault.Until(rec.Time, memory.Times{ValidFrom: g.now})
	if err := g.vault.kernel.Amend(g.w, r, rec); err != nil {
		return b, err
	}
	if _, err := g.w.Record(store.Change{At: g.now, Type: store.Merged, ID: rec.ID}); err != nil {
		return b, err
	}
	b.lineage.Versions = append(b.lineage.Versions[:len(b.lineage.Versions)-1:len(b.lineage.Versions)-1], rec)
	return g.retold(b)
}

// Delete forgets every version of a belief and its proposals. A tombstone without
// content stays, and the id is never used again (ENGRAM-3.4-3).
func (s *Service) Delete(ctx context.Context, c memory.Caller, belief string) (engram.Tombstone, error) {
	gone := engram.Tombstone{ID: belief}
	err := s.governFound(ctx, c, "delete", s.kernel.Lessen, s.governingBeliefs(belief), func(g governing) error {
		b, err := g.belief(belief)
		if err != nil {
			return err
		}
		gone.DeletedAt = g.now
		return g.bury(b)
	})
	return gone, err
}

// bury turns all records of a belief into tombstones.
func (g governing) bury(b held) error {
	for _, p := range b.lineage.Proposals {
		if p.Lifecycle.Status == memory.Tombstoned {
			continue // resolved
		}
		if err := g.forget(memory.ForgetRequest{ID: p.ID}); err != nil {
			return err
		}
	}
	return g.forgetChain(b.current().ID)
}

func (g governing) forget(f memory.ForgetRequest) error {
	f.Reason = memory.UserRevoked
	return g.vault.kernel.ForgetAll(g.w, g.caller, f, g.now)
}

func (g governing) forgetChain(id memory.ID) error {
	return g.forget(memory.ForgetRequest{ID: id, Chain: true})
}
