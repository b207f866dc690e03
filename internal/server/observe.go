package server

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"runtime/debug"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/memory"
)

// observe numbers, times, counts and logs a request, and answers if a handler panics.
// Streams end when the server is about to stop.
func (s *server) observe(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began, n := time.Now(), &note{id: rand.Text()[:16], route: routeOf(r.URL.Path)}
		ctx, cancel := context.WithCancel(context.WithValue(r.Context(), noteKey{}, n))
		defer cancel()
		ctx, endSpan := s.beginSpan(ctx, r, n.route)
		r = r.WithContext(ctx)
		control := http.NewResponseController(w)
		in := &bodyReader{ReadCloser: r.Body, pace: pace{grace: s.options.ReadTimeout / 3, cut: func() { _ = control.SetReadDeadline(time.Now()) }}}
		r.Body = in
		out := &answerWriter{ResponseWriter: w, control: control, patience: s.options.WriteTimeout,
			pace: pace{grace: s.options.WriteTimeout / 3, cut: func() { _ = control.SetWriteDeadline(time.Now()) }}}
		n.in, n.out = &in.pace, &out.pace
		out.opened = func() {
			s.metrics.openStream()
			context.AfterFunc(s.streams, cancel)
		}
		out.Header().Set("X-Request-Id", n.id)
		s.metrics.startRequest()
		defer func() {
			fault := s.handlePanic(recover(), n, out, r)
			out.extendDeadline() // the buffers leave after this returns
			took := time.Since(began)
			if n.stranger && out.status == http.StatusUnauthorized { // the binding that makes another refusal reports it
				s.options.recordRefusal(ctx, memory.Unauthorized, n.route)
			}
			endSpan(out.status)
			s.metrics.end(series{n.route, methodOf(r), out.status}, took, in.pace.bytes, out.pace.bytes, out.stream)
			s.options.Log.LogAttrs(ctx, slog.LevelInfo, "request", append(n.attributes(ctx, r), slog.Int("status", out.status),
				slog.Int64("bytes", out.pace.bytes), slog.Float64("took_seconds", took.Seconds()), slog.Bool("aborted", fault != nil))...)
			if fault != nil {
				panic(http.ErrAbortHandler)
			}
		}()
		next.ServeHTTP(out, r)
	})
}

// beginSpan begins the span of a request, but for those that balancers and collectors repeat
// all day.
func (s *server) beginSpan(ctx context.Context, r *http.Request, route string) (_ context.Context, end func(status int)) {
	switch r.URL.Path {
	case "/healthz", "/readyz", "/metrics":
		return ctx, func(int) {}
	}
	return s.options.Telemetry.Request(ctx, r.Header, methodOf(r), route)
}

// handlePanic answers for a panic, if there was one. A non-nil result means that the
// connection has to be cut.
func (s *server) handlePanic(fault any, n *note, out *answerWriter, r *http.Request) any {
	if fault == nil || isAbort(fault) {
		return fault
	}
	s.options.Log.Error("panic", "request", n.id, "value", fmt.Sprintf("%T", fault), "stack", string(debug.Stack()))
	return out.answerPanic(r)
}

func isAbort(fault any) bool {
	err, ok := fault.(error)
	return ok && errors.Is(err, http.ErrAbortHandler)
}

// bodyReader reads and counts a request's body.
type bodyReader struct {
	io.ReadCloser
	pace    pace
	arrived bool // all of it
}

// Read reads a piece of the body. After the last piece the server waits for no more.
func (i *bodyReader) Read(p []byte) (int, error) {
	if i.arrived {
		return 0, io.EOF
	}
	if err := i.pace.begin(); err != nil {
		return 0, err
	}
	n, err := i.ReadCloser.Read(p)
	if i.pace.end(n) {
		return n, os.ErrDeadlineExceeded // even if this was the last piece
	}
	i.arrived = err == io.EOF
	return n, err
}

// answerWriter sends an answer. Each piece of it has its own deadline: a long answer may
// take its time, but a client that stops reading may not. Between pieces there is no
// deadline, because streams pause and handlers work.
type answerWriter struct {
	http.ResponseWriter
	control  *http.ResponseController
	patience time.Duration
	opened   func() // called once if the answer is a stream
	status   int    // 0: nothing was sent
	stream   bool
	pace     pace
}

// Unwrap lets http.ResponseController find the writer below.
func (o *answerWriter) Unwrap() http.ResponseWriter { return o.ResponseWriter }

// WriteHeader sends the status. After a 1xx status another follows.
func (o *answerWriter) WriteHeader(status int) {
	if o.status == 0 && status >= http.StatusOK {
		o.begin(status)
	}
	o.ResponseWriter.WriteHeader(status)
}

func (o *answerWriter) begin(status int) {
	o.status = status
	if o.stream = strings.HasPrefix(o.Header().Get("Content-Type"), "text/event-stream"); o.stream {
		o.opened()
	}
	if status == http.StatusRequestEntityTooLarge {
		// net/http then closes its side first and waits a moment, so that the client can
		// read the answer: bytes that arrive at a closed connection would discard it.
		_, _ = http.MaxBytesReader(o.ResponseWriter, io.NopCloser(strings.NewReader("x")), 0).Read(make([]byte, 1))
	}
}

// Write sends a piece of the answer.
func (o *answerWriter) Write(p []byte) (int, error) {
	if o.status == 0 {
		o.begin(http.StatusOK)
	}
	o.extendDeadline()
	defer o.clearDeadline()
	if err := o.pace.begin(); err != nil {
		return 0, err
	}
	n, err := o.ResponseWriter.Write(p)
	o.pace.end(n)
	return n, err
}

// FlushError sends what the handler wrote so far.
func (o *answerWriter) FlushError() error {
	if o.status == 0 {
		o.begin(http.StatusOK)
	}
	o.extendDeadline()
	defer o.clearDeadline()
	if err := o.pace.begin(); err != nil {
		return err
	}
	defer o.pace.end(0)
	return o.control.Flush()
}

// extendDeadline gives the client time for the next piece. A writer without deadlines, as
// in tests, ignores it.
func (o *answerWriter) extendDeadline() { _ = o.control.SetWriteDeadline(time.Now().Add(o.patience)) }

// clearDeadline lets the handler take its time until the next piece. HTTP/2 would end a
// stream whose deadline passes while it sends nothing.
func (o *answerWriter) clearDeadline() { _ = o.control.SetWriteDeadline(time.Time{}) }

// answerPanic answers for a handler that panicked. After the answer has begun it returns a
// non-nil value: the connection has to be cut.
func (o *answerWriter) answerPanic(r *http.Request) any {
	if o.status != 0 {
		return http.ErrAbortHandler
	}
	refuse(o, r, &memory.Error{Kind: memory.Internal})
	return nil
}
