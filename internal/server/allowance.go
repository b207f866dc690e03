package server

import (
	"context"
	"sync"
	"time"
)

// allowance is how many requests the rate keys of one kind may make. If other servers share
// it, each server leases some tokens at a time from the shared bucket: at most a tenth of
// the burst, and at most what it used lately. Tokens that it does not use within a second
// are lost. So a rate key never gets more than the burst and the tokens that servers lease
// and have not used yet.
//
// Each server counts by itself as well. It refuses what it would refuse alone without
// asking, and it uses that count while the other servers do not answer.
type allowance struct {
	rate  float64
	burst int
	own   *buckets
	with  *peers

	mu     sync.Mutex
	leases map[rateKey]*lease
	swept  time.Time
}

const (
	// leaseTime is how long a leased token may be used.
	leaseTime = time.Second
	// leastQuiet is how long the server at least waits before it asks an empty bucket
	// again.
	leastQuiet = 100 * time.Millisecond
)

// lease holds the tokens that one server took for one rate key.
type lease struct {
	mu    sync.Mutex
	asked int // requests that wanted a token
	left  int
	used  int
	until time.Time // the tokens left may be used
	quiet time.Time // the bucket is empty, and the server does not ask
	ready time.Time // there may be a token
}

func newAllowance(rate float64, burst int, with *peers) *allowance {
	return &allowance{rate: rate, burst: max(burst, 1), own: newBuckets(rate, burst), with: with, leases: map[rateKey]*lease{}}
}

// take takes one token for a request, or says how long until there is one.
func (a *allowance) take(ctx context.Context, p rateKey) (wait time.Duration, ok bool) {
	key := string(p.owner) + " " + p.name
	if a.with.alone() {
		return a.own.take(key)
	}
	if wait, ok = a.own.peek(key); !ok {
		return wait, false
	}
	l := a.leaseOf(p)
	if l == nil {
		return a.own.take(key)
	}
	wait, ok, err := a.spend(ctx, l, p)
	if ok || err != nil {
		own, left := a.own.take(key)
		if err != nil {
			return own, left
		}
	}
	return wait, ok
}

// spend uses one token of a lease, and renews the lease if needed.
func (a *allowance) spend(ctx context.Context, l *lease, p rateKey) (wait time.Duration, ok bool, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	if now.Before(l.quiet) {
		return max(l.ready.Sub(now), time.Millisecond), false, nil
	}
	if l.left == 0 || !now.Before(l.until) {
		want := l.want(now, a.leaseSize())
		got, wait, err := a.with.take(ctx, p, want, a.burst, a.rate)
		if err != nil {
			return 0, false, err
		}
		now = time.Now()
		if got <= 0 {
			l.left, l.quiet, l.ready = 0, now.Add(min(max(wait, leastQuiet), leaseTime)), now.Add(wait)
			return wait, false, nil
		}
		l.asked, l.left, l.used, l.until = want, got, 0, now.Add(leaseTime)
	}
	l.left--
	l.used++
	return 0, true, nil
}

// leaseSize is the most tokens that the server takes at a time.
func (a *allowance) leaseSize() int { return max(1, a.burst/10) }

// want is how many tokens to take next: as many as the last lease used, or more if that
// lease ran out.
func (l *lease) want(now time.Time, most int) int {
	want := l.used
	if now.Before(l.until) {
		want = max(2*want, l.asked) // a lease that was short says nothing about the use
	}
	return max(1, min(want, most))
}

// leaseOf returns the lease of a rate key, or nil if there are too many keys.
func (a *allowance) leaseOf(p rateKey) *lease {
	a.mu.Lock()
	defer a.mu.Unlock()
	if l, ok := a.leases[p]; ok {
		return l
	}
	now := time.Now()
	if len(a.leases) >= maxBuckets && now.Sub(a.swept) >= time.Second {
		a.swept = now
		a.dropOldLeases(now)
	}
	if len(a.leases) >= maxBuckets {
		return nil
	}
	l := &lease{}
	a.leases[p] = l
	return l
}

// dropOldLeases drops the leases that no request uses now.
func (a *allowance) dropOldLeases(now time.Time) {
	for p, l := range a.leases {
		if !l.mu.TryLock() {
			continue // a request uses it
		}
		if now.After(l.until) && now.After(l.quiet) {
			delete(a.leases, p)
		}
		l.mu.Unlock()
	}
}
