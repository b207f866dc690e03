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

// stream serves a request whose answer stays open. It ends when its credentials
// do.
func (h *HTTP) stream(serve http.Handler, w http.ResponseWriter, r *http.Request, caller memory.Caller) error {
	end := caller.Grant.End(h.options.Now())
	if err := lapsed(r.Context(), end); err != nil {
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
	s := &stream{ResponseWriter: w, control: http.NewResponseController(w), end: cancel, welcome: func() error {
		soon, done := context.WithTimeout(ctx, lookTime)
		defer done()
		return cmp.Or(ctx.Err(), h.again(r.WithContext(soon), caller))
	}}
	w.Header().Set("X-Accel-Buffering", "no")
	beating := make(chan struct{})
	go func() {
		defer close(beating)
		s.beat(ctx, h.options.Heartbeat)
	}()
	serve.ServeHTTP(s, r.WithContext(ctx))
	cancel()
	<-beating // w is the server's again once this returns
	return nil
}

// stream is an answer that stays open. The SDK and the heartbeat write it in
// turns.
type stream struct {
	http.ResponseWriter
	control *http.ResponseController
	end     context.CancelFunc
	welcome func() error // fails unless the credentials are known to be still good

	mu    sync.Mutex
	begun bool
}

var errUnwelcome = errors.New("umpmcp: the credentials of the stream are no longer good")

// Unwrap lets http.ResponseController find what lies below.
func (s *stream) Unwrap() http.ResponseWriter { return s.ResponseWriter }

// WriteHeader sends the status.
func (s *stream) WriteHeader(status int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.private()
	s.ResponseWriter.WriteHeader(status)
}

// Write sends a piece of the stream, unless the credentials have ended.
func (s *stream) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.welcome() != nil {
		s.end()
		return 0, errUnwelcome
	}
	s.private()
	s.begun = s.begun || strings.HasPrefix(s.Header().Get("Content-Type"), "text/event-stream")
	return s.ResponseWriter.Write(p)
}

// private keeps the stream out of caches: the SDK lets them store it.
func (s *stream) private() { s.Header().Set("Cache-Control", "no-store") }

// FlushError sends what is written. However long nothing follows, the connection
// is not to be cut for it.
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

// beat says again and again that the stream is alive, and ends it when its
// credentials have ended.
func (s *stream) beat(ctx context.Context, every time.Duration) {
	for ctx.Err() == nil {
		pause, done := context.WithTimeout(ctx, every)
		<-pause.Done()
		done()
		if ctx.Err() == nil && !s.alive() {
			s.end()
		}
	}
}

// alive reports whether the stream is. While nobody can say whether its
// credentials are good because the store is away, it stays, and nothing else is
// sent.
func (s *stream) alive() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.welcome(); err != nil && !errors.Is(err, memory.ErrUnavailable) {
		return false
	}
	if !s.begun {
		return true
	}
	if _, err := s.ResponseWriter.Write([]byte(": alive\n\n")); err != nil {
		return false
	}
	return s.flush() == nil
}

// counter counts the streams that are open for each token, and for each owner.
type counter struct {
	options HTTPOptions

	mu     sync.Mutex
	open   map[string]int
	owners map[memory.DID]int
}

func newCounter(o HTTPOptions) *counter {
	return &counter{options: o, open: map[string]int{}, owners: map[memory.DID]int{}}
}

// enter counts one in, unless there are as many as may be.
func (c *counter) enter(caller memory.Caller) (leave func(), ok bool) {
	who, most := holder(caller), c.options.MaxStreams
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.open[who] >= most || c.options.guest(caller) && c.owners[caller.Owner] >= 4*most {
		return nil, false
	}
	c.open[who]++
	c.owners[caller.Owner]++
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		fewer(c.open, who)
		fewer(c.owners, caller.Owner)
	}, true
}
