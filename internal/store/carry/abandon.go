package carry

import (
	"context"
	"errors"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// Abandon removes from a store the owners who have not arrived there wholly, and
// returns who they were. They live where they were to come from. Where a store's
// files are its operator's affair, traces stay in them until they are scrubbed. It
// fails with [store.ErrOperator] when somebody with more powers has to do this.
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
