package umphttp

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strings"
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
	// Export yields every record of the caller's that may leave, consent
	// applied, and stops at the first error of yield, which it returns. The losses
	// name the records that the caller may have and that this document cannot hold.
	Export(ctx context.Context, c memory.Caller, yield func(memory.Record) error) ([]codec.Loss, error)
}

// Options steer the binding. The zero value answers the public routes only.
type Options struct {
	// Authenticate says who asks, or fails with an error of kind Unauthorized.
	// It is asked for every route that is not public, and for a public one when
	// the request carries credentials. nil: nobody is let in.
	Authenticate func(*http.Request) (memory.Caller, error)
	// Refused is told of requests that the binding turns away, before the service is
	// asked, because their token is for something else. nil: nobody is told.
	Refused func(*http.Request, memory.ErrorKind)
	// Now tells the time by which a token that has just expired may still be good, and
	// from which "last month" counts, in UTC. nil: no such token is good, and no such
	// words are understood.
	Now func() time.Time
	// MaxBody is the most bytes of a request body; 0: 4 MiB.
	MaxBody int64
	// Endpoint is where the manifest says the operations are served, absolute
	// or relative to the manifest; empty: the manifest names none.
	Endpoint string
	// Exports are the public documents the manifest points at besides those of
	// Public. They must hold nothing that is not public and exportable.
	Exports []Export
	// Public yields the records that anybody may have: public, exportable and
	// redacted. They are served to everybody as two documents that the manifest
	// names. nil: there are none.
	Public func(ctx context.Context, yield func(memory.Record) error) error
	// Held is the most bytes of them that are held in memory, where the service
	// tells when something changes and Owner is set: all who come between two
	// changes then read the same copy. 0: 64 MiB.
	Held int64
	// Place finds a place for a request that has to read them from the store for
	// itself, and holds a part of the store for as long as its client reads; ok is
	// false when there is none. nil: there is always one.
	Place func(*http.Request) (leave func(), ok bool)
	// Exporting is Place for whoever exports from the memory of an owner.
	Exporting func(memory.DID) (leave func(), ok bool)
	// Anonymous lets requests without credentials recall and get what is public.
	Anonymous bool
	// Owner is whose memory is public, and what they reach: whose server this is, where
	// it serves several owners.
	Owner memory.DID
	// Heartbeat is how often a stream of changes says that it is alive, and how
	// often its credentials are looked at again; 0: 15 s.
	Heartbeat time.Duration
	// MaxStreams is the most streams of changes that one caller has open at once,
	// counted for each token; 0: 32. All of an owner who is not Owner may have four
	// times as many.
	MaxStreams int
	// Report receives the cause of every answer that hides one: a failure of
	// kind Internal, an export that broke off. nil: causes are dropped.
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
	backend Backend
	options Options
	streams *streams
	press   *press
}

var _ http.Handler = (*Handler)(nil)

// New returns the binding over b.
func New(b Backend, o Options) *Handler {
	o = o.filled()
	return &Handler{backend: b, options: o, streams: newStreams(o.MaxStreams, o.Owner), press: newPress(o.Held)}
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
		o.Exporting = func(memory.DID) (func(), bool) { return func() {}, true }
	}
	if o.Place == nil {
		o.Place = func(*http.Request) (func(), bool) { return func() {}, true }
	}
	return o
}

// Close ends every stream of changes. A server calls it when it begins to stop,
// because a stream does not end by itself.
func (h *Handler) Close() error {
	h.streams.stop()
	return nil
}

// route is what stands behind one path.
type route struct {
	methods []string
	access  access
	serve   func(w http.ResponseWriter, r *http.Request, c memory.Caller) error
}

// access says who may come without credentials.
type access int

const (
	nobody access = iota
	guests        // where Options.Anonymous says so
	everyone
)

// memoryPath is followed by the id of a record.
const memoryPath = "/ump/memory/"

// route returns what stands behind a path.
func (h *Handler) route(path string) (route, bool) {
	read := []string{http.MethodGet, http.MethodHead}
	write := []string{http.MethodPost}
	switch path {
	case "/ump/capabilities":
		return route{read, everyone, h.capabilities}, true
	case "/.well-known/ump.json":
		return route{read, everyone, h.manifest}, true
	case "/ump/recall":
		return route{write, guests, h.operation(ump.OpRecall)}, true
	case "/ump/remember":
		return route{write, nobody, h.operation(ump.OpRemember)}, true
	case "/ump/revise":
		return route{write, nobody, h.operation(ump.OpRevise)}, true
	case "/ump/forget":
		return route{write, nobody, h.operation(ump.OpForget)}, true
	case "/ump/export":
		return route{read, nobody, h.export}, true
	case "/ump/feedback":
		return route{write, nobody, h.operation(ump.OpFeedback)}, true
	case "/ump/subscribe":
		return route{read, nobody, h.subscribe}, true
	}
	if document, ok := h.document(path); ok {
		return route{read, everyone, h.public(document)}, true
	}
	if len(path) > len(memoryPath) && strings.HasPrefix(path, memoryPath) {
		return route{read, guests, h.get}, true
	}
	return route{}, false
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
	way, ok := h.route(r.URL.Path)
	if !ok {
		return &memory.Error{Kind: memory.NotFound, Message: "no such route; see GET /ump/capabilities"}
	}
	if !slices.Contains(way.methods, r.Method) {
		return WrongMethod(way.methods...)
	}
	caller, err := h.caller(r, way.access)
	if err != nil {
		return err
	}
	return way.serve(w, r, caller)
}

// caller returns who asks. Where strangers may come, a request without
// credentials is a stranger's; wrong credentials are refused everywhere, so that
// whoever holds a dead token learns of it at the first call.
func (h *Handler) caller(r *http.Request, a access) (memory.Caller, error) {
	if r.Header.Get("Authorization") == "" {
		switch {
		case a == everyone:
			return memory.Caller{}, nil
		case a == guests && h.options.Anonymous:
			return memory.Caller{Owner: h.options.Owner}, nil
		}
	}
	return h.options.Authenticate(r)
}

// refused tells of a refusal that nobody else tells of.
func (h *Handler) refused(r *http.Request, err error) error {
	h.options.Refused(r, memory.KindOf(err))
	return err
}

func (h *Handler) capabilities(w http.ResponseWriter, r *http.Request, c memory.Caller) error {
	return h.answer(w, r, ump.Call{Operation: ump.OpCapabilities, Caller: c})
}

// operation serves an operation whose request is the body.
func (h *Handler) operation(op ump.Operation) func(http.ResponseWriter, *http.Request, memory.Caller) error {
	return func(w http.ResponseWriter, r *http.Request, c memory.Caller) error {
		key, err := idempotencyKey(r)
		if err != nil {
			return err
		}
		prompt, done := context.WithTimeout(r.Context(), httpkit.Trusted)
		defer done()
		body, err := h.body(w, r)
		if err == nil && prompt.Err() != nil { // a token may have ended while its body trickled in
			err = h.again(r, c)
		}
		if err != nil {
			return err
		}
		return h.answer(w, r, ump.Call{Operation: op, Caller: c, Body: body, Key: key})
	}
}

// get serves a record by its id, which may stand in the path as it is or
// percent-encoded (UMP-4.2-3).
func (h *Handler) get(w http.ResponseWriter, r *http.Request, c memory.Caller) error {
	request := canon.Object(canon.Member{Name: "id", Value: canon.String(strings.TrimPrefix(r.URL.Path, memoryPath))})
	if view := r.URL.Query().Get("view"); view != "" {
		request = request.With("view", canon.String(view))
	}
	return h.answer(w, r, ump.Call{Operation: ump.OpGet, Caller: c, Body: request.Append(nil)})
}

// answer performs the call and writes what it says.
func (h *Handler) answer(w http.ResponseWriter, r *http.Request, c ump.Call) error {
	c.Now = func() time.Time { return h.options.Now().UTC() }
	said, err := ump.Dispatch(r.Context(), h.backend, c)
	if err != nil {
		return err
	}
	httpkit.Send(w, http.StatusOK, "application/json", said)
	return nil
}
