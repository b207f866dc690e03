package server

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/satchel-memory/satchel/memory"
)

const (
	// askTimeout is how long the server waits for the shared limiter.
	askTimeout = 200 * time.Millisecond
	// retryAfter is how long the server leaves a shared limiter alone that did not answer.
	retryAfter = time.Second
)

var errAlone = errors.New("server: the others cannot be asked")

// peers are the servers that share allowances with this one. The server asks them through
// the store, which may be down or slow; requests do not wait for that.
type peers struct {
	shared sharedLimiter // nil: there are none
	log    *slog.Logger

	mu    sync.Mutex
	none  bool      // the store shares nothing
	back  time.Time // next question, not earlier
	away  bool      // the limiter does not answer
	since time.Time // the outage began
}

// alone reports whether this server counts by itself for now.
func (o *peers) alone() bool {
	if o.shared == nil {
		return true
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.none || time.Now().Before(o.back)
}

// take takes tokens of a rate key, as [sharedLimiter] does.
func (o *peers) take(ctx context.Context, p rateKey, want, burst int, rate float64) (got int, wait time.Duration, err error) {
	if o.alone() { // since this caller looked
		return 0, 0, errAlone
	}
	// A client that hangs up must not decide whether the server asks again.
	ctx, done := context.WithTimeout(context.WithoutCancel(ctx), askTimeout)
	defer done()
	got, wait, err = o.shared.Take(ctx, p.owner, p.String(), want, burst, rate)
	o.noteResult(err)
	return min(got, want), max(wait, time.Millisecond), err
}

// noteResult notes whether the shared limiter answers.
func (o *peers) noteResult(err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case memory.KindOf(err) == memory.Unsupported:
		o.none = true
	case err != nil:
		o.back = time.Now().Add(retryAfter)
		if !o.away {
			o.log.Warn("this server counts requests by itself: the store does not answer", "error", err)
			o.away, o.since = true, time.Now()
		}
	case o.away:
		o.away = false
		o.log.Info("requests are counted together with other servers again", "away_seconds", time.Since(o.since).Seconds())
	}
}
