// Package fakemodel answers over HTTP as providers of models do, from a [model.Script], with
// faults. It speaks four wires, each whole and as a stream:
//
//	POST …/chat/completions                                 OpenAI        openai.go
//	POST …/v1/messages                                      Anthropic     anthropic.go
//	POST …/models/MODEL:generateContent, :streamGenerateContent  Gemini   gemini.go
//	POST …/api/chat                                         Ollama        ollama.go
//
// It refuses what the providers refuse: a result without its call, a call without a result,
// a conversation that the user does not begin.
package fakemodel

import (
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/run/model"
)

// Handler answers from a script. It is safe for concurrent use. Make one with [New].
type Handler struct {
	script *model.Script
	mu     sync.Mutex
	seen   []Request
}

// Request is a request that arrived.
type Request struct {
	Path   string // with the query
	Header http.Header
	Body   canon.Value
	Wire   model.Wire
	Model  string
	Stream bool
}

// New returns a handler.
func New(script *model.Script) *Handler { return &Handler{script: script} }

// Start serves a script until the test ends and returns the handler and the server's address.
func Start(t testing.TB, steps ...model.Step) (h *Handler, address string) {
	t.Helper()
	h = New(model.NewScript(steps...))
	s := httptest.NewServer(h)
	t.Cleanup(func() { s.CloseClientConnections(); s.Close() })
	return h, s.URL
}

// Requests returns what arrived so far, in order.
func (h *Handler) Requests() []Request {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.seen)
}

// dialect is one wire as a server speaks it.
type dialect struct {
	wire  model.Wire
	read  func(canon.Value) []message
	whole func(reply) canon.Value
	// pieces returns the objects of a stream.
	pieces func(reply) []canon.Value
	// refusal returns the object of a status.
	refusal func(status int, code, text string) canon.Value
	lines   bool // objects are lines, not events
	done    bool // a stream ends with [DONE]
}

// reply is what a handler answers.
type reply struct {
	model.Step
	model string
	turn  int // number of earlier turns of the assistant
}

// ServeHTTP answers one request.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	d, name, stream, ok := dialectOf(r.URL.Path)
	if !ok || r.Method != http.MethodPost {
		http.NotFound(w, r)
		return
	}
	data, err := io.ReadAll(io.LimitReader(r.Body, 64<<20))
	if err != nil {
		return
	}
	body, err := canon.Parse(data, canon.Options{Bytes: 64 << 20, Inexact: true})
	if err != nil {
		answer(w, http.StatusBadRequest, d.refusal(http.StatusBadRequest, "invalid_request_error", err.Error()))
		return
	}
	if d.wire != model.Gemini {
		name, stream = body.Get("model").Text(), body.Get("stream").True()
	}
	if d.wire == model.Ollama && !body.Has("stream") {
		stream = true
	}
	h.mu.Lock()
	h.seen = append(h.seen, Request{r.URL.RequestURI(), r.Header.Clone(), body, d.wire, name, stream})
	h.mu.Unlock()
	messages := d.read(body)
	if wrong := problem(d.wire, body, messages); wrong != "" {
		answer(w, http.StatusBadRequest, d.refusal(http.StatusBadRequest, "invalid_request_error", wrong))
		return
	}
	q := question(name, messages)
	step, ok := h.script.Next(q)
	if !ok {
		answer(w, http.StatusBadRequest, d.refusal(http.StatusBadRequest, "invalid_request_error", "the script has no step for this request"))
		return
	}
	select {
	case <-time.After(time.Duration(step.Delay) * time.Millisecond):
	case <-r.Context().Done():
		return
	}
	d.send(w, r, reply{step, name, q.Turns}, stream)
}

// dialectOf returns the dialect of a path, and what only Gemini's path tells: the model, and
// whether a stream is wanted.
func dialectOf(path string) (d dialect, name string, stream, ok bool) {
	switch {
	case strings.HasSuffix(path, "/chat/completions"):
		return openai(), "", false, true
	case strings.HasSuffix(path, "/messages"):
		return anthropic(), "", false, true
	case strings.HasSuffix(path, "/api/chat"):
		return ollama(), "", false, true
	}
	at := strings.LastIndex(path, "/models/")
	name, verb, _ := strings.Cut(path[max(0, at):], ":")
	name = strings.TrimPrefix(name, "/models/")
	return gemini(), name, verb == "streamGenerateContent", at >= 0 && (verb == "generateContent" || verb == "streamGenerateContent")
}
