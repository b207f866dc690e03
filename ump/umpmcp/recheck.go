package umpmcp

import (
	"context"
	"net/http"
	"time"

	"github.com/satchel-memory/satchel/memory"
)

// lookTime is how long it may take to look at credentials again.
const lookTime = 10 * time.Second

// check closes the sessions whose credentials have ended, again and again, for as
// long as there are sessions.
func (s *sessions) check() {
	for s.rest() {
		for who, again := range s.holders() {
			if s.ended(who, again) {
				s.closeOf(who)
			}
		}
	}
}

// rest waits until it is time to check, and reports whether there is anything to.
func (s *sessions) rest() bool {
	pause, done := context.WithTimeout(s.stopping, s.options.Recheck)
	defer done()
	<-pause.Done()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.checking = len(s.used) > 0 && s.stopping.Err() == nil
	return s.checking
}

// holders returns whose sessions there are, with a request of theirs.
func (s *sessions) holders() map[string]*http.Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := map[string]*http.Request{}
	for _, u := range s.used {
		all[holder(u.caller)] = u.again
	}
	return all
}

// ended reports whether a holder's credentials have ended. Where nobody can say
// because the store fails, they have not: each request of a session is let in by
// itself.
func (s *sessions) ended(who string, again *http.Request) bool {
	ctx, done := context.WithTimeout(again.Context(), lookTime)
	defer done()
	now, err := s.options.Who(again.WithContext(ctx))
	if err != nil {
		return memory.KindOf(err) == memory.Unauthorized
	}
	return holder(now) != who
}

// closeOf closes the sessions of a holder.
func (s *sessions) closeOf(who string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, u := range s.used {
		if holder(u.caller) != who {
			continue
		}
		if session := s.forget(id); session != nil {
			go func() { _ = session.Close() }() // which waits for what is under way; it may have ended meanwhile
		}
	}
}
