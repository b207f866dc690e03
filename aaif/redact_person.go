package aaif

import (
	"strings"

	"github.com/satchel-memory/satchel/text/pattern"
	"github.com/satchel-memory/satchel/text/redact"
)

var (
	// phoneName is the end of the name of a member that holds a telephone number.
	phoneName = pattern.New(`(?i)(?:phone|telefon|(?:^|[_\-. ])tel|mobile|mobil|handy|fax|whatsapp|msisdn)(?:[_\- ]?(?:no|nr|num|number|nummer))?s?$`)
	// ssnName is the name of one that holds a social security number.
	ssnName = pattern.New(`(?i)(?:^|[_\-. ])(?:ssn|social[_\- ]?security(?:[_\- ]?(?:no|number))?)$`)
	// bareDigits is a number of one of these, as far as there are no others in it.
	bareDigits = pattern.New(`^\+?\d[\d ().\-/]{4,20}\d$`)
)

// queryValue is a value in the query of an address, and its name.
var queryValue = pattern.New(`[?&;]([^=&;\s]{1,60})=([^=&;#\s"'\\]+)`)

// persons finds people: what has the shape of something that identifies one, and digits
// that the name of their member says to be a telephone number.
type persons struct{ redact.Redactor }

func newPersons(r redact.Redactor) persons {
	r.KeepSecrets, r.Accounts = true, true
	return persons{r}
}

func (r persons) find(text string, t trail) []hit {
	if found := spots(text, r); len(found) > 0 {
		return found
	}
	if kind := r.digitsOf(t.called, text); kind != "" {
		return []hit{{0, len(text), kind, ""}}
	}
	return nil
}

// look finds people in a text, and in each value of an address by itself.
func (r persons) look(found []hit, text string) []hit {
	for _, p := range r.Find(text) {
		found = append(found, hit{wholeName(text, p), p.End, p.Name, ""})
	}
	found = r.disguised(found, text)
	if !strings.Contains(text, "=") {
		return found
	}
	for _, at := range queryValue.FindAllStringSubmatchIndex(text, -1) {
		name, value := text[at[2]:at[3]], text[at[4]:at[5]]
		if kind := r.digitsOf(name, value); kind != "" {
			found = append(found, hit{at[4], at[5], kind, ""})
			continue
		}
		for _, p := range r.Find(value) {
			found = append(found, hit{at[4] + p.Start, at[4] + p.End, p.Name, ""})
		}
	}
	return found
}

// digitsOf says of digits what a name says that they are, or "".
func (r persons) digitsOf(name, text string) string {
	digits := 0
	for i := range len(text) {
		if isDigit(text[i]) {
			digits++
		}
	}
	switch bare := digits >= 6 && digits <= 15 && bareDigits.MatchString(strings.TrimSpace(text)); {
	case bare && !r.KeepSSNs && digits == 9 && ssnName.MatchString(name):
		return "ssn"
	case bare && !r.KeepPhones && phoneName.MatchString(name):
		return "phone"
	}
	return ""
}
