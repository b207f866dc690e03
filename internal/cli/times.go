package cli

import (
	"fmt"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/text/pattern"
)

// When is a time on the command line: RFC 3339, or a date, with or without a
// time of day, in the local zone.
type When struct{ time.Time }

// UnmarshalText reads the typed text.
func (w *When) UnmarshalText(text []byte) error {
	for _, layout := range []string{time.RFC3339Nano, time.DateOnly, "2006-01-02T15:04", "2006-01-02 15:04", time.DateTime, "2006-01-02T15:04:05"} {
		if t, err := time.ParseInLocation(layout, string(text), time.Local); err == nil {
			w.Time = t
			return nil
		}
	}
	return fmt.Errorf("%q is not a time; write 2026-03-01, \"2026-03-01 14:30\" or 2026-03-01T14:30:00Z", Clean(string(text)))
}

// Local writes a time for people, in their zone.
func Local(t time.Time) string {
	if t.IsZero() {
		return "–"
	}
	return t.Local().Format("2006-01-02 15:04")
}

// Stamp writes a time for machines, "" for none.
func Stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Format(time.RFC3339Nano)
}

// HowOld says in words how long ago something was.
func HowOld(t, now time.Time) string {
	if t.IsZero() {
		return "undated"
	}
	d := now.Sub(t)
	const day = 24 * time.Hour
	switch {
	case d < 0:
		return "from " + Local(t)
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return ago(d, time.Minute, "minute")
	case d < day:
		return ago(d, time.Hour, "hour")
	case d < 60*day:
		return ago(d, day, "day")
	case d < 730*day:
		return ago(d, 30*day, "month")
	}
	return ago(d, 365*day, "year")
}

func ago(d, unit time.Duration, name string) string {
	return Plural(int(d/unit), name, name+"s") + " ago"
}

// Plural counts things.
func Plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// Day is how long a token is valid by default.
const Day = 24 * time.Hour

// Span is a length of time on the command line: a number of minutes, hours, days,
// weeks or years, or an ISO 8601 duration.
type Span struct {
	memory.Duration
	Text string // as typed
	Iso  string // the same as an ISO 8601 duration
}

var shortSpan = pattern.New(`^[0-9]+[mhdwy]$`)

// UnmarshalText reads the typed text.
func (s *Span) UnmarshalText(text []byte) (err error) {
	s.Text = string(text)
	iso := strings.ToUpper(s.Text)
	if shortSpan.MatchString(s.Text) {
		iso = "P" + iso
		if last := s.Text[len(s.Text)-1]; last == 'm' || last == 'h' {
			iso = "PT" + iso[1:]
		}
	}
	if s.Duration, err = memory.ParseDuration(iso); err != nil {
		return fmt.Errorf("%q is not a length of time; write 90m, 24h, 30d, 2w, 1y or P30D", Clean(s.Text))
	}
	s.Iso = iso
	return nil
}
