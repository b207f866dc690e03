package umpmcp

import (
	"context"
	"net/http"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/satchel-memory/satchel/memory"
)

// sessions count those of a server, and end those that nobody uses, or may use.
// The SDK would do the former, too, but it does not count a stream that is open
// as use.
type sessions struct {
	server   *mcp.Server
	options  HTTPOptions
	stopping context.Context

	mu        sync.Mutex
	used      map[string]*use
	coming    map[string]int     // by holder: requests under way that may begin one
	comingFor map[memory.DID]int // by owner
	comingIn  int                // all of them
	checking  bool
}

// use is that of one session.
type use struct {
	caller   memory.Caller
	again    *http.Request // with which its credentials are looked at again
	requests int           // under way
	keep     func()        // stops the end that is near while there are none
}

func newSessions(s *mcp.Server, o HTTPOptions, stopping context.Context) *sessions {
	return &sessions{server: s, options: o, stopping: stopping, used: map[string]*use{}, coming: map[string]int{}, comingFor: map[memory.DID]int{}}
}

// reserve makes room for a session until leave is called, by when it has begun.
// One token cannot take the room of all others, nor all others that of whose server
// this is.
func (s *sessions) reserve(c memory.Caller) (leave func(), err error) {
	who, most := holder(c), s.options.MaxSessions
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.options.host(c) {
		most -= most / 10
		if s.countOf(who) >= s.options.MaxSessionsEach {
			return nil, tooMany(http.StatusTooManyRequests, "this token has as many sessions open as it may; close some with DELETE")
		}
	}
	if s.options.guest(c) && s.countOfOwner(c.Owner) >= max(s.options.MaxSessions/4, 1) {
		return nil, tooMany(http.StatusTooManyRequests, "this owner has as many sessions open as it may; close some with DELETE")
	}
	if len(s.used)+s.comingIn >= most {
		return nil, tooMany(http.StatusServiceUnavailable, "too many sessions are open; close some with DELETE")
	}
	s.comingIn++
	s.coming[who]++
	s.comingFor[c.Owner]++
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.comingIn--
		fewer(s.coming, who)
		fewer(s.comingFor, c.Owner)
	}, nil
}

// fewer counts one less.
func fewer[K comparable](of map[K]int, key K) {
	if of[key]--; of[key] == 0 {
		delete(of, key)
	}
}

// host reports whether a caller is whose server this is, in person.
func (h HTTPOptions) host(c memory.Caller) bool { return c.Role == memory.Owner && !h.guest(c) }

// guest reports whether a caller comes from an owner whose server this is not.
func (h HTTPOptions) guest(c memory.Caller) bool { return h.Owner != "" && c.Owner != h.Owner }

func tooMany(status int, message string) error {
	return &answer{status, http.Header{"Retry-After": {"60"}}, &memory.Error{Kind: memory.RateLimited, Message: message}}
}

// countOf returns how many sessions a holder has or is about to. s.mu is held.
func (s *sessions) countOf(who string) int {
	n := s.coming[who]
	for _, u := range s.used {
		if holder(u.caller) == who {
			n++
		}
	}
	return n
}

// countOfOwner is countOf for all tokens of an owner. s.mu is held.
func (s *sessions) countOfOwner(owner memory.DID) int {
	n := s.comingFor[owner]
	for _, u := range s.used {
		if u.caller.Owner == owner {
			n++
		}
	}
	return n
}

// begin counts a session that has begun with a request; "" is none.
func (s *sessions) begin(id string, c memory.Caller, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if id == "" || s.used[id] != nil || s.find(id) == nil {
		return
	}
	s.used[id] = &use{caller: c, again: remembered(r), keep: s.endSoon(id)}
	if !s.checking && s.stopping.Err() == nil {
		s.checking = true
		go s.check()
	}
}

// remembered returns of a request what its credentials need.
func remembered(r *http.Request) *http.Request {
	again := &http.Request{Method: r.Method, URL: r.URL, Host: r.Host, RemoteAddr: r.RemoteAddr, TLS: r.TLS,
		Header: http.Header{"Authorization": r.Header.Values("Authorization")}}
	return again.WithContext(context.WithoutCancel(r.Context()))
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
	ctx, done := context.WithTimeout(context.Background(), s.options.SessionTimeout)
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
	session := s.forget(id)
	s.mu.Unlock()
	if session != nil {
		_ = session.Close() // it may have ended meanwhile
	}
}

// forget counts a session no more, and returns it if it is still open. s.mu is
// held.
func (s *sessions) forget(id string) *mcp.ServerSession {
	s.used[id].keep()
	delete(s.used, id)
	return s.find(id)
}

func (s *sessions) find(id string) *mcp.ServerSession {
	for session := range s.server.Sessions() {
		if session.ID() == id {
			return session
		}
	}
	return nil
}
