package machines

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/memory"
)

// When a running program syncs: soon after a write, and from time to time. A remote that fails
// is tried less and less often.
const (
	tickEvery   = 2 * time.Second  // looks for writes
	quietTime   = 3 * time.Second  // after the last write, before an exchange
	syncEvery   = 5 * time.Minute  // between exchanges without a write
	firstRetry  = 30 * time.Second // after a failure; then twice as long each time
	lastRetry   = time.Hour
	maxExchange = 10 * time.Minute // that an exchange may take
	maxFinish   = 3 * time.Second  // that the last exchanges may take when the program ends
)

// SyncInBackground syncs with the remotes that the owner added, until ctx ends. It closes the
// channel when it has stopped. Without remotes it sends nothing.
func SyncInBackground(o *cli.Session, ctx context.Context, a *cli.App, readOnly bool) <-chan struct{} {
	done := make(chan struct{})
	if readOnly || o.Key.IsZero() {
		close(done)
		return done
	}
	k := &backgroundSync{app: a, session: o, written: a.Now(), due: map[string]time.Time{}}
	go func() {
		defer close(done)
		ticker := time.NewTicker(tickEvery)
		defer ticker.Stop()
		for {
			select {
			case <-ctx.Done():
				k.finish(ctx)
				return
			case <-ticker.C:
				k.tick(ctx)
			}
		}
	}()
	return done
}

// backgroundSync syncs this machine for the owner of the store.
type backgroundSync struct {
	app     *cli.App
	session *cli.Session
	machine *thisMachine
	head    int64                // of the change feed at the last tick
	begun   bool                 // head is known
	dirty   bool                 // there were writes since the last exchange
	written time.Time            // when the last write was noticed
	due     map[string]time.Time // when to sync with each remote, by its name
}

// tick syncs with the remotes that are due.
func (k *backgroundSync) tick(ctx context.Context) {
	s, err := readState(k.session.Home)
	if err != nil || len(s.of(k.session.Owner).kept()) == 0 {
		return // the next command reports a damaged sync.json
	}
	now := time.Now()
	k.noteWrites(ctx, now)
	for _, r := range k.allDue(s.of(k.session.Owner).kept(), now) {
		k.sync(ctx, r, maxExchange)
	}
}

// allDue returns the remotes that are due. It is called before the first exchange, which clears
// dirty: a write is due at every remote.
func (k *backgroundSync) allDue(remotes []remote, now time.Time) (due []remote) {
	for _, r := range remotes {
		if k.isDue(r, now) {
			due = append(due, r)
		}
	}
	return due
}

// noteWrites compares the head of the change feed with that of the last tick. Items that an
// exchange joined are writes too: the other remotes need them.
func (k *backgroundSync) noteWrites(ctx context.Context, now time.Time) {
	head, err := k.session.Head(ctx, memory.Caller{Owner: k.session.Owner, Role: memory.Owner})
	if err != nil {
		return
	}
	if k.begun && head != k.head {
		k.dirty, k.written = true, now
	}
	k.head, k.begun = head, true
}

// isDue reports whether to sync with a remote now.
func (k *backgroundSync) isDue(r remote, now time.Time) bool {
	at, planned := k.due[r.Name]
	if !planned {
		k.due[r.Name] = now.Add(scattered(quietTime)) // so that a program that ends at once sends nothing
		return false
	}
	if r.Fails > 0 && now.Before(at) {
		return false
	}
	return !now.Before(at) || k.dirty && now.Sub(k.written) >= quietTime
}

// sync syncs with one remote, unless another program of this machine is syncing.
func (k *backgroundSync) sync(ctx context.Context, r remote, most time.Duration) {
	ctx, stop := context.WithTimeout(ctx, most)
	defer stop()
	if err := k.open(ctx); err != nil {
		k.plan(r, r.Fails+1)
		k.warn(ctx, r, err)
		return
	}
	lock, err := k.machine.lock(ctx, false)
	if errors.Is(err, errLocked) {
		return
	}
	if err != nil {
		k.plan(r, r.Fails+1)
		return
	}
	defer lock.Close()
	out := k.machine.exchange(ctx, r, false)
	for _, m := range out.Machines {
		k.app.Warn("satchel: %s takes part now, see satchel devices", cli.Clean(m))
	}
	if out.err != nil {
		k.plan(r, r.Fails+1)
		if r.Failed != out.Error { // the same error is shown once
			k.warn(ctx, r, out.err)
		}
		return
	}
	k.plan(r, 0)
	k.dirty = false
}

func (k *backgroundSync) warn(ctx context.Context, r remote, err error) {
	if ctx.Err() == nil {
		k.app.Warn("satchel: sync with %s: %s", cli.Clean(r.Name), described(err))
	}
}

// open opens this machine, unless it is open.
func (k *backgroundSync) open(ctx context.Context) (err error) {
	if k.machine == nil {
		k.machine, err = openThisMachineOf(k.app, ctx, k.session, k.session.Owner, false)
	}
	return err
}

// plan sets when to sync with a remote next, after a number of failures in a row.
func (k *backgroundSync) plan(r remote, fails int) {
	k.due[r.Name] = time.Now().Add(retryDelay(fails))
}

// retryDelay returns the time until the next exchange with a remote, after a number of failures
// in a row.
func retryDelay(fails int) time.Duration {
	if fails == 0 {
		return scattered(syncEvery)
	}
	return scattered(min(firstRetry<<min(fails-1, 10), lastRetry))
}

// scattered varies a time by a quarter, so that machines do not sync at the same moment.
func scattered(d time.Duration) time.Duration { return d*3/4 + rand.N(d/2) }

// finish syncs the last writes before the program ends, with the remotes that did not fail.
func (k *backgroundSync) finish(ctx context.Context) {
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), maxFinish)
	defer stop()
	s, err := readState(k.session.Home)
	if err != nil || len(s.of(k.session.Owner).kept()) == 0 {
		return
	}
	if k.noteWrites(ctx, time.Now()); !k.dirty {
		return
	}
	for _, r := range s.of(k.session.Owner).kept() {
		if r.Fails == 0 {
			k.sync(ctx, r, maxFinish)
		}
	}
}
