package operate

import (
	"context"
	"slices"
	"time"

	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/memory"
)

const (
	embedGather = 200 * time.Millisecond // more writes may follow a write
	embedEvery  = time.Minute            // for what other programs wrote, and after a failure
)

// keepEmbedded gets the vectors of new memories in the background, until ctx ends. It closes
// the channel when it has stopped. Owners who use no server cause no request.
func keepEmbedded(o *cli.Session, ctx context.Context, a *cli.App, readOnly bool) <-chan struct{} {
	done := make(chan struct{})
	go func() {
		defer close(done)
		m := o.Meaning()
		_ = m.Warm(ctx, o.Owner) // a store that cannot be read says so at the first question
		if readOnly {
			return
		}
		owners, quiet := []memory.DID{o.Owner}, false
		for {
			var failed []memory.DID
			for _, owner := range owners {
				if _, err := m.CatchUp(ctx, owner); err != nil && ctx.Err() == nil {
					if failed = append(failed, owner); !quiet {
						a.Warn("satchel: get vectors of new memories: %s; it is tried again every minute", cli.Describe(embedFailure(err)))
					}
				}
			}
			quiet = len(failed) > 0
			if !awaitWrites(ctx, m.Woken(), quiet) {
				return
			}
			owners = append(append(m.Waiting(), failed...), o.Owner)
			slices.Sort(owners)
			owners = slices.Compact(owners)
		}
	}()
	return done
}

// awaitWrites waits for writes, for a minute at most. After a failure it waits the minute.
// It returns false when ctx ends.
func awaitWrites(ctx context.Context, woken <-chan struct{}, failed bool) bool {
	every := time.NewTimer(embedEvery)
	defer every.Stop()
	if failed {
		woken = nil
	}
	select {
	case <-ctx.Done():
		return false
	case <-every.C:
		return true
	case <-woken:
	}
	gather := time.NewTimer(embedGather)
	defer gather.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-gather.C:
		return true
	}
}
