package recall

import (
	_ "embed"
	"strings"
)

// Words of one family mean nearly the same, so a record with another word of the family
// also answers a question. It gets this part of the weight of the commoner of the two.
const familyWeight = .45

// statementWeight is familyWeight where no record is a turn of a conversation: a statement
// says a thing once, and in its own words.
const statementWeight = .6

// families maps stems to the stems of their relatives, a line each: the stem, a tab, its
// relatives. It is made from families.txt, where people write the words as usual: go test
// -run TestFamilies -update.
//
//go:embed families.tsv
var families string

// relatives returns the stems of a stem's relatives.
func relatives(stem string) []string { return row(families, stem) }

// row returns what the line of a table has behind a key and a tab. The lines are in
// ascending order of keys.
func row(table, key string) []string {
	from, to := 0, len(table)
	for from < to {
		middle := from + (to-from)/2
		start := from + strings.LastIndexByte(table[from:middle], '\n') + 1
		line, _, _ := strings.Cut(table[start:to], "\n")
		found, rest, _ := strings.Cut(line, "\t")
		switch {
		case found == key:
			return strings.Fields(rest)
		case found < key:
			from = start + len(line) + 1
		default:
			to = start
		}
	}
	return nil
}
