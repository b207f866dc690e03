package aaifhttp

import (
	"net/http"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/handoff"
	"github.com/satchel-memory/satchel/memory"
)

// Handler serves /aaif/ and the two documents of AAIF under /.well-known/.
type Handler struct {
	backend aaif.Backend
	options Options
}

var _ http.Handler = (*Handler)(nil)

// New returns the binding over b.
func New(b aaif.Backend, o Options) *Handler { return &Handler{backend: b, options: o.filled()} }

// The routes.
const (
	ManifestPath = "/.well-known/aaif-manifest.json"    // what the platform can do (section 7)
	ReportPath   = "/.well-known/aaif-conformance.json" // what it claims (section 6)
	AgentsPath   = "/aaif/agents"                       // the intake endpoint
	StatesPath   = "/aaif/states"                       // where states come as one document
	HandoffPath  = "/aaif/handoff"                      // where they come as a stream
)

// What the path of an agent and of a state begins with; its id follows.
const (
	AgentPath = AgentsPath + "/"
	StatePath = StatesPath + "/"
)

// Paths returns every route that is spelled in one way.
func Paths() []string {
	return []string{ManifestPath, ReportPath, AgentsPath, StatesPath, HandoffPath}
}

// Named returns the route of a path in which an id stands, with {id} in its place.
func Named(path string) (route string, ok bool) {
	for _, prefix := range []string{AgentPath, StatePath} {
		if _, ok := idBelow(path, prefix); ok {
			return prefix + "{id}", true
		}
	}
	return "", false
}

// Arrives reports whether a request brings a state, for which a migration token is the
// only credential that its sender needs to have.
func Arrives(r *http.Request) bool {
	return r.Method == http.MethodPost && (r.URL.Path == StatesPath || r.URL.Path == HandoffPath)
}

func idBelow(path, prefix string) (id string, ok bool) {
	id, ok = strings.CutPrefix(path, prefix)
	return id, ok && id != "" && !strings.Contains(id, "/")
}

// task answers a request of somebody.
type task func(w http.ResponseWriter, r *http.Request, c memory.Caller) error

// way is what stands behind one path.
type way struct {
	public bool
	get    task
	post   task
	remove task
	posts  []string // media types that are taken
}

func (h *Handler) way(path string) (way, bool) {
	switch path {
	case ManifestPath:
		return way{public: true, get: h.manifest}, true
	case ReportPath:
		return way{public: true, get: h.report}, true
	case AgentsPath:
		return way{get: h.agents, post: h.intake, posts: documents()}, true
	case StatesPath:
		return way{get: h.states, post: h.land, posts: documents()}, true
	case HandoffPath:
		return way{post: h.handoff, posts: []string{handoff.MediaType}}, true
	}
	if id, ok := idBelow(path, AgentPath); ok {
		return way{get: h.agent(id), remove: h.agentGone(id)}, true
	}
	if id, ok := idBelow(path, StatePath); ok {
		return way{get: h.state(id), remove: h.stateGone(id)}, true
	}
	return way{}, false
}

// task returns what answers a method.
func (w way) task(method string) (task, error) {
	var allowed []string
	if w.get != nil {
		allowed = append(allowed, http.MethodGet, http.MethodHead)
	}
	if w.post != nil {
		allowed = append(allowed, http.MethodPost)
	}
	if w.remove != nil {
		allowed = append(allowed, http.MethodDelete)
	}
	switch {
	case !slices.Contains(allowed, method):
		return nil, wrongMethod(allowed)
	case method == http.MethodPost:
		return w.post, nil
	case method == http.MethodDelete:
		return w.remove, nil
	}
	return w.get, nil
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
	way, ok := h.way(r.URL.Path)
	if !ok {
		return &memory.Error{Kind: memory.NotFound, Message: "no such route; see GET " + ManifestPath}
	}
	if len(way.posts) > 0 {
		w.Header().Set("Accept-Post", strings.Join(way.posts, ", "))
	}
	do, err := way.task(r.Method)
	if err != nil {
		return err
	}
	if way.public {
		return do(w, r, memory.Caller{})
	}
	if Arrives(r) {
		if err := h.encrypted(r); err != nil {
			return err
		}
	}
	caller, err := h.caller(r)
	if err != nil {
		return err
	}
	return do(w, r, caller)
}

// caller says for whom a request is answered. A state without credentials is the
// recipient's, once its migration token has been verified.
func (h *Handler) caller(r *http.Request) (memory.Caller, error) {
	if Arrives(r) && len(r.Header.Values("Authorization")) == 0 && h.options.Recipient.Owner != "" {
		return h.options.Recipient, nil
	}
	return h.options.Authenticate(r)
}

// owned refuses whoever has not the owner's own credentials.
func (h *Handler) owned(r *http.Request, c memory.Caller) error {
	if c.Role == memory.Owner && c.Grant == nil {
		return nil
	}
	h.options.Refused(r, memory.ForbiddenScope)
	return &memory.Error{Kind: memory.ForbiddenScope, Message: "agents are the owner's alone: use the owner's token"}
}
