package aaifsuite

import (
	_ "embed"
	"strings"

	"github.com/satchel-memory/satchel/conformance"
)

//go:embed rows.tsv
var rowList string

// fields are those of the list: id, keyword, the lowest level at which a platform has to
// keep it, what is tried, and why it cannot be tried over HTTP.
func fields() [][]string {
	var all [][]string
	for line := range strings.SplitSeq(rowList, "\n") {
		if f := strings.Split(line, "\t"); len(f) == 5 && f[0] != "id" {
			all = append(all, f)
		}
	}
	return all
}

// rows returns those of sections 6 to 8, 9, 10, 12 and 13 that are about platforms, in
// the order of the text.
func rows() []Result {
	var all []Result
	for _, f := range fields() {
		all = append(all, row(f[0], f[1], f[2], f[3]))
	}
	return all
}

// absent returns those that cannot be tried over HTTP.
func absent() []conformance.Absence {
	var all []conformance.Absence
	for _, f := range fields() {
		if f[4] != "" {
			all = append(all, conformance.Absence{f[0], f[4]})
		}
	}
	return all
}

// row is one requirement, without an outcome.
func row(id, keyword, level, title string) Result {
	return Result{ID: id, Keyword: keyword, Level: level, Section: conformance.Section(id), Title: title}
}
