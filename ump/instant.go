package ump

import (
	"time"

	"github.com/satchel-memory/satchel/memory"
)

// parseInstant reads an RFC 3339 date-time as [memory.ParseInstant] does. It refuses
// years outside 1 to 9999 in UTC, which cannot be written again.
func parseInstant(s string) (time.Time, bool) {
	t, ok := memory.ParseInstant(s)
	if year := t.UTC().Year(); !ok || year < 1 || year > 9999 || t.IsZero() {
		return time.Time{}, false
	}
	return t, true
}

const outsideTime = "is outside the times that can be kept; give one after 0001-01-01T00:00:00Z and before the year 10000, or leave it out"

// instantFault returns the reason why parseInstant refuses s.
func instantFault(s string) string {
	if _, ok := memory.ParseInstant(s); ok {
		return outsideTime
	}
	return `is not an RFC 3339 time such as "2026-06-04T10:00:00Z"`
}

// writeInstant spells a new time: UTC, with as many digits as needed.
func writeInstant(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }
