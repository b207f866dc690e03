package server

import (
	"sync"
	"time"
)

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
func (b *buckets) take(payer string) (wait time.Duration, ok bool) { return b.draw(payer, 1) }

// look is take without taking.
func (b *buckets) look(payer string) (wait time.Duration, ok bool) { return b.draw(payer, 0) }

func (b *buckets) draw(payer string, tokens float64) (wait time.Duration, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := time.Now()
	own := b.of(payer, now)
	own.tokens = min(b.burst, own.tokens+now.Sub(own.at).Seconds()*b.rate)
	own.at = now
	if own.tokens < 1 {
		return time.Duration((1 - own.tokens) / b.rate * float64(time.Second)), false
	}
	own.tokens -= tokens
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
