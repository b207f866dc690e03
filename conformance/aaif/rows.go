package aaifsuite

import (
	_ "embed"
	"strings"

	"github.com/satchel-memory/satchel/conformance"
)

//go:embed rows.tsv
var rowList string

// fields returns the columns of the list: the id, what the run tries of a platform, and why
// HTTP cannot show it.
func fields() [][]string {
	var all [][]string
	for line := range strings.SplitSeq(rowList, "\n") {
		if f := strings.Split(line, "\t"); len(f) == 3 && f[0] != "id" {
			all = append(all, f)
		}
	}
	return all
}

// rows returns the requirements about platforms, in the order of the text: those of sections
// 6 to 10, 12 and 13, and those of section 4 that a run of an agent shows.
func rows() []conformance.Result {
	var all []conformance.Result
	for _, f := range fields() {
		all = append(all, worded(f[0], f[1]))
	}
	return all
}

// absent returns the rows that cannot be tried over HTTP.
func absent() []conformance.Absence {
	var all []conformance.Absence
	for _, f := range fields() {
		if f[2] != "" {
			all = append(all, conformance.Absence{f[0], f[2]})
		}
	}
	return all
}

// worded returns a requirement in this suite's words.
func worded(id, title string) conformance.Result {
	row := conformance.Requirement("aaif", id)
	row.Title = title
	return row
}
