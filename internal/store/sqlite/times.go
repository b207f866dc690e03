package sqlite

import (
	"database/sql"
	"time"
)

// Times are stored as microseconds since 1970 in UTC. The zero time is far
// before any other and comes back as zero.
func micros(t time.Time) int64 { return t.UnixMicro() }

func instant(µs int64) time.Time { return time.UnixMicro(µs).UTC() }

// An open end is stored as NULL.
func openMicros(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.UnixMicro()
}

func openInstant(µs sql.NullInt64) time.Time {
	if !µs.Valid {
		return time.Time{}
	}
	return instant(µs.Int64)
}
