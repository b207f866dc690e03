package privacy

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/text/redact"
)

// PersonalKinds lists the kinds of personal data that [Redact] finds and [Redaction]
// counts: payment card numbers, mail addresses, bank account numbers, telephone numbers,
// and social security numbers of the United States. Each has a shape. Names, postal
// addresses and the like have none, and Redact does not find them.
func PersonalKinds() []string { return []string{"card", "email", "iban", "phone", "ssn"} }

// Words says in lines of text what was masked and what stays. Under anonymize it also
// names what Redact cannot find, so that nobody takes the state for anonymous.
func (l Redaction) Words() []string {
	var lines []string
	masked := redact.Counts{}
	masked.Add(l.Secrets)
	if l.Policy == aaif.PIIAnonymize {
		masked.Add(l.Persons)
	}
	if masked.Total() > 0 {
		lines = append(lines, "masked: "+countWords(masked))
	}
	switch {
	case l.Policy == aaif.PIIAnonymize:
		lines = append(lines, "looked for "+strings.Join(PersonalKinds(), ", ")+
			"; names, addresses and whatever else identifies a person without such a shape are not found, and stay")
	case l.Persons.Total() > 0:
		lines = append(lines, fmt.Sprintf("left in, as the policy is %s: %s", aaif.Shown(string(l.Policy)), countWords(l.Persons)))
	}
	return lines
}

// countWords lists the count of each kind.
func countWords(c redact.Counts) string {
	var list []string
	for _, kind := range slices.Sorted(maps.Keys(c)) {
		list = append(list, fmt.Sprintf("%d %s", c[kind], kind))
	}
	return strings.Join(list, ", ")
}
