package agents

import (
	"context"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/internal/vault/agentstore"
	"github.com/satchel-memory/satchel/memory"
)

// RemoveAgent removes an agent and its checkpoints, see [aaif.Backend].
func (s *Service) RemoveAgent(ctx context.Context, c memory.Caller, agentID string) (aaif.Removal, error) {
	return removedOf(s.store.RemoveAgent(ctx, c, IDOf(agentID)))
}

// RemoveState removes a checkpoint, see [aaif.Backend].
func (s *Service) RemoveState(ctx context.Context, c memory.Caller, stateID string) (aaif.Removal, error) {
	done, err := s.store.RemoveState(ctx, c, IDOf(stateID))
	if memory.KindOf(err) == memory.NotFound && IDOf(stateID) != stateID {
		done, err = s.store.RemoveState(ctx, c, stateID)
	}
	return removedOf(done, err)
}

func removedOf(done agentstore.Removed, err error) (aaif.Removal, error) {
	return aaif.Removal{Revisions: done.Revisions, States: done.States, Pending: done.Pending}, err
}
