package operate

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"time"

	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/cli/machines"
)

// reserve is how much memory counts as used though nothing touches it, in programs that go
// on answering. Garbage is collected when the memory in use has doubled: with the reserve
// each 16 MB, and not each 4, which took a third of the time of a recall.
const reserve = 16 << 20

// keep looks after a store in the background, until ctx ends. It closes the channel when it
// has stopped. A read-only store stays as it is.
func keep(o *cli.Session, ctx context.Context, a *cli.App, readOnly bool) <-chan struct{} {
	jobs, done := []<-chan struct{}{keepTidy(o, ctx, a, readOnly), keepEmbedded(o, ctx, a, readOnly), keepIndexed(o, ctx, a, readOnly), machines.SyncInBackground(o, ctx, a, readOnly)}, make(chan struct{})
	go func() {
		untouched := make([]byte, reserve)
		for _, ended := range jobs {
			<-ended
		}
		runtime.KeepAlive(untouched)
		close(done)
	}()
	return done
}

// keepTidy empties expired records and removes the remains of interrupted imports.
func keepTidy(o *cli.Session, ctx context.Context, a *cli.App, readOnly bool) <-chan struct{} {
	done := make(chan struct{})
	if readOnly {
		tellExpired(o, ctx, a)
		close(done)
		return done
	}
	go func() {
		defer close(done)
		sweep := time.NewTimer(firstTime(o))
		defer sweep.Stop()
		clearing := time.NewTicker(cli.ClearEvery)
		defer clearing.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-clearing.C:
				if !due(o, ctx) {
					continue
				}
			case <-sweep.C:
				sweep.Reset(scattered(cli.SweepEvery))
			}
			if err := tidyAll(o, ctx); err != nil && ctx.Err() == nil {
				a.Warn("satchel: keep the store tidy: %s", cli.Describe(err))
			}
		}
	}()
	return done
}

// keepIndexed indexes anew, once, what an older release indexed.
func keepIndexed(o *cli.Session, ctx context.Context, a *cli.App, readOnly bool) <-chan struct{} {
	done := make(chan struct{})
	if readOnly {
		close(done)
		return done
	}
	go func() {
		defer close(done)
		first := time.NewTimer(firstTime(o))
		defer first.Stop()
		select {
		case <-ctx.Done():
			return
		case <-first.C:
		}
		if n, err := o.ReindexDue(ctx); err != nil && ctx.Err() == nil {
			a.Warn("satchel: index %s anew: %s; satchel store reindex goes on", cli.Plural(n, "memory", "memories"), cli.Describe(err))
		}
	}()
	return done
}

// firstTime returns when the work on a store begins: soon, but not while the servers of a
// database start.
func firstTime(o *cli.Session) time.Duration {
	if o.InDatabase() {
		return scattered(cli.SweepFirst)
	}
	return scattered(cli.SweepSoon)
}

// scattered varies a time, so that servers started together do not work at the same moment.
func scattered(d time.Duration) time.Duration { return d/2 + rand.N(d) }

// tidyAll empties the expired records of every owner, and removes the remains of their
// interrupted imports.
func tidyAll(o *cli.Session, ctx context.Context) error {
	return errors.Join(o.SweepAll(ctx), o.TidyAll(ctx))
}

// due reports whether there is something to empty or to clear. In a database the operator
// clears erased content.
func due(o *cli.Session, ctx context.Context) bool {
	if o.InDatabase() {
		return false
	}
	n, err := o.Expired(ctx, o.Owner)
	if err == nil && n > 0 {
		held, err := o.Held(ctx, o.Owner)
		return err == nil && n > held.Count
	}
	pending, err := o.Pending(ctx)
	return err == nil && pending
}

// tellExpired warns that expired content remains because this program cannot write.
func tellExpired(o *cli.Session, ctx context.Context, a *cli.App) {
	if n, err := o.Expired(ctx, o.Owner); err == nil && n > 0 {
		a.Warn("satchel: %s expired and %s not shown, but the content stays on the disk while programs only read: any command where the store can be written empties them",
			cli.Plural(n, "memory has", "memories have"), map[bool]string{true: "is", false: "are"}[n == 1])
	}
}

// mostBehind is how far a clock may be behind the last written time.
const mostBehind = 5 * time.Minute
