package umpmcp

import (
	"context"
	"net/http"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/satchel-memory/satchel/memory"
)

// sessions counts the sessions of a server. It ends unused sessions, and those whose
// credentials have ended. The SDK could end unused ones, but it ignores open streams.
type sessions struct {
	server   *mcp.Server
	options  HTTPOptions
	stopping context.Context

	mu              sync.Mutex
	open            map[string]*sessionState
	starting        map[string]int     // by holder: present requests that may begin a session
	startingByOwner map[memory.DID]int // by owner
	startingTotal   int                // all of them
	checking        bool
}

// sessionState is the state of one session.
type sessionState struct {
	caller      memory.Caller
	credentials *http.Request // the request for the next check of the credentials
	requests    int           // present ones
	keep        func()        // cancels the timeout, which runs while there are no requests
}

func newSessions(s *mcp.Server, o HTTPOptions, stopping context.Context) *sessions {
	return &sessions{server: s, options: o, stopping: stopping, open: map[string]*sessionState{}, starting: map[string]int{}, startingByOwner: map[memory.DID]int{}}
}

// reserve reserves room for a session until the caller calls leave; by then the session
// has begun. One token cannot take the room of all others, and the others cannot take the
// room of the server's owner.
func (s *sessions) reserve(c memory.Caller) (leave func(), err error) {
	who, most := holder(c), s.options.MaxSessions
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.options.isServerOwner(c) {
		most -= most / 10
		if s.countOf(who) >= s.options.MaxSessionsEach {
			return nil, tooMany(http.StatusTooManyRequests, "this token has as many sessions open as it may; close some with DELETE")
		}
	}
	if s.options.isOtherOwner(c) && s.countOfOwner(c.Owner) >= max(s.options.MaxSessions/4, 1) {
		return nil, tooMany(http.StatusTooManyRequests, "this owner has as many sessions open as it may; close some with DELETE")
	}
	if len(s.open)+s.startingTotal >= most {
		return nil, tooMany(http.StatusServiceUnavailable, "too many sessions are open; close some with DELETE")
	}
	s.startingTotal++
	s.starting[who]++
	s.startingByOwner[c.Owner]++
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.startingTotal--
		decrement(s.starting, who)
		decrement(s.startingByOwner, c.Owner)
	}, nil
}

// decrement decrements the count of a key.
func decrement[K comparable](of map[K]int, key K) {
	if of[key]--; of[key] == 0 {
		delete(of, key)
	}
}

// isServerOwner reports whether a caller is the owner of the server in person.
func (h HTTPOptions) isServerOwner(c memory.Caller) bool {
	return c.Role == memory.Owner && !h.isOtherOwner(c)
}

// isOtherOwner reports whether a caller belongs to another owner than the server's.
func (h HTTPOptions) isOtherOwner(c memory.Caller) bool { return h.Owner != "" && c.Owner != h.Owner }

func tooMany(status int, message string) error {
	return &statusError{status, http.Header{"Retry-After": {"60"}}, &memory.Error{Kind: memory.RateLimited, Message: message}}
}

// countOf returns how many sessions a holder has or starts. s.mu is held.
func (s *sessions) countOf(who string) int {
	n := s.starting[who]
	for _, u := range s.open {
		if holder(u.caller) == who {
			n++
		}
	}
	return n
}

// countOfOwner is countOf for all tokens of an owner. s.mu is held.
func (s *sessions) countOfOwner(owner memory.DID) int {
	n := s.startingByOwner[owner]
	for _, u := range s.open {
		if u.caller.Owner == owner {
			n++
		}
	}
	return n
}

// begin counts a session that began with request r; "": no session began.
func (s *sessions) begin(id string, c memory.Caller, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if id == "" || s.open[id] != nil || s.find(id) == nil {
		return
	}
	s.open[id] = &sessionState{caller: c, credentials: credentialRequest(r), keep: s.expireLater(id)}
	if !s.checking && s.stopping.Err() == nil {
		s.checking = true
		go s.check()
	}
}

// credentialRequest returns a copy of a request with the parts that authentication needs.
func credentialRequest(r *http.Request) *http.Request {
	again := &http.Request{Method: r.Method, URL: r.URL, Host: r.Host, RemoteAddr: r.RemoteAddr, TLS: r.TLS,
		Header: http.Header{"Authorization": r.Header.Values("Authorization")}}
	return again.WithContext(context.WithoutCancel(r.Context()))
}

// enter keeps a session open until the caller calls leave.
func (s *sessions) enter(id string) (leave func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	u := s.open[id]
	if u == nil {
		return func() {}
	}
	if u.requests == 0 {
		u.keep()
	}
	u.requests++
	return func() { s.leave(id, u) }
}

func (s *sessions) leave(id string, u *sessionState) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if u.requests--; u.requests > 0 || s.open[id] != u {
		return
	}
	if s.find(id) == nil {
		delete(s.open, id) // the client ended it
		return
	}
	u.keep = s.expireLater(id)
}

// expireLater ends a session after SessionTimeout, unless the caller calls keep before.
func (s *sessions) expireLater(id string) (keep func()) {
	ctx, done := context.WithTimeout(context.Background(), s.options.SessionTimeout)
	stop := context.AfterFunc(ctx, func() { s.end(id) })
	return func() {
		stop()
		done()
	}
}

func (s *sessions) end(id string) {
	s.mu.Lock()
	if u := s.open[id]; u == nil || u.requests > 0 {
		s.mu.Unlock()
		return
	}
	session := s.forget(id)
	s.mu.Unlock()
	if session != nil {
		_ = session.Close() // it may have ended meanwhile
	}
}

// forget removes a session from the count, and returns it if it is still open. s.mu is
// held.
func (s *sessions) forget(id string) *mcp.ServerSession {
	s.open[id].keep()
	delete(s.open, id)
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
