package ump

import (
	"strconv"
	"strings"
	"time"
)

// period is a span of time: from is its first instant, until the first instant after
// it. For a single instant both are equal.
type period struct{ from, until time.Time }

// readPeriod reads an RFC 3339 time, a day, a month or a year, or words that count from
// now, such as "last month" and "3 days ago". It reads dates in the time zone of now.
// Without a clock (the zero now) it reads no words, and dates in UTC.
func readPeriod(said string, now time.Time) (period, bool) {
	said = strings.ToLower(strings.Join(strings.Fields(said), " "))
	if t, ok := parseInstant(said); ok {
		return period{t, t}, true
	}
	p, ok := readDate(said, now.Location())
	if !ok && !now.IsZero() {
		p, ok = readRelative(said, now)
	}
	return p, ok && p.from.Year() >= 1 && p.until.Year() <= 9999
}

func readDate(said string, zone *time.Location) (period, bool) {
	for _, layout := range []string{"2006-01-02t15:04:05", "2006-01-02t15:04", "2006-01-02 15:04:05", "2006-01-02 15:04"} {
		if t, err := time.ParseInLocation(layout, said, zone); err == nil && len(said) == len(layout) {
			return period{t, t}, true
		}
	}
	for unit, layout := range map[string]string{"day": "2006-01-02", "month": "2006-01", "year": "2006"} {
		if t, err := time.ParseInLocation(layout, said, zone); err == nil && len(said) == len(layout) {
			return periodOf(t, unit), true
		}
	}
	return period{}, false
}

// readRelative reads words that count from now.
func readRelative(said string, now time.Time) (period, bool) {
	switch said {
	case "now":
		return period{now, now}, true
	case "today":
		return periodOf(now, "day"), true
	case "yesterday":
		return periodBefore(now, 1, "day"), true
	}
	words := strings.Split(said, " ")
	switch {
	case len(words) == 2 && words[0] == "this" && isUnit(words[1]):
		return periodOf(now, words[1]), true
	case len(words) == 2 && words[0] == "last" && words[1] != "day" && isUnit(words[1]):
		return periodBefore(now, 1, words[1]), true
	case len(words) != 3 || words[2] != "ago":
		return period{}, false
	}
	n, err := strconv.Atoi(words[0])
	if words[0] == "a" || words[0] == "one" {
		n, err = 1, nil
	}
	unit := strings.TrimSuffix(words[1], "s")
	if err != nil || n < 0 || n > 1e6 || !isUnit(unit) {
		return period{}, false
	}
	return periodOf(earlier(now, n, unit), "day"), true
}

func isUnit(word string) bool {
	return word == "day" || word == "week" || word == "month" || word == "year"
}

// periodBefore returns the day, week, month or year n units before that of t.
func periodBefore(t time.Time, n int, unit string) period {
	return periodOf(earlier(periodOf(t, unit).from, n, unit), unit)
}

// earlier returns the time n units before t. If the month is too short for the day of
// t, it returns the last day of the month.
func earlier(t time.Time, n int, unit string) time.Time {
	switch unit {
	case "day":
		return t.AddDate(0, 0, -n)
	case "week":
		return t.AddDate(0, 0, -7*n)
	case "year":
		n *= 12
	}
	moved := t.AddDate(0, -n, 0)
	if moved.Day() != t.Day() {
		moved = moved.AddDate(0, 0, -moved.Day())
	}
	return moved
}

// periodOf returns the day, the week from Monday, the month or the year of t.
func periodOf(t time.Time, unit string) period {
	year, month, day := t.Date()
	date := func(year int, month time.Month, day int) time.Time {
		return time.Date(year, month, day, 0, 0, 0, 0, t.Location())
	}
	switch unit {
	case "week":
		day -= (int(t.Weekday()) + 6) % 7
		return period{date(year, month, day), date(year, month, day+7)}
	case "month":
		return period{date(year, month, 1), date(year, month+1, 1)}
	case "year":
		return period{date(year, 1, 1), date(year+1, 1, 1)}
	}
	return period{date(year, month, day), date(year, month, day+1)}
}

// last returns the last instant of the period, or now if the period contains now.
func (p period) last(now time.Time) time.Time {
	switch {
	case p.from.Equal(p.until):
		return p.from
	case !now.Before(p.from) && now.Before(p.until):
		return now
	}
	return p.until.Add(-1)
}

// periodFault returns the reason why readPeriod refuses said.
func periodFault(said string) string {
	if fault := instantFault(said); fault == outsideTime {
		return fault
	}
	return `is not a time; send one such as "2026-06-04T10:00:00Z", "2026-06-04", "2026-06", "2026", "yesterday", "last month" or "3 days ago"`
}
