package server

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump/umphttp"
)

type requestKey struct{}

// requestID returns the number of the request, which its answer and its log
// lines carry.
func requestID(ctx context.Context) string {
	id, _ := ctx.Value(requestKey{}).(string)
	return id
}

// observe numbers, times and logs a request, and ends it well when a handler
// panics.
func observe(o Options, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began, id := time.Now(), rand.Text()[:16]
		r = r.WithContext(context.WithValue(r.Context(), requestKey{}, id))
		out := &outgoing{ResponseWriter: w, control: http.NewResponseController(w), patience: o.WriteTimeout}
		out.extend()
		out.Header().Set("X-Request-Id", id)
		defer func() {
			fault := recover()
			if fault != nil && !aborted(fault) {
				o.Log.Error("panic", "request", id, "value", fmt.Sprintf("%T", fault), "stack", string(debug.Stack()))
				fault = out.apologise()
			}
			o.Log.LogAttrs(r.Context(), slog.LevelInfo, "request", slog.String("request", id),
				slog.String("method", method(r)), slog.String("route", routeOf(r.URL.Path)), slog.Int("status", out.status),
				slog.Int64("bytes", out.bytes), slog.Duration("took", time.Since(began)), slog.Bool("aborted", fault != nil))
			if fault != nil {
				panic(http.ErrAbortHandler)
			}
		}()
		next.ServeHTTP(out, r)
	})
}

func aborted(fault any) bool {
	err, ok := fault.(error)
	return ok && errors.Is(err, http.ErrAbortHandler)
}

// outgoing is an answer on its way. Each piece of it has its own deadline, so
// that a long answer may take its time and a client that stops reading may not.
type outgoing struct {
	http.ResponseWriter
	control  *http.ResponseController
	patience time.Duration
	status   int
	bytes    int64
}

// Unwrap lets http.ResponseController find what lies below.
func (o *outgoing) Unwrap() http.ResponseWriter { return o.ResponseWriter }

// WriteHeader sends the status.
func (o *outgoing) WriteHeader(status int) {
	if o.status == 0 {
		o.status = status
	}
	o.ResponseWriter.WriteHeader(status)
}

// Write sends a piece of the answer.
func (o *outgoing) Write(p []byte) (int, error) {
	if o.status == 0 {
		o.status = http.StatusOK
	}
	o.extend()
	n, err := o.ResponseWriter.Write(p)
	o.bytes += int64(n)
	return n, err
}

// extend gives the client time for the next piece. A writer without deadlines,
// as in tests, has none.
func (o *outgoing) extend() { _ = o.control.SetWriteDeadline(time.Now().Add(o.patience)) }

// apologise answers for a handler that panicked. When the answer has begun it
// cannot be taken back, and the connection is to be cut: the result is not nil.
func (o *outgoing) apologise() any {
	if o.status != 0 {
		return http.ErrAbortHandler
	}
	umphttp.WriteError(o, &memory.Error{Kind: memory.Internal})
	return nil
}

// method returns a request's method for the log: one that exists.
func method(r *http.Request) string {
	known := []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions}
	if slices.Contains(known, r.Method) {
		return r.Method
	}
	return "other"
}

// routeOf returns a path for the log, without the id of a record, from which a
// short text can be guessed, and without anything a stranger made up.
func routeOf(path string) string {
	switch path {
	case "/", "/mcp", "/healthz", "/readyz", "/.well-known/ump.json", "/ump/capabilities", "/ump/recall", "/ump/remember",
		"/ump/revise", "/ump/forget", "/ump/export", "/ump/feedback", "/ump/subscribe":
		return path
	}
	if strings.HasPrefix(path, "/ump/memory/") {
		return "/ump/memory/{id}"
	}
	return "other"
}
