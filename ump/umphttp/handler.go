package umphttp

import (
	"cmp"
	"context"
	"net/http"
	"time"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/internal/httpkit"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// Backend is the service behind the binding.
type Backend interface {
	ump.Backend
	// Export yields every record that the caller may export, with consent applied. It
	// stops at the first error of yield and returns it. The losses name the records
	// that the document cannot hold.
	Export(ctx context.Context, c memory.Caller, yield func(memory.Record) error) ([]codec.Loss, error)
}

// Options configure the binding. The zero value answers the public routes only.
type Options struct {
	// Authenticate returns the caller of a request, or fails with an error of kind
	// Unauthorized. The binding calls it for every route that is not public, and for a
	// public one if the request has credentials. nil: nobody can sign in.
	Authenticate func(*http.Request) (memory.Caller, error)
	// Refused receives requests that the binding refuses, before it calls the service,
	// because their token is for something else. nil: nobody receives them.
	Refused func(*http.Request, memory.ErrorKind)
	// Now returns the time that decides whether a token that has just expired is still
	// accepted, and from which "last month" counts, in UTC. nil: the binding accepts no
	// such tokens and no such words.
	Now func() time.Time
	// MaxBody is the most bytes of a request body; 0: 4 MiB.
	MaxBody int64
	// Endpoint is the address of the operations in the manifest, absolute or relative
	// to the manifest; empty: the manifest names none.
	Endpoint string
	// Exports are further public documents in the manifest, besides those of Public.
	// They must contain only public and exportable records.
	Exports []Export
	// Public yields the records that anybody may have: public, exportable and
	// redacted. The binding serves them to everybody as two documents that the
	// manifest names. nil: there are none.
	Public func(ctx context.Context, yield func(memory.Record) error) error
	// Held is the most bytes of public documents in memory, if the service reports
	// changes and Owner is set: all requests between two changes then read the same
	// copy. 0: 64 MiB.
	Held int64
	// Slots reserves a slot for a request that reads public documents from the store. Such
	// a request holds a part of the store while its client reads. ok is false if no slot is
	// free. nil: no limit.
	Slots func(*http.Request) (leave func(), ok bool)
	// Exporting returns once it is an owner's turn to export, or ok is false: the owner has
	// no turn soon. It may wait, at most until the context ends. leave ends the turn. nil:
	// it is every owner's turn at once.
	Exporting func(context.Context, memory.DID) (leave func(), ok bool)
	// Anonymous allows requests without credentials to recall and get public records.
	Anonymous bool
	// Owner is the owner of the public memory, which such requests reach. If the server
	// serves several owners, it is the owner of the server.
	Owner memory.DID
	// Heartbeat is how often a stream of changes sends a heartbeat and checks its
	// credentials again; 0: 15 s.
	Heartbeat time.Duration
	// MaxStreams is the most open streams of changes of one token; 0: 32. All tokens of
	// an owner who is not Owner may together have four times as many.
	MaxStreams int
	// Report receives the cause of every answer that hides it: a failure of kind
	// Internal, an export that broke off. nil: nobody receives it.
	Report func(*http.Request, error)
}

// The defaults of the options.
const (
	maxBody    = 4 << 20
	heartbeat  = 15 * time.Second
	maxStreams = 32
	maxHeld    = 64 << 20
)

// Handler serves /ump/, /.well-known/ump.json and /.well-known/ump/.
type Handler struct {
	backend  Backend
	options  Options
	routes   httpkit.Table[*Handler]
	streams  *streamCounter
	editions *editionCache
}

var _ http.Handler = (*Handler)(nil)

// New returns the binding over b.
func New(b Backend, o Options) *Handler {
	o = o.filled()
	return &Handler{backend: b, options: o, routes: routes(), streams: newStreamCounter(o.MaxStreams, o.Owner), editions: newEditionCache(o.Held)}
}

func (o Options) filled() Options {
	if o.Authenticate == nil {
		o.Authenticate = func(*http.Request) (memory.Caller, error) {
			return memory.Caller{}, &memory.Error{Kind: memory.Unauthorized, Message: "nobody can sign in here"}
		}
	}
	if o.MaxBody == 0 {
		o.MaxBody = maxBody
	}
	if o.Report == nil {
		o.Report = func(*http.Request, error) {}
	}
	if o.Refused == nil {
		o.Refused = func(*http.Request, memory.ErrorKind) {}
	}
	if o.Now == nil {
		o.Now = func() time.Time { return time.Time{} }
	}
	o.Heartbeat = cmp.Or(o.Heartbeat, heartbeat)
	o.MaxStreams = cmp.Or(o.MaxStreams, maxStreams)
	o.Held = cmp.Or(o.Held, maxHeld)
	if o.Exporting == nil {
		o.Exporting = func(context.Context, memory.DID) (func(), bool) { return func() {}, true }
	}
	if o.Slots == nil {
		o.Slots = func(*http.Request) (func(), bool) { return func() {}, true }
	}
	return o
}

// Close ends every stream of changes. A server calls it when it begins to stop, because
// streams do not end on their own.
func (h *Handler) Close() error {
	h.streams.stop()
	return nil
}

// ServeHTTP answers one request.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if err := h.serve(w, r); err != nil {
		if memory.KindOf(err) == memory.Internal {
			h.options.Report(r, err)
		}
		WriteError(w, err)
	}
}

func (h *Handler) serve(w http.ResponseWriter, r *http.Request) error {
	routes := h.routes.At(h, r)
	if len(routes) == 0 {
		return &memory.Error{Kind: memory.NotFound, Message: "no such route; see GET /ump/capabilities"}
	}
	way := routes.For(r.Method)
	if way == nil {
		return WrongMethod(routes.Methods()...)
	}
	caller, err := h.caller(r, way.Who)
	if err != nil {
		return err
	}
	return way.Do(h, w, r, caller)
}

// caller returns the caller of a request. A request without credentials is a
// stranger's, if the route admits strangers. Every route refuses wrong credentials, so
// that the holder of an expired token notices at the first call.
func (h *Handler) caller(r *http.Request, who httpkit.Who) (memory.Caller, error) {
	if r.Header.Get("Authorization") == "" {
		switch {
		case who == httpkit.Everyone:
			return memory.Caller{}, nil
		case who == httpkit.Guests && h.options.Anonymous:
			return memory.Caller{Owner: h.options.Owner}, nil
		}
	}
	return h.options.Authenticate(r)
}

// reportRefusal passes a refusal to Options.Refused and returns it.
func (h *Handler) reportRefusal(r *http.Request, err error) error {
	h.options.Refused(r, memory.KindOf(err))
	return err
}

func (h *Handler) capabilities(w http.ResponseWriter, r *http.Request, c memory.Caller) error {
	return h.answer(w, r, ump.Call{Operation: ump.OpCapabilities, Caller: c})
}

// perform serves an operation. The body is its request.
func perform(op ump.Operation) func(*Handler, http.ResponseWriter, *http.Request, memory.Caller) error {
	return func(h *Handler, w http.ResponseWriter, r *http.Request, c memory.Caller) error {
		key, err := idempotencyKey(r)
		if err != nil {
			return err
		}
		prompt, done := context.WithTimeout(r.Context(), httpkit.Trusted)
		defer done()
		body, err := h.body(w, r)
		if err == nil && prompt.Err() != nil { // the token may have ended while the body arrived slowly
			err = h.recheck(r, c)
		}
		if err != nil {
			return err
		}
		return h.answer(w, r, ump.Call{Operation: op, Caller: c, Body: body, Key: key})
	}
}

// get serves the record whose id is in the path, percent-encoded or not (UMP-4.2-3).
func (h *Handler) get(w http.ResponseWriter, r *http.Request, c memory.Caller) error {
	request := canon.Object(canon.Member{Name: "id", Value: canon.String(r.PathValue("id"))})
	if view := r.URL.Query().Get("view"); view != "" {
		request = request.With("view", canon.String(view))
	}
	return h.answer(w, r, ump.Call{Operation: ump.OpGet, Caller: c, Body: request.Append(nil)})
}

// answer performs the call and writes its answer.
func (h *Handler) answer(w http.ResponseWriter, r *http.Request, c ump.Call) error {
	c.Now = func() time.Time { return h.options.Now().UTC() }
	said, err := ump.Dispatch(r.Context(), h.backend, c)
	if err != nil {
		return err
	}
	httpkit.Send(w, http.StatusOK, "application/json", said)
	return nil
}
