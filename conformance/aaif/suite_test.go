package aaifsuite_test

import (
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
