package server

import (
	"context"
	"sync"
	"time"
)

// allowance is how many requests the payers of one kind may make. Where it is
// shared with other servers, each of them takes some of it at a time out of the
// shared bucket, and gives those out: at most a tenth of the burst, and no more than
// it had use for lately. What it does not need within a second is lost. So a payer
// has at no time more than the burst, and what the servers have taken and not yet
// given out.
//
// Besides, each server counts by itself. What it would refuse if it were alone, it
// refuses without asking, and by that count it goes on while the others cannot be
// asked.
type allowance struct {
	rate  float64
	burst int
	own   *buckets
	with  *others

	mu     sync.Mutex
	leases map[payer]*lease
	swept  time.Time
}

const (
	// leaseTime is how long what was taken may be given out.
	leaseTime = time.Second
	// leastQuiet is how long nothing is asked at least when there was none.
	leastQuiet = 100 * time.Millisecond
)

// lease is what one server has taken for one payer.
type lease struct {
	mu    sync.Mutex
	asked int // for
	left  int
	used  int
	until time.Time // what is left may be given out
	quiet time.Time // there is none, and nothing is asked
	ready time.Time // there may be one
}

func newAllowance(rate float64, burst int, with *others) *allowance {
	return &allowance{rate: rate, burst: max(burst, 1), own: newBuckets(rate, burst), with: with, leases: map[payer]*lease{}}
}

// take takes what one request needs, or says how long until it can be had.
func (a *allowance) take(ctx context.Context, p payer) (wait time.Duration, ok bool) {
	key := string(p.owner) + " " + p.name
	if a.with.alone() {
		return a.own.take(key)
	}
	if wait, ok = a.own.look(key); !ok {
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

// spend gives out one of a lease, which is renewed if need be.
func (a *allowance) spend(ctx context.Context, l *lease, p payer) (wait time.Duration, ok bool, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	if now.Before(l.quiet) {
		return max(l.ready.Sub(now), time.Millisecond), false, nil
	}
	if l.left == 0 || !now.Before(l.until) {
		want := l.want(now, a.slice())
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

// slice is the most that is taken at a time.
func (a *allowance) slice() int { return max(1, a.burst/10) }

// want is how much to take next: as much as was of use last time, or more where that
// did not last.
func (l *lease) want(now time.Time, most int) int {
	want := l.used
	if now.Before(l.until) {
		want = max(2*want, l.asked) // when there was not so much, that was not for want of use
	}
	return max(1, min(want, most))
}

// leaseOf returns the lease of a payer; nil where there are too many payers.
func (a *allowance) leaseOf(p payer) *lease {
	a.mu.Lock()
	defer a.mu.Unlock()
	if l, ok := a.leases[p]; ok {
		return l
	}
	now := time.Now()
	if len(a.leases) >= maxBuckets && now.Sub(a.swept) >= time.Second {
		a.swept = now
		a.forgetOld(now)
	}
	if len(a.leases) >= maxBuckets {
		return nil
	}
	l := &lease{}
	a.leases[p] = l
	return l
}

// forgetOld drops the leases that nobody uses now.
func (a *allowance) forgetOld(now time.Time) {
	for p, l := range a.leases {
		if !l.mu.TryLock() {
			continue // somebody does
		}
		if now.After(l.until) && now.After(l.quiet) {
			delete(a.leases, p)
		}
		l.mu.Unlock()
	}
}
