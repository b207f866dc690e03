package aaif

import (
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/memory"
)

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
