package tool

import (
	"strings"
	"sync"
	"time"

	"github.com/satchel-memory/satchel/canon"
)

// Shared holds what the calls of a process share. The zero Shared is ready for use, and is
// safe for concurrent use. It holds answers of tools and tokens in memory only.
type Shared struct {
	lock    sync.Mutex
	answers map[string]cachedAnswer
	bytes   int
	windows map[string]*window
	tokens  map[string]*keptToken
}

// cachedAnswer is a successful answer.
type cachedAnswer struct {
	result Result
	until  time.Time
}

// The limits of the cache.
const (
	mostAnswers   = 1000
	mostRemembers = 32 << 20
)

// cacheKey returns the key of a call: the tool with its endpoint, the canonical arguments,
// and for whom it is called (AAIF-4.4-25).
func (s *Set) cacheKey(t *offer, args canon.Value) string {
	return strings.Join([]string{s.o.Agent, s.o.Person, t.Of.Endpoint, t.Name, string(args.AppendCanonical(nil))}, "\x00")
}

// recall returns a cached answer.
func (s *Shared) recall(key string, now time.Time) (Result, bool) {
	s.lock.Lock()
	defer s.lock.Unlock()
	c, ok := s.answers[key]
	if !ok || !now.Before(c.until) {
		return Result{}, false
	}
	c.result.Cached = true
	return c.result, true
}

// remember caches an answer, and drops the ones whose time is up. While there are too many,
// it drops the ones that end first.
func (s *Shared) remember(key string, r Result, now, until time.Time) {
	s.lock.Lock()
	defer s.lock.Unlock()
	size := weigh(key, r)
	if size > mostRemembers/4 {
		return
	}
	if s.answers == nil {
		s.answers = map[string]cachedAnswer{}
	}
	s.drop(key)
	for k, c := range s.answers {
		if !now.Before(c.until) {
			s.drop(k)
		}
	}
	for len(s.answers) >= mostAnswers || s.bytes+size > mostRemembers {
		s.drop(s.first())
	}
	s.answers[key] = cachedAnswer{result: r, until: until}
	s.bytes += size
}

func (s *Shared) drop(key string) {
	if c, ok := s.answers[key]; ok {
		s.bytes -= weigh(key, c.result)
		delete(s.answers, key)
	}
}

// first returns the key of the answer that ends first.
func (s *Shared) first() string {
	var key string
	var until time.Time
	for k, c := range s.answers {
		if key == "" || c.until.Before(until) {
			key, until = k, c.until
		}
	}
	return key
}

// weigh returns about how many bytes an answer takes.
func weigh(key string, r Result) int {
	n := len(key) + 3*len(r.Text) + 256
	for _, image := range r.Images {
		n += len(image.Data)
	}
	return n
}
