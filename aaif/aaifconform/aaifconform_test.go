package aaifconform

import (
	"os"
	"strings"
	"testing"
)

// TestEveryRowIsTriedOrExplained holds the checks to the list of rows.
func TestEveryRowIsTriedOrExplained(t *testing.T) {
	times := map[string]int{}
	for _, c := range checks() {
		times[c.id]++
	}
	for _, w := range rows() {
		if w.absent != "" {
			times[w.id]++
		}
		if times[w.id] != 1 {
			t.Errorf("%s is tried or explained %d times", w.id, times[w.id])
		}
		delete(times, w.id)
	}
	for id := range times {
		t.Errorf("%s is no requirement", id)
	}
}

// TestRowsAreTheList compares the rows with the list of requirements, where there is one
// beside the checkout.
func TestRowsAreTheList(t *testing.T) {
	folder := os.Getenv("SATCHEL_SHARED")
	if folder == "" {
		t.Skip("SATCHEL_SHARED is not set")
	}
	data, err := os.ReadFile(folder + "/specs/requirements/aaif.tsv")
	if err != nil {
		t.Fatal(err)
	}
	keyword := map[string]string{}
	for line := range strings.SplitSeq(string(data), "\n") {
		if f := strings.Split(line, "\t"); len(f) > 2 {
			keyword[f[0]] = f[1]
		}
	}
	for _, w := range rows() {
		if keyword[w.id] != w.keyword {
			t.Errorf("%s is %s, and %q in the list", w.id, w.keyword, keyword[w.id])
		}
	}
}
