package server

import (
	"sync"
	"time"
)

// maxBuckets is how many rate keys of a kind have their own bucket. Further keys share one.
const maxBuckets = 10_000

// buckets are token buckets by rate key.
type buckets struct {
	rate  float64 // tokens a second
	burst float64

	mu    sync.Mutex
	by    map[string]*bucket
	swept time.Time // when full buckets were last dropped
}

type bucket struct {
	tokens float64
	at     time.Time // the time of tokens
}

func newBuckets(rate float64, burst int) *buckets {
	return &buckets{rate: rate, burst: float64(max(burst, 1)), by: map[string]*bucket{}}
}

// take takes one token, or says how long until there is one.
func (b *buckets) take(key string) (wait time.Duration, ok bool) { return b.draw(key, 1) }

// peek is take, but takes no token.
func (b *buckets) peek(key string) (wait time.Duration, ok bool) { return b.draw(key, 0) }

func (b *buckets) draw(key string, tokens float64) (wait time.Duration, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := time.Now()
	own := b.bucketOf(key, now)
	own.tokens = min(b.burst, own.tokens+now.Sub(own.at).Seconds()*b.rate)
	own.at = now
	if own.tokens < 1 {
		return time.Duration((1 - own.tokens) / b.rate * float64(time.Second)), false
	}
	own.tokens -= tokens
	return 0, true
}

func (b *buckets) bucketOf(key string, now time.Time) *bucket {
	if own, ok := b.by[key]; ok {
		return own
	}
	if len(b.by) >= maxBuckets && now.Sub(b.swept) >= time.Second {
		b.dropFull(now)
	}
	if len(b.by) >= maxBuckets {
		key = ""
	}
	own, ok := b.by[key]
	if !ok {
		own = &bucket{tokens: b.burst, at: now}
		b.by[key] = own
	}
	return own
}

// dropFull drops full buckets: a new bucket would equal them. It goes through all of them,
// so a new key does not always cause it.
func (b *buckets) dropFull(now time.Time) {
	b.swept = now
	for key, own := range b.by {
		if own.tokens+now.Sub(own.at).Seconds()*b.rate >= b.burst {
			delete(b.by, key)
		}
	}
}
