package aimemhttp

import (
	"cmp"
	"context"
	"time"

	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/internal/httpkit"
	"github.com/satchel-memory/satchel/memory"
)

// Options steer the profile. With the zero value nobody is let in, nothing can be
// imported, and signatures that are there have to be valid.
type Options struct {
	httpkit.Door // Report is told of exports that broke off, too

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

// limits are those that bundles have to keep.
func (h *Handler) limits() aimem.Limits {
	return aimem.Limits{Document: h.options.MaxBundle}.Filled()
}

func (o Options) filled() Options {
	o.Door = httpkit.Filled(o.Door)
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
	o.Patience = cmp.Or(o.Patience, httpkit.Patience)
	return o
}
