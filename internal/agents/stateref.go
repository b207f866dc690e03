package agents

import (
	"context"

	"github.com/satchel-memory/satchel/internal/vault/agentstore"
	"github.com/satchel-memory/satchel/memory"
)

// keptState looks up a checkpoint, by its id in its usual form or in the form of an
// earlier release.
func (s *Service) keptState(ctx context.Context, c memory.Caller, id string) (agentstore.KeptState, error) {
	row, err := s.store.KeptState(ctx, c, IDOf(id))
	if memory.KindOf(err) == memory.NotFound && IDOf(id) != id {
		return s.store.KeptState(ctx, c, id)
	}
	return row, err
}
