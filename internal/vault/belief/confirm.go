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
	return s.onBelief(ctx, c, "confirm", belief, beliefTx.confirm)
}

func (g beliefTx) confirm(b beliefRecords) (beliefRecords, error) {
	s := nextVersion{belief: b.Belief}
	s.belief.Status, s.belief.LastConfirmed = engram.Active, g.now
	return g.succeed(b, s)
}

// Archive ends a belief now. It stays in exports as archived, and recall no longer finds
// it. Archiving it again changes nothing.
func (s *Service) Archive(ctx context.Context, c memory.Caller, belief string) (engram.Belief, error) {
	return s.onBelief(ctx, c, "archive", belief, func(g beliefTx, b beliefRecords) (beliefRecords, error) {
		if b.Status == engram.Archived {
			return b, nil
		}
		return g.end(b)
	})
}

// end ends the valid time of a belief that nothing replaces.
func (g beliefTx) end(b beliefRecords) (beliefRecords, error) {
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
	err := s.governFound(ctx, c, "delete", s.kernel.Lessen, s.loadBeliefs(belief), func(g beliefTx) error {
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
func (g beliefTx) bury(b beliefRecords) error {
	undo := g.undoName()
	for _, p := range b.lineage.Proposals {
		if p.Lifecycle.Status == memory.Tombstoned {
			continue // resolved
		}
		if err := g.forget(memory.ForgetRequest{ID: p.ID}, undo); err != nil {
			return err
		}
	}
	return g.forget(memory.ForgetRequest{ID: b.current().ID, Chain: true}, undo)
}

// forget forgets a record, which can be taken back by the name undo.
func (g beliefTx) forget(f memory.ForgetRequest, undo string) error {
	f.Reason = memory.UserRevoked
	return g.vault.kernel.ForgetAll(g.w, g.caller, f, g.now, undo)
}

func (g beliefTx) forgetChain(id memory.ID) error {
	return g.forget(memory.ForgetRequest{ID: id, Chain: true}, g.undoName())
}
