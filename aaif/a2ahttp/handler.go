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
	routes  httpkit.Table[*Handler]
}

// New returns the binding over b.
func New(b Backend, o Options) *Handler {
	return &Handler{backend: b, options: o.filled(), routes: routes()}
}

// AgentPath precedes the id of a served agent.
const AgentPath = "/a2a/"

// Has reports whether a path belongs to this binding.
func Has(path string) bool {
	return path == a2a.CardPath || path == strings.TrimSuffix(AgentPath, "/") || strings.HasPrefix(path, AgentPath)
}

// ServeHTTP answers one request.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	routes := h.routes.At(h, r)
	if len(routes) == 0 {
		h.refuse(w, r, &memory.Error{Kind: memory.NotFound, Message: "no agent is served here; see GET " + a2a.CardPath})
		return
	}
	way := routes.For(r.Method)
	if way == nil {
		allowed := strings.Join(routes.Methods(), ", ")
		w.Header().Set("Allow", allowed)
		send(w, http.StatusMethodNotAllowed, a2a.Answer(a2a.V1, canon.Null(), canon.Value{}, &a2a.Fault{Code: a2a.InvalidRequest, Text: "this address answers " + allowed}))
		return
	}
	if err := way.Do(h, w, r, memory.Caller{}); err != nil {
		h.refuse(w, r, err)
	}
}

// card serves a card. Caches may keep it for a minute (A2A 1.0, section 8.6).
func (h *Handler) card(w http.ResponseWriter, r *http.Request, _ memory.Caller) error {
	doc, err := h.backend.Card(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	body := doc.Append(nil)
	sum := sha256.Sum256(body)
	w.Header().Set("Cache-Control", "public, max-age=60")
	httpkit.SendTagged(w, r, jsonType, body, hex.EncodeToString(sum[:16]))
	return nil
}

const jsonType = "application/json"

func send(w http.ResponseWriter, status int, doc canon.Value) {
	httpkit.Send(w, status, jsonType, doc.Append(nil))
}
