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
	// Subscribed takes the owners to whose subscribers something may have to be told.
	Subscribed(ctx context.Context) ([]memory.DID, error)
	// Deliveries takes the deliveries of an owner that are due.
	Deliveries(ctx context.Context, owner memory.DID) ([]engram.Delivery, error)
	// Delivered records the result of a delivery, and returns whether the subscription has
	// ended.
	Delivered(ctx context.Context, owner memory.DID, d engram.Delivery, arrived, gone bool) (ended bool, err error)
}

var _ notifier = vaultBackend{}

// lookEvery is how often the server asks whether something is due.
const lookEvery = time.Second

// manyDeliveries is how many deliveries run at once.
const manyDeliveries = 8

// deliveryLoop notifies subscribers of changes that any process made.
type deliveryLoop struct {
	backend notifier
	options Options
	post    *webhookClient
	room    chan struct{}
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
	t := &deliveryLoop{backend: b, options: o, post: newWebhookClient(o.Contexts), room: make(chan struct{}, manyDeliveries)}
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
	owners, failed := t.backend.Subscribed(ctx)
	for _, owner := range owners {
		due, err := t.backend.Deliveries(ctx, owner)
		failed = errors.Join(failed, err)
		for _, d := range due {
			t.room <- struct{}{}
			go func() {
				defer func() { <-t.room }()
				t.deliver(ctx, owner, d)
			}()
		}
	}
	return failed
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
