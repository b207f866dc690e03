package aaifconform_test

import (
	"testing"
	"time"

	"github.com/satchel-memory/satchel/aaif/aaifconform"
	"github.com/satchel-memory/satchel/internal/trial"
)

// TestSuite: a run shows all rows that concern a platform, or it shows less than all.
func TestSuite(t *testing.T) {
	for name, c := range map[string]struct {
		more  trial.Outcome
		total int
	}{
		"AAIF-6-20 what was not tried did not pass": {trial.NotTried, 40}, "AAIF-6-20 what failed": {trial.Fail, 40}, "AAIF-6-20 what could not be told": {trial.Blocked, 40},
		"AAIF-6-20 what ought to be": {trial.Warn, 40}, "AAIF-6-20 what does not concern it": {trial.NotApplicable, 36},
	} {
		t.Run(name, func(t *testing.T) {
			s := aaifconform.Summary{Tally: trial.Tally{Counts: map[trial.Outcome]int{trial.Pass: 36, c.more: 4}}}
			if got := s.Suite(time.Unix(1, 0)); got.Passed != 36 || got.Total != c.total {
				t.Errorf("got %+v", got)
			}
		})
	}
}
