package aaifsuite

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/conformance"
)

// TestEveryRowIsTriedOrExplained holds the checks to the list of rows.
func TestEveryRowIsTriedOrExplained(t *testing.T) {
	for _, gap := range new(run).course().Gaps() {
		t.Error(gap)
	}
}

// TestRowsAreTheList compares the rows with the list of requirements: ids, keywords and
// levels, in its order. What they say is of platforms, and of documents, in words of their
// own. Sections that are about platforms are whole.
func TestRowsAreTheList(t *testing.T) {
	data, err := os.ReadFile("../requirements/aaif.tsv")
	if err != nil {
		t.Fatal(err)
	}
	listed, place, whole := map[string]conformance.Result{}, map[string]int{}, map[string]bool{"6": true, "7": true, "8.2": true, "8.3": true, "12": true, "13.1": true}
	var asked []string
	for i, line := range strings.Split(strings.TrimSpace(string(data)), "\n")[1:] {
		f := strings.Split(line, "\t")
		listed[f[0]], place[f[0]] = conformance.Result{ID: f[0], Keyword: f[1], Level: f[2], Section: conformance.Section(f[0])}, i
		if whole[conformance.Section(f[0])] {
			asked = append(asked, f[0])
		}
	}
	last := -1
	for _, w := range rows() {
		if place[w.ID] <= last {
			t.Errorf("%s stands behind what comes later in the list", w.ID)
		}
		last = place[w.ID]
		asked = slices.DeleteFunc(asked, func(id string) bool { return id == w.ID })
	}
	for _, id := range asked {
		t.Errorf("%s is no row", id)
	}
	for _, w := range slices.Concat(rows(), documentRows()) {
		if w.Title == "" {
			t.Errorf("%s says nothing", w.ID)
		}
		if w.Title = ""; listed[w.ID] != w {
			t.Errorf("the list says %+v, and the row %+v", listed[w.ID], w)
		}
	}
}
