package recall

import (
	"strconv"
	"time"
)

// interval is a half-open span of time; the zero interval is none.
type interval struct {
	from, to time.Time
}

func (v interval) isZero() bool { return v.from.IsZero() }

func (v interval) holds(t time.Time) bool { return !t.Before(v.from) && t.Before(v.to) }

// dateHinted returns the span of time that a question names: "on 7 May 2023", "in March",
// "last week", "yesterday", "2021". Days and months without a year are the latest that have
// begun. The first span counts.
func dateHinted(tokens []token, now time.Time) interval {
	d := dates{tokens: tokens, today: date(now.UTC().Date())}
	for i := range tokens {
		if v := d.at(i); !v.isZero() {
			return v
		}
	}
	return interval{}
}

// dates reads dates from the words of a question.
type dates struct {
	tokens []token
	today  time.Time
}

// word returns the term at i, "" beyond the ends.
func (d dates) word(i int) string {
	if i < 0 || i >= len(d.tokens) {
		return ""
	}
	return d.tokens[i].term
}

// at returns the span that token i names.
func (d dates) at(i int) interval {
	word := d.word(i)
	switch word {
	case "today", "tonight":
		return days(d.today, 1)
	case "yesterday":
		return days(d.today.AddDate(0, 0, -1), 1)
	case "last", "past", "previous":
		return d.relative(d.word(i+1), 1)
	case "this":
		return d.relative(d.word(i+1), 0)
	}
	if day, ok := isoDate(word); ok {
		return days(day, 1)
	}
	if y := year(word); y > 0 {
		return interval{date(y, 1, 1), date(y+1, 1, 1)}
	}
	if m := monthOf(word); m > 0 && d.isMonth(i) {
		return d.month(i, m)
	}
	return interval{}
}

// relative returns the present unit of time, or the one back units before; or the last
// month of that name.
func (d dates) relative(unit string, back int) interval {
	monday := d.today.AddDate(0, 0, -(int(d.today.Weekday())+6)%7)
	switch unit {
	case "week":
		return days(monday.AddDate(0, 0, -7*back), 7)
	case "weekend":
		return days(monday.AddDate(0, 0, 5-7*back), 2)
	case "month":
		from := date(d.today.Year(), d.today.Month(), 1).AddDate(0, -back, 0)
		return interval{from, from.AddDate(0, 1, 0)}
	case "year":
		from := date(d.today.Year()-back, 1, 1)
		return interval{from, from.AddDate(1, 0, 0)}
	}
	if m := monthOf(unit); m > 0 {
		return d.latest(m, 0)
	}
	return interval{}
}

// month returns the month at token i, narrowed by a day before or after it and placed by a
// year.
func (d dates) month(i int, m time.Month) interval {
	day, y := dayOf(d.word(i-1)), year(d.word(i+1))
	if d.word(i-1) == "of" {
		day = dayOf(d.word(i - 2))
	}
	if after := dayOf(d.word(i + 1)); after > 0 {
		day, y = after, year(d.word(i+2))
	}
	switch {
	case y == 0:
		return d.latest(m, day)
	case day > 0:
		return days(date(y, m, day), 1)
	}
	return interval{date(y, m, 1), date(y, m+1, 1)}
}

// latest returns the last month m, or day of it, that has begun by now.
func (d dates) latest(m time.Month, day int) interval {
	from := date(d.today.Year(), m, max(day, 1))
	if from.After(d.today) {
		from = date(d.today.Year()-1, m, max(day, 1))
	}
	if day == 0 {
		return interval{from, from.AddDate(0, 1, 0)}
	}
	return days(from, 1)
}

// isMonth distinguishes months from the same words with another meaning ("may", "march"):
// by a capital, or by a preposition or number beside them.
func (d dates) isMonth(i int) bool {
	switch d.word(i) {
	case "may", "march":
	default:
		return true
	}
	if d.tokens[i].is(capital) && !d.tokens[i].is(ends) {
		return true
	}
	switch d.word(i - 1) {
	case "in", "of", "since", "until", "last", "during", "by", "earli", "late":
		return true
	}
	return dayOf(d.word(i-1)) > 0 || year(d.word(i+1)) > 0 || dayOf(d.word(i+1)) > 0
}

func date(y int, m time.Month, day int) time.Time {
	return time.Date(y, m, day, 0, 0, 0, 0, time.UTC)
}

func days(from time.Time, n int) interval { return interval{from, from.AddDate(0, 0, n)} }

// monthOf returns the month a term names, 0 for other terms. Terms are stems.
func monthOf(term string) time.Month {
	switch term {
	case "januari", "jan":
		return time.January
	case "februari", "feb":
		return time.February
	case "march":
		return time.March
	case "april", "apr":
		return time.April
	case "may":
		return time.May
	case "june", "jun":
		return time.June
	case "juli", "jul":
		return time.July
	case "august", "aug":
		return time.August
	case "septemb", "sept", "sep":
		return time.September
	case "octob", "oct":
		return time.October
	case "novemb", "nov":
		return time.November
	case "decemb", "dec":
		return time.December
	}
	return 0
}

// dayOf returns the day of a month a term names, 0 for other terms.
func dayOf(term string) int {
	if n, err := strconv.Atoi(term); err == nil && n >= 1 && n <= 31 && len(term) <= 2 {
		return n
	}
	return 0
}

// year returns the year a term names, 0 for other terms.
func year(term string) int {
	if n, err := strconv.Atoi(term); err == nil && n >= 1900 && n < 2200 && len(term) == 4 {
		return n
	}
	return 0
}

// isoDate reads a term that is a date such as 2023-05-07, which has lost its hyphens.
func isoDate(term string) (time.Time, bool) {
	day, err := time.Parse("20060102", term)
	return day, err == nil && day.Year() >= 1900 && day.Year() < 2200
}
