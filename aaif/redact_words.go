package aaif

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/text/redact"
)

// PersonalKinds lists the kinds of what identifies a person that [Leave] finds, as
// [Leaving] counts them: numbers of payment cards, mail addresses, numbers of bank
// accounts, telephone numbers, and social security numbers of the United States. Each has
// a shape. Names, addresses and the like have none, and are not found.
func PersonalKinds() []string { return []string{"card", "email", "iban", "phone", "ssn"} }

// Words says line by line what was masked, and what stays: under anonymize also that
// which nobody looked for, so that nobody takes the state for anonymous.
func (l Leaving) Words() []string {
	var lines []string
	masked := redact.Counts{}
	masked.Add(l.Secrets)
	if l.Policy == PIIAnonymize {
		masked.Add(l.Persons)
	}
	if masked.Total() > 0 {
		lines = append(lines, "masked: "+counted(masked))
	}
	switch {
	case l.Policy == PIIAnonymize:
		lines = append(lines, "looked for "+strings.Join(PersonalKinds(), ", ")+
			"; names, addresses and whatever else identifies a person without such a shape are not found, and stay")
	case l.Persons.Total() > 0:
		lines = append(lines, fmt.Sprintf("left in, as the policy is %s: %s", Shown(string(l.Policy)), counted(l.Persons)))
	}
	return lines
}

// counted lists how many there are of each kind.
func counted(c redact.Counts) string {
	var list []string
	for _, kind := range slices.Sorted(maps.Keys(c)) {
		list = append(list, fmt.Sprintf("%d %s", c[kind], kind))
	}
	return strings.Join(list, ", ")
}
