package aimemconform

import (
	"os"
	"strings"
	"testing"
)

// TestEveryRowIsTriedOrExplained holds the checks to the list of requirements.
func TestEveryRowIsTriedOrExplained(t *testing.T) {
	times := map[string]int{}
	for _, c := range checks() {
		times[c.id]++
	}
	for _, a := range absent() {
		times[a.id]++
		if a.reason == "" {
			t.Errorf("%s is not tried for no reason", a.id)
		}
	}
	for _, w := range rows() {
		if times[w.id] != 1 {
			t.Errorf("%s is tried or explained %d times", w.id, times[w.id])
		}
		delete(times, w.id)
	}
	for id := range times {
		t.Errorf("%s is no requirement", id)
	}
}

// TestRowsAreTheList compares the rows with the list of requirements.
func TestRowsAreTheList(t *testing.T) {
	data, err := os.ReadFile("../../docs/requirements/aimem.tsv")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(data)), "\n")[1:]
	if len(lines) != len(rows()) {
		t.Fatalf("%d rows, and %d in the list", len(rows()), len(lines))
	}
	for i, w := range rows() {
		f := strings.Split(lines[i], "\t")
		if got := (row{f[0], f[1], f[2], f[4]}); got != w {
			t.Errorf("the list says %v, and the row %v", got, w)
		}
	}
}
