package aaifhttp

import (
	"cmp"
	"net/http"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/internal/httpkit"
	"github.com/satchel-memory/satchel/memory"
)

// Options steer the binding. With the zero value nobody is let in, and no state comes
// in but over TLS.
type Options struct {
	httpkit.Door // Now cuts off senders that are too slow

	// Recipient is for whom states are taken in that come without credentials, with
	// a migration token alone: the backend is asked to admit and to receive them as this
	// caller, and nothing else is. The zero Caller: they need credentials, too.
	Recipient memory.Caller

	// Local lets states come and go without TLS between programs of this machine: for
	// tests, and for a proxy on this machine that others reach over TLS. From
	// elsewhere they are refused all the same.
	Local bool

	MaxAgent int64         // bytes of a definition; 0: [aaif.MaxDefinition]
	MaxState int64         // bytes of a state, in one document or as a stream; 0: [aaif.MaxState]
	Patience time.Duration // for a client to send a piece of a body; 0: 30 s
	Landing  Place         // finds a place for a state that comes; nil: there is always one
}

// Place finds a place for a request; ok is false where there is none.
type Place func(*http.Request) (leave func(), ok bool)

func (o Options) filled() Options {
	o.Door = httpkit.Filled(o.Door)
	if o.Landing == nil {
		o.Landing = func(*http.Request) (func(), bool) { return func() {}, true }
	}
	o.MaxAgent = cmp.Or(o.MaxAgent, aaif.MaxDefinition)
	o.MaxState = cmp.Or(o.MaxState, aaif.MaxState)
	o.Patience = cmp.Or(o.Patience, httpkit.Patience)
	return o
}
