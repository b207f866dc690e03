package server

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/satchel-memory/satchel/engram/engramhttp"
	"github.com/satchel-memory/satchel/internal/pages"
	"github.com/satchel-memory/satchel/internal/replica/peer"
	"github.com/satchel-memory/satchel/memory"
)

// gatekeeper is a backend that lets an owner's data leave only if the owner has not erased
// everything meanwhile (AIMEM 5.2, decision AD-28).
type gatekeeper interface {
	// Erasures returns how often the owner's data was erased completely.
	Erasures(ctx context.Context, owner memory.DID) (int64, error)
	// Emit runs write. If owner was erased after the call that returned erasures, Emit
	// fails and write does not run.
	Emit(ctx context.Context, owner memory.DID, erasures int64, write func() error) error
}

// The size of one piece of an answer, and how often the server checks for an erasure while
// a write hangs.
const (
	pieceSize = 64 << 10
	hangCheck = 400 * time.Millisecond
)

// gateAnswers sends every answer that may hold memories in pieces. It writes each piece
// only if its owners were not erased since the request began. Otherwise it cuts the
// connection.
func (s *server) gateAnswers(next http.Handler) http.Handler {
	k, ok := s.options.Backend.(gatekeeper)
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
		l := &gatedWriter{ResponseWriter: w, control: http.NewResponseController(w), keeper: k, cancel: cancel, head: r.Method == http.MethodHead,
			ctx: context.WithoutCancel(ctx)}
		for _, owner := range owners {
			n, err := k.Erasures(ctx, owner)
			if err != nil {
				s.options.report(r, err)
				refuse(w, r, err)
				return
			}
			l.owners = append(l.owners, ownerErasures{owner, n})
		}
		next.ServeHTTP(l, r.WithContext(context.WithValue(ctx, gateKey{}, l)))
		if l.finish() != nil {
			panic(http.ErrAbortHandler)
		}
	})
}

// gateKey is the key of the gatedWriter among the values of a request's context.
type gateKey struct{}

// gateVisitor adds the owner of a visit to the owners of an answer. The pages call it when
// they know whose cookie it is, before they read anything of that owner.
func gateVisitor(r *http.Request, owner memory.DID) {
	l, ok := r.Context().Value(gateKey{}).(*gatedWriter)
	if !ok || slices.ContainsFunc(l.owners, func(o ownerErasures) bool { return o.owner == owner }) {
		return
	}
	n, err := l.keeper.Erasures(r.Context(), owner)
	if err != nil {
		n = noErasures // no answer passes but that about a failure
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.owners = append(l.owners, ownerErasures{owner, n})
}

// noErasures is no number of erasures.
const noErasures = -1

// owners are those whose memories the answer may hold: the caller's owner, and the owner
// whose memories the server shows to all. The pages add the owner of a visit by gateVisitor.
// The answer to an erasure of everything holds none, and neither do answers about the
// server's health.
func (s *server) owners(r *http.Request) []memory.DID {
	switch r.URL.Path {
	case "/healthz", "/readyz", "/metrics", "/":
		return nil
	case "/v1/brain":
		if r.Method == http.MethodDelete {
			return nil
		}
	case pages.ErasePath:
		if r.Method == http.MethodPost {
			return nil
		}
	}
	if engramhttp.IsPublic(r.URL.Path) {
		return nil
	}
	if r.URL.Path == peer.Path && s.options.Machines.Answer != nil {
		return []memory.DID{s.options.ownerOf(r)}
	}
	if s.pages != nil && pages.Has(r.URL.Path) {
		return []memory.DID{s.options.Owner}
	}
	var owners []memory.DID
	if s.options.Public {
		owners = append(owners, s.options.Owner)
	}
	if a := identityOf(r); a.err == nil && a.caller.Owner != "" && (!s.options.Public || a.caller.Owner != s.options.Owner) {
		owners = append(owners, a.caller.Owner)
	}
	return owners
}

// ownerErasures is an owner and the number of erasures when the request began.
type ownerErasures struct {
	owner    memory.DID
	erasures int64
}

// gatedWriter sends an answer through the owners' gates. It holds what the handler writes
// until it has a piece, or the handler flushes or returns. It then writes and flushes the
// piece, so that no buffer behind the gate holds a part. Several goroutines may use it,
// unlike an http.ResponseWriter.
type gatedWriter struct {
	http.ResponseWriter
	control *http.ResponseController
	keeper  gatekeeper
	owners  []ownerErasures
	ctx     context.Context // does not end when the client goes
	cancel  context.CancelFunc
	head    bool // the answer has no body

	mu     sync.Mutex
	held   bytes.Buffer
	status int  // 0: the handler has not said
	sent   bool // the status can no longer change
	failed error
}

// Unwrap lets http.ResponseController find the writer below.
func (l *gatedWriter) Unwrap() http.ResponseWriter { return l.ResponseWriter }

// WriteHeader notes the status; the first piece carries it.
func (l *gatedWriter) WriteHeader(status int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case status < http.StatusOK:
		l.ResponseWriter.WriteHeader(status)
	case l.status == 0:
		l.status = status
	}
}

// Write accepts a part of the answer.
func (l *gatedWriter) Write(p []byte) (int, error) {
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
			l.sendPiece()
		}
	}
	return written, l.failed
}

// FlushError sends what the handler wrote so far.
func (l *gatedWriter) FlushError() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.status == 0 {
		l.status = http.StatusOK
	}
	l.sendPiece()
	return l.failed
}

// Flush is FlushError for callers that take no error.
func (l *gatedWriter) Flush() { _ = l.FlushError() }

// finish sends the rest after the handler has returned. An answer in one piece states its
// length.
func (l *gatedWriter) finish() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.failed != nil || l.status == 0 || l.sent && l.held.Len() == 0 {
		return l.failed
	}
	h := l.Header()
	if trailer := h.Get("Trailer"); !l.sent && trailer != "" && h.Get(trailer) == "" {
		h.Del("Trailer") // the server uses no trailer
	}
	if !l.sent && h.Get("Content-Length") == "" && h.Get("Trailer") == "" && l.hasBody() {
		h.Set("Content-Length", strconv.Itoa(l.held.Len()))
	}
	l.sendPiece()
	return l.failed
}

// hasBody reports whether this kind of answer has a body, and sets the length.
func (l *gatedWriter) hasBody() bool {
	return l.status != http.StatusNoContent && l.status != http.StatusNotModified && (!l.head || l.held.Len() > 0)
}

// sendPiece sends a piece. An error ends the request.
func (l *gatedWriter) sendPiece() {
	if l.failed != nil {
		return
	}
	if l.failed = l.withGates(l.owners, l.writePiece); l.failed != nil {
		l.held.Reset()
		l.cancel()
	}
}

// withGates runs write within the gates of all owners. An answer about a failure of the
// server needs no gate: it reveals nothing about anybody.
func (l *gatedWriter) withGates(owners []ownerErasures, write func() error) error {
	if len(owners) == 0 || !l.sent && l.status >= http.StatusInternalServerError {
		return write()
	}
	o := owners[0]
	return l.keeper.Emit(l.ctx, o.owner, o.erasures, func() error { return l.withGates(owners[1:], write) })
}

// writePiece writes the held bytes to the client. It watches for erasures meanwhile: an
// erasure does not wait for a client that does not read.
func (l *gatedWriter) writePiece() error {
	end := l.watchErasures()
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

// watchErasures cuts off a write that hangs once an owner is erased, until end is called.
func (l *gatedWriter) watchErasures() (end func()) {
	var mu sync.Mutex
	over := false
	var timer *time.Timer
	check := func() {
		erased := l.isErased()
		mu.Lock()
		defer mu.Unlock()
		if over {
			return
		}
		if erased {
			_ = l.control.SetWriteDeadline(time.Now()) // a writer without deadlines never hangs
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

// isErased reports whether an owner was erased since the request began.
func (l *gatedWriter) isErased() bool {
	for _, o := range l.owners {
		if n, err := l.keeper.Erasures(l.ctx, o.owner); err == nil && n != o.erasures {
			return true
		}
	}
	return false
}
