package aimem

import (
	"strings"
	"time"

	"github.com/satchel-memory/satchel/memory"
)

const adviceUTC = "the timestamp is not RFC 3339 in UTC, such as 2026-06-12T10:00:00Z"

// adviceKept is the advice for the further rule of [isKept].
const adviceKept = "no record can be of that time; give one after 0001-01-01T00:00:00Z and before the year 10000"

// Instant reads an RFC 3339 date and time with any offset, as the standard has it
// and not one bit more leniently: [memory.ParseInstant] takes offsets of 24 hours and
// leap seconds anywhere. One is the last of a month in UTC, and becomes the first of
// the next.
func Instant(s string) (time.Time, bool) {
	t, ok := memory.ParseInstant(s)
	if !ok || !offsetShape(s) {
		return time.Time{}, false
	}
	if next := t.UTC(); s[17:19] == "60" && (next.Day() != 1 || next.Hour() != 0 || next.Minute() != 0) {
		return time.Time{}, false
	}
	return t, true
}

// instantOf reads a timestamp in UTC as decision AD-12 accepts it: RFC 3339 with Z
// or an offset of zero, with any number of digits after the second.
func instantOf(s string) (time.Time, bool) {
	t, ok := Instant(s)
	if _, offset := t.Zone(); !ok || offset != 0 {
		return time.Time{}, false
	}
	return t.UTC(), true
}

// isUTC reports whether s is a timestamp in UTC.
func isUTC(s string) bool {
	_, ok := instantOf(s)
	return ok
}

// isKept reports whether s is a timestamp in UTC of a time that a record can be of:
// UMP has the years 1 to 9999, and its first instant is none.
func isKept(s string) bool {
	t, ok := instantOf(s)
	return ok && !t.IsZero() && t.Year() >= 1 && t.Year() <= 9999
}

// isInstant reports whether s is an RFC 3339 date and time, with any offset.
func isInstant(s string) bool {
	_, ok := Instant(s)
	return ok
}

// FormatInstant is the spelling of new times (decision AD-12).
func FormatInstant(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }

// offsetShape checks what ends a time: Z, or hours and minutes that a day has.
func offsetShape(s string) bool {
	if last := s[len(s)-1]; last == 'Z' || last == 'z' {
		return true
	}
	at := len(s) - len("+00:00")
	return at > 0 && s[at+3] == ':' && s[at+1:at+3] <= "23" && s[at+4:] <= "59"
}

// isUUID reports whether s is a UUID with its hyphens, in any case.
func isUUID(s string) bool {
	if len(s) != 36 {
		return false
	}
	for i, c := range []byte(s) {
		if hyphen := i == 8 || i == 13 || i == 18 || i == 23; hyphen {
			if c != '-' {
				return false
			}
		} else if !strings.ContainsRune("0123456789abcdefABCDEF", rune(c)) {
			return false
		}
	}
	return true
}

// maxURI bounds a tenant_id (decision AD-13).
const maxURI = 2048

// isTenant reports whether s may be a tenant_id (section 2.1, decision AD-13).
func isTenant(s string) bool { return isUUID(s) || isURI(s) }

// isURI reports whether s is a scheme and something after it, without spaces.
func isURI(s string) bool {
	scheme, rest, ok := strings.Cut(s, ":")
	if !ok || rest == "" || len(s) > maxURI || scheme == "" {
		return false
	}
	for i, c := range []byte(strings.ToLower(scheme)) {
		letter := 'a' <= c && c <= 'z'
		if !letter && (i == 0 || !strings.ContainsRune("0123456789+-.", rune(c))) {
			return false
		}
	}
	return !strings.ContainsFunc(rest, func(r rune) bool { return r <= ' ' || r == 0x7f || r == 0xa0 || r == 0x2028 || r == 0x2029 })
}
