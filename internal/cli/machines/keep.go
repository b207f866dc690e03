package machines

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/memory"
)

// How a program that goes on syncs by itself: soon after a write, and from time to time. A
// remote that fails is asked less and less often.
const (
	lookEvery  = 2 * time.Second  // for writes
	settleFor  = 3 * time.Second  // without a write, before an exchange
	meetEvery  = 5 * time.Minute  // without a write
	firstRetry = 30 * time.Second // after a failure; then twice as long each time
	lastRetry  = time.Hour
	mostMeet   = 10 * time.Minute // that one exchange may take
	mostBye    = 3 * time.Second  // for what was written at last, before the program ends
)

// Keep syncs in the background with the remotes that the owner added, until ctx ends. It
// closes the channel when it has stopped. Without remotes it asks nobody anything.
func Keep(o *cli.Session, ctx context.Context, a *cli.App, readOnly bool) <-chan struct{} {
	done := make(chan struct{})
	if readOnly || o.Key.IsZero() {
		close(done)
		return done
	}
	k := &keeper{app: a, open: o, written: a.Now(), due: map[string]time.Time{}}
	go func() {
		defer close(done)
		look := time.NewTicker(lookEvery)
		defer look.Stop()
		for {
			select {
			case <-ctx.Done():
				k.leave(ctx)
				return
			case <-look.C:
				k.look(ctx)
			}
		}
	}()
	return done
}

// keeper syncs one owner's machine.
type keeper struct {
	app     *cli.App
	open    *cli.Session
	fleet   *fleet
	head    int64     // of the change feed at the last look
	begun   bool      // head is known
	dirty   bool      // something was written since the last exchange
	written time.Time // when a write was seen last
	due     map[string]time.Time
}

// look exchanges with the remotes that are due.
func (k *keeper) look(ctx context.Context) {
	s, err := readState(k.open.Home)
	if err != nil || len(s.of(k.open.Owner).kept()) == 0 {
		return // sync.json is read by the next command, which tells its damage
	}
	now := time.Now()
	k.watch(ctx, now)
	for _, r := range k.allDue(s.of(k.open.Owner).kept(), now) {
		k.meet(ctx, r, mostMeet)
	}
}

// allDue returns the remotes that are due, before the first of them is met: a write is due
// everywhere.
func (k *keeper) allDue(remotes []remote, now time.Time) (due []remote) {
	for _, r := range remotes {
		if k.isDue(r, now) {
			due = append(due, r)
		}
	}
	return due
}

// watch looks whether anything was written, also by an exchange: it is news for the other
// remotes.
func (k *keeper) watch(ctx context.Context, now time.Time) {
	head, err := k.open.Head(ctx, memory.Caller{Owner: k.open.Owner, Role: memory.Owner})
	if err != nil {
		return
	}
	if k.begun && head != k.head {
		k.dirty, k.written = true, now
	}
	k.head, k.begun = head, true
}

// isDue reports whether a remote is to be asked now.
func (k *keeper) isDue(r remote, now time.Time) bool {
	at, planned := k.due[r.Name]
	if !planned {
		k.due[r.Name] = now.Add(scattered(settleFor)) // a program that only looks in asks nobody
		return false
	}
	if r.Fails > 0 && now.Before(at) {
		return false
	}
	return !now.Before(at) || k.dirty && now.Sub(k.written) >= settleFor
}

// meet exchanges with one remote. Another program of this machine may do so just now.
func (k *keeper) meet(ctx context.Context, r remote, most time.Duration) {
	ctx, stop := context.WithTimeout(ctx, most)
	defer stop()
	if err := k.enter(ctx); err != nil {
		k.plan(r, r.Fails+1)
		k.warn(ctx, r, err)
		return
	}
	turn, err := k.fleet.turn(ctx, false)
	if errors.Is(err, errTurn) {
		return
	}
	if err != nil {
		k.plan(r, r.Fails+1)
		return
	}
	defer turn.Close()
	out := k.fleet.exchange(ctx, r, false)
	if out.err != nil {
		k.plan(r, r.Fails+1)
		if r.Failed != out.Error { // told once
			k.warn(ctx, r, out.err)
		}
		return
	}
	k.plan(r, 0)
	k.dirty = false
}

func (k *keeper) warn(ctx context.Context, r remote, err error) {
	if ctx.Err() == nil {
		k.app.Warn("satchel: sync with %s: %s", cli.Clean(r.Name), cli.Describe(err))
	}
}

// enter opens this machine once.
func (k *keeper) enter(ctx context.Context) (err error) {
	if k.fleet == nil {
		k.fleet, err = enterFor(k.app, ctx, k.open, k.open.Owner, false)
	}
	return err
}

// plan says when a remote is asked again after so many failures.
func (k *keeper) plan(r remote, fails int) {
	k.due[r.Name] = time.Now().Add(pause(fails))
}

// pause is how long a remote is left alone after so many failures in a row.
func pause(fails int) time.Duration {
	if fails == 0 {
		return scattered(meetEvery)
	}
	return scattered(min(firstRetry<<min(fails-1, 10), lastRetry))
}

// scattered varies a time, so that machines do not ask at the same moment.
func scattered(d time.Duration) time.Duration { return d*3/4 + rand.N(d/2) }

// leave takes what was written at last to the remotes that answer, for a moment at most.
func (k *keeper) leave(ctx context.Context) {
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), mostBye)
	defer stop()
	s, err := readState(k.open.Home)
	if err != nil || len(s.of(k.open.Owner).kept()) == 0 {
		return
	}
	if k.watch(ctx, time.Now()); !k.dirty {
		return
	}
	for _, r := range s.of(k.open.Owner).kept() {
		if r.Fails == 0 {
			k.meet(ctx, r, mostBye)
		}
	}
}
