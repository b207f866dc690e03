package aimemhttp

import (
	"net/http"

	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/internal/httpkit"
	"github.com/satchel-memory/satchel/memory"
)

// Handler serves /v1/brain, the paths below it, and the two documents of AIMEM under
// /.well-known/.
type Handler struct {
	backend aimem.Backend
	options Options
	routes  httpkit.Table[*Handler]
}

var _ http.Handler = (*Handler)(nil)

// New returns the profile over b.
func New(b aimem.Backend, o Options) *Handler {
	return &Handler{backend: b, options: o.filled(), routes: routes()}
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
	routes := h.routes.At(h, r)
	if len(routes) == 0 {
		return &memory.Error{Kind: memory.NotFound, Message: "no such route; see GET " + specPath}
	}
	way := routes.For(r.Method)
	if way == nil {
		return wrongMethod(routes.Methods())
	}
	if way.Who == httpkit.Everyone {
		return way.Do(h, w, r, memory.Caller{})
	}
	caller, err := h.options.Authenticate(r)
	if err != nil {
		return err
	}
	return way.Do(h, w, r, caller)
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
