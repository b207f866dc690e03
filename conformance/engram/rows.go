package engramsuite

import (
	_ "embed"
	"strings"

	"github.com/satchel-memory/satchel/conformance"
)

//go:embed rows.tsv
var list string

// rows returns the requirements as conformance/requirements/engram.tsv lists them. Levels are L1
// Reader, L2 Writer, L3 Full.
func rows() []Result {
	var all []Result
	for line := range strings.SplitSeq(strings.TrimSpace(list), "\n") {
		if f := strings.Split(line, "\t"); len(f) == 5 && f[0] != "id" {
			all = append(all, Result{ID: f[0], Keyword: f[1], Level: f[2], Section: conformance.Section(f[0]), Title: f[4]})
		}
	}
	return all
}

// Rows returns the list of requirements. Those that a run does not try are not
// applicable, with the reason; the others have no outcome yet.
func Rows() []Result {
	reasons := map[string]string{}
	for _, a := range absent() {
		reasons[a[0]] = a[1]
	}
	all := rows()
	for i := range all {
		if reason := reasons[all[i].ID]; reason != "" {
			all[i].Outcome, all[i].Message = conformance.NotApplicable, reason
		}
	}
	return all
}
