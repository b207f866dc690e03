package recall

import (
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/satchel-memory/satchel/memory"
)

// instantMark begins the terms of days and months. No word begins with it.
const instantMark = "@"

// The terms of a day and of a month, as layouts of package time.
const (
	dayTerm   = instantMark + time.DateOnly
	monthTerm = instantMark + "2006-01"
)

// oneDay is the length of a day.
const oneDay = 24 * time.Hour

// maxInstants is the most terms of the dates of one text.
const maxInstants = 32

// instantsOf returns the terms of the times of a record, each once: when it became true or
// was learnt, and what its text names. "Yesterday" in a text is the day before it was
// learnt.
func instantsOf(text []token, rec memory.Record) []string {
	at := learnt(&rec)
	var terms []string
	for _, t := range []time.Time{at, rec.Time.ValidFrom} {
		terms = append(terms, days(date(t.UTC().Date()), 1).instants()...)
	}
	d := newDates(text, at)
	for i := 0; i < len(d.tokens) && len(terms) < maxInstants; i++ {
		terms = append(terms, d.at(i).instants()...)
	}
	slices.Sort(terms)
	return slices.Compact(terms)
}

// instants returns the terms of a span of time in a record: its day and month, or its month
// alone. A longer span has none, and neither has one without a year.
func (v interval) instants() []string {
	switch span := v.to.Sub(v.from); {
	case v.from.Year() < 1000 || v.from.Year() > 9999 || span > 31*oneDay:
		return nil
	case span <= oneDay:
		return []string{v.from.Format(dayTerm), v.from.Format(monthTerm)}
	}
	return []string{v.from.Format(monthTerm)}
}

// asked returns the terms that find the records of a span of time that a question names:
// its days, or its months if it has many days.
func (v interval) asked() []string {
	var terms []string
	switch span := v.to.Sub(v.from); {
	case v.isZero() || span > 370*oneDay:
	case span <= 8*oneDay:
		for t := v.from; t.Before(v.to); t = t.AddDate(0, 0, 1) {
			terms = append(terms, t.Format(dayTerm))
		}
	default:
		for t := date(v.from.Year(), v.from.Month(), 1); t.Before(v.to); t = t.AddDate(0, 1, 0) {
			terms = append(terms, t.Format(monthTerm))
		}
	}
	return terms
}

// foreignMonths are the months of some other languages, as they are spelled without
// diacritics.
var foreignMonths = sync.OnceValue(func() map[string]time.Month {
	months := make(map[string]time.Month)
	for _, year := range []string{
		"januar februar marz april mai juni juli august september oktober november dezember",
		"janvier fevrier mars avril mai juin juillet aout septembre octobre novembre decembre",
		"enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
		"gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
		"janeiro fevereiro marco abril maio junho julho agosto setembro outubro novembro dezembro",
		"januari februari maart april mei juni juli augustus september oktober november december",
		"stycznia lutego marca kwietnia maja czerwca lipca sierpnia wrzesnia pazdziernika listopada grudnia",
		"ocak subat mart nisan mayis haziran temmuz agustos eylul ekim kasim aralik",
		"января февраля марта апреля мая июня июля августа сентября октября ноября декабря",
	} {
		for i, name := range strings.Fields(year) {
			months[name] = time.Month(i + 1)
		}
	}
	return months
})
