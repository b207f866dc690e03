package conformance_test

import (
	"os"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/conformance"
)

func TestRequirements(t *testing.T) {
	for _, specification := range []string{"ump", "aimem", "engram", "aicf", "aaif"} {
		data, err := os.ReadFile("requirements/" + specification + ".tsv")
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSpace(string(data)), "\n")[1:]
		rows := conformance.Requirements(specification)
		if len(rows) != len(lines) || len(rows) < 180 {
			t.Fatalf("%s: %d rows of %d lines", specification, len(rows), len(lines))
		}
		for i, got := range rows {
			f := strings.Split(lines[i], "\t")
			section, _, _ := strings.Cut(f[3], " ")
			want := conformance.Result{ID: f[0], Keyword: f[1], Level: f[2], Section: got.Section, Title: f[4]}
			if got != want || specification == "ump" && got.Section != section || conformance.Requirement(specification, f[0]) != want {
				t.Errorf("%+v, want %+v of section %s", got, want, section)
			}
		}
		if got := conformance.Requirement(specification, "UMP-9-9"); got != (conformance.Result{}) {
			t.Errorf("%+v", got)
		}
	}
}
