package aaif

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/memory"
)

// scheduleHint says how to write a schedule.
const scheduleHint = "write five fields, as 0 9 * * 1-5 (UTC), or PT15M"

// scheduleError says why a text is no schedule, or returns "". A schedule is cron, in
// five fields or by a name such as @daily, or an interval, such as @every 90m or PT90M
// (AAIF-4-20).
func scheduleError(text string) string {
	fields := strings.Fields(text)
	switch first := text[:min(len(text), 1)]; {
	case first == "P" || first == "@":
		if !isInterval(text) {
			return "neither cron nor an interval: " + scheduleHint
		}
	case !strings.ContainsAny(text, "0123456789*?"):
		return "neither cron nor an interval: " + scheduleHint
	case len(fields) != len(cronFields()):
		return fmt.Sprintf("has %d fields; cron has five: %s", len(fields), scheduleHint)
	default:
		for i, f := range cronFields() {
			if slices.ContainsFunc(strings.Split(fields[i], ","), func(part string) bool { return !f.takes(part) }) {
				return fmt.Sprintf("the %s is none of %d to %d%s", f.name, f.least, f.most, f.how())
			}
		}
	}
	return ""
}

// isInterval reports whether a text is an interval of a second or more, or the name of a
// schedule. Anything shorter would start runs without end.
func isInterval(text string) bool {
	if every, ok := strings.CutPrefix(text, "@every "); ok {
		d, err := time.ParseDuration(strings.TrimSpace(every))
		return err == nil && d >= time.Second
	}
	if strings.HasPrefix(text, "P") {
		d, err := memory.ParseDuration(text)
		return err == nil && !d.After(epoch).Before(epoch.Add(time.Second))
	}
	_, named := namedSchedules[text]
	return named
}

// cronField describes one field of cron.
type cronField struct {
	name        string
	least, most int
	names       []string // names of its numbers, from the least
}

func cronFields() []cronField {
	return []cronField{
		{"minute", 0, 59, nil}, {"hour", 0, 23, nil}, {"day of the month", 1, 31, nil},
		{"month", 1, 12, []string{"jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"}},
		{"day of the week", 0, 7, []string{"sun", "mon", "tue", "wed", "thu", "fri", "sat"}},
	}
}

// how says what else a field accepts.
func (f cronField) how() string {
	if f.names == nil {
		return ", and neither *, a range as 1-5, a step as */15 nor a list of those"
	}
	return ", nor " + f.names[0] + " to " + f.names[len(f.names)-1] + ", and neither *, a range as 1-5, a step as */2 nor a list of those"
}

// takes reports whether a part of a list is a number, a range or *, with an optional
// step.
func (f cronField) takes(part string) bool {
	if base, step, ok := strings.Cut(part, "/"); ok {
		if n, err := strconv.Atoi(step); err != nil || n < 1 {
			return false
		}
		part = base
	}
	if part == "*" || part == "?" {
		return true
	}
	from, to, ok := strings.Cut(part, "-")
	if !ok {
		to = from
	}
	a, b := f.number(from), f.number(to)
	return f.least <= a && a <= b && b <= f.most
}

// number reads a number or its name, and returns -1 for anything else.
func (f cronField) number(text string) int {
	if i := slices.Index(f.names, strings.ToLower(text)); i >= 0 {
		return f.least + i
	}
	n, err := strconv.Atoi(text)
	if err != nil || strings.ContainsAny(text, "+-") {
		return -1
	}
	return n
}

// Schedule says when a trigger of type schedule fires, in UTC (AAIF-4-20). No clock that
// changes in summer touches it.
type Schedule struct {
	fields   [5]uint64 // cron: the bits of the values of each field
	any      [2]bool   // the day of the month, and that of the week, may be any
	every    time.Duration
	calendar memory.Duration // an interval of months or years
	interval bool
}

// namedSchedules are the schedules that have a name.
var namedSchedules = map[string]string{
	"@yearly": "0 0 1 1 *", "@annually": "0 0 1 1 *", "@monthly": "0 0 1 * *", "@weekly": "0 0 * * 0",
	"@daily": "0 0 * * *", "@midnight": "0 0 * * *", "@hourly": "0 * * * *",
}

// ParseSchedule reads a schedule: cron in five fields or by a name such as @daily, or an
// interval such as @every 90m or PT90M.
func ParseSchedule(text string) (Schedule, error) {
	if wrong := scheduleError(text); wrong != "" {
		return Schedule{}, errors.New("the schedule is " + wrong)
	}
	if cron, ok := namedSchedules[text]; ok {
		text = cron
	}
	if every, ok := strings.CutPrefix(text, "@every "); ok {
		d, err := time.ParseDuration(strings.TrimSpace(every))
		return Schedule{interval: true, every: d}, err
	}
	if strings.HasPrefix(text, "P") {
		d, err := memory.ParseDuration(text)
		if err != nil {
			return Schedule{}, err
		}
		return intervalOf(d), nil
	}
	var s Schedule
	for i, f := range cronFields() {
		field := strings.Fields(text)[i]
		for part := range strings.SplitSeq(field, ",") {
			s.fields[i] |= f.bits(part)
		}
		if open := strings.HasPrefix(field, "*") || strings.HasPrefix(field, "?"); i == 2 {
			s.any[0] = open
		} else if i == 4 {
			s.any[1] = open
		}
	}
	if s.fields[4]&(1<<7) != 0 { // Sunday is 0 and 7
		s.fields[4] |= 1
	}
	return s, nil
}

// intervalOf returns the schedule of an interval. A month does not always last as long.
func intervalOf(d memory.Duration) Schedule {
	january, february := epoch, epoch.AddDate(0, 1, 0)
	every := d.After(january).Sub(january)
	if d.After(february).Sub(february) != every || every > 366*24*time.Hour {
		return Schedule{interval: true, calendar: d}
	}
	return Schedule{interval: true, every: every}
}

// epoch is where intervals are counted from, so that all servers count alike.
var epoch = time.Unix(0, 0).UTC()

// bits returns the values of a part of a field, which takes has accepted.
func (f cronField) bits(part string) (bits uint64) {
	base, step, stepped := strings.Cut(part, "/")
	each := 1
	if stepped {
		each, _ = strconv.Atoi(step) // takes has read it
		each = min(each, f.most+1)   // a longer step does not lead further
	}
	from, to := f.least, f.most
	if base != "*" && base != "?" {
		first, last, isRange := strings.Cut(base, "-")
		from = f.number(first)
		switch {
		case isRange:
			to = f.number(last)
		case !stepped:
			to = from
		}
	}
	for n := from; n <= to; n += each {
		bits |= 1 << n
	}
	return bits
}

// mostYears is how far ahead a time is looked for: the 29th of February may be eight years off.
const mostYears = 9

// Next returns the first time after another at which the schedule fires; the zero time: never.
func (s Schedule) Next(after time.Time) time.Time {
	after = after.UTC()
	if s.interval {
		return s.nextInterval(after)
	}
	day := time.Date(after.Year(), after.Month(), after.Day(), 0, 0, 0, 0, time.UTC)
	for end := day.AddDate(mostYears, 0, 0); day.Before(end); {
		switch {
		case s.fields[3]&(1<<day.Month()) == 0:
			day = time.Date(day.Year(), day.Month()+1, 1, 0, 0, 0, 0, time.UTC)
			continue
		case s.onDay(day):
			if at := s.inDay(day, after); !at.IsZero() {
				return at
			}
		}
		day = day.AddDate(0, 0, 1)
	}
	return time.Time{}
}

// onDay reports whether the schedule fires on a day. Where both the day of the month and that
// of the week are said, one of them is enough, as in every cron.
func (s Schedule) onDay(day time.Time) bool {
	month, week := s.fields[2]&(1<<day.Day()) != 0, s.fields[4]&(1<<day.Weekday()) != 0
	if s.any[0] || s.any[1] {
		return month && week
	}
	return month || week
}

// inDay returns the first time of a day after another.
func (s Schedule) inDay(day, after time.Time) time.Time {
	for hour := range 24 {
		if s.fields[1]&(1<<hour) == 0 || day.Add(time.Duration(hour+1)*time.Hour).Before(after) {
			continue
		}
		for minute := range 60 {
			at := day.Add(time.Duration(hour)*time.Hour + time.Duration(minute)*time.Minute)
			if s.fields[0]&(1<<minute) != 0 && at.After(after) {
				return at
			}
		}
	}
	return time.Time{}
}

func (s Schedule) nextInterval(after time.Time) time.Time {
	if s.every > 0 {
		return epoch.Add((after.Sub(epoch)/s.every + 1) * s.every)
	}
	at := epoch
	for !at.After(after) {
		next := s.calendar.After(at)
		if !next.After(at) {
			return time.Time{}
		}
		at = next
	}
	return at
}

// Latest returns the last time after one and not after another at which the schedule fires; the
// zero time: there is none.
func (s Schedule) Latest(after, until time.Time) (last time.Time) {
	if s.interval && s.every > 0 {
		if at := epoch.Add(until.Sub(epoch) / s.every * s.every); at.After(after) {
			return at
		}
		return time.Time{}
	}
	// Days are looked at from the last one, as a year has many minutes.
	for back := time.Hour; ; back *= 24 {
		from := until.Add(-back)
		if !from.After(after) || back > mostYears*366*24*time.Hour {
			from = after
		}
		for at := s.Next(from); !at.IsZero() && !at.After(until); at = s.Next(at) {
			last = at
		}
		if !last.IsZero() || from.Equal(after) {
			return last
		}
	}
}
