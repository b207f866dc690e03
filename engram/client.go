package engram

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// Transport carries the requests of a [Client]. Package engramhttp has one.
type Transport interface {
	// Do sends a request and returns the answer, whatever its status. It fails without an
	// answer, with an answer longer than r.Most, and when another origin would answer.
	// Several goroutines may call it at once.
	Do(ctx context.Context, r Request) (Response, error)
}

// Request is one request of the API.
type Request struct {
	Method string // GET or POST
	URL    string
	Token  string // bearer token; empty: no token is sent
	Body   []byte // JSON; nil: no body
	Most   int64  // most bytes of the answer
}

// Response is the answer to a request.
type Response struct {
	Status int
	Body   []byte
}

// Tier is how much of the API a runtime uses (section 6).
type Tier string

// The tiers.
const (
	ReaderTier Tier = "Reader" // fetches the context
	WriterTier Tier = "Writer" // and proposes corrections
	FullTier   Tier = "Full"   // and keeps what it has up to date by what changed
)

// ClientOptions name the store a runtime starts from, and what the runtime expects of it.
// Base, Transport and Now are required.
type ClientOptions struct {
	Base      string // address of the store, https or this machine's
	Token     string // issued by the owner of the memory
	Transport Transport
	Now       func() time.Time
	// Issuer is the address of the expected issuer; empty: Base (decision E-08).
	Issuer  string
	Tier    Tier   // empty: [FullTier]
	Query   Query  // the part of the memory to ask for; zero: what the token allows
	Runtime string // runtime_id of corrections, which the owner sees
	// Audience is the URI of this runtime. The client refuses contexts issued to another.
	Audience string
	// RequireSigned makes the client use signed data only: it fetches changes as whole,
	// signed contexts (ENGRAM-3.9-DIFF-11).
	RequireSigned bool
	// AllowUnsigned accepts contexts of stores that do not sign (section 12.6).
	AllowUnsigned bool
	Supported     string // version; empty: [Version]
	Bytes         int64  // most bytes of a context; 0: 32 MiB
	// Log receives each refusal in one line, with its reason; nil: no log.
	Log func(message string, args ...any)
}

// Client starts a runtime from a person's memory. It fetches the signed context, verifies
// it, keeps it, updates it, proposes corrections and renders it for a model. Several
// goroutines may use it at once.
type Client struct {
	o    ClientOptions
	base string

	turn  sync.Mutex // held by the goroutine that asks the store
	paths *endpoints // nil: not yet discovered
	list  knownKeys

	mu       sync.Mutex
	snapshot *Snapshot // nil: no context yet
}

// Snapshot is the memory that a client holds.
type Snapshot struct {
	Verdict // Trust is [Unverified] after changes were applied, since nobody signed them (decision E-31)
	Fetched time.Time
	// Since is the time from which to ask for changes.
	Since time.Time
}

// ErrNoContext reports that the client has no context: it fetched none, or dropped a
// refused one.
var ErrNoContext = errors.New("there is no context: fetch one first")

// NewClient returns a client without a context.
func NewClient(o ClientOptions) (*Client, error) {
	base, ok := baseURL(o.Base)
	switch {
	case !ok:
		return nil, errors.New("the address of a store is https://, or that of this machine")
	case o.Transport == nil || o.Now == nil:
		return nil, errors.New("a client needs a transport and a clock")
	case o.RequireSigned && o.AllowUnsigned:
		return nil, errors.New("RequireSigned and AllowUnsigned exclude each other: set one of them")
	}
	if o.Issuer == "" {
		o.Issuer = base
	}
	if o.Tier == "" {
		o.Tier = FullTier
	}
	if o.Bytes <= 0 {
		o.Bytes = defaultBytes
	}
	return &Client{o: o, base: base}, nil
}

// Snapshot returns the memory that the client holds; not ok: none. It leaves out deleted
// beliefs and everything that was said of them (ENGRAM-3.4-14).
func (c *Client) Snapshot() (Snapshot, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.snapshot == nil {
		return Snapshot{}, false
	}
	return *c.snapshot, true
}

// Prompt renders the client's memory for a model; o.Now may be left out. It fails with
// [ErrNoContext] or, when the context has expired, with a [*Refusal].
func (c *Client) Prompt(o PromptOptions) (Prompt, error) {
	h, ok := c.Snapshot()
	if !ok {
		return Prompt{}, ErrNoContext
	}
	if o.Now.IsZero() {
		o.Now = c.o.Now()
	}
	if o.Runtime == "" {
		o.Runtime = c.o.Audience
	}
	return Render(h.Document, o)
}

// setSnapshot replaces the context.
func (c *Client) setSnapshot(h Snapshot) Snapshot {
	h.Document = h.Document.withoutDeleted()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.snapshot = &h
	return h
}

// dropSnapshot removes the context.
func (c *Client) dropSnapshot() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.snapshot = nil
}

// withoutDeleted returns the document without its deleted beliefs.
func (d Document) withoutDeleted() Document {
	gone := map[string]bool{}
	for _, b := range d.Beliefs {
		gone[b.ID] = b.Status == Deleted
	}
	d.Beliefs = keep(d.Beliefs, func(b Belief) bool { return !gone[b.ID] })
	d.Evolution = keep(d.Evolution, func(e Change) bool { return !gone[e.Belief] })
	d.Corrections = keep(d.Corrections, func(e Correction) bool { return !gone[e.Belief] })
	return d
}

// refuse logs why the client does not use a context, and drops the one it has
// (ENGRAM-3.8-14).
func (c *Client) refuse(err error) error {
	c.dropSnapshot()
	if c.o.Log != nil {
		rule, reason := "", "unreadable"
		if r, ok := errors.AsType[*Refusal](err); ok {
			rule, reason = r.Rule, string(r.Reason)
		}
		c.o.Log("the context of the store is not used", "store", c.base, "reason", reason, "rule", rule)
	}
	return fmt.Errorf("the context of %s is not used: %w", c.base, err)
}
