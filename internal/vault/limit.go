package vault

import (
	"context"
	"time"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// Take takes tokens out of a bucket that all servers of the store share, as
// [store.Limiter] says. Where the store has none it fails with kind Unsupported; its
// other failures are the store's own.
func (v *Vault) Take(ctx context.Context, owner memory.DID, payer string, want, burst int, rate float64) (got int, wait time.Duration, err error) {
	limiter, ok := v.bare.(store.Limiter)
	if !ok {
		return 0, 0, &memory.Error{Kind: memory.Unsupported, Op: "limit", Message: "this store does not count for several servers"}
	}
	return limiter.Take(ctx, owner, payer, want, burst, rate)
}
