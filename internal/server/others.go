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
	// askIn is how long the others are waited for.
	askIn = 200 * time.Millisecond
	// askAgain is how long they are left alone that did not answer.
	askAgain = time.Second
)

var errAlone = errors.New("server: the others cannot be asked")

// others are the servers that share allowances with this one, as far as they can be
// asked. They are asked through the store, which may be away or slow; requests do not
// wait for that.
type others struct {
	shared Shared // nil: there are none
	log    *slog.Logger

	mu    sync.Mutex
	none  bool      // the store says so
	back  time.Time // not asked before
	away  bool      // and that is known
	since time.Time // when it began
}

// alone reports whether this server counts by itself for now.
func (o *others) alone() bool {
	if o.shared == nil {
		return true
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.none || time.Now().Before(o.back)
}

// take asks for tokens of a payer, as [Shared] does.
func (o *others) take(ctx context.Context, p payer, want, burst int, rate float64) (got int, wait time.Duration, err error) {
	if o.alone() { // since this caller looked
		return 0, 0, errAlone
	}
	// Who hangs up has no influence on whether the others are asked again.
	ctx, done := context.WithTimeout(context.WithoutCancel(ctx), askIn)
	defer done()
	got, wait, err = o.shared.Take(ctx, p.owner, p.String(), want, burst, rate)
	o.heard(err)
	return min(got, want), max(wait, time.Millisecond), err
}

// heard takes note of whether the others answer.
func (o *others) heard(err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case memory.KindOf(err) == memory.Unsupported:
		o.none = true
	case err != nil:
		o.back = time.Now().Add(askAgain)
		if !o.away {
			o.log.Warn("this server counts requests by itself: the store does not answer", "error", err)
			o.away, o.since = true, time.Now()
		}
	case o.away:
		o.away = false
		o.log.Info("requests are counted together with other servers again", "away_seconds", time.Since(o.since).Seconds())
	}
}
