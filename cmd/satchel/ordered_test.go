package main

import (
	mathrand "math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/cli/clitest"
	"github.com/satchel-memory/satchel/keys"
)

func TestExportsAreTheSame(t *testing.T) {
	t.Parallel()
	after := make([]int, 1200) // more records of one instant than are held in memory
	for i := range after {
		after[i] = i % 3
	}
	key := clitest.NewOwner(t)
	records := clitest.Authored(t, key, after...)
	var exports []string
	for range 2 { // two stores that took the same memories in, in another order
		a, out, messages := clitest.Person(t, t.Context())
		mathrand.Shuffle(len(records), func(i, j int) { records[i], records[j] = records[j], records[i] })
		var lines strings.Builder
		for _, rec := range records {
			lines.Write(append(slices.Clone(rec.Form()), '\n'))
		}
		for _, step := range []struct {
			in   string
			args []string
		}{
			{keys.Recovery(key), []string{"init", "-q", "--recover"}},
			{lines.String(), []string{"import", "-q", "-"}},
			{"", []string{"export", "-q", "--ndjson"}},
		} {
			a.In = strings.NewReader(step.in)
			if code := run(a, step.args); code != cli.ExitDone {
				t.Fatalf("%v ends with %d: %s", step.args, code, messages)
			}
		}
		_, export, _ := strings.Cut(out.String(), "in conflict\n")
		exports = append(exports, export)
	}
	if n := strings.Count(exports[0], "\n"); n != len(records) {
		t.Fatalf("%d records were exported", n)
	}
	if exports[0] != exports[1] {
		t.Error("two exports of the same memories differ")
	}
}
