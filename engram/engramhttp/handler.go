package engramhttp

import (
	"context"
	"net/http"
	"slices"

	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/memory"
)

// Handler serves /v1/context and what lies below it, the two documents of Engram
// under /.well-known/, and the schemas.
type Handler struct {
	backend engram.Backend
	decides decider // nil: corrections are decided elsewhere
	options Options

	constrains engram.Constrainer // nil: there are no constraints
	batches    engram.Batcher     // nil: corrections come one by one
	subscribes engram.Subscriber  // nil: nobody is told of changes
	cache      *cache
}

var _ http.Handler = (*Handler)(nil)

// decider is a backend by which the owner decides on corrections; an [engram.Owner]
// is one.
type decider interface {
	Corrections(ctx context.Context, c memory.Caller, waiting bool) ([]engram.Case, error)
	Resolve(ctx context.Context, c memory.Caller, correction string, confirm bool, note string) (engram.Case, error)
}

// New returns the API over b. Where b is an [engram.Owner], too, corrections can be
// listed and decided.
func New(b engram.Backend, o Options) *Handler {
	o = o.filled()
	h := &Handler{backend: b, options: o, cache: newCache(o.Cache, o.Idle)}
	h.decides, _ = b.(decider)
	h.constrains, _ = b.(engram.Constrainer)
	h.batches, _ = b.(engram.Batcher)
	h.subscribes, _ = b.(engram.Subscriber)
	return h
}

// The routes.
const (
	contextPath     = "/v1/context"
	diffPath        = "/v1/context/diff"
	correctPath     = "/v1/context/correct"
	correctionsPath = "/v1/context/corrections"
	discoveryPath   = engram.DiscoveryPath
	keysPath        = engram.KeysPath
	schemaPath      = "/schema/v0.1.json"
	readSchemaPath  = "/schema/v0.1-read.json"
)

// CorrectionPath is what the path of a correction begins with; its id and the
// decision follow.
const CorrectionPath = correctionsPath + "/"

// Paths returns every route of the API that is spelled in one way.
func Paths() []string {
	return []string{
		contextPath, diffPath, correctPath, correctionsPath, discoveryPath, keysPath, schemaPath, readSchemaPath,
		constrainPath, constraintsPath, batchPath, subscribePath, jwksPath, webFingerPath,
	}
}

// Decision returns the id of a correction and the decision on it, confirm or reject,
// from the path for it.
func Decision(path string) (id, decision string, ok bool) {
	return decisionBelow(path, CorrectionPath)
}

// Open reports whether a path is shown to all, without a token (decision E-06).
func Open(path string) bool {
	return slices.Contains([]string{discoveryPath, keysPath, schemaPath, readSchemaPath, jwksPath, webFingerPath}, path)
}

// route is what stands behind one path.
type route struct {
	methods []string
	serve   func(w http.ResponseWriter, r *http.Request, c memory.Caller) error
}

func (h *Handler) route(path string) (route, bool) {
	read, write := []string{http.MethodGet, http.MethodHead}, []string{http.MethodPost}
	switch path {
	case contextPath:
		return route{read, h.context}, true
	case diffPath:
		return route{read, h.diff}, true
	case correctPath:
		return route{write, h.correct}, true
	case correctionsPath:
		return route{read, h.corrections}, h.decides != nil
	case discoveryPath:
		return route{read, h.discovery}, true
	case keysPath:
		return route{read, h.keys}, true
	case schemaPath:
		return route{read, h.schema(engram.StrictWrite)}, true
	case readSchemaPath:
		return route{read, h.schema(engram.TolerantRead)}, true
	}
	if _, _, ok := Decision(path); ok {
		return route{write, h.decide}, h.decides != nil
	}
	return h.later(path)
}

// ServeHTTP answers one request.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodHead {
		w = bodiless{w}
	}
	if err := h.serve(w, r); err != nil {
		p := problemOf(err)
		if p.Status >= http.StatusInternalServerError {
			h.options.Report(r, err)
		}
		p.write(w)
	}
}

// bodiless drops the body of an answer to HEAD.
type bodiless struct{ http.ResponseWriter }

// Write drops p.
func (bodiless) Write(p []byte) (int, error) { return len(p), nil }

func (h *Handler) serve(w http.ResponseWriter, r *http.Request) error {
	way, ok := h.route(r.URL.Path)
	if !ok {
		return &memory.Error{Kind: memory.NotFound, Message: "no such route; see GET " + discoveryPath}
	}
	if !slices.Contains(way.methods, r.Method) {
		return wrongMethod(way.methods)
	}
	var caller memory.Caller
	if !Open(r.URL.Path) {
		var err error
		if caller, err = h.options.Authenticate(r); err != nil {
			return err
		}
	}
	if err := checkVersion(r); err != nil {
		return err
	}
	if err := acceptable(r); err != nil {
		return err
	}
	return way.serve(w, r, caller)
}

// permit refuses a caller whose credentials do not open the context, or not for a
// verb (ENGRAM-3.9-AUTH-5).
func (h *Handler) permit(r *http.Request, c memory.Caller, v memory.Verb) error {
	switch {
	case c.Speaks():
		return nil
	case c.Grant == nil || c.Grant.Runtime == nil:
		return h.turnAway(r, "this token is not for the context that an assistant starts from: ask the owner for one that was made with --runtime")
	case !c.Grant.Allows(v):
		return h.turnAway(r, "the token does not grant "+string(v)+": ask the owner for one that does")
	}
	return nil
}

// turnAway refuses a caller who is known but may not.
func (h *Handler) turnAway(r *http.Request, detail string) error {
	h.options.Refused(r, memory.ForbiddenScope)
	return &engram.Fault{Code: engram.Forbidden, Rule: "ENGRAM-3.9-AUTH-5", Detail: detail}
}
