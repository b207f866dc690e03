package umpmcp

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// sessions end those of a server that nobody uses. The SDK would do it too, but
// it does not count a stream that is open as use.
type sessions struct {
	server *mcp.Server
	idle   time.Duration

	mu   sync.Mutex
	used map[string]*use
}

// use is that of one session.
type use struct {
	requests int    // under way
	keep     func() // stops the end that is near while there are none
}

func newSessions(s *mcp.Server, idle time.Duration) *sessions {
	return &sessions{server: s, idle: idle, used: map[string]*use{}}
}

func (s *sessions) count() int { return len(slices.Collect(s.server.Sessions())) }

// begin counts a session that has begun; "" is none.
func (s *sessions) begin(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if id != "" && s.used[id] == nil && s.find(id) != nil {
		s.used[id] = &use{keep: s.endSoon(id)}
	}
}

// enter keeps a session until leave is called.
func (s *sessions) enter(id string) (leave func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	u := s.used[id]
	if u == nil {
		return func() {}
	}
	if u.requests == 0 {
		u.keep()
	}
	u.requests++
	return func() { s.leave(id, u) }
}

func (s *sessions) leave(id string, u *use) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if u.requests--; u.requests > 0 || s.used[id] != u {
		return
	}
	if s.find(id) == nil {
		delete(s.used, id) // it was ended by its client
		return
	}
	u.keep = s.endSoon(id)
}

// endSoon ends a session after a while, unless keep is called before.
func (s *sessions) endSoon(id string) (keep func()) {
	ctx, done := context.WithTimeout(context.Background(), s.idle)
	stop := context.AfterFunc(ctx, func() { s.end(id) })
	return func() {
		stop()
		done()
	}
}

func (s *sessions) end(id string) {
	s.mu.Lock()
	if u := s.used[id]; u == nil || u.requests > 0 {
		s.mu.Unlock()
		return
	}
	delete(s.used, id)
	session := s.find(id)
	s.mu.Unlock()
	if session != nil {
		_ = session.Close() // it may have ended meanwhile
	}
}

func (s *sessions) find(id string) *mcp.ServerSession {
	for session := range s.server.Sessions() {
		if session.ID() == id {
			return session
		}
	}
	return nil
}
