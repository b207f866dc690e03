package server_test

import (
	"flag"
	"regexp"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/conformance"
	umpsuite "github.com/satchel-memory/satchel/conformance/ump"
	"github.com/satchel-memory/satchel/internal/racing"
)

var whole = flag.Bool("whole", false, "put every row to every mutant, not only those that must fail")

// mutant is a server that breaks a rule. Its name begins with the rows that must
// notice.
type mutant struct {
	name string
	does meddle
}

var rowID = regexp.MustCompile(`UMP1?-[0-9.]+-[0-9]+`)

// rows returns the rows that must notice.
func (m mutant) rows() []string { return rowID.FindAllString(m.name, -1) }

// failing runs the conformance run on a mutant and returns the rows that fail.
func (m mutant) failing(t *testing.T, only ...string) []string {
	t.Helper()
	target := stand(t, m.does).target
	target.Only, target.Patience = only, 2*time.Second
	summary, err := umpsuite.Run(t.Context(), target, nil)
	if err != nil {
		t.Fatal(err)
	}
	var failed []string
	for _, r := range summary.Failed {
		if r.Outcome == conformance.Fail {
			failed = append(failed, r.ID)
		}
	}
	slices.Sort(failed)
	return slices.Compact(failed)
}

// TestMutants makes a good server break one rule at a time: the rows of that
// rule must fail. With -whole every row is tried on every mutant: most of them
// must leave the others alone.
func TestMutants(t *testing.T) {
	racing.Skip(t)
	t.Parallel()
	all := slices.Concat(readingMutants(), writingMutants(), documentMutants(), trustMutants(), recordMutants())
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

// TestEveryRowHasAMutant compares the mutants with the list of requirements: every row
// that can be tried needs one.
func TestEveryRowHasAMutant(t *testing.T) {
	broken := map[string]bool{}
	for _, m := range slices.Concat(readingMutants(), writingMutants(), documentMutants(), trustMutants(), recordMutants(), laterMutants()) {
		for _, id := range m.rows() {
			broken[id] = true
		}
	}
	for _, r := range umpsuite.Rows() {
		if !broken[r.ID] && r.Outcome != conformance.NotApplicable {
			t.Errorf("no mutant breaks %s", r.ID)
		}
	}
}

// wholeMutants puts every row to every mutant. The rows that say that a level is
// not reached are left out where a mutant does not name them.
func wholeMutants(t *testing.T, all []mutant) {
	var neat atomic.Int64
	t.Run("each", func(t *testing.T) {
		for _, m := range all {
			t.Run(m.name, func(t *testing.T) {
				t.Parallel()
				failed := slices.DeleteFunc(m.failing(t), func(id string) bool {
					return (id == "UMP-7-3" || id == "UMP-7-4" || id == "UMP-7-5") && !slices.Contains(m.rows(), id)
				})
				for _, id := range m.rows() {
					if !slices.Contains(failed, id) {
						t.Errorf("%s is kept", id)
					}
				}
				if t.Logf("%v fail", failed); len(failed) <= len(m.rows())+2 {
					neat.Add(1)
				}
			})
		}
	})
	if got := int(neat.Load()); got < len(all)*2/3 {
		t.Errorf("%d of %d mutants fail the rows they break and two more at most", got, len(all))
	}
}
