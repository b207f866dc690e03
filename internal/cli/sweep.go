package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/satchel-memory/satchel/internal/vault"
)

// How often a running server empties expired records, how soon after its start, and how
// long a command may take for it.
const (
	SweepSoon     = 5 * time.Second // if only this machine uses the store
	SweepFirst    = time.Minute
	SweepEvery    = 5 * time.Minute
	ClearEvery    = 15 * time.Second // checks for due records and unfinished erasures
	sweepPatience = 2 * time.Second
	readPatience  = 500 * time.Millisecond // for a command that reads
)

// sweepAfter empties expired records after a command, and removes what a killed import
// left, for users who run no server. The command itself has already succeeded, and the next
// command goes on with what remains. Without an open key, or with a read-only store, it
// does nothing.
func (o *Session) sweepAfter(a *App, patience time.Duration) {
	if _, open := o.OpenKey(o.Owner); !open || o.ReadOnly {
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

// warnHeld says what is kept because the clock jumped.
func (o *Session) warnHeld(a *App) {
	if held, err := o.Held(a.Ctx, o.Owner); err == nil && held.Count > 0 {
		a.Warn("%s. It is hidden, and stays on the disk for a day. satchel doctor says more", HeldBack(held, a.Now()))
	}
}

// sweepIfDue empties expired records, if there are any.
func (o *Session) sweepIfDue(ctx context.Context) error {
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

// Days is a duration in whole days, or in hours if it is shorter.
func Days(d time.Duration) string {
	if d < 48*time.Hour {
		return d.Round(time.Minute).String()
	}
	return Plural(int(d/(24*time.Hour)), "day", "days")
}
