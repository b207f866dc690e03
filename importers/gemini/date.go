package gemini

import (
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/satchel-memory/satchel/text/pattern"
)

// pageTime reads the date of a page in the language of the account. It returns the zero time
// if it cannot, and the time zone if that is not known: the time is then read as UTC.
func pageTime(line string) (at time.Time, unknown string) {
	found := clock.FindStringSubmatchIndex(line)
	if found == nil {
		return at, ""
	}
	day, after := line[:found[0]], line[found[1]:]
	if !year.MatchString(day) {
		day, after = behind(after)
	}
	hour, minute, second := number(line[found[2]:found[3]]), number(line[found[4]:found[5]]), number(line[found[6]:found[7]])
	switch lower := strings.ToLower(line); {
	case afternoon.MatchString(lower) && hour < 12:
		hour += 12
	case forenoon.MatchString(lower) && hour == 12:
		hour = 0
	}
	y, m, d := date(day)
	offset, name, known := zone(after)
	at = time.Date(y, time.Month(m), d, hour, minute, second, 0, time.UTC)
	if m == 0 || at.Day() != d || hour > 23 || minute > 59 || second > 60 {
		return time.Time{}, ""
	}
	if !known {
		unknown = name
	}
	return at.Add(-offset), unknown
}

// behind splits what stands behind the clock into the day, up to the year if that comes last,
// and the rest.
func behind(text string) (day, rest string) {
	found := year.FindStringSubmatchIndex(text)
	if found == nil || digits.FindStringIndex(text)[0] == found[2] {
		return text, ""
	}
	return text[:found[3]], text[found[3]:]
}

var (
	afternoon = pattern.New(`\bp\.?\s?m\b|下午|午後|오후|μ\.μ|(?:^|\s)م(?:\s|$)`)
	forenoon  = pattern.New(`\ba\.?\s?m\b|上午|午前|오전|π\.μ|(?:^|\s)ص(?:\s|$)`)
	digits    = pattern.New(`\d+`)
)

// date reads a day: year, month and day, or day, month and year, the month as a number or a
// name. The month is 0 if it cannot.
func date(text string) (y, m, d int) {
	var others []int
	first := false
	for i, group := range digits.Regexp().FindAllString(text, 4) {
		if len(group) == 4 {
			y, first = number(group), i == 0
			continue
		}
		others = append(others, number(group))
	}
	if y > 2400 { // by the calendar of Thailand
		y -= 543
	}
	m = month(strings.ToLower(text))
	switch {
	case len(others) == 1 && m > 0:
		return y, m, others[0]
	case len(others) != 2:
		return 0, 0, 0
	case first || others[1] > 12:
		return y, valid(others[0]), others[1]
	}
	return y, valid(others[1]), others[0]
}

// valid returns the number of a month, or 0.
func valid(m int) int {
	if m > 12 {
		return 0
	}
	return m
}

// number reads a number of few digits.
func number(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		return 0
	}
	return n
}

// months lists the beginnings of the names of months in the languages of accounts. Those with
// full stops are whole names, of Thai.
var months = [...]string{
	1:  "jan ene gen sty янв січ oca ian ιαν ינו जन ม.ค",
	2:  "feb fév fev lut фев лют şub φεβ פבר फ़र फ़र फर ก.พ",
	3:  "mar mär mrt maa мар бер μαρ מרץ मार्च มี.ค",
	4:  "apr avr abr kwi апр кві nis απρ אפר अप्रै เม.ย",
	5:  "may mai mag mei maj мая май тра μαΐ μαϊ μάι μαι מאי मई พ.ค",
	6:  "jun juin giu cze июн чер haz iun ιουν יונ जून มิ.ย",
	7:  "jul juil lug lip июл лип tem iul ιουλ יול जुल ก.ค",
	8:  "aug aoû ago sie авг сер ağu αυγ אוג अग ส.ค",
	9:  "sep set wrz сен вер eyl σεπ ספט सित ก.ย",
	10: "oct okt ott out paź окт жов eki οκτ אוק अक्तू अक्टू ต.ค",
	11: "nov lis ноя лис kas noi νοε נוב नव พ.ย",
	12: "dec déc dez dic gru дек гру ara δεκ דצמ दिस ธ.ค",
}

// month returns the month that a text names; 0: none.
func month(text string) int {
	words := strings.FieldsFunc(text, func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsMark(c) })
	for m, names := range months {
		for _, name := range strings.Fields(names) {
			if strings.Contains(name, ".") && strings.Contains(text, name) || slices.ContainsFunc(words, func(word string) bool { return strings.HasPrefix(word, name) }) {
				return m
			}
		}
	}
	return 0
}

// zones lists the time zones that have one meaning, by their offset in minutes.
var zones = [...]struct {
	offset int
	names  string
}{
	{0, "UTC GMT WET Z"}, {60, "CET MEZ HNEC WEST BST WAT"}, {120, "CEST MESZ HAEC EET SAST"}, {180, "EEST MSK EAT TRT"}, {420, "WIB"},
	{480, "SGT HKT AWST"}, {540, "JST KST"}, {570, "ACST"}, {600, "AEST"}, {630, "ACDT"}, {660, "AEDT"}, {720, "NZST"}, {780, "NZDT"},
	{-180, "BRT ART CLST ADT"}, {-240, "EDT CLT"}, {-300, "EST CDT COT PET"}, {-360, "MDT"}, {-420, "MST PDT"}, {-480, "PST AKDT"}, {-540, "AKST"}, {-600, "HST"},
}

var shift = pattern.New(`([+−-])(\d{1,2})(?::?(\d{2}))?$`)

// zone reads the time zone at the end of a date.
func zone(text string) (offset time.Duration, name string, known bool) {
	words := strings.Fields(text)
	if len(words) == 0 {
		return 0, "none", false
	}
	name = words[len(words)-1]
	if m := shift.FindStringSubmatch(name); m != nil {
		offset = time.Duration(number(m[2]))*time.Hour + time.Duration(number(m[3]))*time.Minute
		if m[1] != "+" {
			offset = -offset
		}
		return offset, name, true
	}
	for _, z := range zones {
		for _, one := range strings.Fields(z.names) {
			if one == name {
				return time.Duration(z.offset) * time.Minute, name, true
			}
		}
	}
	return 0, name, false
}
