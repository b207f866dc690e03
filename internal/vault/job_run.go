package vault

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/satchel-memory/satchel/internal/sleep"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// jobRunner does background work for many owners.
type jobRunner struct{ *Vault }

// SweepAll is [Vault.SweepAgreed] for the owners whose records are said to have expired, the
// home owner and all admitted owners. It also drops old readings, see table readings. A failure for one owner does not stop the others; the
// error names it.
func (v *Vault) SweepAll(ctx context.Context) error {
	err := jobRunner{v}.eachDue(ctx, sweeping, func(owner memory.DID) error {
		found, err := v.anyExpired(ctx, owner)
		if err == nil && found {
			_, err = v.sweepAgreed(ctx, owner)
		}
		return err
	}, store.Reader.FirstExpiry)
	if ctx.Err() != nil || outOfReach(err) {
		return err
	}
	return errors.Join(err, jobRunner{v}.pruneReadings(ctx), v.refusal(engine(v.home), "sweep", "", v.compactIfOwed(ctx)))
}

// TidyAll is [Vault.Tidy] for the owners with imports that were begun and are not finished,
// and handles failures like [Vault.SweepAll].
func (v *Vault) TidyAll(ctx context.Context) error {
	return jobRunner{v}.eachDue(ctx, tidying, func(owner memory.DID) error {
		_, err := v.Tidy(ctx, owner)
		return err
	}, firstLease)
}

// firstLease returns when the first lease of an unfinished import ends.
func firstLease(r store.Reader) (first time.Time, err error) {
	imports, err := r.Imports()
	for _, i := range imports {
		if i.State == store.Staging && (first.IsZero() || i.Lease.Before(first)) {
			first = i.Lease
		}
	}
	return first, err
}

// anyExpired reports whether there may be records to sweep. It only reads, so it blocks
// nobody.
func (v *verifier) anyExpired(ctx context.Context, owner memory.DID) (found bool, err error) {
	err = v.store.View(ctx, owner, func(r store.Reader) error {
		rows, err := r.Rows(store.Filter{Expired: Instant(v.now())}, store.Cursor{}, 1)
		found = len(rows) > 0
		return err
	})
	return found, err
}

// failuresNamed is how many owners an error of eachOwner names.
const failuresNamed = 5

// eachOwner calls work for one owner after the other. It gives up if the store itself
// cannot be reached.
func (v jobRunner) eachOwner(ctx context.Context, work func(memory.DID) error) error {
	owners, err := v.bare.Owners(ctx)
	if err != nil {
		return v.refusal(engine(v.home), "tidy", "", err)
	}
	return each(ctx, owners, func(owner memory.DID) error { return v.forOne(ctx, owner, work) })
}

const (
	dueAtOnce = 256              // owners whose work is listed together
	dueAgain  = 10 * time.Minute // when work that is not done is due again
)

// eachDue does a job for one owner after the other who has its work due and whom no other
// server works for, until nobody has. first says when an owner has such work next.
func (v jobRunner) eachDue(ctx context.Context, j backgroundJob, work func(memory.DID) error, first func(store.Reader) (time.Time, error)) error {
	var failures error
	for {
		now := v.now()
		owners, err := v.bare.Due(ctx, j.Work, now, dueAtOnce)
		if err != nil {
			return errors.Join(failures, v.refusal(engine(v.home), j.Name, "", err))
		}
		taken := 0
		err = each(ctx, owners, func(owner memory.DID) error {
			mine, err := v.bare.Lease(ctx, owner, j.Work, now, now.Add(dueAgain))
			if err != nil || !mine {
				return err
			}
			taken++
			in := false
			err = v.forOne(ctx, owner, func(owner memory.DID) error {
				in = true
				if err := work(owner); err != nil {
					return err
				}
				return v.reschedule(ctx, j, owner, now, first)
			})
			if err == nil && !in {
				err = v.reschedule(ctx, j, owner, now, never)
			}
			return err
		})
		failures = errors.Join(failures, err)
		if ctx.Err() != nil || outOfReach(err) || taken == 0 {
			return failures
		}
	}
}

// never says that an owner has no work.
func never(store.Reader) (time.Time, error) { return time.Time{}, nil }

// reschedule files the next work of an owner, see [jobRunner.eachDue].
func (v jobRunner) reschedule(ctx context.Context, j backgroundJob, owner memory.DID, now time.Time, first func(store.Reader) (time.Time, error)) error {
	return v.unasked(ctx, j, owner, func(w store.Writer) error {
		next, err := first(w)
		if err != nil || !next.IsZero() && !next.After(now) {
			return err
		}
		return w.Reschedule(j.Work, next)
	})
}

// fileAll files the work on the rows of an owner who is let in: what is there of the owner may
// have waited. Subscriptions file their own.
func fileAll(w store.Writer, now time.Time) error {
	for _, work := range []store.Work{store.Sweep, store.Tidy, store.Index, store.Prune} {
		if err := w.Schedule(work, now); err != nil {
			return err
		}
	}
	return nil
}

// each calls work for owners, see [Vault.SweepAll].
func each(ctx context.Context, owners []memory.DID, work func(memory.DID) error) error {
	var failures []error
	failed := 0
	for _, owner := range owners {
		began := time.Now()
		err := work(owner)
		if ctx.Err() != nil || outOfReach(err) {
			return errors.Join(ctx.Err(), err)
		}
		if err != nil {
			if failed++; failed <= failuresNamed {
				failures = append(failures, fmt.Errorf("owner %s: %w", owner, err))
			}
		}
		pause(ctx, time.Since(began))
	}
	if failed > failuresNamed {
		failures = append(failures, fmt.Errorf("and %d more owners", failed-failuresNamed))
	}
	return errors.Join(failures...)
}

// outOfReach reports whether the store itself failed, for every owner alike.
func outOfReach(err error) bool {
	return errors.Is(err, store.ErrUnavailable) || errors.Is(err, store.ErrClosed)
}

// forOne calls work for an owner who is admitted and has not moved.
func (v jobRunner) forOne(ctx context.Context, owner memory.DID, work func(memory.DID) error) error {
	if owner != v.home {
		a, err := v.account(ctx, owner)
		if err != nil || a.Added.IsZero() {
			return err
		}
		if err := v.settle(owner, a); err != nil {
			return err
		}
	}
	err := work(owner)
	if errors.Is(err, ErrMoved) || errors.Is(err, ErrElsewhere) {
		return nil // the server that finishes the move takes care of it
	}
	return err
}

// longestPause is the longest wait before the next owner.
const longestPause = time.Second

// pause leaves the store to others for as long as it was busy with one owner.
func pause(ctx context.Context, d time.Duration) {
	_ = sleep.For(ctx, min(d, longestPause)) // the caller asks ctx
}
