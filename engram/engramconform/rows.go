package engramconform

import (
	_ "embed"
	"strings"

	"github.com/satchel-memory/satchel/internal/trial"
)

//go:embed rows.tsv
var list string

// row is one requirement, as docs/requirements/engram.tsv lists it.
type row struct{ id, keyword, level, section, title string }

// rows returns the list. Levels are L1 Reader, L2 Writer, L3 Full.
func rows() []row {
	var all []row
	for line := range strings.SplitSeq(strings.TrimSpace(list), "\n") {
		if f := strings.Split(line, "\t"); len(f) == 5 && f[0] != "id" {
			section, _, _ := strings.Cut(strings.TrimPrefix(f[0], "ENGRAM-"), "-")
			all = append(all, row{f[0], f[1], f[2], section, f[4]})
		}
	}
	return all
}

// Rows returns the list of requirements. Those that a run does not try are not
// applicable, with the reason; the others have no outcome yet.
func Rows() []Result {
	reasons := map[string]string{}
	for _, a := range absent() {
		reasons[a.id] = a.reason
	}
	var all []Result
	for _, w := range rows() {
		r := w.result()
		if r.Message = reasons[w.id]; r.Message != "" {
			r.Outcome = trial.NotApplicable
		}
		all = append(all, r)
	}
	return all
}
