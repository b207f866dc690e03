package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/satchel-memory/satchel/internal/vault"
)

// How often a program that stays empties what has expired, how soon after the
// start, and how long a command may take for it.
const (
	SweepSoon     = 5 * time.Second // where the store is this machine's alone
	SweepFirst    = time.Minute
	SweepEvery    = 5 * time.Minute
	ClearEvery    = 15 * time.Second // looks whether something is due, or an erasure to be finished
	sweepPatience = 2 * time.Second
	readPatience  = 500 * time.Millisecond // of a command that reads
)

// sweepAfter empties what has expired, and removes what a killed import left, after a
// command, for those who run nothing that stays. The command itself has succeeded
// whatever comes of this; what is not done in time the next one goes on with. Where the
// key is closed or the store can only be read, nothing can be done.
func (o *Opened) sweepAfter(a *App, patience time.Duration) {
	if _, open := o.holds(o.Owner); !open || o.ReadOnly {
		return
	}
	ctx, stop := context.WithTimeout(a.Ctx, patience)
	defer stop()
	err := o.sweepIfDue(ctx)
	if err == nil {
		_, err = o.Tidy(ctx, o.Owner)
	}
	if err != nil && a.Ctx.Err() == nil && !errors.Is(err, context.DeadlineExceeded) {
		a.Warn("satchel: what has expired could not be emptied: %s", Describe(err))
	}
}

// warnHeld says what a clock that jumped keeps from being erased.
func (o *Opened) warnHeld(a *App) {
	if held, err := o.Held(a.Ctx, o.Owner); err == nil && held.Count > 0 {
		a.Warn("%s. It is hidden, and stays on the disk for a day. satchel doctor says more", HeldBack(held, a.Now()))
	}
}

// sweepIfDue empties what has expired, if there is any.
func (o *Opened) sweepIfDue(ctx context.Context) error {
	n, err := o.Expired(ctx, o.Owner)
	owed := false
	if err == nil && !o.InDatabase() {
		owed, err = o.Store.Owed(ctx)
	}
	if err == nil && (n > 0 || owed) {
		_, err = o.SweepAgreed(ctx, o.Owner)
	}
	return err
}

// HeldBack says why expired content is not erased.
func HeldBack(h vault.Hold, now time.Time) string {
	return fmt.Sprintf("%s expired by this machine's clock, which is %s after what was here before, on %s: it may be wrong",
		Plural(h.Count, "memory has", "memories have"), Days(now.Sub(h.Until)), Local(h.Until))
}

// Days is a time in whole days, or in hours where it is shorter.
func Days(d time.Duration) string {
	if d < 48*time.Hour {
		return d.Round(time.Minute).String()
	}
	return Plural(int(d/(24*time.Hour)), "day", "days")
}
