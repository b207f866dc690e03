package main

import (
	"fmt"
	"time"
)

// when is a time on the command line: RFC 3339, or a date, with or without a
// time of day, in the local zone.
type when struct{ time.Time }

// UnmarshalText reads what was typed.
func (w *when) UnmarshalText(text []byte) error {
	for _, layout := range []string{time.RFC3339Nano, time.DateOnly, "2006-01-02T15:04", "2006-01-02 15:04", time.DateTime, "2006-01-02T15:04:05"} {
		if t, err := time.ParseInLocation(layout, string(text), time.Local); err == nil {
			w.Time = t
			return nil
		}
	}
	return fmt.Errorf("%q is not a time; write 2026-03-01, \"2026-03-01 14:30\" or 2026-03-01T14:30:00Z", clean(string(text)))
}

// local writes a time for people, in their zone.
func local(t time.Time) string {
	if t.IsZero() {
		return "–"
	}
	return t.Local().Format("2006-01-02 15:04")
}

// localOr is local, "" for no time.
func localOr(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return local(t)
}

// stamp writes a time for machines, "" for none.
func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Format(time.RFC3339Nano)
}

// howOld says in words how long ago something was.
func howOld(t, now time.Time) string {
	if t.IsZero() {
		return "undated"
	}
	d := now.Sub(t)
	const day = 24 * time.Hour
	switch {
	case d < 0:
		return "from " + local(t)
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
	return plural(int(d/unit), name, name+"s") + " ago"
}

// plural counts things.
func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
