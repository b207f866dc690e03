package storetest

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

var limitTests = []test{
	{"a bucket begins full and is emptied", limitBurst},
	{"a bucket is refilled by its rate, up to its burst", limitRefill},
	{"the wait is until there is one", limitWait},
	{"payers and owners have buckets of their own", limitApart},
	{"what many take at once is taken once", limitTogether},
	{"a done context stops it", limitContext},
}

// slow refills a bucket so slowly that no test notices.
const slow = 1.0 / 3600

// take takes tokens from a bucket of the store under test, which may have no limiter.
func (p *place) take(owner memory.DID, payer string, want, burst int, rate float64) (got int, wait time.Duration) {
	p.t.Helper()
	l, ok := p.store.(store.Limiter)
	if !ok {
		p.t.Skip("skipped: this store does not limit")
	}
	got, wait, err := l.Take(p.t.Context(), owner, payer, want, burst, rate)
	must(p.t, err)
	return got, wait
}

// takes expects a number of tokens.
func (p *place) takes(what string, owner memory.DID, payer string, want, burst, expected int) {
	p.t.Helper()
	got, _ := p.take(owner, payer, want, burst, slow)
	same(p.t, what, got, expected)
}

func limitBurst(p *place) {
	p.takes("at first", ada, "p", 3, 10, 3)
	p.takes("more", ada, "p", 5, 10, 5)
	p.takes("what is left", ada, "p", 5, 10, 2)
	p.takes("nothing", ada, "p", 5, 10, 0)
	p.takes("all of another at once", ada, "q", 99, 10, 10)
	p.takes("none of that", ada, "q", 1, 10, 0)
}

func limitRefill(p *place) {
	const burst, rate = 5, 20.0
	got, _ := p.take(ada, "p", burst, burst, rate)
	same(p.t, "at first", got, burst)
	start := time.Now()
	for got = 0; got == 0 && time.Since(start) < 5*time.Second; {
		var wait time.Duration
		if got, wait = p.take(ada, "p", 1, burst, rate); got == 0 {
			same(p.t, "a wait", wait > 0 && wait <= time.Second/rate, true)
			time.Sleep(wait)
		}
	}
	same(p.t, "after the wait", got, 1)
	time.Sleep(2 * burst * time.Second / rate)
	got, _ = p.take(ada, "p", 99, burst, rate)
	same(p.t, "no more than the burst", got, burst)
}

func limitWait(p *place) {
	p.takes("all", ada, "p", 2, 2, 2)
	got, wait := p.take(ada, "p", 1, 2, slow)
	same(p.t, "none", got, 0)
	same(p.t, fmt.Sprint("about an hour: ", wait), wait > 55*time.Minute && wait <= time.Hour, true)
	got, wait = p.take(ada, "never", 1, 0, slow)
	same(p.t, "none of a bucket without room", got, 0)
	same(p.t, "a wait for it", wait > 0, true)
	p.takes("all that is never refilled", ada, "once", 1, 1, 1)
	got, wait = p.take(ada, "once", 1, 1, 0)
	same(p.t, "none without a rate", got, 0)
	same(p.t, fmt.Sprint("very long: ", wait), wait > math.MaxInt64/2, true)
}

func limitApart(p *place) {
	for _, owner := range []memory.DID{ada, bob} {
		for _, payer := range strange {
			p.takes(fmt.Sprintf("%s, %.9q", owner, payer), owner, payer, 3, 2, 2)
		}
	}
	for _, payer := range strange {
		p.takes(fmt.Sprintf("again %.9q", payer), ada, payer, 1, 2, 0)
	}
	p.insert(ada, row(1))
	p.view(ada, func(r store.Reader) { same(p.t, "rows", ids(page(p.t, r, store.Filter{}, 9)), list(1)) })
}

func limitTogether(p *place) {
	l, ok := p.store.(store.Limiter)
	if !ok {
		p.t.Skip("skipped: this store does not limit")
	}
	const burst = 100
	var sum atomic.Int64
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 10 {
				got, _, err := l.Take(context.Background(), ada, "p", 3, burst, slow)
				sum.Add(int64(got))
				if err != nil || !slices.Contains([]int{0, 1, 3}, got) { // 100 is 33 times three, and one
					p.t.Error(got, err)
				}
			}
		})
	}
	wg.Wait()
	same(p.t, "taken by all", sum.Load(), burst)
}

func limitContext(p *place) {
	p.take(ada, "p", 1, 1, slow)
	ctx, cancel := context.WithCancel(p.t.Context())
	cancel()
	_, _, err := p.store.(store.Limiter).Take(ctx, ada, "q", 1, 1, slow)
	fails(p.t, "Take", err, context.Canceled)
	p.takes("what nobody took", ada, "q", 1, 1, 1)
}
