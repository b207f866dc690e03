package server

import (
	"context"
	"errors"
	"time"

	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/memory"
)

// notifier is a [Backend] that knows the subscribers to changes (Engram 12.5).
type notifier interface {
	// State is the method of [engram.Backend].
	State(ctx context.Context, c memory.Caller) (state int64, until time.Time, err error)
	// Subscribed lists the owners with subscriptions.
	Subscribed(ctx context.Context) ([]memory.DID, error)
	// Deliveries takes the deliveries of an owner that are due.
	Deliveries(ctx context.Context, owner memory.DID) ([]engram.Delivery, error)
	// Delivered records the result of a delivery, and returns whether the subscription has
	// ended.
	Delivered(ctx context.Context, owner memory.DID, d engram.Delivery, arrived, gone bool) (ended bool, err error)
}

var _ notifier = vaultBackend{}

// How often the server looks for changes, how often it lists the owners with subscriptions,
// and how often it goes through all subscriptions although nothing has changed.
const (
	lookEvery  = time.Second
	whoseEvery = 5 * time.Second
	allEvery   = 15 * time.Second
)

// manyDeliveries is how many deliveries run at once.
const manyDeliveries = 8

// deliveryLoop notifies subscribers of changes that any process made.
type deliveryLoop struct {
	backend notifier
	options Options
	post    *webhookClient
	room    chan struct{}

	owners []memory.DID
	asked  time.Time // the owners were listed
	seen   map[memory.DID]ownerState
}

// ownerState is the state of an owner's memory at the last look.
type ownerState struct {
	state int64
	at    time.Time
}

// startDeliveries delivers until ctx ends. It closes the channel that it returns when it is
// done.
func startDeliveries(ctx context.Context, o Options) chan struct{} {
	done := make(chan struct{})
	b, ok := o.Backend.(notifier)
	if !ok || !o.Contexts.Next.Subscriptions {
		close(done)
		return done
	}
	t := &deliveryLoop{backend: b, options: o, post: newWebhookClient(o.Contexts), room: make(chan struct{}, manyDeliveries), seen: map[memory.DID]ownerState{}}
	go func() {
		defer close(done)
		t.run(ctx)
	}()
	return done
}

func (t *deliveryLoop) run(ctx context.Context) {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			for range manyDeliveries { // the running ones end with ctx
				t.room <- struct{}{}
			}
			return
		case <-tick.C:
			if err := t.poll(ctx); err != nil && ctx.Err() == nil {
				t.options.Log.Error("subscribers cannot be told of changes", "error", err)
			}
		}
	}
}

// poll takes and sends the deliveries that are due.
func (t *deliveryLoop) poll(ctx context.Context) error {
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
		failed = errors.Join(failed, t.pollOwner(ctx, owner, now))
	}
	return failed
}

// pollOwner takes an owner's deliveries if something has changed, and from time to time.
func (t *deliveryLoop) pollOwner(ctx context.Context, owner memory.DID, now time.Time) error {
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
	t.seen[owner] = ownerState{state, now}
	for _, d := range due {
		t.room <- struct{}{}
		go func() {
			defer func() { <-t.room }()
			t.deliver(ctx, owner, d)
		}()
	}
	return nil
}

// deliver sends one delivery and records the result.
func (t *deliveryLoop) deliver(ctx context.Context, owner memory.DID, d engram.Delivery) {
	arrived, gone, err := t.post.send(ctx, d)
	if ctx.Err() != nil {
		return // the next process takes it again
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
