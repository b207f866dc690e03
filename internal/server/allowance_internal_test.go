package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/satchel-memory/satchel/memory"
)

// pool is a bucket for each payer, which several servers share.
type pool struct {
	mu    sync.Mutex
	by    map[string]*bucket
	asked int
	err   error
	slow  bool
}

var _ sharedLimiter = (*pool)(nil)

func (p *pool) Take(ctx context.Context, owner memory.DID, payer string, want, burst int, rate float64) (int, time.Duration, error) {
	p.mu.Lock()
	p.asked++
	err, slow := p.err, p.slow
	p.mu.Unlock()
	if slow {
		<-ctx.Done()
		return 0, 0, ctx.Err()
	}
	if err != nil {
		return 0, 0, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	now, key := time.Now(), fmt.Sprintf("%q %q", owner, payer)
	if p.by[key] == nil {
		p.by[key] = &bucket{tokens: float64(burst), at: now}
	}
	b := p.by[key]
	b.tokens, b.at = min(float64(burst), b.tokens+now.Sub(b.at).Seconds()*rate), now
	got := min(want, int(b.tokens))
	if b.tokens -= float64(got); got == 0 {
		return 0, time.Duration((1 - b.tokens) / rate * float64(time.Second)), nil
	}
	return got, 0, nil
}

func (p *pool) fail(err error, slow bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.err, p.slow, p.asked = err, slow, 0
}

// fleet returns the allowances of servers that share one pool.
func fleet(p *pool, n int, rate float64, burst int) []*allowance {
	p.by = map[string]*bucket{}
	all := make([]*allowance, n)
	for i := range all {
		all[i] = newAllowance(rate, burst, &peers{shared: p, log: slog.New(slog.DiscardHandler)})
	}
	return all
}

var someone = rateKey{tokens, "did:example:owner", "t1"}

// TestSharedBound sends requests of one payer to servers at random, and expects that
// in no span of time more are let in than the burst, what is refilled, and a slice
// for each server.
func TestSharedBound(t *testing.T) {
	for seed := range uint64(60) {
		synctest.Test(t, func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed, 0))
			rate, burst, servers := float64(1+random.IntN(50)), 1+random.IntN(120), 2+random.IntN(5)
			all := fleet(&pool{}, servers, rate, burst)
			began := time.Now()
			var let []time.Duration
			for time.Since(began) < 20*time.Second {
				for range random.IntN(2 * burst) {
					if _, ok := all[random.IntN(servers)].take(t.Context(), someone); ok {
						let = append(let, time.Since(began))
					}
				}
				time.Sleep(time.Duration(random.IntN(2000)) * time.Millisecond)
			}
			most := float64(burst + servers*max(1, burst/10))
			for i := range let {
				for j := i; j < len(let); j++ {
					if n := float64(j - i + 1); n > most+rate*(let[j]-let[i]).Seconds()+1e-6 {
						t.Fatalf("seed %d: %v within %v; at most %v and %v a second", seed, n, let[j]-let[i], most, rate)
					}
				}
			}
			if len(let) < burst {
				t.Errorf("seed %d: %d let in, and %d may come at once", seed, len(let), burst)
			}
		})
	}
}

func TestSharedIsUsed(t *testing.T) {
	t.Run("who asks all the time gets what there is", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			p := &pool{}
			all := fleet(p, 3, 50, 100)
			let := 0
			for i := range 6000 { // 300 a second for 20 s
				if _, ok := all[i%3].take(t.Context(), someone); ok {
					let++
				}
				time.Sleep(time.Second / 300)
			}
			if let < 1000 || let > 1130 {
				t.Errorf("%d let in, of 1100", let)
			}
			if p.asked > let {
				t.Errorf("asked %d times for %d", p.asked, let)
			}
		})
	})
	t.Run("who comes now and then loses nothing", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			all := fleet(&pool{}, 10, 5, 40)
			for i := range 200 { // 4 a second, at ten servers in turns
				if _, ok := all[i%10].take(t.Context(), someone); !ok {
					t.Fatalf("request %d is refused", i)
				}
				time.Sleep(250 * time.Millisecond)
			}
		})
	})
	t.Run("a burst costs few questions", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			p := &pool{}
			all := fleet(p, 1, 50, 100)
			for range 100 {
				if _, ok := all[0].take(t.Context(), someone); !ok {
					t.Fatal("refused")
				}
			}
			for range 1000 {
				if wait, ok := all[0].take(t.Context(), someone); ok || wait > time.Second/50 {
					t.Fatalf("let in, or has to wait %v", wait)
				}
			}
			if p.asked > 16 {
				t.Errorf("asked %d times", p.asked)
			}
		})
	})
	t.Run("who is refused at one server is refused at another, and told how long", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			p := &pool{}
			all := fleet(p, 2, .01, 3)
			for range 3 {
				if _, ok := all[0].take(t.Context(), someone); !ok {
					t.Fatal("refused")
				}
			}
			for range 5 {
				if wait, ok := all[1].take(t.Context(), someone); ok || wait < 90*time.Second || wait > 100*time.Second {
					t.Errorf("%v after %v", ok, wait)
				}
				time.Sleep(100 * time.Millisecond)
			}
			if p.asked > 5 {
				t.Errorf("asked %d times", p.asked)
			}
			for _, other := range []rateKey{{tokens, "did:example:owner", "t2"}, {tokens, "did:example:other", "t1"}, {failures, "did:example:owner", "t1"}} {
				if _, ok := all[1].take(t.Context(), other); !ok {
					t.Errorf("%v is refused", other)
				}
			}
		})
	})
}

func TestSharedAway(t *testing.T) {
	for _, c := range []struct {
		name string
		err  error
		slow bool
		most time.Duration // that ten requests at once take
	}{
		{"fails", errors.New("connection refused"), false, 0},
		{"is slow", nil, true, askTimeout},
	} {
		t.Run("a store that "+c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p, log := &pool{by: map[string]*bucket{}}, &strings.Builder{}
				a := newAllowance(1, 10, &peers{shared: p, log: slog.New(slog.NewTextHandler(log, nil))})
				for range 4 {
					a.take(t.Context(), someone)
				}
				p.fail(c.err, c.slow)
				time.Sleep(leaseTime)
				began, let := time.Now(), 0
				for range 20 {
					if _, ok := a.take(t.Context(), someone); ok {
						let++
					}
				}
				if let != 7 || time.Since(began) > c.most { // ten, and those of before, and the second that has passed
					t.Errorf("%d let in within %v", let, time.Since(began))
				}
				for range 50 {
					time.Sleep(100 * time.Millisecond)
					a.take(t.Context(), someone)
				}
				if p.asked < 2 || p.asked > 7 {
					t.Errorf("asked %d times in five seconds", p.asked)
				}
				p.fail(nil, false)
				time.Sleep(10 * time.Second)
				if _, ok := a.take(t.Context(), someone); !ok || p.asked != 1 {
					t.Errorf("once it is back: %v, asked %d times", ok, p.asked)
				}
				if said := log.String(); strings.Count(said, "by itself") != 1 || strings.Count(said, "together") != 1 {
					t.Errorf("the log says %s", said)
				}
			})
		})
	}
	t.Run("who hangs up is not the store's fault", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			p := &pool{by: map[string]*bucket{}}
			a := newAllowance(1, 10, &peers{shared: p, log: slog.New(slog.DiscardHandler)})
			gone, leave := context.WithCancel(t.Context())
			leave()
			a.take(gone, someone)
			if a.with.alone() {
				t.Error("this server counts by itself")
			}
		})
	})
	t.Run("a store that shares nothing is asked once", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			p := &pool{err: &memory.Error{Kind: memory.Unsupported}}
			a := newAllowance(1, 3, &peers{shared: p, log: slog.New(slog.DiscardHandler)})
			for i := range 5 {
				if _, ok := a.take(t.Context(), someone); ok != (i < 3) {
					t.Errorf("request %d: %v", i, ok)
				}
			}
			time.Sleep(time.Hour)
			if a.take(t.Context(), someone); p.asked != 1 {
				t.Errorf("asked %d times", p.asked)
			}
		})
	})
}

func TestManySharedPayers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		all := fleet(&pool{}, 1, 1, 1)
		a := all[0]
		for i := range maxBuckets + 5 {
			a.take(t.Context(), rateKey{addresses, "did:example:owner", fmt.Sprint(i)})
		}
		if len(a.leases) > maxBuckets || len(a.own.by) > maxBuckets+1 {
			t.Errorf("%d leases, %d buckets", len(a.leases), len(a.own.by))
		}
		time.Sleep(2 * time.Second)
		if _, ok := a.take(t.Context(), rateKey{addresses, "did:example:owner", "newcomer"}); !ok || len(a.leases) != 1 {
			t.Errorf("%v, %d leases when nobody uses them", ok, len(a.leases))
		}
	})
}

func TestPayers(t *testing.T) {
	const home, other = memory.DID("did:example:home"), memory.DID("did:example:other")
	bearer := func(owner memory.DID) *identity {
		return &identity{address: "192.0.2.1", credential: capabilityToken, caller: memory.Caller{Owner: owner, Session: "token:t1", Grant: &memory.Grant{ID: "t1"}}}
	}
	for _, c := range []struct {
		name  string
		asker *identity
		want  []rateKey
	}{
		{"the owner's token", &identity{credential: ownerToken, caller: memory.Caller{Owner: home}}, []rateKey{{owners, home, ""}}},
		{"a token of that owner", bearer(home), []rateKey{{tokens, home, "t1"}}},
		{"of another", bearer(other), []rateKey{{tokens, other, "t1"}, {together, other, ""}}},
		{"no credentials", &identity{address: "192.0.2.1", err: unauthorized("")}, []rateKey{{addresses, home, "192.0.2.1"}}},
		{"the store is away", &identity{address: "192.0.2.1", credential: capabilityToken, err: memory.ErrUnavailable}, []rateKey{{addresses, home, "192.0.2.1"}}},
		{"wrong ones", &identity{address: "192.0.2.1", credential: capabilityToken, err: unauthorized("")}, []rateKey{{failures, home, "192.0.2.1"}}},
	} {
		if got := identityKeys(c.asker, home); fmt.Sprintf("%#v", got) != fmt.Sprintf("%#v", c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
