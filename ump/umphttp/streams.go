package umphttp

import (
	"context"
	"net/http"
	"sync"

	"github.com/satchel-memory/satchel/memory"
)

// streams count the streams of changes that are open.
type streams struct {
	most     int // for one holder
	stopping context.Context
	stop     context.CancelFunc

	mu   sync.Mutex
	open map[holder]int
}

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

func newStreams(most int) *streams {
	s := &streams{most: most, open: map[holder]int{}}
	s.stopping, s.stop = context.WithCancel(context.Background())
	return s
}

// enter counts a stream in, or refuses one too many.
func (s *streams) enter(c memory.Caller) (leave func(), err error) {
	who := holderOf(c)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open[who] >= s.most {
		return nil, &answer{http.StatusTooManyRequests, http.Header{"Retry-After": {"60"}},
			&memory.Error{Kind: memory.RateLimited, Op: "subscribe", Message: "this token has as many streams open as it may; close one"}}
	}
	s.open[who]++
	return func() { s.leave(who) }, nil
}

func (s *streams) leave(who holder) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open[who]--; s.open[who] == 0 {
		delete(s.open, who)
	}
}
