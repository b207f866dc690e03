package server_test

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/satchel-memory/satchel/ump/umpconform"
)

var (
	whole         = flag.Bool("whole", false, "put every row to every mutant, not only those that must fail")
	updateMutants = flag.Bool("update-mutants", false, "with -whole: write down which rows fail")
)

// mutant is a server that breaks a rule. Its name begins with the rows that must
// notice.
type mutant struct {
	name string
	does meddle
}

var rowID = regexp.MustCompile(`UMP-[0-9.]+-[0-9]+`)

// rows returns the rows that must notice.
func (m mutant) rows() []string { return rowID.FindAllString(m.name, -1) }

// failing runs the conformance run on a mutant and returns the rows that fail.
func (m mutant) failing(t *testing.T, only ...string) []string {
	t.Helper()
	target := stand(t, m.does).target
	target.Only = only
	summary, err := umpconform.Run(t.Context(), target, nil)
	if err != nil {
		t.Fatal(err)
	}
	var failed []string
	for _, r := range summary.Failed {
		if r.Outcome == umpconform.Fail {
			failed = append(failed, r.ID)
		}
	}
	slices.Sort(failed)
	return slices.Compact(failed)
}

// TestMutants makes a good server break one rule at a time: the rows of that
// rule must fail. With -whole every row is tried, and those that fail are
// compared with testdata/mutants.json.
func TestMutants(t *testing.T) {
	all := slices.Concat(readingMutants(), writingMutants(), documentMutants(), trustMutants())
	if len(all) < 100 {
		t.Fatalf("%d mutants", len(all))
	}
	if *whole {
		wholeMutants(t, all)
		return
	}
	for _, m := range all {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			if failed := m.failing(t, m.rows()...); !slices.Equal(failed, slices.Sorted(slices.Values(m.rows()))) {
				t.Errorf("%v fail", failed)
			}
		})
	}
}

// wholeMutants puts every row to every mutant. The rows that say that a level is
// not reached are left out.
func wholeMutants(t *testing.T, all []mutant) {
	path := filepath.Join("testdata", "mutants.json")
	got := make([][]string, len(all))
	t.Run("each", func(t *testing.T) {
		for i, m := range all {
			t.Run(m.name, func(t *testing.T) {
				t.Parallel()
				got[i] = slices.DeleteFunc(m.failing(t), func(id string) bool { return strings.HasPrefix(id, "UMP-7-") && id <= "UMP-7-5" && id >= "UMP-7-3" })
				for _, id := range m.rows() {
					if !slices.Contains(got[i], id) {
						t.Errorf("%s is kept, %v fail", id, got[i])
					}
				}
			})
		}
	})
	failed := map[string]string{}
	for i, m := range all {
		failed[m.name] = strings.Join(got[i], " ")
	}
	if *updateMutants {
		data, err := json.MarshalIndent(failed, "", "\t")
		if err == nil {
			err = os.WriteFile(path, append(data, '\n'), 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
		return
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var want map[string]string
	if err := json.Unmarshal(data, &want); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, failed); diff != "" {
		t.Errorf("other rows fail than are written down (-want +got):\n%s", diff)
	}
}
