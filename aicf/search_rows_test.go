package aicf

import (
	"strconv"
	"testing"
)

// A search finds the rows of a section of numbered fields, and not the section.
func TestSearchFindsRows(t *testing.T) {
	x := contents(t, "@DECISIONS:spring\ndecision_1=Plant garlic\nrationale_1=It needs cold\ndecision_2=Leave the leaves\nnote=for the worms\n\n"+
		"@ISSUES:c1\nissue_1=Clock strikes twice\nissue_2=Leaks oil\n").Index()
	for question, want := range map[string]string{
		"cold":         "2 decision_1=Plant garlic\nrationale_1=It needs cold",
		"leaves":       "4 decision_2=Leave the leaves",
		"worms":        "5 note=for the worms",
		"oil":          "9 issue_2=Leaks oil",
		"strikes oil":  "8 issue_1=Clock strikes twice; 9 issue_2=Leaks oil",
		"strikes once": "8 issue_1=Clock strikes twice",
	} {
		if got := shownHits(x.Search(question, 9)); got != want {
			t.Errorf("AICF-OV-6 %s: found %q, want %q", question, got, want)
		}
	}
	if hits := x.Search("oil clock", 1); len(hits) != 1 {
		t.Errorf("AICF-OV-6 %d hits of at most 1", len(hits))
	}
}

func shownHits(hits []Hit) string {
	text := ""
	for _, h := range hits {
		if text != "" {
			text += "; "
		}
		text += strconv.Itoa(h.Line) + " " + h.Rows
	}
	return text
}
