package tool

import (
	"context"
	"crypto/x509"
	"net/netip"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
)

// Options say for whom tools are called, and with what. The zero Options grants no tool.
type Options struct {
	Operator Operator
	Agent    string // the id of the agent
	Person   string // for whom the agent runs; answers and tokens are kept per person
	// Strict disables MCP tools whose schema differs from the declared one, and makes
	// results that violate the output schema errors (safety levels strict and regulated).
	Strict bool
	// Stub answers in place of tools; nil: tools are called. StubReads: also in place of those
	// that only read.
	Stub      Stub
	StubReads bool
	// Env reads a variable of the environment; nil: none is set. It is called only for names
	// that the operator allows.
	Env func(name string) (string, bool)
	// Vault resolves references to providers for which the operator has no command; nil: no
	// such provider is there.
	Vault func(context.Context, aaif.VaultRef) (string, error)
	// Now returns the time; nil: [time.Now].
	Now func() time.Time
	// Wait waits, for rate limits; nil: a timer. It returns the error of a context that ends
	// first.
	Wait func(context.Context, time.Duration) error
	// Dir is the folder of OpenAPI descriptions with relative paths; empty: none is read.
	Dir string
	// Shared holds what calls of a process share: limits, cached answers, tokens. nil: they
	// last as long as the Set.
	Shared *Shared
	// Lookup resolves names of hosts; nil: the system's resolver.
	Lookup func(ctx context.Context, network, host string) ([]netip.Addr, error)
	// Roots are the certificate authorities of servers; nil: those of the system.
	Roots *x509.CertPool
}

// Offered is a tool as it is offered to a model.
type Offered struct {
	Name        string // unique in a Set, at most 64 characters of [a-zA-Z0-9_-]
	Description string
	Parameters  canon.Value // JSON Schema of the arguments; as declared, if declared
	Output      canon.Value // JSON Schema of the result; undefined: none
	Nature      aaif.ToolNature
	Of          aaif.Tool // the entry of the definition
	// Missing says why the tool is not offered and cannot be called; nil: it is offered.
	Missing  *Error
	Warnings []string // what the operator should know about the tool
}

// Call is a call of an offered tool.
type Call struct {
	Name      string
	Arguments canon.Value // an object; undefined: no arguments
	Key       string      // the idempotency key that is sent along; empty: none

	admitted bool // it has its place within the limits of the tool
}

// Result is the answer of a tool.
type Result struct {
	Text     string      // what the model is told: JSON or text
	Value    canon.Value // the answer as JSON; undefined: it is none
	IsError  bool        // the tool said no
	Images   []Image
	Cached   bool     // the tool was not called: an earlier answer was used
	Warnings []string // for the operator
}

// Image is a picture in a result.
type Image struct {
	Media string // media type, such as image/png
	Data  []byte
}
