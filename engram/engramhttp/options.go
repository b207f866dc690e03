package engramhttp

import (
	"cmp"
	"time"

	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/internal/httpkit"
)

// Options configure the API. The zero value admits nobody and signs nothing.
type Options struct {
	// Authenticate may also fail with an [engram.Fault] of code token_expired. Now is
	// required with an Issuer.
	httpkit.BaseOptions

	// Issuer returns the present issuer of contexts and its key; the handler calls it for
	// every request. nil: no issuer.
	Issuer func() (Issuer, error)
	// NoPending leaves corrections that wait for the owner out of contexts (decision E-11).
	NoPending bool
	// Constraints adds constraints to contexts (edition 0.1.2). Without it the store keeps
	// them and contexts lack them.
	Constraints bool
	Next        Next // what to offer of the roadmap; zero: nothing

	MaxBody int64         // most bytes of a request's body; 0: 64 KiB
	Cache   int64         // most bytes of cached contexts; 0: 64 MiB
	Idle    time.Duration // how long an unused context stays cached; 0: 5 min
}

// Issuer issues contexts with a key.
type Issuer struct {
	engram.Signer // without Key: this server issues nothing
	// Keys are the issuer's public keys, as [engram.EncodeKeys] writes them.
	Keys []byte
	// JWKS are the same keys as [engram.JWKS] writes them.
	JWKS []byte
}

func (o Options) filled() Options {
	o.BaseOptions = httpkit.Filled(o.BaseOptions)
	if o.Issuer == nil {
		o.Issuer = func() (Issuer, error) { return Issuer{}, nil }
	}
	o.MaxBody = cmp.Or(o.MaxBody, 64<<10)
	o.Cache = cmp.Or(o.Cache, 64<<20)
	o.Idle = cmp.Or(o.Idle, 5*time.Minute)
	return o
}
