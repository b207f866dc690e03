package recall

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
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
	d := newDates(tokens, now)
	for i := range d.tokens {
		if v := d.at(i); !v.isZero() {
			return v
		}
	}
	return interval{}
}

// newDates leaves out other readings of words: a date is read from what the text has.
func newDates(tokens []token, now time.Time) dates {
	d := dates{tokens: make([]token, 0, len(tokens)), today: date(now.UTC().Date())}
	for _, t := range tokens {
		if _, is := numericDate(t.term); !t.is(other) && (is || !t.is(whole)) {
			d.tokens = append(d.tokens, t)
		}
	}
	return d
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
	case "day", "week", "month", "year":
		if d.word(i+1) == "ago" {
			return d.ago(word, d.count(i-1))
		}
	case "q1", "q2", "q3", "q4":
		return d.span(i, time.Month(3*int(word[1]-'1')+1), 3)
	case "christma", "xmas":
		return d.around(i, time.December, 18, 14)
	case "halloween":
		return d.around(i, time.October, 28, 7)
	case "spring", "summer", "autumn", "winter":
		if before := d.word(i - 1); before == "in" || before == "the" || before == "during" {
			return d.season(i, word)
		}
	}
	if w := weekdayOf(word); w >= 0 {
		switch d.word(i - 1) {
		case "on", "last", "since", "this", "past":
			return days(d.today.AddDate(0, 0, -((int(d.today.Weekday())-w+6)%7+1)%7), 1)
		}
	}
	if day, ok := numericDate(word); ok {
		return days(day, 1)
	}
	if y := year(word); y > 0 {
		return interval{date(y, 1, 1), date(y+1, 1, 1)}
	}
	if m := cmp.Or(monthOf(word), foreignMonths()[d.tokens[i].word]); m > 0 && d.isMonth(i) {
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
	case "spring", "summer", "autumn", "fall", "winter":
		return d.season(len(d.tokens), unit) // without a year
	case "quarter":
		from := date(d.today.Year(), (d.today.Month()-1)/3*3+1, 1).AddDate(0, -3*back, 0)
		return interval{from, from.AddDate(0, 3, 0)}
	}
	if w := weekdayOf(unit); w >= 0 && back == 1 {
		return days(d.today.AddDate(0, 0, -((int(d.today.Weekday())-w+6)%7+1)), 1)
	}
	if m := monthOf(unit); m > 0 {
		return d.latest(m, 0)
	}
	return interval{}
}

// count returns the number that the word at i is: three, 3, a; 0 for another.
func (d dates) count(i int) int {
	switch word := d.word(i); word {
	case "a", "an", "one":
		return 1
	case "coupl":
		return 2
	default:
		if n, ok := numberWords()[d.tokens[max(i, 0)].word]; ok && i >= 0 {
			return n
		}
		n, _ := strconv.Atoi(word)
		return n
	}
}

// ago returns the day, week, month or year so many of them ago.
func (d dates) ago(unit string, n int) interval {
	if n < 1 || n > 1000 {
		return interval{}
	}
	switch unit {
	case "day":
		return days(d.today.AddDate(0, 0, -n), 1)
	case "week":
		return days(d.today.AddDate(0, 0, -7*n-3), 7)
	case "month":
		from := date(d.today.Year(), d.today.Month(), 1).AddDate(0, -n, 0)
		return interval{from, from.AddDate(0, 1, 0)}
	}
	return interval{date(d.today.Year()-n, 1, 1), date(d.today.Year()-n+1, 1, 1)}
}

// span returns so many months from the first of a month: of the year behind token i, or the
// latest that have begun.
func (d dates) span(i int, m time.Month, months int) interval {
	from := date(d.today.Year(), m, 1)
	if y := year(d.word(i + 1)); y > 0 {
		from = date(y, m, 1)
	} else if from.After(d.today) {
		from = date(d.today.Year()-1, m, 1)
	}
	return interval{from, from.AddDate(0, months, 0)}
}

// around returns some days from a day of the year on.
func (d dates) around(i int, m time.Month, first, n int) interval {
	from := d.span(i, m, 1).from.AddDate(0, 0, first-1)
	if from.After(d.today) && year(d.word(i+1)) == 0 {
		from = date(from.Year()-1, m, first)
	}
	return days(from, n)
}

// season returns a season of the north, of the year behind token i or the latest.
func (d dates) season(i int, name string) interval {
	switch name {
	case "spring":
		return d.span(i, time.March, 3)
	case "summer":
		return d.span(i, time.June, 3)
	case "autumn", "fall":
		return d.span(i, time.September, 3)
	}
	return d.span(i, time.December, 3)
}

// weekdayOf returns the day of the week that a term names, from Sunday; -1 for other terms.
func weekdayOf(term string) int {
	return slices.Index([]string{"sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"}, term)
}

// month returns the month at token i, narrowed by a day before or after it and placed by a
// year.
func (d dates) month(i int, m time.Month) interval {
	day, y := dayOf(d.word(i-1)), year(d.word(i+1))
	if before := d.word(i - 1); before == "of" || before == "de" {
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

// isMonth distinguishes months from the same words with another meaning ("may", "Mars"), by
// a preposition or number beside them. May and March may also show by a capital.
func (d dates) isMonth(i int) bool {
	switch term := d.word(i); {
	case term == "may", term == "march":
		if d.tokens[i].is(capital) && !d.tokens[i].is(ends) {
			return true
		}
	case monthOf(term) > 0:
		return true
	}
	switch d.word(i - 1) {
	case "in", "of", "since", "until", "last", "during", "by", "earli", "late", "im", "seit", "bis", "en", "au", "depui", "de", "em", "desd", "a", "w", "od", "do", "в", "с", "до":
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
	if len(term) > 2 || !isNumber(term) {
		return 0
	}
	if n, err := strconv.Atoi(term); err == nil && n >= 1 && n <= 31 {
		return n
	}
	return 0
}

// year returns the year a term names, 0 for other terms.
func year(term string) int {
	if len(term) != 4 || !isNumber(term) {
		return 0
	}
	if n, err := strconv.Atoi(term); err == nil && n >= 1900 && n < 2200 {
		return n
	}
	return 0
}

// numericDate reads a term that is a date in digits: 2023-05-07, which has lost its hyphens,
// 2023/05/07, 7.5.2023 and, where the month is plain, 21/5/2023 and 5/21/2023.
func numericDate(term string) (time.Time, bool) {
	if len(term) == len("20060102") && isNumber(term) {
		term = term[:4] + "/" + term[4:6] + "/" + term[6:]
	}
	parts := strings.FieldsFunc(term, func(r rune) bool { return r == '.' || r == '/' })
	if len(parts) != 3 {
		return time.Time{}, false
	}
	y, m, d := parts[0], parts[1], parts[2]
	if year(y) == 0 {
		d, m, y = parts[0], parts[1], parts[2]
		if strings.Contains(term, "/") && dayOf(m) > 12 {
			d, m = m, d
		} else if strings.Contains(term, "/") && dayOf(d) <= 12 {
			return time.Time{}, false
		}
	}
	day := date(year(y), time.Month(dayOf(m)), dayOf(d))
	return day, year(y) > 0 && dayOf(d) > 0 && dayOf(m) > 0 && day.Day() == dayOf(d) && dayOf(m) <= 12
}
