package engramhttp

import (
	"cmp"
	"time"

	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/internal/httpkit"
)

// Options steer the API. With the zero value nobody is let in and nothing is signed.
type Options struct {
	// Authenticate may fail with an [engram.Fault] of code token_expired, too. Now has to
	// be set where there is an Issuer.
	httpkit.BaseOptions

	// Issuer says who issues contexts at the moment, and with which key; it is asked
	// for every request. nil: nobody does.
	Issuer func() (Issuer, error)
	// NoPending leaves corrections out of contexts that wait for the owner (decision
	// E-11).
	NoPending bool
	// Constraints puts constraints into contexts (edition 0.1.2). False: they are kept,
	// and not shown.
	Constraints bool
	Next        Next // what of the roadmap is offered; the zero Next: nothing

	MaxBody int64         // bytes of a request's body; 0: 64 KiB
	Cache   int64         // bytes of signed contexts that are kept at most; 0: 64 MiB
	Idle    time.Duration // for how long one is kept that nobody asks for; 0: 5 min
}

// Issuer is who issues contexts, with a key.
type Issuer struct {
	engram.Issuer
	Kid string // of the key that signs
	// Sign makes a document of a view, good for [engram.DefaultLifetime], and signs it;
	// nil: there is no key here.
	Sign func(v engram.View, now time.Time) ([]byte, error)
	// Keys are the keys for verifying it, as [engram.EncodeKeys] writes them.
	Keys []byte
	// JWKS are the same as [engram.JWKS] writes them.
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
