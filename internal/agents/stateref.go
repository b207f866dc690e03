package agents

import (
	"context"

	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
)

// keptState looks a checkpoint up, by its id in its usual form, or as an earlier release
// kept it.
func (s *Service) keptState(ctx context.Context, c memory.Caller, id string) (vault.KeptState, error) {
	row, err := s.vault.KeptState(ctx, c, IDOf(id))
	if memory.KindOf(err) == memory.NotFound && IDOf(id) != id {
		return s.vault.KeptState(ctx, c, id)
	}
	return row, err
}
