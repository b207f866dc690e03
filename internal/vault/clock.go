package vault

import (
	"context"
	"slices"
	"strconv"
	"time"

	"github.com/satchel-memory/satchel/internal/audit"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// A single wrong clock reading must not erase records with a retention. The vault
// believes a clock as far as the store confirms it: by earlier changes, in their order,
// whatever times they carry. If nothing was written for more than a day before the last
// day, the clock may have jumped, or nobody was here. Then the vault erases only records
// that had expired at the store's last write, at least a day ago by this clock. It hides
// the rest, and erases it a day after somebody was here again, or when the owner
// confirms the clock.

// agreeing is how long a clock must agree with the store to be believed, and the longest
// pause between writes.
const agreeing = 24 * time.Hour

// Hold describes records that have expired by this machine's clock and are not erased
// yet.
type Hold struct {
	Count  int       // of memories
	Until  time.Time // records that expired by then may be erased
	Newest time.Time // the time of the last write; zero: none
	marked bool      // somebody was here within the last day
	Head   int64     // the number of the last change
}

// Held returns an owner's held-back records, and writes nothing.
func (e *eraser) Held(ctx context.Context, owner memory.DID) (held Hold, err error) {
	err = e.store.View(ctx, owner, func(r store.Reader) error {
		held, err = holdOf(r, Instant(e.now()))
		return err
	})
	return held, e.refusal(engine(owner), "sweep", "", err)
}

func holdOf(r store.Reader, now time.Time) (h Hold, err error) {
	if h, err = Written(r, now); err != nil {
		return h, err
	}
	due, err := r.Count(store.Filter{Expired: now})
	if err != nil || due == 0 || !h.Until.Before(now) {
		return h, err
	}
	agreed, err := r.Count(store.Filter{Expired: h.Until})
	h.Count = due - agreed
	return h, err
}

// Written finds up to when the store confirms a clock that reads now. It walks back over
// the changes in order and skips changes with later times.
func Written(r store.Reader, now time.Time) (h Hold, err error) {
	first, last, place := now, time.Time{}, int64(0) // of the last day, and before it
	if h.Head, err = r.Head(); err != nil {
		return h, err
	}
	look := func(at time.Time, sequence int64) (done bool) {
		switch {
		case at.After(now):
		case at.After(now.Add(-agreeing)):
			h.marked = true
			if at.Before(first) {
				first = at
			}
		default:
			last, place = at, sequence
		}
		return !last.IsZero()
	}
	err = changesBack(r, h.Head, func(c store.Change) bool {
		if h.Newest.IsZero() {
			h.Newest = c.At
		}
		return look(c.At, c.Sequence)
	})
	if err != nil {
		return h, err
	}
	if err = marksBack(r, place, func(at time.Time) {
		if at.After(last) && !at.After(now) {
			look(at, h.Head)
		}
	}); err != nil {
		return h, err
	}
	h.Until = now
	if !last.IsZero() && first.Sub(last) > agreeing {
		h.Until = last
	}
	return h, nil
}

// changesBack passes changes to see, latest first, until see returns false.
func changesBack(r store.Reader, head int64, see func(store.Change) bool) error {
	const width = 256 // of the numbers that are looked at; an import takes one for each record
	for before, wide := head, int64(width); before > 0; {
		from := max(before-wide, 0)
		changes, err := r.Changes(from, int(before-from))
		if err != nil {
			return err
		}
		for _, c := range slices.Backward(changes) {
			if c.Sequence <= before && see(c) {
				return nil
			}
		}
		before = from
		if wide *= 8; len(changes) > 0 {
			wide = width
		}
	}
	return nil
}

// marksBack passes to see the times at which expired content was held back since a
// change. Each shows that somebody was here.
func marksBack(r store.Reader, after int64, see func(at time.Time)) error {
	entries, _, err := r.Audit().AuditSize()
	if err != nil || entries == 0 {
		return err
	}
	const few = 64
	list, err := audit.Entries(r.Audit(), max(entries-few, 0), few)
	for _, e := range list {
		if head, wrong := strconv.ParseInt(e.Result, 10, 64); e.Act == audit.Hold && wrong == nil && head >= after {
			see(e.At)
		}
	}
	return err
}

// SweepAgreed is [Vault.Sweep] up to the time that the store confirms, see [Hold]. It
// notes held-back records in the audit log, so that a later clock can agree.
func (v *Vault) SweepAgreed(ctx context.Context, owner memory.DID) (int, error) {
	swept, err := v.sweepAgreed(ctx, owner)
	if err == nil {
		err = v.compactIfOwed(ctx)
	}
	return swept, v.refusal(engine(owner), "sweep", "", err)
}

func (e *eraser) sweepAgreed(ctx context.Context, owner memory.DID) (int, error) {
	held, err := e.Held(ctx, owner)
	if err != nil {
		return 0, err
	}
	if held.Count > 0 {
		e.log.Warn("vault", "op", "sweep", "held", held.Count, "until", held.Until)
	}
	if held.Count > 0 && !held.marked {
		err = e.unasked(ctx, sweeping, owner, func(w store.Writer) error {
			return e.note(w, engine(owner), audit.Entry{Act: audit.Hold, Count: held.Count, Result: strconv.FormatInt(held.Head, 10)})
		})
		if err != nil {
			return 0, err
		}
	}
	return e.sweep(ctx, owner, held.Until)
}
