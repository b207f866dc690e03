package redact

import (
	"cmp"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/text/pattern"
)

// The shapes of telephone numbers. Digits alone are not one: they are times, ids, amounts.
var (
	international = pattern.New(`\+[1-9]\d{0,2}(?:[ .\-/]?\(?\d{1,5}\)?){1,6}`)
	northAmerican = pattern.New(`(?:1[ .\-])?(?:\(\d{3}\) ?|\d{3}[ .\-])\d{3}[ .\-]\d{4}`)
	national      = pattern.New(`0[1-9]\d{1,4}[ /]\d{2,}(?:[ \-]\d{2,})*`)
	saidToBe      = pattern.New(`(?i)(?:\bphone|\btel|\btelephone|\btelefon|\bmobile|\bmobil|\bhandy|\bfax|\bwhatsapp|\bcall me (?:at|on))` +
		`(?:[ \-]?(?:no|nr|number|nummer))?[.:]{0,2} ?(?:(?:is|ist):? )?(\+?[\d(][\d ().\-/]{4,20}\d)`)
)

// findPhones finds telephone numbers: with a country code, in North American form, with a
// leading zero for another place, and others that a word announces.
func findPhones(text string) []span {
	found := matches(international, text, func(s span) bool { return alone(text, s) && digitsIn(text[s.start:s.end], 8, 15) })
	found = append(found, matches(northAmerican, text, func(s span) bool { return alone(text, s) && isNorthAmerican(text, s) })...)
	found = append(found, matches(national, text, func(s span) bool {
		return alone(text, s) && digitsIn(text[s.start:s.end], 9, 12)
	})...)
	for _, at := range saidToBe.FindAllStringSubmatchIndex(text, -1) {
		if s := (span{at[2], at[3]}); digitsIn(text[s.start:s.end], 6, 15) {
			found = append(found, s)
		}
	}
	return apart(found)
}

// isNorthAmerican distinguishes a telephone number from other groups of three, three and
// four digits. Its separators are all alike. If they are blanks or dots, or if it stands
// among more numbers, it must also begin like a telephone number.
func isNorthAmerican(text string, s span) bool {
	number := text[s.start:s.end]
	if strings.Contains(number, "(") {
		return true
	}
	separator := number[len(number)-5]
	if strings.Count(number, string(separator)) != len(number)-countDigits(number) {
		return false
	}
	if separator == '-' {
		return true
	}
	number = strings.TrimPrefix(number, "1"+string(separator))
	return number[0] >= '2' && number[4] >= '2' && !besideNumbers(text, s)
}

// besideNumbers reports whether only a blank separates a span from another number.
func besideNumbers(text string, s span) bool {
	before, after := strings.TrimRight(text[:s.start], " \t,;|"), strings.TrimLeft(text[s.end:], " \t,;|")
	return before != "" && digit(before[len(before)-1]) || after != "" && digit(after[0])
}

func countDigits(text string) int {
	n := 0
	for i := range len(text) {
		if digit(text[i]) {
			n++
		}
	}
	return n
}

func digitsIn(text string, least, most int) bool {
	n := countDigits(text)
	return least <= n && n <= most
}

// apart sorts spans and drops those that overlap an earlier one.
func apart(found []span) []span {
	slices.SortFunc(found, func(a, b span) int { return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(b.end, a.end)) })
	end := 0
	return slices.DeleteFunc(found, func(s span) bool {
		if s.start < end {
			return true
		}
		end = s.end
		return false
	})
}
