package server

import (
	"math"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump/umphttp"
)

// limit refuses requests that come faster than the options allow (UMP-3.7-5),
// counted for the owner, for each capability token, and for each address where
// there is neither. Credentials that open nothing have an allowance of their own,
// smaller, for each address: it slows down who tries tokens, and takes nothing
// from who holds a good one and comes from the same address.
func limit(o Options, m *metrics, next http.Handler) http.Handler {
	allowances := map[string]*buckets{
		owners: newBuckets(o.Rate, o.Burst), tokens: newBuckets(o.Rate, o.Burst),
		addresses: newBuckets(o.Rate, o.Burst), failures: newBuckets(o.FailRate, o.FailBurst),
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		kind, payer := payerOf(askerOf(r))
		wait, ok := allowances[kind].take(payer)
		if !ok {
			m.limit(kind)
			w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(wait.Seconds()))))
			if kind == failures {
				w.Header().Set("Connection", "close")
			}
			umphttp.WriteError(w, &memory.Error{Kind: memory.RateLimited, Rule: "UMP-3.7-5", Message: "too many requests; wait as long as Retry-After says"})
			return
		}
		if kind == failures {
			m.deny()
			o.tell(r.Context(), memory.Unauthorized, routeOf(r.URL.Path))
		}
		next.ServeHTTP(w, r)
	})
}

// The kinds of those who pay. No one of them can use up the buckets of another.
const (
	owners    = "owner"
	tokens    = "token"
	addresses = "address"
	failures  = "failed"
)

// payerOf names whose allowance a request uses.
func payerOf(a *asker) (kind, payer string) {
	switch {
	case a.failed():
		return failures, a.address
	case a.err != nil:
		return addresses, a.address
	case a.means == capability:
		return tokens, tokenID(a.caller)
	}
	return owners, string(a.caller.Owner)
}

// maxBuckets is how many payers of a kind are told apart. Beyond, newcomers share
// one.
const maxBuckets = 10_000

// buckets are token buckets by payer.
type buckets struct {
	rate  float64 // tokens a second
	burst float64

	mu    sync.Mutex
	by    map[string]*bucket
	swept time.Time // when full buckets were last dropped
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
	if len(b.by) >= maxBuckets && now.Sub(b.swept) >= time.Second {
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

// forgetFull drops the buckets that a new one would equal. It looks at all of
// them, so it is not done for every newcomer.
func (b *buckets) forgetFull(now time.Time) {
	b.swept = now
	for payer, own := range b.by {
		if own.tokens+now.Sub(own.at).Seconds()*b.rate >= b.burst {
			delete(b.by, payer)
		}
	}
}
