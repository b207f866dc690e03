// Package sleep waits by the clock of the system.
package sleep

import (
	"context"
	"time"
)

// For waits for d, or until ctx ends. It fails with the error of ctx, also where ctx ended
// before.
func For(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
	case <-t.C:
	}
	return ctx.Err()
}
