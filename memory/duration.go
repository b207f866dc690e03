package memory

import (
	"errors"
	"math/big"
	"strings"
	"time"
)

// Duration is an ISO 8601 duration, the form of consent.retention (UMP-2.7-1):
// calendar units, of which the last may have a decimal fraction. The zero
// Duration lasts no time; ParseDuration never returns it.
type Duration struct {
	units [len(unitLetters)]int64 // whole years, months, weeks, days, hours, minutes, seconds
	part  string                  // decimal digits of the fraction, without trailing zeros
	last  int                     // the unit the fraction belongs to
}

const (
	unitLetters = "YMWDHMS"
	firstClock  = 4 // units from this index on follow the T
	maxDigits   = 9 // of a number in a duration
)

var errDuration = errors.New(`is not an ISO 8601 duration of some length, such as "P365D", "P1Y" or "PT36H"`)

// ParseDuration reads a duration. It refuses an empty text and durations that are zero or
// negative (decision UD-15).
func ParseDuration(s string) (Duration, error) {
	rest, ok := strings.CutPrefix(s, "P")
	date, clock, timed := strings.Cut(rest, "T")
	if !ok || timed && clock == "" || len(s) > 128 {
		return Duration{}, errDuration
	}
	var d Duration
	if !d.read(date, 0, firstClock) || d.part != "" && timed || !d.read(clock, firstClock, len(unitLetters)) || d.isZero() {
		return Duration{}, errDuration
	}
	return d, nil
}

// read reads numbers and their units, in the order of unitLetters.
func (d *Duration) read(s string, unit, end int) bool {
	for s != "" {
		n := strings.IndexAny(s, "YMWDHS")
		if n <= 0 || d.part != "" {
			return false
		}
		at := strings.IndexByte(unitLetters[unit:end], s[n])
		if at < 0 || !d.number(s[:n], unit+at) {
			return false
		}
		unit += at + 1
		s = s[n+1:]
	}
	return true
}

func (d *Duration) number(s string, unit int) bool {
	whole, part, fraction := strings.Cut(strings.Replace(s, ",", ".", 1), ".")
	if len(whole) == 0 || len(whole) > maxDigits || len(part) > maxDigits || fraction && part == "" {
		return false
	}
	for _, c := range []byte(whole) {
		if c < '0' || c > '9' {
			return false
		}
		d.units[unit] = d.units[unit]*10 + int64(c-'0')
	}
	for _, c := range []byte(part) {
		if c < '0' || c > '9' {
			return false
		}
	}
	if fraction {
		d.part, d.last = strings.TrimRight(part, "0"), unit
		if d.part == "" { // a fraction of zero ends the duration, too
			d.part = "0"
		}
	}
	return true
}

func (d *Duration) isZero() bool {
	for _, n := range d.units {
		if n != 0 {
			return false
		}
	}
	return strings.Trim(d.part, "0") == ""
}

// String writes the duration in one spelling, without units of zero.
func (d Duration) String() string {
	b := []byte{'P'}
	for unit, n := range d.units {
		part := ""
		if strings.Trim(d.part, "0") != "" && unit == d.last {
			part = "." + d.part
		}
		if n == 0 && part == "" {
			continue
		}
		if unit >= firstClock && !strings.Contains(string(b), "T") {
			b = append(b, 'T')
		}
		b = big.NewInt(n).Append(b, 10)
		b = append(b, part...)
		b = append(b, unitLetters[unit])
	}
	return string(b)
}

// After returns the instant d after t in the calendar of UTC. A month after 31 January is
// the last day of February. A fraction of a year counts as months if that gives a whole
// number. Any other fraction is a share of its unit, as long as that unit lasts at that
// date.
func (d Duration) After(t time.Time) time.Time {
	t = t.UTC()
	whole := d.units
	months, even := d.months()
	whole[1] += months
	end := addUnits(t, whole)
	if even {
		return end
	}
	whole[d.last]++
	return end.Add(share(addUnits(t, whole).Sub(end), d.part))
}

// months returns the fraction of a year in months, and whether no fraction remains.
func (d Duration) months() (int64, bool) {
	n, scale := fraction(d.part)
	if n == 0 || d.last == 0 && n*12%scale == 0 {
		return n * 12 / scale, true
	}
	return 0, false
}

// fraction returns decimal digits as a fraction.
func fraction(digits string) (n, scale int64) {
	scale = 1
	for _, c := range []byte(digits) {
		scale, n = scale*10, n*10+int64(c-'0')
	}
	return n, scale
}

// share returns the decimal fraction part of span.
func share(span time.Duration, part string) time.Duration {
	n, scale := fraction(part)
	x := new(big.Int).Mul(big.NewInt(int64(span)), big.NewInt(n))
	return time.Duration(x.Div(x, big.NewInt(scale)).Int64())
}

// addUnits adds whole units, months before days. It carries clock units into days first, so
// that no time.Duration overflows.
func addUnits(t time.Time, u [len(unitLetters)]int64) time.Time {
	t = addMonths(t, u[0]*12+u[1])
	const day = 24 * 60 * 60
	seconds := u[4]*3600 + u[5]*60 + u[6]
	t = t.AddDate(0, 0, int(u[2]*7+u[3]+seconds/day))
	return t.Add(time.Duration(seconds%day) * time.Second)
}

// addMonths keeps the day of the month, or takes the month's last day if the month is
// shorter.
func addMonths(t time.Time, months int64) time.Time {
	year, month, day := t.Date()
	first := time.Date(year, month+time.Month(months), 1, 0, 0, 0, 0, time.UTC)
	last := first.AddDate(0, 1, -1).Day()
	clock := t.Sub(time.Date(year, month, day, 0, 0, 0, 0, time.UTC))
	return first.AddDate(0, 0, min(day, last)-1).Add(clock)
}

// Expiry returns when the retention of a record ends, and whether it ends. A retention that
// cannot be read never ends; nobody can write a record with one.
func (r Record) Expiry() (time.Time, bool) {
	if r.Consent == nil || r.Consent.Retention == "" {
		return time.Time{}, false
	}
	d, err := ParseDuration(r.Consent.Retention)
	if err != nil {
		return time.Time{}, false
	}
	return d.After(r.Time.Created), true
}
