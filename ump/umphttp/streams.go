package umphttp

import (
	"context"
	"net/http"
	"sync"

	"github.com/satchel-memory/satchel/memory"
)

// streams count the streams of changes that are open.
type streams struct {
	most     int        // for one holder
	host     memory.DID // whose tokens are not counted together; empty: nobody's are
	stopping context.Context
	stop     context.CancelFunc

	mu   sync.Mutex
	open map[holder]int
	all  map[memory.DID]int // by owner
}

// together is how many times as many streams as one token all tokens of an owner
// may have open who is one of several.
const together = 4

// holder is whose streams are counted together: those of one token.
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

func newStreams(most int, host memory.DID) *streams {
	s := &streams{most: most, host: host, open: map[holder]int{}, all: map[memory.DID]int{}}
	s.stopping, s.stop = context.WithCancel(context.Background())
	return s
}

// enter counts a stream in, or refuses one too many.
func (s *streams) enter(c memory.Caller) (leave func(), err error) {
	who := holderOf(c)
	s.mu.Lock()
	defer s.mu.Unlock()
	guest := s.host != "" && c.Owner != s.host
	if s.open[who] >= s.most || guest && s.all[c.Owner] >= together*s.most {
		return nil, &answer{http.StatusTooManyRequests, http.Header{"Retry-After": {"60"}},
			&memory.Error{Kind: memory.RateLimited, Op: "subscribe", Message: "this token, or its owner, has as many streams open as it may; close one"}}
	}
	s.open[who]++
	s.all[c.Owner]++
	return func() { s.leave(who) }, nil
}

func (s *streams) leave(who holder) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open[who]--; s.open[who] == 0 {
		delete(s.open, who)
	}
	if s.all[who.owner]--; s.all[who.owner] == 0 {
		delete(s.all, who.owner)
	}
}
