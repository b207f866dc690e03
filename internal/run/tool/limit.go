package tool

import (
	"context"
	"time"

	"github.com/satchel-memory/satchel/aaif"
)

// window holds the calls of a tool within the last minute.
type window struct{ calls []spent }

// spent is what a call took.
type spent struct {
	at     time.Time
	tokens int
}

const (
	minute        = time.Minute
	bytesPerToken = 4
	mostWindows   = 10_000
)

// enter takes a place for a call in the window of a tool, or returns how long the call has
// to wait. A call that alone exceeds the limit of tokens needs an empty window.
func (s *Shared) enter(key string, limit aaif.RateLimit, tokens int, now time.Time) (wait time.Duration) {
	s.lock.Lock()
	defer s.lock.Unlock()
	w := s.window(key, now)
	used := 0
	for _, c := range w.calls {
		used += c.tokens
	}
	over := used + tokens - limit.Tokens
	for i, c := range w.calls {
		if !(limit.Requests > 0 && len(w.calls)-i >= limit.Requests) && !(limit.Tokens > 0 && over > 0) {
			break
		}
		wait = c.at.Add(minute).Sub(now)
		over -= c.tokens
	}
	if wait <= 0 {
		w.calls = append(w.calls, spent{now, tokens})
		return 0
	}
	return wait
}

// charge adds the tokens of an answer to the window of its tool.
func (s *Shared) charge(key string, tokens int, now time.Time) {
	s.lock.Lock()
	defer s.lock.Unlock()
	w := s.window(key, now)
	if n := len(w.calls); n > 0 {
		w.calls[n-1].tokens += tokens
	}
}

// window returns the window of a tool without what is older than a minute.
func (s *Shared) window(key string, now time.Time) *window {
	if s.windows == nil {
		s.windows = map[string]*window{}
	}
	if len(s.windows) > mostWindows {
		for k, w := range s.windows {
			if w.past(now) {
				delete(s.windows, k)
			}
		}
	}
	w := s.windows[key]
	if w == nil {
		w = &window{}
		s.windows[key] = w
	}
	for len(w.calls) > 0 && !now.Before(w.calls[0].at.Add(minute)) {
		w.calls = w.calls[1:]
	}
	return w
}

func (w *window) past(now time.Time) bool {
	return len(w.calls) == 0 || !now.Before(w.calls[len(w.calls)-1].at.Add(minute))
}

// admit waits until the limits of a tool let a call through (AAIF-4.4-27). It refuses a
// call that would have to wait for longer than it may take.
func (s *Set) admit(ctx context.Context, t aaif.Tool, tokens int, most time.Duration) error {
	if t.RateLimit.Requests <= 0 && t.RateLimit.Tokens <= 0 {
		return nil
	}
	until := s.o.Now().Add(most)
	for {
		now := s.o.Now()
		wait := s.shared.enter(s.limitKey(t), t.RateLimit, tokens, now)
		if wait == 0 {
			return nil
		}
		deadline, ok := ctx.Deadline()
		if now.Add(wait).After(until) || ok && wait > time.Until(deadline) {
			return fail(rateLimited, "the tool may be called again in %s", wait.Round(time.Second))
		}
		if err := s.o.Wait(ctx, wait); err != nil {
			return &Error{Code: rateLimited, Outcome: NotSent, Text: "the call ended while it waited for its turn", Err: err}
		}
	}
}

func (s *Set) limitKey(t aaif.Tool) string { return s.o.Agent + "\x00" + t.Name }
