package route_test

import (
	"fmt"
	"math/rand"
	"reflect"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/aaif/route"
)

func TestRoundRobin(t *testing.T) {
	count := func(observed map[route.Target]route.Health) string {
		n := map[string]int{}
		r := request(route.RoundRobin, "A", "B", "C")
		for r.Turn = range 300 {
			n[route.Decide(r, fleet(), observed).Order[0].Model]++
		}
		return fmt.Sprint(n)
	}
	t.Run("AAIF-4.2-11 evenly", func(t *testing.T) {
		if got := count(nil); got != "map[A:100 B:100 C:100]" {
			t.Error(got)
		}
	})
	t.Run("AAIF-4.2-11 evenly over those that are there", func(t *testing.T) {
		if got := count(map[route.Target]route.Health{target("B"): {Down: true}}); got != "map[A:150 C:150]" {
			t.Error(got)
		}
	})
	t.Run("AAIF-4.2-7 in turns", func(t *testing.T) {
		r := request(route.RoundRobin, "A", "B", "C")
		for i, want := range []string{"A B C", "B C A", "C A B", "A B C"} {
			r.Turn = i
			if got := tried(route.Decide(r, fleet(), nil)); got != want {
				t.Errorf("turn %d: got %s, want %s", i, got, want)
			}
		}
	})
}

// TestInvariants draws fleets and holds every plan to what no strategy may break.
func TestInvariants(t *testing.T) {
	random := rand.New(rand.NewSource(1))
	pick := func(all ...string) string { return all[random.Intn(len(all))] }
	opened := 0
	for range 3000 {
		o, observed := fleet(), map[route.Target]route.Health{}
		for i := range o.Models {
			o.Models[i].Context = random.Intn(4) * 10_000
			o.Models[i].Output = usd(float64(random.Intn(3)))
			o.Providers[i].Regions = []string{pick("EU", "US")}
			observed[o.Models[i].Target] = route.Health{Down: random.Intn(3) == 0}
		}
		if random.Intn(2) == 0 {
			o.Substitutes = map[route.Target]route.Target{target("A"): target("C")}
		}
		r := request(route.Strategy(pick("preferred_first", "cost", "latency", "quality", "round_robin")), "A", "B", "C")
		r.MinContext, r.Residency, r.Turn = random.Intn(3)*10_000, pick("EU", "US", "global"), random.Intn(9)
		r.Chain[1].MaxCost = usd(1)
		p := route.Decide(r, o, observed)
		if again := route.Decide(r, o, observed); !reflect.DeepEqual(p, again) {
			t.Fatalf("AAIF-4.2-13: %s, then %s", tried(p), tried(again))
		}
		for _, choice := range p.Order {
			opened++
			i := strings.Index("ABC", choice.Model)
			if o.Models[i].Context < r.MinContext {
				t.Errorf("AAIF-4.2-14: %s has %d tokens of %d", choice.Model, o.Models[i].Context, r.MinContext)
			}
			if r.Residency != "global" && o.Providers[i].Regions[0] != r.Residency {
				t.Errorf("AAIF-4.9-4: %s lies in %s, not in %s", choice.Model, o.Providers[i].Regions, r.Residency)
			}
			if price, _ := o.Models[i].Price(); choice.MaxCost != nil && price > *choice.MaxCost {
				t.Errorf("AAIF-4.2-6: %s costs %v", choice.Model, price)
			}
		}
		if (len(p.Order) == 0) != (p.Code != "") {
			t.Errorf("AAIF-4.2-16: %s", tried(p))
		}
	}
	if opened == 0 {
		t.Error("no route was ever open")
	}
}
