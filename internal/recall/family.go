package recall

import (
	_ "embed"
	"strings"
)

// Words of one family say nearly the same, so that a question is also answered
// by a record that says it in other words, at a lesser weight: this part of the
// weight of the commoner of the two.
const familyWeight = .4

// families leads from stems to the stems of their relatives, a line each: the
// stem, a tab, its relatives. It is made from families.txt, where people write
// families as they are spelled: go test -run TestFamilies -update.
//
//go:embed families.tsv
var families string

// relatives returns the stems of a stem's relatives.
func relatives(stem string) []string {
	_, after, found := strings.Cut(families, "\n"+stem+"\t")
	if !found {
		return nil
	}
	line, _, _ := strings.Cut(after, "\n")
	return strings.Fields(line)
}
