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

// Paths returns every route without an id.
func Paths() []string {
	return []string{ManifestPath, ReportPath, AgentsPath, StatesPath, HandoffPath, RunsPath, EventsPath}
}

// RouteOf returns the route of a path with an id, with {id} in its place.
func RouteOf(path string) (route string, ok bool) {
	for _, prefix := range []string{AgentPath, StatePath} {
		if _, ok := idBelow(path, prefix); ok {
			return prefix + "{id}", true
		}
	}
	if hook, ok := strings.CutPrefix(path, HookPath); ok && hook != "" {
		return HookPath + "{path}", true
	}
	return runRoute(path)
}

// BringsState reports whether a request brings a state. Its sender needs no other
// credential than a migration token.
func BringsState(r *http.Request) bool {
	return r.Method == http.MethodPost && (r.URL.Path == StatesPath || r.URL.Path == HandoffPath)
}

func idBelow(path, prefix string) (id string, ok bool) {
	id, ok = strings.CutPrefix(path, prefix)
	return id, ok && id != "" && !strings.Contains(id, "/")
}

// task answers a request of a caller.
type task func(w http.ResponseWriter, r *http.Request, c memory.Caller) error

// endpoint holds the tasks of one path.
type endpoint struct {
	public bool
	get    task
	post   task
	remove task
	posts  []string // accepted media types
}

func (h *Handler) way(path string) (endpoint, bool) {
	switch path {
	case ManifestPath:
		return endpoint{public: true, get: h.manifest}, true
	case ReportPath:
		return endpoint{public: true, get: h.report}, true
	case AgentsPath:
		return endpoint{get: h.agents, post: h.intake, posts: documents()}, true
	case StatesPath:
		return endpoint{get: h.states, post: h.intakeState, posts: documents()}, true
	case HandoffPath:
		return endpoint{post: h.handoff, posts: []string{handoff.MediaType}}, true
	}
	if id, ok := idBelow(path, AgentPath); ok {
		return endpoint{get: h.agent(id), remove: h.removeAgent(id)}, true
	}
	if id, ok := idBelow(path, StatePath); ok {
		return endpoint{get: h.state(id), remove: h.removeState(id)}, true
	}
	if way, ok := h.triggerWay(path); ok {
		return way, true
	}
	return h.runWay(path)
}

// task returns the task of a method.
func (w endpoint) task(method string) (task, error) {
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
	if !ok || strings.Count(r.URL.EscapedPath(), "/") != strings.Count(r.URL.Path, "/") { // a slash of an id is no slash of the path
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
	if BringsState(r) {
		if err := h.requireTLS(r); err != nil {
			return err
		}
	}
	caller, err := h.caller(r)
	if err != nil {
		return err
	}
	return do(w, r, caller)
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
