package agents

import (
	"context"

	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
)

// stateRef returns the id of a checkpoint in its usual form: a UUID names the same one
// however it is written (AAIF-8.1-2).
func stateRef(id string) string { return agentRef(id) }

// IDOf returns the usual form of the id of an agent or a checkpoint, by which both are kept
// and stand in the audit log.
func IDOf(id string) string { return agentRef(id) }

// keptState looks a checkpoint up, by its id in its usual form, or as an earlier release
// kept it.
func (s *Service) keptState(ctx context.Context, c memory.Caller, id string) (vault.KeptState, error) {
	row, err := s.vault.KeptState(ctx, c, stateRef(id))
	if memory.KindOf(err) == memory.NotFound && stateRef(id) != id {
		return s.vault.KeptState(ctx, c, id)
	}
	return row, err
}
