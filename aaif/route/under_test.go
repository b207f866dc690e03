package route_test

import (
	"testing"

	"github.com/satchel-memory/satchel/aaif/route"
)

// TestDecideUnder plans for an agent that works for others, whose regions hold as well.
func TestDecideUnder(t *testing.T) { // A is in the US, B in both, C in the EU
	operator := fleet()
	operator.Providers[0].Regions, operator.Providers[1].Regions = []string{"US"}, []string{"EU", "US"}
	for name, c := range map[string]struct {
		own  string
		also []string
		want string
	}{
		"parent EU, child global":           {"global", []string{"EU"}, "B C -A:residency"},
		"parent EU, child without a word":   {"", []string{"EU"}, "B C -A:residency"},
		"parent global, child EU":           {"EU", []string{"global"}, "B C -A:residency"},
		"parent EU, child US":               {"US", []string{"EU"}, "B -A:residency -C:residency"},
		"parents EU and UK":                 {"", []string{"EU", "UK"}, "-A:residency -B:residency -C:residency RESIDENCY_UNSATISFIED"},
		"parent custom, which nobody knows": {"EU", []string{"custom"}, "-A:residency -B:residency_unmapped -C:residency_unmapped RESIDENCY_UNSATISFIED"},
		"no parent":                         {"US", nil, "A B -C:residency"},
	} {
		t.Run("AAIF-4.3-26 "+name, func(t *testing.T) {
			r := request("", "A", "B", "C")
			r.Residency, r.Also = c.own, c.also
			if got := tried(route.Decide(r, operator, nil)); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}
