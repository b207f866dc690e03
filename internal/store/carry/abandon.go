package carry

import (
	"context"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// Abandon removes from a store the owners who have not arrived there wholly, and
// returns who they were. They live where they were to come from. It fails with
// [store.ErrOperator] when they are removed, but not gone from the store's files
// until its operator has seen to that.
func Abandon(ctx context.Context, at Place) ([]memory.DID, error) {
	owners, err := at.Arriving(ctx)
	if err != nil {
		return nil, err
	}
	for i, owner := range owners {
		if err := at.TurnAway(ctx, owner); err != nil {
			return owners[:i], err
		}
	}
	if c, ok := at.(store.Compacter); ok && len(owners) > 0 {
		return owners, c.Compact(ctx)
	}
	return owners, nil
}
