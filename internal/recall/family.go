package recall

import (
	_ "embed"
	"strings"
)

// Words of one family mean nearly the same, so a record with another word of the family
// also answers a question. It gets this part of the weight of the commoner of the two.
const familyWeight = .4

// families maps stems to the stems of their relatives, a line each: the stem, a tab, its
// relatives. It is made from families.txt, where people write the words as usual: go test
// -run TestFamilies -update.
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
