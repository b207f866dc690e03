package privacy

import (
	"strings"

	"github.com/satchel-memory/satchel/text/pattern"
	"github.com/satchel-memory/satchel/text/redact"
)

var (
	// phoneName matches the end of a member's name if the member holds a telephone
	// number.
	phoneName = pattern.New(`(?i)(?:phone|telefon|(?:^|[_\-. ])tel|mobile|mobil|handy|fax|whatsapp|msisdn)(?:[_\- ]?(?:no|nr|num|number|nummer))?s?$`)
	// ssnName matches the name of a member that holds a social security number.
	ssnName = pattern.New(`(?i)(?:^|[_\-. ])(?:ssn|social[_\- ]?security(?:[_\- ]?(?:no|number))?)$`)
	// bareDigits matches a text that is nothing but a telephone or social security
	// number.
	bareDigits = pattern.New(`^\+?\d[\d ().\-/]{4,20}\d$`)
)

// queryValue matches a name and its value in the query of an address.
var queryValue = pattern.New(`[?&;]([^=&;\s]{1,60})=([^=&;#\s"'\\]+)`)

// personFinder finds personal data: texts of a known shape, and digits whose member is
// named as a telephone or social security number.
type personFinder struct{ redact.Redactor }

func newPersonFinder(r redact.Redactor) personFinder {
	r.KeepSecrets, r.Accounts = true, true
	return personFinder{r}
}

func (r personFinder) find(text string, t memberContext) []hit {
	if found := searchAll(text, r); len(found) > 0 {
		return found
	}
	if kind := r.digitsOf(t.label, text); kind != "" {
		return []hit{{0, len(text), kind, ""}}
	}
	return nil
}

// search finds personal data in a text, and in each query value of an address by itself.
func (r personFinder) search(found []hit, text string) []hit {
	for _, p := range r.Find(text) {
		found = append(found, hit{wholeName(text, p), p.End, p.Name, ""})
	}
	found = r.findDisguised(found, text)
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

// digitsOf returns the kind of personal data that a name gives to digits: "ssn", "phone"
// or "".
func (r personFinder) digitsOf(name, text string) string {
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
