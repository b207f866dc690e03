package belief

import (
	"context"
	"errors"
	"time"

	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/internal/audit"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
)

// Retries of deliveries: the wait doubles up to longestWait, for mostTries tries. A
// delivery in progress belongs to the server that took it for the time leased.
const (
	firstRetry  = 5 * time.Second
	longestWait = time.Hour
	mostTries   = 20
	leased      = 2 * time.Minute
)

// toldAtOnce is how many owners Subscribed takes.
const toldAtOnce = 256

// lookAgain is when the subscriptions of an owner are looked at though nothing has changed:
// beliefs begin and end with time, and tokens do.
const lookAgain = 15 * time.Second

// Subscribed takes the owners with subscriptions to whom something may have happened, for
// the server that delivers. It goes on with [hooks.Deliveries] for each.
func (h *hooks) Subscribed(ctx context.Context) ([]memory.DID, error) {
	if h.kernel.ReadOnly() {
		return nil, nil
	}
	now := h.kernel.Now()
	owners, err := h.kernel.Bare().Due(ctx, store.Tell, now, toldAtOnce)
	var mine []memory.DID
	for _, owner := range owners {
		taken, failed := h.kernel.Bare().Lease(ctx, owner, store.Tell, now, now.Add(leased))
		if err = errors.Join(err, failed); taken {
			mine = append(mine, owner)
		}
	}
	return mine, err
}

// Deliveries takes an owner's due deliveries. Each is leased to the caller, who reports
// the outcome with [hooks.Delivered]. The feed of changes says what has happened,
// whichever process wrote it.
func (h *hooks) Deliveries(ctx context.Context, owner memory.DID) ([]engram.Delivery, error) {
	if h.kernel.ReadOnly() {
		return nil, nil
	}
	var have []hookForm
	var head int64
	err := h.kernel.Store().View(ctx, owner, func(r store.Reader) (err error) {
		if head, err = r.Head(); err == nil {
			have, err = hooksOf(r)
		}
		return err
	})
	var due []engram.Delivery
	for _, f := range have {
		if h.kernel.Now().Before(f.Next) {
			continue
		}
		d, ok, failed := h.delivery(ctx, owner, f)
		if err = errors.Join(err, failed); ok {
			due = append(due, d)
		}
	}
	if err != nil {
		return due, err
	}
	return due, h.lookLater(ctx, owner, head)
}

// lookLater files when to look at an owner's subscriptions again. Changes since the one
// numbered head have made that due at once.
func (h *hooks) lookLater(ctx context.Context, owner memory.DID, head int64) error {
	return h.kernel.Lessen(ctx, owner, func(w store.Writer) error {
		have, err := hooksOf(w)
		if err != nil || len(have) == 0 {
			return errors.Join(err, w.Reschedule(store.Tell, time.Time{}))
		}
		if now, err := w.Head(); err != nil || now != head {
			return err
		}
		next := h.kernel.Now().Add(lookAgain)
		for _, f := range have {
			if f.Next.After(h.kernel.Now()) && f.Next.Before(next) {
				next = f.Next
			}
		}
		return w.Reschedule(store.Tell, next)
	})
}

// delivery makes a delivery of the changes, if there are any. It ends a subscription
// whose token is no longer valid.
func (h *hooks) delivery(ctx context.Context, owner memory.DID, f hookForm) (engram.Delivery, bool, error) {
	d := engram.Delivery{Subscription: f.subscription()}
	if ended, err := h.hookEnded(ctx, owner, f); ended || err != nil {
		return d, false, err
	}
	delta, err := h.Diff(ctx, f.caller(owner), engram.Query{}, f.Since)
	if err != nil {
		return d, false, err
	}
	d.GeneratedAt, d.Happened = delta.GeneratedAt, delta.Events(f.Events)
	if len(d.Happened) == 0 {
		return d, false, nil
	}
	seal, err := h.hookSeal(owner)
	if err != nil {
		return d, false, err
	}
	secret, err := seal.Open(nil, nil, f.Secret, []byte(f.id))
	if err != nil {
		return d, false, h.changeHook(ctx, owner, f, func(w store.Writer, now hookForm) error {
			return h.endHook(w, now.caller(owner), now, "secret_lost")
		})
	}
	d.Secret = string(secret)
	taken := false
	err = h.changeHook(ctx, owner, f, func(w store.Writer, now hookForm) error {
		if taken = now.Next.Equal(f.Next) && now.Since.Equal(f.Since); !taken {
			return nil // another server has it
		}
		now.Next = h.kernel.Now().Add(leased)
		return now.keep(w)
	})
	return d, taken && err == nil, err
}

// hookEnded ends a subscription whose token has expired or was revoked.
func (h *hooks) hookEnded(ctx context.Context, owner memory.DID, f hookForm) (bool, error) {
	if f.Grant == nil {
		return false, nil
	}
	ended := !f.Grant.Expires.IsZero() && !h.kernel.Now().Before(f.Grant.Expires)
	err := h.kernel.Store().View(ctx, owner, func(r store.Reader) error {
		g, err := r.Grant(f.Grant.ID)
		ended = ended || err == nil && !g.Revoked.IsZero()
		return vault.NotFoundIsNone(err)
	})
	if err != nil || !ended {
		return false, err
	}
	return true, h.changeHook(ctx, owner, f, func(w store.Writer, now hookForm) error {
		return h.endHook(w, now.caller(owner), now, "token_ended")
	})
}

// changeHook changes a subscription that is still there.
func (h *hooks) changeHook(ctx context.Context, owner memory.DID, f hookForm, change func(store.Writer, hookForm) error) error {
	return h.kernel.Lessen(ctx, owner, func(w store.Writer) error {
		have, err := hooksOf(w)
		for _, now := range have {
			if now.id == f.id {
				return change(w, now)
			}
		}
		return err
	})
}

// Delivered records the outcome of a delivery. It arrived; or it failed and is tried
// again; or the receiver is gone and the subscription ends. The subscription also ends
// after mostTries failures. ended reports either end.
func (h *hooks) Delivered(ctx context.Context, owner memory.DID, d engram.Delivery, arrived, gone bool) (ended bool, err error) {
	err = h.changeHook(ctx, owner, hookForm{id: d.ID}, func(w store.Writer, now hookForm) error {
		ended = false
		switch {
		case arrived:
			if err := h.noteFailures(w, owner, now); err != nil {
				return err
			}
			now.Since, now.Tries, now.Next = d.GeneratedAt, 0, time.Time{}
		case gone:
			ended = true
			return h.endHook(w, now.caller(owner), now, "receiver_gone")
		default:
			if now.Tries++; now.Tries >= mostTries {
				ended = true
				return h.endHook(w, now.caller(owner), now, "unreachable")
			}
			now.Next = h.kernel.Now().Add(min(firstRetry<<(now.Tries-1), longestWait))
		}
		return now.keep(w)
	})
	return ended, err
}

// noteFailures notes how often a subscriber was unreachable before this delivery
// arrived.
func (h *hooks) noteFailures(w store.Writer, owner memory.DID, f hookForm) error {
	if f.Tries == 0 {
		return nil
	}
	return h.kernel.Note(w, f.caller(owner), audit.Entry{Act: audit.Undelivered, Format: engram.Name, Count: f.Tries})
}
