package carry

import (
	"context"
	"errors"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// Abandon removes the owners from a store who have not fully arrived there, and
// returns them. They still live in their former store. If the operator cleans a
// store's files, traces stay in them until a scrub. It fails with [store.ErrOperator]
// if removing them needs more rights.
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
		err = c.Compact(ctx)
	}
	if errors.Is(err, store.ErrOperator) {
		err = nil
	}
	return owners, err
}
