package aimemsuite

import (
	"github.com/satchel-memory/satchel/conformance"
	"os"
	"strings"
	"testing"
)

// TestEveryRowIsTriedOrExplained holds the checks to the list of requirements.
func TestEveryRowIsTriedOrExplained(t *testing.T) {
	for _, gap := range new(run).course().Gaps() {
		t.Error(gap)
	}
}

// TestRowsAreTheList compares the rows with the list of requirements.
func TestRowsAreTheList(t *testing.T) {
	data, err := os.ReadFile("../requirements/aimem.tsv")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(data)), "\n")[1:]
	if len(lines) != len(rows()) {
		t.Fatalf("%d rows, and %d in the list", len(rows()), len(lines))
	}
	for i, w := range rows() {
		f := strings.Split(lines[i], "\t")
		if got := (conformance.Result{ID: f[0], Keyword: f[1], Level: f[2], Title: f[4]}); got != w {
			t.Errorf("the list says %v, and the row %v", got, w)
		}
	}
}
