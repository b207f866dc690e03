package aaif_test

import (
	"testing"

	"github.com/satchel-memory/satchel/aaif"
)

func TestReportBearsItsClaims(t *testing.T) {
	base := sample(t, "report")
	for _, c := range []struct {
		id            string
		edits         []string
		pointer, rule string // "": it bears all
		warns         bool
	}{
		{"AAIF-6-20 all passed", nil, "", "", false},
		{"AAIF-6-20 one failed", []string{"/claims/0/test_suite/passed", "17"}, "/claims/0/test_suite/passed", "AAIF-6-20", false},
		{"AAIF-6-20 more passed than there are", []string{"/claims/1/test_suite/passed", "19"}, "/claims/1/test_suite/passed", "AAIF-6-20", false},
		{"AAIF-6-20 nothing was tested", []string{"/claims/0/test_suite/passed", "0", "/claims/0/test_suite/total", "0"}, "/claims/0/test_suite/passed", "AAIF-6-20", false},
		{"AAIF-6-20 a run to come", []string{"/claims/0/test_suite/ran_at", `"2026-06-10T09:17:44Z"`}, "/claims/0/test_suite/ran_at", "AAIF-6-20", false},
		{"AAIF-6-16 Stateful alone", []string{"/claims/0/level", `"Stateful"`}, "/claims/0/level", "AAIF-6-16", true},
		{"AAIF-6-16 Stateful of a producer", []string{"/claims/1/level", `"Stateful"`}, "", "", false},
		{"AAIF-6-16 Stateful beside Enterprise", []string{"/claims/1/level", `"Stateful"`, "/claims/1/direction", `"consumer"`}, "", "", false},
	} {
		t.Run(c.id, func(t *testing.T) {
			d := base
			for i := 0; i+1 < len(c.edits); i += 2 {
				d = changed(t, d, c.edits[i], c.edits[i+1])
			}
			found := aaif.ReadReport(d.Value).UnprovenClaims()
			if c.pointer == "" && len(found) > 0 || c.pointer != "" && (len(found) != 1 || found[0].Path != c.pointer || found[0].Rule != c.rule || found[0].Warning != c.warns) {
				t.Errorf("got %s", show(found))
			}
			expect(t, len(validator(t).Lint(d)), len(found))
		})
	}
}
