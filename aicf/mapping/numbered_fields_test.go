package mapping_test

import (
	"strconv"
	"strings"
	"testing"
)

// Numbered fields of any section are entries: those of one number that stand together.
func TestNumberedFieldsOfAnySectionBecomeRecords(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"issues": {"@ISSUES:c1\nissue_1=Clock strikes twice\nissue_2=Leaks oil\n", "issue 1: Clock strikes twice\n--\nissue 2: Leaks oil"},
		"with what is said of each": {"@ISSUES\ntimestamp=2025-10-06T15:00:00Z\nissue_1=Clock strikes | twice\nseverity_1=HIGH\nissue_2=Leaks\\noil\ntotal_issues=2\n",
			"issue 1: Clock strikes | twice\nseverity=HIGH\n--\nissue 2: Leaks\noil"},
		"levels behind all": {"@ISSUES\nissue_1=Clock strikes twice\nissue_2=Leaks oil\nseverity_1=HIGH\nseverity_2=LOW\n",
			"issue 1: Clock strikes twice\nseverity=HIGH\n--\nissue 2: Leaks oil\nseverity=LOW"},
		"tasks":     {"@TASKS\ntask_1=Repair it\ntask_2=Buy oil\n", "task 1: Repair it\n--\ntask 2: Buy oil"},
		"decisions": {"@TECHNICAL_DECISIONS\ndecision_1=Use brass\nrationale_1=It lasts long\ndecision_2=Oil monthly\n", "decision 1: Use brass\nrationale=It lasts long\n--\ndecision 2: Oil monthly"},
		"two lists": {"@WORK:c1\ntask_1=Repair it\ntask_2=Buy oil\nblocker_1=The shop is shut\nstatus=open\n", "task 1: Repair it\n--\ntask 2: Buy oil\n--\nblocker 1: The shop is shut\n--\nWORK c1: status=open"},
		"a name":    {"@RECIPE:apple_pie\nstep_1=Peel\nstep_2=Bake\n", "step 1: Peel\n--\nstep 2: Bake\n--\nRECIPE apple_pie"},
		"years":     {"@BUDGET\ncost_2024=50\ncost_2025=60\n", "BUDGET:\ncost_2024=50\ncost_2025=60"},
		"one alone": {"@NOTES\nphase_1=It rains\n", "phase 1: It rains"},
		"no count":  {"@WORK:c1\nstatus=open\nutf_8=yes\nbase_64=no\n", "WORK c1:\nstatus=open\nutf_8=yes\nbase_64=no"},
	} {
		t.Run(name, func(t *testing.T) {
			for how, text := range map[string]string{"plain": c.text, "numbered": numberedLines(c.text)} {
				all, losses := recordsIn(t, text)
				if got := strings.TrimSuffix(texts(all), "\n--\nAICF file notes.aicf"); got != c.want || len(losses) > 0 {
					t.Errorf("%s: losses %v, records\n%s\nwant\n%s", how, losses, got, c.want)
				}
				if back, _ := fileOf(t, all...); back != text {
					t.Errorf("AICF-FWD-1 written\n%s\nof\n%s", back, text)
				}
			}
		})
	}
}

func TestANumberedFieldIsEdited(t *testing.T) {
	all, _ := recordsIn(t, "@ISSUES:c1\nissue_1=Clock strikes twice\nissue_2=Leaks oil\n")
	all[0].Body.Text, all[0].Origin, all[0].Current = "Clock strikes once", nil, nil
	got, _ := fileOf(t, all...)
	if !strings.Contains(got, "Clock strikes once|") || !strings.Contains(got, "issue_2=Leaks oil\n") || strings.Contains(got, "\nissue_1=") {
		t.Errorf("written\n%s", got)
	}
	if again, losses := recordsIn(t, got); len(again) != len(all) || len(losses) > 0 {
		t.Errorf("%d records became %d, losses %v:\n%s", len(all), len(again), losses, texts(again))
	}
}

func numberedLines(text string) string {
	var b strings.Builder
	n := 0
	for line := range strings.Lines(text) {
		n++
		b.WriteString(strconv.Itoa(n) + "|" + line)
	}
	return b.String()
}
