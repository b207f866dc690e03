package server

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/memory"
)

// observe numbers, times, counts and logs a request, and ends it well when a
// handler panics. An answer that is a stream ends when the server is to stop.
func (s *Server) observe(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began, n := time.Now(), &note{id: rand.Text()[:16]}
		ctx, cancel := context.WithCancel(context.WithValue(r.Context(), noteKey{}, n))
		defer cancel()
		r = r.WithContext(ctx)
		in := &incoming{ReadCloser: r.Body}
		r.Body = in
		out := &outgoing{ResponseWriter: w, control: http.NewResponseController(w), patience: s.options.WriteTimeout}
		out.opened = func() {
			s.metrics.opened()
			context.AfterFunc(s.streams, cancel)
		}
		out.Header().Set("X-Request-Id", n.id)
		s.metrics.began()
		defer func() {
			fault := s.recovered(recover(), n, out, r)
			out.extend() // what is left in buffers is sent once this returns
			took := time.Since(began)
			if n.stranger && out.status == http.StatusUnauthorized { // other refusals are told where they are made
				s.options.tell(ctx, memory.Unauthorized, routeOf(r.URL.Path))
			}
			s.metrics.ended(series{routeOf(r.URL.Path), methodOf(r), out.status}, took, in.bytes, out.bytes, out.stream)
			s.options.Log.LogAttrs(ctx, slog.LevelInfo, "request", append(n.attributes(r), slog.Int("status", out.status),
				slog.Int64("bytes", out.bytes), slog.Float64("took_seconds", took.Seconds()), slog.Bool("aborted", fault != nil))...)
			if fault != nil {
				panic(http.ErrAbortHandler)
			}
		}()
		next.ServeHTTP(out, r)
	})
}

// recovered deals with a panic, if there was one. The result is not nil when the
// connection has to be cut.
func (s *Server) recovered(fault any, n *note, out *outgoing, r *http.Request) any {
	if fault == nil || aborted(fault) {
		return fault
	}
	s.options.Log.Error("panic", "request", n.id, "value", fmt.Sprintf("%T", fault), "stack", string(debug.Stack()))
	return out.apologise(r)
}

func aborted(fault any) bool {
	err, ok := fault.(error)
	return ok && errors.Is(err, http.ErrAbortHandler)
}

// incoming is a request's body, counted.
type incoming struct {
	io.ReadCloser
	bytes int64
}

// Read reads a piece of the body.
func (i *incoming) Read(p []byte) (int, error) {
	n, err := i.ReadCloser.Read(p)
	i.bytes += int64(n)
	return n, err
}

// outgoing is an answer on its way. Each piece of it has its own deadline, so
// that a long answer may take its time and a client that stops reading may not.
// Between pieces there is none: streams rest, and questions are thought about.
type outgoing struct {
	http.ResponseWriter
	control  *http.ResponseController
	patience time.Duration
	opened   func() // called once when the answer turns out to be a stream
	status   int    // 0: nothing has been sent
	bytes    int64
	stream   bool
}

// Unwrap lets http.ResponseController find what lies below.
func (o *outgoing) Unwrap() http.ResponseWriter { return o.ResponseWriter }

// WriteHeader sends the status. One of the hundreds announces another.
func (o *outgoing) WriteHeader(status int) {
	if o.status == 0 && status >= http.StatusOK {
		o.begin(status)
	}
	o.ResponseWriter.WriteHeader(status)
}

func (o *outgoing) begin(status int) {
	o.status = status
	if o.stream = strings.HasPrefix(o.Header().Get("Content-Type"), "text/event-stream"); o.stream {
		o.opened()
	}
}

// Write sends a piece of the answer.
func (o *outgoing) Write(p []byte) (int, error) {
	if o.status == 0 {
		o.begin(http.StatusOK)
	}
	o.extend()
	defer o.relax()
	n, err := o.ResponseWriter.Write(p)
	o.bytes += int64(n)
	return n, err
}

// FlushError sends what was written so far.
func (o *outgoing) FlushError() error {
	if o.status == 0 {
		o.begin(http.StatusOK)
	}
	o.extend()
	defer o.relax()
	return o.control.Flush()
}

// extend gives the client time for the next piece. A writer without deadlines,
// as in tests, has none.
func (o *outgoing) extend() { _ = o.control.SetWriteDeadline(time.Now().Add(o.patience)) }

// relax lets the handler take its time until the next piece. HTTP/2 would end a
// stream whose deadline passes while nothing is being sent.
func (o *outgoing) relax() { _ = o.control.SetWriteDeadline(time.Time{}) }

// apologise answers for a handler that panicked. When the answer has begun it
// cannot be taken back, and the connection is to be cut: the result is not nil.
func (o *outgoing) apologise(r *http.Request) any {
	if o.status != 0 {
		return http.ErrAbortHandler
	}
	refuse(o, r, &memory.Error{Kind: memory.Internal})
	return nil
}
