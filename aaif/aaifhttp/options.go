package aaifhttp

import (
	"cmp"
	"net/http"
	"time"

	"github.com/satchel-memory/satchel/memory"
)

// Options steer the binding. With the zero value nobody is let in, and no state comes
// in but over TLS.
type Options struct {
	// Authenticate says who asks, or fails with an error of kind Unauthorized. nil:
	// nobody is let in.
	Authenticate func(*http.Request) (memory.Caller, error)
	// Recipient is for whom states are taken in that come without credentials, with
	// a migration token alone: the backend is asked to admit and to receive them as this
	// caller, and nothing else is. The zero Caller: they need credentials, too.
	Recipient memory.Caller
	// Refused is told of requests that are turned away here because of who sent
	// them. nil: nobody is told.
	Refused func(*http.Request, memory.ErrorKind)
	// Report receives the cause of every answer that hides one. nil: causes are
	// dropped.
	Report func(*http.Request, error)
	// Now tells the time; nil: senders are not cut off by it.
	Now func() time.Time

	// Local lets states come and go without TLS between programs of this machine: for
	// tests, and for a proxy on this machine that others reach over TLS. From
	// elsewhere they are refused all the same.
	Local bool

	MaxAgent int64         // bytes of a definition; 0: 1 MiB
	MaxState int64         // bytes of a state, in one document or as a stream; 0: 4 MiB
	Patience time.Duration // for a client to send a piece of a body; 0: 30 s
	Landing  Place         // finds a place for a state that comes; nil: there is always one
}

// Place finds a place for a request; ok is false where there is none.
type Place func(*http.Request) (leave func(), ok bool)

// Defaults of the options.
const (
	maxAgent = 1 << 20
	maxState = 4 << 20
	patience = 30 * time.Second
	maxList  = 200
)

func (o Options) filled() Options {
	if o.Authenticate == nil {
		o.Authenticate = func(*http.Request) (memory.Caller, error) {
			return memory.Caller{}, &memory.Error{Kind: memory.Unauthorized, Message: "nobody can sign in here"}
		}
	}
	if o.Refused == nil {
		o.Refused = func(*http.Request, memory.ErrorKind) {}
	}
	if o.Report == nil {
		o.Report = func(*http.Request, error) {}
	}
	if o.Now == nil {
		o.Now = func() time.Time { return time.Time{} }
	}
	if o.Landing == nil {
		o.Landing = func(*http.Request) (func(), bool) { return func() {}, true }
	}
	o.MaxAgent = cmp.Or(o.MaxAgent, maxAgent)
	o.MaxState = cmp.Or(o.MaxState, maxState)
	o.Patience = cmp.Or(o.Patience, patience)
	return o
}
