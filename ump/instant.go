package ump

import (
	"strings"
	"time"
)

// parseInstant reads an RFC 3339 date-time with any offset. Lower-case letters
// and a leap second are allowed, as the standard does; what time.Parse lets
// through beyond the standard is not. Years outside 1 to 9999 in UTC, which
// could not be written again, are refused.
func parseInstant(s string) (time.Time, bool) {
	if len(s) < len("2006-01-02T15:04:05Z") || !dateTimeShape(s) {
		return time.Time{}, false
	}
	leap := s[17:19] == "60"
	if leap || s[10] == 't' || s[len(s)-1] == 'z' {
		s = strings.ToUpper(s)
	}
	if leap {
		s = s[:17] + "59" + s[19:]
	}
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return time.Time{}, false
	}
	if leap {
		t = t.Add(time.Second)
	}
	if year := t.UTC().Year(); year < 1 || year > 9999 || t.IsZero() {
		return time.Time{}, false
	}
	return t, true
}

// dateTimeShape checks what time.Parse is lenient about: the width of fields
// and the separators.
func dateTimeShape(s string) bool {
	for i, want := range []byte("dddd-dd-ddTdd:dd:dd") {
		c := s[i]
		switch want {
		case 'd':
			if c < '0' || c > '9' {
				return false
			}
		case 'T':
			if c != 'T' && c != 't' {
				return false
			}
		default:
			if c != want {
				return false
			}
		}
	}
	return s[19] != ','
}

// instantFault says why parseInstant refuses s.
func instantFault(s string) string {
	if _, err := time.Parse(time.RFC3339, s); err == nil && len(s) >= len("2006-01-02T15:04:05Z") && dateTimeShape(s) {
		return "is outside the times that can be kept; give one after 0001-01-01T00:00:00Z and before the year 10000, or leave it out"
	}
	return `is not an RFC 3339 time such as "2026-06-04T10:00:00Z"`
}

// writeInstant is the spelling of new times: UTC, with as many digits as needed.
func writeInstant(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }
