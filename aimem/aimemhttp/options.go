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

// Options configure the handler. With the zero value nobody can sign in, nobody can
// import, and signatures must be valid.
type Options struct {
	httpkit.BaseOptions // Report is told of exports that broke off, too

	Producer string // Producer Namespace of this server's bundles
	Release  string // version of the program
	// Sign signs exports (section 5.3); nil: exports are not signed.
	Sign func(aimem.Payload) ([]byte, error)
	// PublicKey returns the COSE_Key that verifies signatures of Sign; nil, or an empty
	// result: there is none.
	PublicKey func() []byte
	// Own returns the trusted keys of this server's own bundles.
	Own func() []aimem.Key
	// Policy says which signatures an import needs; empty: VerifyPresent.
	Policy aimem.Policy

	// Spool returns a spool for a body. nil: nobody can import.
	Spool func() (codec.Spool, error)
	// MaxBundle is the most bytes of a bundle; 0: the default of [aimem.Limits].
	MaxBundle int64
	// Patience is the longest time for one piece of a body; 0: 30 s.
	Patience time.Duration
	// Exporting returns once it is an owner's turn to export, or ok is false: the owner has
	// no turn soon. It may wait, at most until the context ends. leave ends the turn. nil:
	// it is every owner's turn at once.
	Exporting func(context.Context, memory.DID) (leave func(), ok bool)
	// Importing is Exporting for an import.
	Importing func(context.Context, memory.DID) (leave func(), ok bool)
}

// limits are those that bundles have to keep.
func (h *Handler) limits() aimem.Limits {
	return aimem.Limits{Document: h.options.MaxBundle}.Filled()
}

func (o Options) filled() Options {
	o.BaseOptions = httpkit.Filled(o.BaseOptions)
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
		o.Exporting = func(context.Context, memory.DID) (func(), bool) { return func() {}, true }
	}
	if o.Importing == nil {
		o.Importing = func(context.Context, memory.DID) (func(), bool) { return func() {}, true }
	}
	o.Policy = cmp.Or(o.Policy, aimem.VerifyPresent)
	o.MaxBundle = aimem.Limits{Document: o.MaxBundle}.Filled().Document
	o.Patience = cmp.Or(o.Patience, httpkit.Patience)
	return o
}
