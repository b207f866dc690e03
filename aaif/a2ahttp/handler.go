package a2ahttp

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strings"

	"github.com/satchel-memory/satchel/aaif/a2a"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/httpkit"
	"github.com/satchel-memory/satchel/memory"
)

// Backend lets peers work with agents. Failures that the protocol has a code for are
// [*a2a.Fault], those about who asks, and about the place, [*memory.Error]. What a peer may
// not see is not there for it. A Backend is safe for concurrent use.
type Backend interface {
	// Card returns the public card of a served agent, or of the first one if agent is empty.
	Card(ctx context.Context, agent string) (canon.Value, error)
	// May refuses callers who may not work with a served agent.
	May(ctx context.Context, c memory.Caller, agent string) error
	// Send begins a task with a message, and returns the task at once. A message that is sent
	// again begins no second task.
	Send(ctx context.Context, c memory.Caller, agent string, o a2a.Order) (a2a.Task, error)
	// Task returns a task of the caller.
	Task(ctx context.Context, c memory.Caller, agent, id string) (a2a.Task, error)
	// Tasks lists tasks of the caller, the ones that changed last first, with as much of each as
	// the query wants.
	Tasks(ctx context.Context, c memory.Caller, agent string, q a2a.Query) (a2a.Page, error)
	// Cancel ends a task of the caller.
	Cancel(ctx context.Context, c memory.Caller, agent, id string) (a2a.Task, error)
	// Follow returns a task of the caller, and a function that waits for its next changes. The
	// function is for one goroutine. It fails with [a2a.ErrStopping] when the server is about to
	// stop. After the end of the task it is not called.
	Follow(ctx context.Context, c memory.Caller, agent, id string) (a2a.Task, func(context.Context) ([]a2a.Event, error), error)
}

// Handler serves agents. Make one with [New].
type Handler struct {
	backend Backend
	options Options
}

// New returns the binding over b.
func New(b Backend, o Options) *Handler { return &Handler{backend: b, options: o.filled()} }

// AgentPath precedes the id of a served agent.
const AgentPath = "/a2a/"

// Has reports whether a path belongs to this binding.
func Has(path string) bool {
	return path == a2a.CardPath || path == strings.TrimSuffix(AgentPath, "/") || strings.HasPrefix(path, AgentPath)
}

// RouteOf returns the route of a path, with {id} in the place of the agent.
func RouteOf(path string) (route string, ok bool) {
	agent, card, ok := agentOf(path)
	switch {
	case !ok:
		return "", false
	case agent == "":
		return a2a.CardPath, true
	case card:
		return AgentPath + "{id}" + a2a.CardPath, true
	}
	return AgentPath + "{id}", true
}

// agentOf returns the agent that a path is about, empty for the first one, and whether its
// card is meant.
func agentOf(path string) (agent string, card, ok bool) {
	if path == a2a.CardPath {
		return "", true, true
	}
	rest, ok := strings.CutPrefix(path, AgentPath)
	agent, card = strings.CutSuffix(rest, a2a.CardPath)
	return agent, card, ok && agent != "" && !strings.Contains(agent, "/")
}

// ServeHTTP answers one request.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	agent, card, ok := agentOf(r.URL.Path)
	allowed := []string{http.MethodPost}
	if card {
		allowed = []string{http.MethodGet, http.MethodHead}
	}
	switch {
	case !ok:
		h.refuse(w, r, &memory.Error{Kind: memory.NotFound, Message: "no agent is served here; see GET " + a2a.CardPath})
	case r.Method != allowed[0] && r.Method != allowed[len(allowed)-1]:
		w.Header().Set("Allow", strings.Join(allowed, ", "))
		send(w, http.StatusMethodNotAllowed, a2a.Answer(a2a.V1, canon.Null(), canon.Value{}, &a2a.Fault{Code: a2a.InvalidRequest, Text: "this address answers " + strings.Join(allowed, ", ")}))
	case card:
		h.card(w, r, agent)
	default:
		h.call(w, r, agent)
	}
}

// card serves a card. Caches may keep it for a minute (A2A 1.0, section 8.6).
func (h *Handler) card(w http.ResponseWriter, r *http.Request, agent string) {
	doc, err := h.backend.Card(r.Context(), agent)
	if err != nil {
		h.refuse(w, r, err)
		return
	}
	body := doc.Append(nil)
	sum := sha256.Sum256(body)
	tag := `"` + hex.EncodeToString(sum[:16]) + `"`
	w.Header().Set("Cache-Control", "public, max-age=60")
	w.Header().Set("ETag", tag)
	if strings.Contains(r.Header.Get("If-None-Match"), tag) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	httpkit.Send(w, http.StatusOK, jsonType, body)
}

const jsonType = "application/json"

func send(w http.ResponseWriter, status int, doc canon.Value) {
	httpkit.Send(w, status, jsonType, doc.Append(nil))
}
