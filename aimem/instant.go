package aimem

import (
	"strings"
	"time"
)

const adviceUTC = "the timestamp is not RFC 3339 in UTC, such as 2026-06-12T10:00:00Z"

// isUTC reports whether s is a timestamp in UTC as decision AD-12 accepts it: RFC
// 3339 with Z or an offset of zero, with any number of digits after the second.
func isUTC(s string) bool {
	if !dateTimeShape(s) {
		return false
	}
	_, ok := instantOf(s)
	return ok
}

// isInstant reports whether s is an RFC 3339 date and time, with any offset.
func isInstant(s string) bool {
	if !dateTimeShape(s) {
		return false
	}
	_, err := time.Parse(time.RFC3339, strings.ToUpper(s))
	return err == nil
}

// dateTimeShape checks what time.Parse is lenient about: the width of fields and
// what separates them.
func dateTimeShape(s string) bool {
	const shape = "dddd-dd-ddTdd:dd:dd"
	if len(s) <= len(shape) || strings.Contains(s, ",") {
		return false
	}
	for i, want := range []byte(shape) {
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
	return true
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
