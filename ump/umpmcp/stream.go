package umpmcp

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/satchel-memory/satchel/memory"
)

// stream serves a request whose answer stays open. The answer ends with the caller's
// credentials.
func (h *HTTP) stream(serve http.Handler, w http.ResponseWriter, r *http.Request, caller memory.Caller) error {
	end := caller.Grant.End(h.options.Now())
	if err := checkEnd(r.Context(), end); err != nil {
		return err
	}
	leave, ok := h.open.enter(caller)
	if !ok {
		return tooMany(http.StatusTooManyRequests, "this token, or its owner, has as many streams open as it may; close one")
	}
	defer leave()
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	defer context.AfterFunc(h.stopping, cancel)()
	if !end.IsZero() {
		limited, done := context.WithDeadline(ctx, end)
		defer done()
		ctx = limited
	}
	s := &stream{ResponseWriter: w, control: http.NewResponseController(w), end: cancel, checkCredentials: func() error {
		soon, done := context.WithTimeout(ctx, recheckTimeout)
		defer done()
		return cmp.Or(ctx.Err(), h.recheck(r.WithContext(soon), caller))
	}}
	w.Header().Set("X-Accel-Buffering", "no")
	beating := make(chan struct{})
	go func() {
		defer close(beating)
		s.beat(ctx, h.options.Heartbeat)
	}()
	serve.ServeHTTP(s, r.WithContext(ctx))
	cancel()
	<-beating // nobody may write to w after the return
	return nil
}

// stream is an answer that stays open. The SDK and the heartbeat write to it in turns.
type stream struct {
	http.ResponseWriter
	control          *http.ResponseController
	end              context.CancelFunc
	checkCredentials func() error // fails unless the credentials are known to be still good

	mu      sync.Mutex
	started bool
}

var errCredentialsEnded = errors.New("umpmcp: the credentials of the stream are no longer good")

// Unwrap returns the wrapped writer for http.ResponseController.
func (s *stream) Unwrap() http.ResponseWriter { return s.ResponseWriter }

// WriteHeader sends the status.
func (s *stream) WriteHeader(status int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.setNoStore()
	s.ResponseWriter.WriteHeader(status)
}

// Write sends a piece of the stream, unless the credentials have ended.
func (s *stream) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.checkCredentials() != nil {
		s.end()
		return 0, errCredentialsEnded
	}
	s.setNoStore()
	s.started = s.started || strings.HasPrefix(s.Header().Get("Content-Type"), "text/event-stream")
	return s.ResponseWriter.Write(p)
}

// setNoStore keeps the stream out of caches: the SDK's header allows them to store it.
func (s *stream) setNoStore() { s.Header().Set("Cache-Control", "no-store") }

// FlushError flushes the stream. It clears the write deadline, so that a quiet stream
// stays open.
func (s *stream) FlushError() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.flush()
}

func (s *stream) flush() error {
	err := s.control.Flush()
	_ = s.control.SetWriteDeadline(time.Time{})
	return err
}

// beat sends heartbeats, and ends the stream when its credentials have ended.
func (s *stream) beat(ctx context.Context, every time.Duration) {
	for ctx.Err() == nil {
		pause, done := context.WithTimeout(ctx, every)
		<-pause.Done()
		done()
		if ctx.Err() == nil && !s.heartbeat() {
			s.end()
		}
	}
}

// heartbeat sends a comment if the stream has begun, and reports whether the stream may
// go on. While the store is unavailable and the credentials cannot be checked, the stream
// stays open and sends nothing else.
func (s *stream) heartbeat() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.checkCredentials(); err != nil && !errors.Is(err, memory.ErrUnavailable) {
		return false
	}
	if !s.started {
		return true
	}
	if _, err := s.ResponseWriter.Write([]byte(": alive\n\n")); err != nil {
		return false
	}
	return s.flush() == nil
}

// streamCounter counts the open streams of each token and of each owner.
type streamCounter struct {
	options HTTPOptions

	mu     sync.Mutex
	open   map[string]int
	owners map[memory.DID]int
}

func newStreamCounter(o HTTPOptions) *streamCounter {
	return &streamCounter{options: o, open: map[string]int{}, owners: map[memory.DID]int{}}
}

// enter counts a stream, unless there are too many.
func (c *streamCounter) enter(caller memory.Caller) (leave func(), ok bool) {
	who, most := holder(caller), c.options.MaxStreams
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.open[who] >= most || c.options.isOtherOwner(caller) && c.owners[caller.Owner] >= 4*most {
		return nil, false
	}
	c.open[who]++
	c.owners[caller.Owner]++
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		decrement(c.open, who)
		decrement(c.owners, caller.Owner)
	}, true
}
