package server

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/satchel-memory/satchel/engram/engramhttp"
	"github.com/satchel-memory/satchel/memory"
)

// Gatekeeper is a backend that keeps what leaves of an owner apart from an erasure of
// everything (AIMEM 5.2, decision AD-28).
type Gatekeeper interface {
	// Erasures returns how often everything of owner was erased.
	Erasures(ctx context.Context, owner memory.DID) (int64, error)
	// Emit runs write unless owner was erased since erasures was asked for; then it
	// fails and write does not run.
	Emit(ctx context.Context, owner memory.DID, erasures int64, write func() error) error
}

// A piece of an answer that leaves at once, and how often one that hangs is asked
// whether its owner was erased meanwhile.
const (
	pieceSize = 64 << 10
	hangCheck = 400 * time.Millisecond
)

// gated lets every answer that may hold memories pass piece by piece, each of which
// is written only if its owners were not erased since the request began. Otherwise
// the connection is cut.
func (s *Server) gated(next http.Handler) http.Handler {
	k, ok := s.options.Backend.(Gatekeeper)
	if !ok {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		owners := s.owners(r)
		if len(owners) == 0 {
			next.ServeHTTP(w, r)
			return
		}
		ctx, cancel := context.WithCancel(r.Context())
		defer cancel()
		l := &leaving{ResponseWriter: w, control: http.NewResponseController(w), keeper: k, cancel: cancel, head: r.Method == http.MethodHead,
			ctx: context.WithoutCancel(ctx)}
		for _, owner := range owners {
			n, err := k.Erasures(ctx, owner)
			if err != nil {
				s.options.report(r, err)
				refuse(w, r, err)
				return
			}
			l.owners = append(l.owners, asOf{owner, n})
		}
		next.ServeHTTP(l, r.WithContext(ctx))
		if l.finish() != nil {
			panic(http.ErrAbortHandler)
		}
	})
}

// owners are those whose memories the answer to a request may hold: the caller's,
// and those of whom the server shows to all. The answer to an erasure of everything
// holds none, and neither does what tells how the server is.
func (s *Server) owners(r *http.Request) []memory.DID {
	switch r.URL.Path {
	case "/healthz", "/readyz", "/metrics", "/":
		return nil
	case "/v1/brain":
		if r.Method == http.MethodDelete {
			return nil
		}
	}
	if engramhttp.IsPublic(r.URL.Path) {
		return nil
	}
	var owners []memory.DID
	if s.options.Public {
		owners = append(owners, s.options.Owner)
	}
	if a := askerOf(r); a.err == nil && a.caller.Owner != "" && (!s.options.Public || a.caller.Owner != s.options.Owner) {
		owners = append(owners, a.caller.Owner)
	}
	return owners
}

// asOf is an owner and the number of erasures when the request began.
type asOf struct {
	owner    memory.DID
	erasures int64
}

// leaving is an answer on its way out. What is written is kept until it makes a
// piece, is flushed, or the handler is done, and then handed on and flushed, so that
// nothing of it waits in buffers behind the gate. It may be used by several
// goroutines, as http.ResponseWriter may not.
type leaving struct {
	http.ResponseWriter
	control *http.ResponseController
	keeper  Gatekeeper
	owners  []asOf
	ctx     context.Context // does not end when the client goes
	cancel  context.CancelFunc
	head    bool // there is no body

	mu     sync.Mutex
	held   bytes.Buffer
	status int  // 0: the handler has not said
	sent   bool // so that the status cannot be changed any more
	failed error
}

// Unwrap lets http.ResponseController find what lies below.
func (l *leaving) Unwrap() http.ResponseWriter { return l.ResponseWriter }

// WriteHeader takes note of the status, which leaves with the first piece.
func (l *leaving) WriteHeader(status int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case status < http.StatusOK:
		l.ResponseWriter.WriteHeader(status)
	case l.status == 0:
		l.status = status
	}
}

// Write takes a part of the answer.
func (l *leaving) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.status == 0 {
		l.status = http.StatusOK
	}
	written := 0
	for len(p) > 0 && l.failed == nil {
		n := min(len(p), pieceSize-l.held.Len())
		l.held.Write(p[:n])
		p, written = p[n:], written+n
		if l.held.Len() == pieceSize {
			l.send()
		}
	}
	return written, l.failed
}

// FlushError hands on what was written so far.
func (l *leaving) FlushError() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.status == 0 {
		l.status = http.StatusOK
	}
	l.send()
	return l.failed
}

// Flush is FlushError for those who cannot be told.
func (l *leaving) Flush() { _ = l.FlushError() }

// finish hands on the rest, once the handler is done. An answer that leaves in one
// piece says how long it is.
func (l *leaving) finish() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.failed != nil || l.status == 0 || l.sent && l.held.Len() == 0 {
		return l.failed
	}
	h := l.Header()
	if trailer := h.Get("Trailer"); !l.sent && trailer != "" && h.Get(trailer) == "" {
		h.Del("Trailer") // nothing stands in it
	}
	if !l.sent && h.Get("Content-Length") == "" && h.Get("Trailer") == "" && l.hasBody() {
		h.Set("Content-Length", strconv.Itoa(l.held.Len()))
	}
	l.send()
	return l.failed
}

// hasBody reports whether the answer is of a kind that has one, and says how long it
// is.
func (l *leaving) hasBody() bool {
	return l.status != http.StatusNoContent && l.status != http.StatusNotModified && (!l.head || l.held.Len() > 0)
}

// send hands a piece on. What fails ends the request.
func (l *leaving) send() {
	if l.failed != nil {
		return
	}
	if l.failed = l.through(l.owners, l.hand); l.failed != nil {
		l.held.Reset()
		l.cancel()
	}
}

// through runs write within the gates of all owners. What tells of a failure of the
// server says nothing of anybody.
func (l *leaving) through(owners []asOf, write func() error) error {
	if len(owners) == 0 || !l.sent && l.status >= http.StatusInternalServerError {
		return write()
	}
	o := owners[0]
	return l.keeper.Emit(l.ctx, o.owner, o.erasures, func() error { return l.through(owners[1:], write) })
}

// hand writes what is held to the client. While that hangs the owners are looked
// after: an erasure does not wait for a client that does not read.
func (l *leaving) hand() error {
	end := l.watch()
	defer end()
	if !l.sent {
		l.sent = true
		l.ResponseWriter.WriteHeader(l.status)
	}
	if l.held.Len() > 0 {
		_, err := l.ResponseWriter.Write(l.held.Bytes())
		l.held.Reset()
		if err != nil {
			return err
		}
	}
	if err := l.control.Flush(); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return err
	}
	return nil
}

// watch cuts a write off that hangs when an owner was erased since the request
// began, until end is called.
func (l *leaving) watch() (end func()) {
	var mu sync.Mutex
	over := false
	var timer *time.Timer
	check := func() {
		erased := l.erased()
		mu.Lock()
		defer mu.Unlock()
		if over {
			return
		}
		if erased {
			_ = l.control.SetWriteDeadline(time.Now()) // where there are no deadlines nothing hangs
		}
		timer.Reset(hangCheck)
	}
	mu.Lock()
	timer = time.AfterFunc(hangCheck, check)
	mu.Unlock()
	return func() {
		mu.Lock()
		defer mu.Unlock()
		over = true
		timer.Stop()
	}
}

// erased reports whether an owner was erased since the request began.
func (l *leaving) erased() bool {
	for _, o := range l.owners {
		if n, err := l.keeper.Erasures(l.ctx, o.owner); err == nil && n != o.erasures {
			return true
		}
	}
	return false
}
