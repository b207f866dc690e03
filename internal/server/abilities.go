package server

import (
	"context"
	"time"

	"github.com/satchel-memory/satchel/memory"
)

// admitter is a [Backend] that knows capability tokens (UMP 5.2). With another backend the
// server admits the owner only.
type admitter interface {
	// Admit returns the caller that a token admits, or an error of kind Unauthorized. The
	// server calls it once for every request with a token, and now and then while a stream
	// is open.
	Admit(ctx context.Context, token string) (memory.Caller, error)
}

// refusalRecorder is a [Backend] that records the refusals that the server makes without
// asking it.
type refusalRecorder interface {
	// Refused records a refused request and its route: credentials were missing, or
	// invalid, or something else. The backend limits how many it keeps.
	Refused(ctx context.Context, what memory.ErrorKind, route string)
}

// statsSource is a [Backend] that counts things for the server's operator.
type statsSource interface {
	// Metrics returns numbers by name, in lower case and with underscores. No name may come
	// from a memory.
	Metrics(ctx context.Context) map[string]float64
}

// publisher is a [Backend] that hands public records to anybody.
type publisher interface {
	// Public yields the owner's public records that may leave, redacted. It stops at the
	// first error of yield and returns it.
	Public(ctx context.Context, owner memory.DID, yield func(memory.Record) error) error
}

// sharedLimiter is a [Backend] that counts requests for all servers over one store. While
// it does not answer, each server counts alone.
type sharedLimiter interface {
	// Take takes up to want tokens out of the bucket of a rate key; the bucket belongs to
	// an owner. It returns how many tokens it took. If the bucket is empty, it returns how
	// long until there is one. A bucket begins full with burst tokens and gains rate tokens
	// a second. Take fails with kind Unsupported if the store shares nothing.
	Take(ctx context.Context, owner memory.DID, key string, want, burst int, rate float64) (got int, wait time.Duration, err error)
}

// recordRefusal passes a refusal on to a backend that records refusals.
func (o Options) recordRefusal(ctx context.Context, what memory.ErrorKind, route string) {
	if b, ok := o.Backend.(refusalRecorder); ok {
		b.Refused(ctx, what, route)
	}
}
