package aimemhttp

import (
	"net/http"
	"slices"

	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/memory"
)

// Handler serves /v1/brain, the paths below it, and the two documents of AIMEM under
// /.well-known/.
type Handler struct {
	backend aimem.Backend
	options Options
}

var _ http.Handler = (*Handler)(nil)

// New returns the profile over b.
func New(b aimem.Backend, o Options) *Handler {
	return &Handler{backend: b, options: o.filled()}
}

// The routes.
const (
	exportPath = "/v1/brain/export"
	streamPath = "/v1/brain/export/stream"
	importPath = "/v1/brain/import"
	brainPath  = "/v1/brain"
	keyPath    = aimem.KeyPath
	specPath   = "/.well-known/aimem-spec"
)

// Paths returns every route of the profile.
func Paths() []string {
	return []string{exportPath, streamPath, importPath, brainPath, keyPath, specPath}
}

// route is the handler of one path.
type route struct {
	methods []string
	public  bool
	serve   func(w http.ResponseWriter, r *http.Request, c memory.Caller) error
}

func (h *Handler) route(path string) (route, bool) {
	read := []string{http.MethodGet, http.MethodHead}
	switch path {
	case exportPath:
		return route{read, false, h.export(documentForm())}, true
	case streamPath:
		return route{read, false, h.export(streamForm())}, true
	case importPath:
		return route{[]string{http.MethodPost}, false, h.importBundle}, true
	case brainPath:
		return route{[]string{http.MethodDelete}, false, h.erase}, true
	case keyPath:
		return route{read, true, h.publicKey}, true
	case specPath:
		return route{read, true, h.spec}, true
	}
	return route{}, false
}

// ServeHTTP answers one request.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if err := h.serve(w, r); err != nil {
		p := problemOf(err)
		if p.Status >= http.StatusInternalServerError {
			h.options.Report(r, err)
		}
		p.write(w)
	}
}

func (h *Handler) serve(w http.ResponseWriter, r *http.Request) error {
	way, ok := h.route(r.URL.Path)
	if !ok {
		return &memory.Error{Kind: memory.NotFound, Message: "no such route; see GET " + specPath}
	}
	if !slices.Contains(way.methods, r.Method) {
		return wrongMethod(way.methods)
	}
	if way.public {
		return way.serve(w, r, memory.Caller{})
	}
	caller, err := h.options.Authenticate(r)
	if err != nil {
		return err
	}
	return way.serve(w, r, caller)
}

// permit refuses a caller whose credentials do not grant a verb (decision AD-20).
func (h *Handler) permit(r *http.Request, c memory.Caller, v memory.Verb, rule string) error {
	if c.Speaks() || c.Grant.Allows(v) {
		return nil
	}
	return h.forbid(r, rule, "the token does not grant "+string(v)+"; ask its owner for one that does")
}

// forbid refuses a known caller without the necessary permission.
func (h *Handler) forbid(r *http.Request, rule, detail string) error {
	h.options.Refused(r, memory.ForbiddenScope)
	return &aimem.Fault{Code: aimem.MissingScope, Rule: rule, Detail: detail}
}
