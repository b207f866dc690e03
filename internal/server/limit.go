package server

import (
	"math"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump/umphttp"
)

// limit refuses requests that come faster than the options allow, counted for
// each token, and for each address when there is none (UMP-3.7-5).
func limit(o Options, next http.Handler) http.Handler {
	buckets := newBuckets(o.Rate, o.Burst)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		wait, ok := buckets.take(payer(r))
		if !ok {
			w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(wait.Seconds()))))
			umphttp.WriteError(w, &memory.Error{Kind: memory.RateLimited, Rule: "UMP-3.7-5", Message: "too many requests; wait as long as Retry-After says"})
			return
		}
		next.ServeHTTP(w, r)
	})
}

// payer names whose allowance a request uses.
func payer(r *http.Request) string {
	if caller, err := identity(r); err == nil {
		return "owner " + string(caller.Owner)
	}
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		host = r.RemoteAddr
	}
	return "address " + host
}

// maxBuckets is how many payers are told apart. Beyond, newcomers share one.
const maxBuckets = 10_000

// buckets are token buckets by payer.
type buckets struct {
	rate  float64 // tokens a second
	burst float64

	mu sync.Mutex
	by map[string]*bucket
}

type bucket struct {
	tokens float64
	at     time.Time // when tokens was right
}

func newBuckets(rate float64, burst int) *buckets {
	return &buckets{rate: rate, burst: float64(max(burst, 1)), by: map[string]*bucket{}}
}

// take takes one token, or says how long until there is one.
func (b *buckets) take(payer string) (wait time.Duration, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := time.Now()
	own := b.of(payer, now)
	own.tokens = min(b.burst, own.tokens+now.Sub(own.at).Seconds()*b.rate)
	own.at = now
	if own.tokens < 1 {
		return time.Duration((1 - own.tokens) / b.rate * float64(time.Second)), false
	}
	own.tokens--
	return 0, true
}

func (b *buckets) of(payer string, now time.Time) *bucket {
	if own, ok := b.by[payer]; ok {
		return own
	}
	if len(b.by) >= maxBuckets {
		b.forgetFull(now)
	}
	if len(b.by) >= maxBuckets {
		payer = ""
	}
	own, ok := b.by[payer]
	if !ok {
		own = &bucket{tokens: b.burst, at: now}
		b.by[payer] = own
	}
	return own
}

// forgetFull drops the buckets that a new one would equal.
func (b *buckets) forgetFull(now time.Time) {
	for payer, own := range b.by {
		if own.tokens+now.Sub(own.at).Seconds()*b.rate >= b.burst {
			delete(b.by, payer)
		}
	}
}
