package route

import (
	"slices"
	"time"
)

// Health is what was observed of a route. The zero Health is of one that was
// never tried.
type Health struct {
	Down    bool            // somebody said so
	Until   time.Time       // rate-limited up to then
	Samples []time.Duration // how long the last calls took, oldest first
}

// reason says why a route is not available at a time.
func (h Health) reason(now time.Time) Reason {
	switch {
	case h.Down:
		return Unavailable
	case now.Before(h.Until):
		return RateLimited
	}
	return noReason
}

// P50 returns the lower median of the samples, and false without any.
func (h Health) P50() (time.Duration, bool) {
	if len(h.Samples) == 0 {
		return 0, false
	}
	sorted := slices.Sorted(slices.Values(h.Samples))
	return sorted[(len(sorted)-1)/2], true
}

// window is how many samples are kept.
const window = 20

// Bounds of cool-downs: without Retry-After, and with a long one.
const (
	shortRest = 5 * time.Second
	longRest  = time.Hour
)

// Outcome is how a call went.
type Outcome struct {
	Status       int           // of HTTP; 0: no answer: connect, TLS, timeout
	UnknownModel bool          // the provider says it has no such model
	RetryAfter   time.Duration // of a 429; 0: not said
	Took         time.Duration
	At           time.Time // when it ended
}

// Next is what becomes of a run after a call.
type Next string

// What becomes of it.
const (
	Answered Next = "answered"
	TryNext  Next = "next"              // the next route is tried
	Refused  Next = "MODEL_BAD_REQUEST" // the run fails: no other route would take the request
)

// Next says what becomes of a run after a call (AAIF-4.2-4): only what lies in
// the route moves it to another one.
func (o Outcome) Next() Next {
	switch {
	case o.Status >= 200 && o.Status < 300:
		return Answered
	case o.Status == 0, o.Status == 429, o.Status >= 500, o.UnknownModel:
		return TryNext
	}
	return Refused
}

// After returns the health after a call. A route that fails is tried again in
// the next pass; one that is rate-limited rests as long as it asked for.
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
