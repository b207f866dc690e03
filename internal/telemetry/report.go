package telemetry

import (
	"log/slog"
	"sync"
)

// report says in the log when exports begin to fail and when they succeed again, and not
// each time. It is safe for concurrent use.
type report struct {
	log  *slog.Logger
	what string // "traces" or "metrics"

	mu   sync.Mutex
	away bool
}

// ended notes how an export ended.
func (r *report) ended(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case err != nil && !r.away:
		r.log.Warn("the collector takes no "+r.what+": what waits is dropped when there is no more room; said once until it does", "error", err)
	case err == nil && r.away:
		r.log.Info("the collector takes " + r.what + " again")
	}
	r.away = err != nil
}
