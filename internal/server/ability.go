package server

import (
	"context"
	"time"

	"github.com/satchel-memory/satchel/memory"
)

// Admitter is a [Backend] that knows capability tokens (UMP 5.2). Without it
// nobody but the owner is let in.
type Admitter interface {
	// Admit returns whom a token lets in, or an error of kind Unauthorized. It is
	// called once for every request that shows a token, and now and then while a
	// stream is open.
	Admit(ctx context.Context, token string) (memory.Caller, error)
}

// Refuser is a [Backend] that takes note of refusals which the server makes
// before the backend is asked.
type Refuser interface {
	// Refused tells of a request that was turned away, on which route: for want of
	// credentials, or because they open nothing, or something else. How many of them
	// are kept is the backend's to bound.
	Refused(ctx context.Context, what memory.ErrorKind, route string)
}

// Counter is a [Backend] that counts things for whoever runs the server.
type Counter interface {
	// Metrics returns numbers by name, in lower case and with underscores. None of
	// the names may come from what is remembered.
	Metrics(ctx context.Context) map[string]float64
}

// Publisher is a [Backend] whose public records can be handed to anybody.
type Publisher interface {
	// Public yields the owner's public records that may leave, redacted, and stops
	// at the first error of yield, which it returns.
	Public(ctx context.Context, owner memory.DID, yield func(memory.Record) error) error
}

// Shared is a [Backend] that counts requests for all servers over one store. Where
// it cannot be asked, each server counts alone.
type Shared interface {
	// Take takes up to want tokens out of the bucket of a payer, which lies with an
	// owner, and returns how many there were, and when there are none how long until
	// there is one. A bucket begins full with burst tokens and is refilled by rate
	// tokens a second. It fails with kind Unsupported where nothing is shared.
	Take(ctx context.Context, owner memory.DID, payer string, want, burst int, rate float64) (got int, wait time.Duration, err error)
}

// tell passes a refusal on to a backend that listens.
func (o Options) tell(ctx context.Context, what memory.ErrorKind, route string) {
	if b, ok := o.Backend.(Refuser); ok {
		b.Refused(ctx, what, route)
	}
}
