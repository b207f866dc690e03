package server

import (
	"context"
	"errors"
	"time"

	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/memory"
)

// Notifier is a [Backend] that knows who is to be told of changes (Engram 12.5).
type Notifier interface {
	// State is that of [engram.Backend].
	State(ctx context.Context, c memory.Caller) (state int64, until time.Time, err error)
	// Subscribed lists the owners with subscriptions.
	Subscribed(ctx context.Context) ([]memory.DID, error)
	// Deliveries takes those of an owner's that are due.
	Deliveries(ctx context.Context, owner memory.DID) ([]engram.Delivery, error)
	// Delivered says what came of one, and returns whether the subscription has ended.
	Delivered(ctx context.Context, owner memory.DID, d engram.Delivery, arrived, gone bool) (ended bool, err error)
}

var _ Notifier = over{}

// How often it is looked whether something has changed, and for whom that is to be
// looked; and how often all subscriptions are looked at, though nothing has changed.
const (
	lookEvery  = time.Second
	whoseEvery = 5 * time.Second
	allEvery   = 15 * time.Second
)

// manyDeliveries is how many deliveries are under way at once.
const manyDeliveries = 8

// teller tells subscribers of changes, whichever process made them.
type teller struct {
	backend Notifier
	options Options
	post    *poster
	room    chan struct{}

	owners []memory.DID
	asked  time.Time // for the owners
	seen   map[memory.DID]seenState
}

// seenState is the state in which an owner's memory was when it was looked at.
type seenState struct {
	state int64
	at    time.Time
}

// tellSubscribers tells until ctx ends, and closes what it returns when it is done.
func tellSubscribers(ctx context.Context, o Options) chan struct{} {
	done := make(chan struct{})
	b, ok := o.Backend.(Notifier)
	if !ok || !o.Contexts.Next.Subscriptions {
		close(done)
		return done
	}
	t := &teller{backend: b, options: o, post: newPoster(o.Contexts), room: make(chan struct{}, manyDeliveries), seen: map[memory.DID]seenState{}}
	go func() {
		defer close(done)
		t.run(ctx)
	}()
	return done
}

func (t *teller) run(ctx context.Context) {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			for range manyDeliveries { // those under way end with ctx
				t.room <- struct{}{}
			}
			return
		case <-tick.C:
			if err := t.look(ctx); err != nil && ctx.Err() == nil {
				t.options.Log.Error("subscribers cannot be told of changes", "error", err)
			}
		}
	}
}

// look takes and sends what is due.
func (t *teller) look(ctx context.Context) error {
	now := time.Now()
	if now.Sub(t.asked) >= whoseEvery {
		owners, err := t.backend.Subscribed(ctx)
		if err != nil {
			return err
		}
		t.owners, t.asked = owners, now
	}
	var failed error
	for _, owner := range t.owners {
		failed = errors.Join(failed, t.lookAt(ctx, owner, now))
	}
	return failed
}

// lookAt looks at the subscriptions of an owner if something has changed, and now and
// then.
func (t *teller) lookAt(ctx context.Context, owner memory.DID, now time.Time) error {
	state, _, err := t.backend.State(ctx, memory.Caller{Owner: owner, Role: memory.Owner})
	if err != nil {
		return err
	}
	if s := t.seen[owner]; s.state == state && now.Sub(s.at) < allEvery {
		return nil
	}
	due, err := t.backend.Deliveries(ctx, owner)
	if err != nil {
		return err
	}
	t.seen[owner] = seenState{state, now}
	for _, d := range due {
		t.room <- struct{}{}
		go func() {
			defer func() { <-t.room }()
			t.deliver(ctx, owner, d)
		}()
	}
	return nil
}

// deliver sends one delivery and says what came of it.
func (t *teller) deliver(ctx context.Context, owner memory.DID, d engram.Delivery) {
	arrived, gone, err := t.post.send(ctx, d)
	if ctx.Err() != nil {
		return // whoever comes next takes it again
	}
	if err != nil {
		t.options.Log.Warn("a subscriber was not told of changes", "subscription", d.ID, "error", err)
	}
	ended, err := t.backend.Delivered(ctx, owner, d, arrived, gone)
	if err != nil {
		t.options.Log.Error("what came of a delivery cannot be kept", "subscription", d.ID, "error", err)
	}
	if ended {
		t.options.Log.Warn("a subscription has ended: its receiver is gone", "subscription", d.ID)
	}
}
