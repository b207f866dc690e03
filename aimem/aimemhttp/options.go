package aimemhttp

import (
	"cmp"
	"context"
	"net/http"
	"time"

	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

// Options steer the profile. With the zero value nobody is let in, nothing can be
// imported, and signatures that are there have to be valid.
type Options struct {
	// Authenticate says who asks, or fails with an error of kind Unauthorized.
	// nil: nobody is let in.
	Authenticate func(*http.Request) (memory.Caller, error)
	// Refused is told of requests that are turned away here because of who sent
	// them. nil: nobody is told.
	Refused func(*http.Request, memory.ErrorKind)
	// Report receives the cause of every answer that hides one, and of exports that
	// broke off. nil: causes are dropped.
	Report func(*http.Request, error)
	// Now tells the time; nil: nothing that takes long is cut off by it.
	Now func() time.Time

	Producer string // Producer Namespace of this server's bundles
	Release  string // version of the program
	// Sign signs what is exported (section 5.3); nil: exports are not signed.
	Sign func(aimem.Payload) ([]byte, error)
	// PublicKey returns the key for verifying that as a COSE_Key; nil, or nothing:
	// there is none.
	PublicKey func() []byte
	// Own are the keys by which this server's own bundles are known.
	Own func() []aimem.Key
	// Policy says what the signature of a bundle has to be; empty: VerifyPresent.
	Policy aimem.Policy

	// Spool makes room for a body. nil: bundles cannot be imported.
	Spool func() (codec.Spool, error)
	// MaxBundle is the most bytes of a bundle; 0: the default of [aimem.Limits].
	MaxBundle int64
	// Patience is how long a client may take to send a piece of a body; 0: 30 s.
	Patience time.Duration
	// Exporting finds a place for an export; ok is false when there is none. nil:
	// there is always one.
	Exporting func(memory.DID) (leave func(), ok bool)
	// Importing is Exporting for imports. It may wait for a place.
	Importing func(context.Context, memory.DID) (leave func(), ok bool)
}

// patience is the default of Options.Patience.
const patience = 30 * time.Second

// limits are those that bundles have to keep.
func (h *Handler) limits() aimem.Limits {
	return aimem.Limits{Document: h.options.MaxBundle}.Filled()
}

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
	if o.PublicKey == nil {
		o.PublicKey = func() []byte { return nil }
	}
	if o.Own == nil {
		o.Own = func() []aimem.Key { return nil }
	}
	if o.Spool == nil {
		o.Spool = func() (codec.Spool, error) {
			return nil, &memory.Error{Kind: memory.Unsupported, Op: "import", Message: "bundles are not taken in here"}
		}
	}
	if o.Exporting == nil {
		o.Exporting = func(memory.DID) (func(), bool) { return func() {}, true }
	}
	if o.Importing == nil {
		o.Importing = func(context.Context, memory.DID) (func(), bool) { return func() {}, true }
	}
	o.Policy = cmp.Or(o.Policy, aimem.VerifyPresent)
	o.MaxBundle = aimem.Limits{Document: o.MaxBundle}.Filled().Document
	o.Patience = cmp.Or(o.Patience, patience)
	return o
}
