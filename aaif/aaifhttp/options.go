package aaifhttp

import (
	"cmp"
	"net/http"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/internal/httpkit"
	"github.com/satchel-memory/satchel/memory"
)

// Options configure the binding. The zero Options admit nobody, and accept states over
// TLS only.
type Options struct {
	httpkit.BaseOptions // Now decides when senders are too slow

	// Recipient receives the states that come with a migration token and no other
	// credential. The backend admits and receives them as this caller, who can do nothing
	// else. The zero Caller: states need credentials, too.
	Recipient memory.Caller

	// Local accepts and returns states without TLS between programs on this machine, for
	// tests and for a local proxy with TLS. Requests from elsewhere still need TLS.
	Local bool

	Runs      Runs          // executes agents; nil: none runs here, and there are no routes for it
	Triggers  Triggers      // starts agents by events; nil: nothing does, and there are no routes for it
	Heartbeat time.Duration // between two signs of life of a stream of events; 0: 15 s

	MaxAgent int64         // bytes of a definition, and of what a run is started with; 0: [aaif.MaxDefinition]
	MaxState int64         // bytes of a state, in one document or as a stream; 0: [aaif.MaxState]
	Patience time.Duration // the longest wait for a piece of a body; 0: 30 s
	Slots    Slot          // limits simultaneous states; nil: no limit
}

// Slot reserves a slot for a request; ok is false if none is free.
type Slot func(*http.Request) (leave func(), ok bool)

func (o Options) filled() Options {
	o.BaseOptions = httpkit.Filled(o.BaseOptions)
	if o.Slots == nil {
		o.Slots = func(*http.Request) (func(), bool) { return func() {}, true }
	}
	o.MaxAgent = cmp.Or(o.MaxAgent, aaif.MaxDefinition)
	o.MaxState = cmp.Or(o.MaxState, aaif.MaxState)
	o.Heartbeat = cmp.Or(o.Heartbeat, 15*time.Second)
	o.Patience = cmp.Or(o.Patience, httpkit.Patience)
	return o
}
