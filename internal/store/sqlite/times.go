package sqlite

import (
	"database/sql"
	"math"
	"time"
)

// Times are stored as microseconds since 1970 in UTC. The zero time is far
// before any other and comes back as zero. A time whose microseconds do not fit
// is stored as the first or the last that fits, some 292,000 years away.
func micros(t time.Time) int64 {
	if last := int64(math.MaxInt64); t.After(instant(last)) {
		return last
	}
	if first := int64(math.MinInt64); t.Before(instant(first)) {
		return first
	}
	return t.UnixMicro()
}

func instant(µs int64) time.Time { return time.UnixMicro(µs).UTC() }

// An open end is stored as NULL.
func openMicros(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return micros(t)
}

func openInstant(µs sql.NullInt64) time.Time {
	if !µs.Valid {
		return time.Time{}
	}
	return instant(µs.Int64)
}
