package stored

import (
	"math"
	"time"
)

// Micros returns a time in its stored form: microseconds since 1970 in UTC. The zero time
// is far before any other and comes back as zero. A time beyond the range becomes its first
// or last, some 292,000 years away.
func Micros(t time.Time) int64 {
	if last := int64(math.MaxInt64); t.After(Instant(last)) {
		return last
	}
	if first := int64(math.MinInt64); t.Before(Instant(first)) {
		return first
	}
	return t.UnixMicro()
}

// Instant returns the time that was stored.
func Instant(µs int64) time.Time { return time.UnixMicro(µs).UTC() }

// openMicros is [Micros] for a time that may be an open end, which is stored as
// NULL.
func openMicros(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return Micros(t)
}

// openInstant returns the time that was stored, zero for an open end, which is
// not valid.
func openInstant(µs int64, valid bool) time.Time {
	if !valid {
		return time.Time{}
	}
	return Instant(µs)
}
