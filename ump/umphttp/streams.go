package umphttp

import (
	"context"
	"net/http"
	"sync"

	"github.com/satchel-memory/satchel/memory"
)

// streamCounter counts the open streams of changes.
type streamCounter struct {
	most        int        // per holder
	serverOwner memory.DID // whose tokens have no limit together; empty: no owner has one
	stopping    context.Context
	stop        context.CancelFunc

	mu   sync.Mutex
	open map[holder]int
	all  map[memory.DID]int // by owner
}

// tokensPerOwner limits all tokens of one of several owners: together they may have
// this many times the streams of one token.
const tokensPerOwner = 4

// holder identifies a token. The streams of one holder are counted together.
type holder struct {
	owner   memory.DID
	role    memory.Role
	grant   string
	session string
}

func holderOf(c memory.Caller) holder {
	h := holder{owner: c.Owner, role: c.Role, session: c.Session}
	if c.Grant != nil {
		h.grant = c.Grant.ID
	}
	return h
}

func newStreamCounter(most int, host memory.DID) *streamCounter {
	s := &streamCounter{most: most, serverOwner: host, open: map[holder]int{}, all: map[memory.DID]int{}}
	s.stopping, s.stop = context.WithCancel(context.Background())
	return s
}

// enter counts a stream, or refuses it if there are too many.
func (s *streamCounter) enter(c memory.Caller) (leave func(), err error) {
	who := holderOf(c)
	s.mu.Lock()
	defer s.mu.Unlock()
	guest := s.serverOwner != "" && c.Owner != s.serverOwner
	if s.open[who] >= s.most || guest && s.all[c.Owner] >= tokensPerOwner*s.most {
		return nil, &statusError{http.StatusTooManyRequests, http.Header{"Retry-After": {"60"}},
			&memory.Error{Kind: memory.RateLimited, Op: "subscribe", Message: "this token, or its owner, has as many streams open as it may; close one"}}
	}
	s.open[who]++
	s.all[c.Owner]++
	return func() { s.leave(who) }, nil
}

func (s *streamCounter) leave(who holder) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open[who]--; s.open[who] == 0 {
		delete(s.open, who)
	}
	if s.all[who.owner]--; s.all[who.owner] == 0 {
		delete(s.all, who.owner)
	}
}
