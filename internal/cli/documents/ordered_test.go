package documents

import (
	"errors"
	mathrand "math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/satchel-memory/satchel/internal/cli/clitest"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// sorted is what a sorter makes of records, as they would stand in a file.
func sorted(t *testing.T, dir string, most int, records []memory.Record) []string {
	t.Helper()
	var got []string
	s := &sorter{dir: dir, most: most, yield: func(rec memory.Record) error {
		form, err := ump.Encode(rec)
		got = append(got, string(form))
		return err
	}}
	for _, rec := range records {
		if err := s.add(rec); err != nil {
			t.Fatal(err)
		}
		if len(s.held) > most {
			t.Fatalf("%d records are held, %d may be", len(s.held), most)
		}
	}
	if err := errors.Join(s.flush(), s.close()); err != nil {
		t.Fatal(err)
	}
	return got
}

func TestSorter(t *testing.T) {
	after := make([]int, 0, 60)
	for range 40 {
		after = append(after, mathrand.IntN(3)) // one microsecond, three instants
	}
	for range 20 {
		after = append(after, 5_000) // a later one
	}
	records := clitest.Authored(t, clitest.NewOwner(t), after...)
	want := slices.Clone(records)
	slices.SortFunc(want, func(x, y memory.Record) int {
		if c := x.Time.Created.Compare(y.Time.Created); c != 0 {
			return c
		}
		return strings.Compare(string(x.ID), string(y.ID))
	})
	var forms []string
	for _, rec := range want {
		forms = append(forms, string(rec.Form()))
	}
	dir := t.TempDir()
	for _, most := range []int{1, 2, 7, 40, 1000} {
		mathrand.Shuffle(40, func(i, j int) { records[i], records[j] = records[j], records[i] })
		if diff := cmp.Diff(forms, sorted(t, dir, most, records)); diff != "" {
			t.Errorf("holding %d: (-want +got)\n%s", most, diff)
		}
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
		t.Errorf("left behind: %v %v", entries, err)
	}
}
