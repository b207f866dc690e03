package aaifsuite_test

import (
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/conformance"
	aaifsuite "github.com/satchel-memory/satchel/conformance/aaif"
)

// TestSuite: a run shows all rows that concern a platform, or it shows less than all.
func TestSuite(t *testing.T) {
	for name, c := range map[string]struct {
		more  conformance.Outcome
		total int
	}{
		"AAIF-6-20 what was not tried did not pass": {conformance.NotTried, 40}, "AAIF-6-20 what failed": {conformance.Fail, 40}, "AAIF-6-20 what could not be told": {conformance.Blocked, 40},
		"AAIF-6-20 what ought to be": {conformance.Warn, 40}, "AAIF-6-20 what does not concern it": {conformance.NotApplicable, 36},
	} {
		t.Run(name, func(t *testing.T) {
			s := aaifsuite.Summary{Tally: conformance.Tally{Counts: map[conformance.Outcome]int{conformance.Pass: 36, c.more: 4}}}
			if got := s.Suite(time.Unix(1, 0)); got.Passed != 36 || got.Total != c.total {
				t.Errorf("got %+v", got)
			}
		})
	}
}

// TestSuiteWithoutRuns: where the operator has not allowed runs, the rest is summed up under
// a name of its own, and rows about runs that failed are not left out.
func TestSuiteWithoutRuns(t *testing.T) {
	rows := func(outcomes ...conformance.Outcome) aaifsuite.Summary {
		s := aaifsuite.Summary{Needs: []string{"x"}, Tally: conformance.Tally{Counts: map[conformance.Outcome]int{}}}
		for i, id := range []string{"AAIF-6-2", "AAIF-9-9", "AAIF-4-10", "AAIF-4.4-4"} {
			s.Rows = append(s.Rows, conformance.Result{ID: id, Outcome: outcomes[i]})
			s.Counts[outcomes[i]]++
		}
		return s
	}
	for name, c := range map[string]struct {
		of            aaifsuite.Summary
		passed, total int
		shown         string
	}{
		"AAIF-6-20 none was tried":     {rows(conformance.Pass, conformance.Pass, conformance.NotTried, conformance.NotTried), 2, 2, "AAIF-6-2 AAIF-9-9"},
		"AAIF-6-20 some were tried":    {rows(conformance.Pass, conformance.Pass, conformance.Pass, conformance.NotTried), 2, 2, "AAIF-6-2 AAIF-9-9"},
		"AAIF-6-20 one failed":         {rows(conformance.Pass, conformance.Pass, conformance.Fail, conformance.NotTried), 2, 3, "AAIF-6-2 AAIF-9-9"},
		"AAIF-6-20 another is untried": {rows(conformance.Pass, conformance.NotTried, conformance.Pass, conformance.NotTried), 1, 2, "AAIF-6-2"},
	} {
		t.Run(name, func(t *testing.T) {
			got := c.of.Suite(time.Unix(1, 0))
			if shown := strings.Join(c.of.Shown(), " "); got.Passed != c.passed || got.Total != c.total || got.Corpus != aaifsuite.CorpusWithoutRuns || shown != c.shown {
				t.Errorf("%+v %q", got, shown)
			}
		})
	}
}
