package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/satchel-memory/satchel/internal/vault"
)

// How often a program that stays empties what has expired, how soon after the
// start, and how long a command may take for it.
const (
	sweepSoon     = 5 * time.Second // where the store is this machine's alone
	sweepFirst    = time.Minute
	sweepEvery    = 5 * time.Minute
	clearEvery    = 15 * time.Second // looks whether something is due, or an erasure to be finished
	sweepPatience = 2 * time.Second
	readPatience  = 500 * time.Millisecond // of a command that reads
)

// keep empties what has expired and removes what broken imports left, in the
// background, until ctx ends. The channel is closed when it has stopped. What is
// only read is left alone.
func (o *opened) keep(ctx context.Context, a *app, readOnly bool) <-chan struct{} {
	done := make(chan struct{})
	if readOnly {
		o.tellExpired(ctx, a)
		close(done)
		return done
	}
	go func() {
		defer close(done)
		first := sweepSoon
		if o.remote() {
			first = sweepFirst
		}
		sweep := time.NewTimer(scattered(first))
		defer sweep.Stop()
		clearing := time.NewTicker(clearEvery)
		defer clearing.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-clearing.C:
				if !o.due(ctx) {
					continue
				}
			case <-sweep.C:
				sweep.Reset(scattered(sweepEvery))
			}
			if err := o.tidyAll(ctx); err != nil && ctx.Err() == nil {
				a.warn("satchel: keep the store tidy: %s", describe(err))
			}
		}
	}()
	return done
}

// scattered is a time about as long, so that servers that were started together do
// not do the same work at once.
func scattered(d time.Duration) time.Duration { return d/2 + rand.N(d) }

// tidyAll empties what has expired of every owner, and removes what broken imports
// of theirs left.
func (o *opened) tidyAll(ctx context.Context) error {
	return errors.Join(o.SweepAll(ctx), o.TidyAll(ctx))
}

// sweepAfter empties what has expired, and removes what a killed import left, after a
// command, for those who run nothing that stays. The command itself has succeeded
// whatever comes of this; what is not done in time the next one goes on with. Where the
// key is closed or the store can only be read, nothing can be done.
func (o *opened) sweepAfter(a *app, patience time.Duration) {
	if _, open := o.holds(o.Owner); !open || o.readOnly {
		return
	}
	ctx, stop := context.WithTimeout(a.ctx, patience)
	defer stop()
	err := o.sweepIfDue(ctx)
	if err == nil {
		_, err = o.Tidy(ctx, o.Owner)
	}
	if err != nil && a.ctx.Err() == nil && !errors.Is(err, context.DeadlineExceeded) {
		a.warn("satchel: what has expired could not be emptied: %s", describe(err))
	}
}

// warnHeld says what a clock that jumped keeps from being erased.
func (o *opened) warnHeld(a *app) {
	if held, err := o.Held(a.ctx, o.Owner); err == nil && held.Count > 0 {
		a.warn("%s. It is hidden, and stays on the disk for a day. satchel doctor says more", heldBack(held, a.now()))
	}
}

// sweepIfDue empties what has expired, if there is any.
func (o *opened) sweepIfDue(ctx context.Context) error {
	n, err := o.Expired(ctx, o.Owner)
	owed := false
	if err == nil && !o.remote() {
		owed, err = o.store.Owed(ctx)
	}
	if err == nil && (n > 0 || owed) {
		_, err = o.SweepAgreed(ctx, o.Owner)
	}
	return err
}

// due reports whether something is to be emptied or cleared away. In a database, what
// was erased is the operator's to clear away.
func (o *opened) due(ctx context.Context) bool {
	if o.remote() {
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

// tellExpired warns that expired content stays where this program cannot write.
func (o *opened) tellExpired(ctx context.Context, a *app) {
	if n, err := o.Expired(ctx, o.Owner); err == nil && n > 0 {
		a.warn("satchel: %s expired and %s not shown, but the content stays on the disk while programs only read: any command where the store can be written empties them",
			plural(n, "memory has", "memories have"), map[bool]string{true: "is", false: "are"}[n == 1])
	}
}

// expiry looks for content that should be gone.
func (d *doctor) expiry(o *opened) {
	n, err := o.Expired(d.app.ctx, o.Owner)
	owed := false
	if err == nil {
		owed, err = o.store.Owed(d.app.ctx)
	}
	held := vault.Hold{}
	if err == nil {
		held, err = o.Held(d.app.ctx, o.Owner)
	}
	sweep := func() error {
		return d.app.with(signing, func(o *opened) error { _, err := o.SweepAgreed(d.app.ctx, o.Owner); return err })
	}
	if behind := held.Newest.Sub(d.app.now()); behind > mostBehind {
		d.bad("clock", fmt.Sprintf("this machine's clock is %s behind what was written last, on %s: one of them is wrong", days(behind), local(held.Newest)),
			"set the clock right; what was written meanwhile keeps the time that it was given", nil)
	}
	switch {
	case err != nil:
		d.bad("retention", describe(err), d.restore(), nil)
	case n > held.Count && o.readOnly:
		d.bad("retention", plural(n-held.Count, "memory has", "memories have")+" expired, with content still on the disk",
			"the store can only be read here: any command where it can be written empties them", nil)
	case n > held.Count:
		d.bad("retention", plural(n-held.Count, "memory has", "memories have")+" expired, with content still on the disk",
			"satchel doctor --mend empties them", sweep)
	case held.Count > 0 && d.clock:
		d.bad("retention", heldBack(held, d.app.now()), "satchel doctor --clock erases it", func() error {
			return d.app.with(signing, func(o *opened) error { _, err := o.Sweep(d.app.ctx, o.Owner); return err })
		})
	case held.Count > 0:
		d.bad("retention", heldBack(held, d.app.now())+". It is hidden, and stays on the disk for a day",
			"set the clock right if it is wrong; if it is right, satchel doctor --clock erases it now", nil)
	case owed && o.remote(): // which is so whenever somebody has forgotten something
		d.good("retention", "what was erased since the last satchel store scrub may still be in pages and logs of the database")
	case owed:
		d.bad("retention", "what was erased may still be in the files: something kept them busy", "satchel doctor --mend clears it away", sweep)
	default:
		d.good("retention", "nothing has expired and waits")
	}
}

// mostBehind is by how much a clock may be behind what was written last.
const mostBehind = 5 * time.Minute

// heldBack says why expired content is not erased.
func heldBack(h vault.Hold, now time.Time) string {
	return fmt.Sprintf("%s expired by this machine's clock, which is %s after what was here before, on %s: it may be wrong",
		plural(h.Count, "memory has", "memories have"), days(now.Sub(h.Until)), local(h.Until))
}

// days is a time in whole days, or in hours where it is shorter.
func days(d time.Duration) string {
	if d < 48*time.Hour {
		return d.Round(time.Minute).String()
	}
	return plural(int(d/(24*time.Hour)), "day", "days")
}
