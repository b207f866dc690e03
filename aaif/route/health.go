package route

import (
	"slices"
	"time"
)

// Health is the observed state of a route. The zero Health is that of a route never
// tried.
type Health struct {
	Down    bool            // reported as down
	Until   time.Time       // rate-limited until then
	Samples []time.Duration // durations of the latest calls, oldest first
}

// reason says why a route is unavailable at a time.
func (h Health) reason(now time.Time) Reason {
	switch {
	case h.Down:
		return Unavailable
	case now.Before(h.Until):
		return RateLimited
	}
	return noReason
}

// P50 returns the lower median of the samples, false without samples.
func (h Health) P50() (time.Duration, bool) {
	if len(h.Samples) == 0 {
		return 0, false
	}
	sorted := slices.Sorted(slices.Values(h.Samples))
	return sorted[(len(sorted)-1)/2], true
}

// window is the number of samples kept.
const window = 20

// Cool-downs without Retry-After, and the longest.
const (
	shortRest = 5 * time.Second
	longRest  = time.Hour
)

// Outcome is the result of a call.
type Outcome struct {
	Status       int           // of HTTP; 0: no answer (connection, TLS, timeout)
	UnknownModel bool          // the provider says it has no such model
	RetryAfter   time.Duration // of a 429; 0: not given
	Took         time.Duration
	At           time.Time // the end of the call
}

// Next is what a run does after a call.
type Next string

// The possible steps.
const (
	Answered Next = "answered"
	TryNext  Next = "next"              // try the next route
	Refused  Next = "MODEL_BAD_REQUEST" // the run fails, as no other route would accept the request
)

// Next returns what a run does after a call (AAIF-4.2-4). Only a failure of the route
// itself moves the run to another one.
func (o Outcome) Next() Next {
	switch {
	case o.Status >= 200 && o.Status < 300:
		return Answered
	case o.Status == 0, o.Status == 429, o.Status >= 500, o.UnknownModel:
		return TryNext
	}
	return Refused
}

// After returns the health after a call. A failed route is tried again in the next pass;
// a rate-limited one rests as long as it asked.
func (h Health) After(o Outcome) Health {
	switch {
	case o.Next() == Answered:
		samples := append(slices.Clone(h.Samples), o.Took)
		h.Samples = samples[max(0, len(samples)-window):]
		h.Until = time.Time{}
	case o.Status == 429:
		rest := shortRest
		if o.RetryAfter > 0 {
			rest = min(o.RetryAfter, longRest)
		}
		h.Until = o.At.Add(rest)
	}
	return h
}
