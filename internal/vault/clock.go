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

// A clock that is wrong once must not erase what has a retention. What a clock says is
// believed as far as the store bears it out: by what was written before, in the order in
// which that was written, whatever times it says. Where nothing was written for more than
// a day before the last day, the clock may have jumped, or nobody was here. Then only
// what had expired when the store was last written, at least a day ago by this clock, is
// erased. The rest is hidden. It is erased a day after somebody was here again, or when
// the owner says that the clock is right.

// agreeing is for how long a clock goes on as the store says before it is believed, and
// how long nothing may have been written.
const agreeing = 24 * time.Hour

// Hold says what has expired by the clock of this machine and is not erased yet.
type Hold struct {
	Count  int       // of memories
	Until  time.Time // what expired by then may be erased
	Newest time.Time // what was written last says that it was then; zero: nothing was
	marked bool      // somebody was here within the last day
	Head   int64     // the number of the last change
}

// Held returns what is held back of an owner's, and writes nothing.
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

// Written finds up to when the store bears a clock out that says now: it goes back over
// the changes in their order, and leaves out what says that it was later.
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

// changesBack hands on changes, latest first, until see has seen enough.
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

// marksBack hands on the times at which expired content was held back, since the change
// with a number: that somebody was here then.
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

// SweepAgreed is [Vault.Sweep] as far as the store bears the clock out, see [Hold]. That
// something is held back stands in the audit log, so that a later clock can agree.
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
