package aaifhttp

import (
	"net/http"
	"strings"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/internal/httpkit"
	"github.com/satchel-memory/satchel/memory"
)

// Handler serves /aaif/ and the two documents of AAIF under /.well-known/.
type Handler struct {
	backend aaif.Backend
	options Options
	routes  httpkit.Table[*Handler]
}

var _ http.Handler = (*Handler)(nil)

// New returns the binding over b.
func New(b aaif.Backend, o Options) *Handler {
	return &Handler{backend: b, options: o.filled(), routes: routes()}
}

// The routes.
const (
	ManifestPath = "/.well-known/aaif-manifest.json"    // the manifest (section 7)
	ReportPath   = "/.well-known/aaif-conformance.json" // the conformance report (section 6)
	AgentsPath   = "/aaif/agents"                       // the intake endpoint
	StatesPath   = "/aaif/states"                       // the intake of states as one document
	HandoffPath  = "/aaif/handoff"                      // the intake of states as a stream
)

// The beginnings of the paths of agents and states; the id follows.
const (
	AgentPath = AgentsPath + "/"
	StatePath = StatesPath + "/"
)

// BringsState reports whether a request brings a state. Its sender needs no other
// credential than a migration token.
func BringsState(r *http.Request) bool {
	return r.Method == http.MethodPost && (r.URL.Path == StatesPath || r.URL.Path == HandoffPath)
}

// ServeHTTP answers one request.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if err := h.serve(w, r); err != nil {
		p := problemOf(err)
		if p.status >= http.StatusInternalServerError {
			h.options.Report(r, err)
		}
		WriteError(w, r, err)
	}
}

func (h *Handler) serve(w http.ResponseWriter, r *http.Request) error {
	routes := h.routes.At(h, r)
	if len(routes) == 0 || strings.Count(r.URL.EscapedPath(), "/") != strings.Count(r.URL.Path, "/") { // a slash of an id is no slash of the path
		return &memory.Error{Kind: memory.NotFound, Message: "no such route; see GET " + ManifestPath}
	}
	if takes := routes.For(http.MethodPost); takes != nil && takes.Who != httpkit.Signers && len(takes.Body) > 0 {
		w.Header().Set("Accept-Post", mediaTypes(takes.Body))
	}
	way := routes.For(r.Method)
	if way == nil {
		return wrongMethod(routes.Methods())
	}
	if way.Who == httpkit.Everyone || way.Who == httpkit.Signers {
		return way.Do(h, w, r, memory.Caller{})
	}
	if way.Who == httpkit.Senders {
		if err := h.requireTLS(r); err != nil {
			return err
		}
	}
	caller, err := h.caller(r)
	if err == nil && way.Who == httpkit.Owner {
		err = h.requireOwner(r, caller)
	}
	if err != nil {
		return err
	}
	return way.Do(h, w, r, caller)
}

// mediaTypes lists the forms of a body as the header Accept-Post does.
func mediaTypes(forms []httpkit.Content) string {
	all := make([]string, len(forms))
	for i, f := range forms {
		all[i] = f.Media
	}
	return strings.Join(all, ", ")
}

// caller returns the caller of a request. A state without credentials belongs to the
// recipient, once its migration token has been verified.
func (h *Handler) caller(r *http.Request) (memory.Caller, error) {
	if BringsState(r) && len(r.Header.Values("Authorization")) == 0 && h.options.Recipient.Owner != "" {
		return h.options.Recipient, nil
	}
	return h.options.Authenticate(r)
}

// requireOwner refuses callers without the owner's own credentials.
func (h *Handler) requireOwner(r *http.Request, c memory.Caller) error {
	if c.Role == memory.Owner && c.Grant == nil {
		return nil
	}
	h.options.Refused(r, memory.ForbiddenScope)
	return &memory.Error{Kind: memory.ForbiddenScope, Message: "agents are the owner's alone: use the owner's token"}
}
