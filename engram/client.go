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
	// Do sends a request and returns its answer, whatever its status. It fails where
	// none came, where one is longer than r.Most, and where one would come from another
	// origin than was asked. It may be called by several at once.
	Do(ctx context.Context, r Request) (Response, error)
}

// Request is one request of the API.
type Request struct {
	Method string // GET or POST
	URL    string
	Token  string // bearer token; empty: none is sent
	Body   []byte // JSON; nil: there is none
	Most   int64  // bytes of an answer that are taken
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

// ClientOptions say which store a runtime starts from, and what it expects of it. Base,
// Transport and Now are required.
type ClientOptions struct {
	Base      string // address of the store, https or this machine's
	Token     string // that the owner of the memory issued
	Transport Transport
	Now       func() time.Time
	// Issuer is the address of the issuer that is expected; empty: Base (decision E-08).
	Issuer  string
	Tier    Tier   // empty: [FullTier]
	Query   Query  // part of the memory that is asked for; zero: what the token is for
	Runtime string // runtime_id of corrections: the owner is shown it
	// Audience is the URI of this runtime: contexts that were issued to another are
	// refused.
	Audience string
	// RequireSigned never uses what nobody signed: changes are fetched as whole, signed
	// contexts (ENGRAM-3.9-DIFF-11).
	RequireSigned bool
	// AllowUnsigned takes contexts of stores that do not sign (section 12.6).
	AllowUnsigned bool
	Supported     string // version; empty: [Version]
	Bytes         int64  // most bytes of a context; 0: 32 MiB
	// Log is told of each refusal in one line, with its reason; nil: nobody is.
	Log func(message string, args ...any)
}

// Client starts a runtime from somebody's memory: it fetches the signed context,
// verifies it, keeps it, brings it up to date, proposes corrections and puts it before
// a model. Several may use it at once.
type Client struct {
	o    ClientOptions
	base string

	turn  sync.Mutex // one at a time asks the store
	paths *endpoints // nil: not asked for yet
	list  knownKeys

	mu   sync.Mutex
	held *Held // nil: nothing
}

// Held is what a client has of a memory.
type Held struct {
	Verdict // Trust is [Unverified] after changes were applied: nobody signed them (decision E-31)
	Fetched time.Time
	// Since is from when on changes have to be asked for.
	Since time.Time
}

// ErrNoContext: nothing was fetched yet, or what was had to be thrown away.
var ErrNoContext = errors.New("there is no context: fetch one first")

// NewClient returns a client that has nothing yet.
func NewClient(o ClientOptions) (*Client, error) {
	base, ok := baseURL(o.Base)
	switch {
	case !ok:
		return nil, errors.New("the address of a store is https://, or that of this machine")
	case o.Transport == nil || o.Now == nil:
		return nil, errors.New("a client needs a transport and a clock")
	case o.RequireSigned && o.AllowUnsigned:
		return nil, errors.New("what has to be signed cannot be unsigned: ask for one of the two")
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

// Held returns what the client has; not ok: nothing. Beliefs that are deleted are not
// in it, nor is anything that was said of them (ENGRAM-3.4-14).
func (c *Client) Held() (Held, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.held == nil {
		return Held{}, false
	}
	return *c.held, true
}

// Prompt puts what the client has before a model; o.Now may be left out. It fails with
// [ErrNoContext] or, where that has expired, with a [*Refusal].
func (c *Client) Prompt(o PromptOptions) (Prompt, error) {
	h, ok := c.Held()
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

// hold keeps a context in the place of what there was.
func (c *Client) hold(h Held) Held {
	h.Document = h.Document.purged()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.held = &h
	return h
}

// drop throws away what there was.
func (c *Client) drop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.held = nil
}

// purged is a document without what is deleted in it.
func (d Document) purged() Document {
	gone := map[string]bool{}
	for _, b := range d.Beliefs {
		gone[b.ID] = b.Status == Deleted
	}
	d.Beliefs = keep(d.Beliefs, func(b Belief) bool { return !gone[b.ID] })
	d.Evolution = keep(d.Evolution, func(e Change) bool { return !gone[e.Belief] })
	d.Corrections = keep(d.Corrections, func(e Correction) bool { return !gone[e.Belief] })
	return d
}

// refused logs why a context is not used, and throws away what there was
// (ENGRAM-3.8-14).
func (c *Client) refused(err error) error {
	c.drop()
	if c.o.Log != nil {
		rule, reason := "", "unreadable"
		if r, ok := errors.AsType[*Refusal](err); ok {
			rule, reason = r.Rule, string(r.Reason)
		}
		c.o.Log("the context of the store is not used", "store", c.base, "reason", reason, "rule", rule)
	}
	return fmt.Errorf("the context of %s is not used: %w", c.base, err)
}
