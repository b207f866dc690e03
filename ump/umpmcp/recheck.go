package umpmcp

import (
	"context"
	"net/http"
	"time"

	"github.com/satchel-memory/satchel/memory"
)

// recheckTimeout is the longest time for one check of credentials.
const recheckTimeout = 10 * time.Second

// check closes sessions whose credentials have ended. It repeats that as long as there
// are sessions.
func (s *sessions) check() {
	for s.waitRecheck() {
		for who, again := range s.holders() {
			if s.ended(who, again) {
				s.closeHolder(who)
			}
		}
	}
}

// waitRecheck waits for the next check, and reports whether there are sessions to check.
func (s *sessions) waitRecheck() bool {
	pause, done := context.WithTimeout(s.stopping, s.options.Recheck)
	defer done()
	<-pause.Done()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.checking = len(s.open) > 0 && s.stopping.Err() == nil
	return s.checking
}

// holders returns the holders of sessions, each with the request for its check.
func (s *sessions) holders() map[string]*http.Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := map[string]*http.Request{}
	for _, u := range s.open {
		all[holder(u.caller)] = u.credentials
	}
	return all
}

// ended reports whether a holder's credentials have ended. If the store fails, it reports
// false: the server checks each request of a session anyway.
func (s *sessions) ended(who string, again *http.Request) bool {
	ctx, done := context.WithTimeout(again.Context(), recheckTimeout)
	defer done()
	now, err := s.options.Who(again.WithContext(ctx))
	if err != nil {
		return memory.KindOf(err) == memory.Unauthorized
	}
	return holder(now) != who
}

// closeHolder closes the sessions of a holder.
func (s *sessions) closeHolder(who string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, u := range s.open {
		if holder(u.caller) != who {
			continue
		}
		if session := s.forget(id); session != nil {
			go func() { _ = session.Close() }() // it waits for present calls; the session may have ended meanwhile
		}
	}
}
