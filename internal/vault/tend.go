package vault

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// SweepAll is [Vault.SweepAgreed] for the home owner and all admitted owners. A failure
// for one owner does not stop the others; the error names it.
func (v *Vault) SweepAll(ctx context.Context) error {
	err := v.eachOwner(ctx, func(owner memory.DID) error {
		found, err := v.anyExpired(ctx, owner)
		if err == nil && found {
			_, err = v.sweepAgreed(ctx, owner)
		}
		return err
	})
	if ctx.Err() != nil || outOfReach(err) {
		return err
	}
	return errors.Join(err, v.refusal(engine(v.home), "sweep", "", v.compactIfOwed(ctx)))
}

// TidyAll is [Vault.Tidy] for the home owner and all admitted owners, and handles
// failures like [Vault.SweepAll].
func (v *Vault) TidyAll(ctx context.Context) error {
	return v.eachOwner(ctx, func(owner memory.DID) error {
		_, err := v.Tidy(ctx, owner)
		return err
	})
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
func (v *Vault) eachOwner(ctx context.Context, work func(memory.DID) error) error {
	owners, err := v.bare.Owners(ctx)
	if err != nil {
		return v.refusal(engine(v.home), "tidy", "", err)
	}
	var failures []error
	failed := 0
	for _, owner := range owners {
		began := time.Now()
		err := v.forOne(ctx, owner, work)
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
func (v *Vault) forOne(ctx context.Context, owner memory.DID, work func(memory.DID) error) error {
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
	t := time.NewTimer(min(d, longestPause))
	defer t.Stop()
	select {
	case <-ctx.Done():
	case <-t.C:
	}
}
