package memory

import (
	"strings"
	"time"
)

// ParseInstant reads an RFC 3339 date and time with any offset, and reports whether s is
// one. As the standard says, it accepts lower-case letters and a leap second. It refuses
// fields of other widths and a comma, which time.Parse accepts. A leap second becomes the
// second after it, whatever minute it ends.
func ParseInstant(s string) (t time.Time, ok bool) {
	if !dateTimeShape(s) {
		return time.Time{}, false
	}
	s = strings.ToUpper(s)
	leap := s[17:19] == "60"
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
	return t, true
}

// dateTimeShape checks two things that time.Parse does not: the widths of fields and the
// separators.
func dateTimeShape(s string) bool {
	const shape = "dddd-dd-ddTdd:dd:dd"
	if len(s) <= len(shape) || s[len(shape)] == ',' {
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
