package engramhttp

import (
	"context"
	"net/http"

	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/internal/httpkit"
	"github.com/satchel-memory/satchel/memory"
)

// Handler serves /v1/context and the paths below it, the two documents of Engram under
// /.well-known/, and the schemas.
type Handler struct {
	backend engram.Backend
	decides decider // nil: this API decides no corrections
	options Options
	routes  httpkit.Table[*Handler]

	constrains engram.Constrainer // nil: no constraints
	batches    engram.Batcher     // nil: one correction for each request
	subscribes engram.Subscriber  // nil: no subscriptions
	cache      *cache
}

var _ http.Handler = (*Handler)(nil)

// decider lets the owner decide on corrections; an [engram.Owner] is one.
type decider interface {
	Corrections(ctx context.Context, c memory.Caller, waiting bool) ([]engram.Case, error)
	Resolve(ctx context.Context, c memory.Caller, correction string, confirm bool, note string) (engram.Case, error)
}

// New returns the API over b. If b is an [engram.Owner], the owner can list and decide
// corrections.
func New(b engram.Backend, o Options) *Handler {
	o = o.filled()
	h := &Handler{backend: b, options: o, routes: routes(), cache: newCache(o.Cache, o.Idle)}
	h.decides, _ = b.(decider)
	h.constrains, _ = b.(engram.Constrainer)
	h.batches, _ = b.(engram.Batcher)
	h.subscribes, _ = b.(engram.Subscriber)
	return h
}

// ServeHTTP answers one request.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodHead {
		w = headWriter{w}
	}
	if err := h.serve(w, r); err != nil {
		p := problemOf(err)
		if p.Status >= http.StatusInternalServerError {
			h.options.Report(r, err)
		}
		p.write(w)
	}
}

// headWriter drops the body of an answer to HEAD.
type headWriter struct{ http.ResponseWriter }

// Write drops p.
func (headWriter) Write(p []byte) (int, error) { return len(p), nil }

func (h *Handler) serve(w http.ResponseWriter, r *http.Request) error {
	routes := h.routes.At(h, r)
	if len(routes) == 0 {
		return &memory.Error{Kind: memory.NotFound, Message: "no such route; see GET " + discoveryPath}
	}
	way := routes.For(r.Method)
	if way == nil {
		return wrongMethod(routes.Methods())
	}
	var caller memory.Caller
	if way.Who != httpkit.Everyone {
		var err error
		if caller, err = h.options.Authenticate(r); err != nil {
			return err
		}
	}
	if err := checkVersion(r); err != nil {
		return err
	}
	if err := checkAccept(r); err != nil {
		return err
	}
	return way.Do(h, w, r, caller)
}

// permit refuses a caller whose credentials do not open the context, or do not allow a verb
// (ENGRAM-3.9-AUTH-5).
func (h *Handler) permit(r *http.Request, c memory.Caller, v memory.Verb) error {
	switch {
	case c.Speaks():
		return nil
	case c.Grant == nil || c.Grant.Runtime == nil:
		return h.deny(r, "this token is not for the context that an assistant starts from: ask the owner for one that was made with --runtime")
	case !c.Grant.Allows(v):
		return h.deny(r, "the token does not grant "+string(v)+": ask the owner for one that does")
	}
	return nil
}

// deny refuses a known caller who lacks the right.
func (h *Handler) deny(r *http.Request, detail string) error {
	h.options.Refused(r, memory.ForbiddenScope)
	return &engram.Fault{Code: engram.Forbidden, Rule: "ENGRAM-3.9-AUTH-5", Detail: detail}
}
