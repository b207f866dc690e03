package route_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/aaif/route"
)

func usd(f float64) *float64 { return &f }

func target(name string) route.Target { return route.Target{Provider: "p-" + name, Model: name} }

// fleet knows three models, A, B and C, in the EU, and what they cost.
func fleet() route.Operator {
	o := route.Operator{}
	for _, m := range []struct {
		name           string
		price, quality float64
	}{{"A", 5, 80}, {"B", 1, 85}, {"C", 2, 91}} {
		o.Providers = append(o.Providers, route.Provider{Name: "p-" + m.name, Regions: []string{"EU"}})
		o.Models = append(o.Models, route.Model{Target: target(m.name), Context: 128_000, Input: usd(m.price / 2), Output: usd(m.price), Quality: usd(m.quality)})
	}
	return o
}

func chain(names ...string) []route.Candidate {
	var c []route.Candidate
	for _, name := range names {
		c = append(c, route.Candidate{Target: target(name)})
	}
	return c
}

func now() time.Time { return time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC) }

func request(strategy route.Strategy, names ...string) route.Request {
	return route.Request{Chain: chain(names...), Strategy: strategy, Now: now()}
}

// tried writes a plan down: the order, then what is skipped and why, then the code.
func tried(p route.Plan) string {
	var parts []string
	for _, r := range p.Order {
		parts = append(parts, r.Model)
	}
	for _, r := range p.Routes {
		if r.Skipped != "" {
			parts = append(parts, fmt.Sprintf("-%s:%s", r.Model, r.Skipped))
		}
	}
	return strings.TrimSpace(strings.Join(parts, " ") + " " + p.Code)
}

func p50(ms int) route.Health {
	return route.Health{Samples: []time.Duration{time.Duration(ms) * time.Millisecond}}
}

// model changes what is known of a model.
func model(o *route.Operator, name string, change func(*route.Model)) {
	for i := range o.Models {
		if o.Models[i].Model == name {
			change(&o.Models[i])
		}
	}
}

// TestPlanValue: the data say of every route why it is tried where it is, or why not.
func TestPlanValue(t *testing.T) {
	r := request("", "A", "B", "C", "X")
	o := fleet()
	o.Providers[2].Regions, r.Residency = []string{"US"}, "EU"
	for i, v := range route.Decide(r, o, nil).Value().Get("routes").Items() {
		want := []string{"the first that may be tried, as declared", "tried where those before it fail", "the provider keeps data outside of the declared region", "the operator has not set up this provider"}[i]
		if got := v.Get("message").Text(); got != want {
			t.Errorf("AAIF-4.2-16: route %d: got %q, want %q", i, got, want)
		}
	}
}

// TestUnnamed: what was observed of a model that nothing names is for nobody.
func TestUnnamed(t *testing.T) {
	o := fleet()
	o.Substitutes = map[route.Target]route.Target{target("A"): {Provider: "p-A", Model: "A-mini"}}
	observed := map[route.Target]route.Health{target("A"): {}, {Provider: "p-A", Model: "A-mini"}: {}, {Provider: "p-B", Model: "declared"}: {}, {Provider: "p-B", Model: "slip"}: {}, {Provider: "p-A", Model: "slip"}: {}}
	got := o.UnknownModels(observed, []route.Candidate{{Target: route.Target{Provider: "p-B", Model: "declared"}}})
	if len(got) != 2 || got[0].String() != "p-A/slip" || got[1].String() != "p-B/slip" {
		t.Errorf("AAIF-4.2-1: got %v", got)
	}
}

func TestDecide(t *testing.T) {
	fast := map[route.Target]route.Health{target("A"): p50(400), target("B"): p50(900), target("C"): p50(100)}
	down := map[route.Target]route.Health{target("A"): {Down: true}}
	for _, c := range []struct {
		name     string
		request  route.Request
		change   func(*route.Request, *route.Operator)
		observed map[route.Target]route.Health
		want     string
	}{
		{"AAIF-4.2-2 the primary is first", request("", "A", "B"), nil, nil, "A B"},
		{"AAIF-4.2-3 fallbacks as declared", request("", "A", "C", "B"), nil, down, "C B -A:unavailable"},
		{"AAIF-4.2-4 rests", request("", "A", "B"), nil, map[route.Target]route.Health{target("A"): {Until: now().Add(time.Second)}}, "B -A:rate_limited"},
		{"AAIF-4.2-4 has rested", request("", "A", "B"), nil, map[route.Target]route.Health{target("A"): {Until: now()}}, "A B"},
		{"AAIF-4.2-7 preferred_first", request(route.PreferredFirst, "A", "B", "C"), nil, fast, "A B C"},
		{"AAIF-4.2-7 cost", request(route.Cost, "A", "B", "C"), nil, fast, "B C A"},
		{"AAIF-4.2-7 latency", request(route.Latency, "A", "B", "C"), nil, fast, "C A B"},
		{"AAIF-4.2-7 quality", request(route.Quality, "A", "B", "C"), nil, fast, "C B A"},
		{"AAIF-4.2-8 cheapest with enough context", request(route.Cost, "A", "B", "C"), func(r *route.Request, o *route.Operator) {
			r.MinContext = 16_000
			model(o, "B", func(m *route.Model) { m.Context = 4_000 })
		}, nil, "C A -B:context"},
		{"AAIF-4.2-9 no samples", request(route.Latency, "B", "A", "C"), nil, nil, "B A C"},
		{"AAIF-4.2-9 some samples", request(route.Latency, "B", "A", "C"), nil, map[route.Target]route.Health{target("C"): p50(5)}, "C B A"},
		{"AAIF-4.2-10 unranked last", request(route.Quality, "A", "B", "C"), func(_ *route.Request, o *route.Operator) {
			model(o, "A", func(m *route.Model) { m.Quality = nil })
			model(o, "C", func(m *route.Model) { m.Quality = nil })
		}, nil, "B A C"},
		{"AAIF-4.2-12 declared before cheaper and faster", request("", "A", "B", "C"), nil, fast, "A B C"},
		{"AAIF-4.2-6 dearer than the ceiling", request("", "A", "B"), func(r *route.Request, o *route.Operator) {
			r.Chain[1].MaxCost = usd(0.002)
			model(o, "B", func(m *route.Model) { m.Input, m.Output = usd(0.0021), usd(0.001) })
		}, nil, "A -B:cost"},
		{"AAIF-4.2-6 as dear as the ceiling", request("", "A", "B"), func(r *route.Request, o *route.Operator) {
			r.Chain[1].MaxCost = usd(0.002)
			model(o, "B", func(m *route.Model) { m.Input, m.Output = usd(0.001), usd(0.002) })
		}, nil, "A B"},
		{"AAIF-4.2-6 price not known", request("", "A", "B"), func(r *route.Request, o *route.Operator) {
			r.Chain[1].MaxCost = usd(0.002)
			model(o, "B", func(m *route.Model) { m.Output = nil })
		}, nil, "A -B:price_unknown"},
		{"AAIF-4.2-13 the same price", request(route.Cost, "C", "B", "A"), func(_ *route.Request, o *route.Operator) {
			for i := range o.Models {
				o.Models[i].Input, o.Models[i].Output = usd(1), usd(1)
			}
		}, fast, "C B A"},
		{"AAIF-4.9-4 one outside of the region, and one not set up", request("", "A", "X"), func(r *route.Request, o *route.Operator) {
			r.Residency, o.Providers[0].Regions = "EU", []string{"US"}
		}, nil, "-A:residency -X:unconfigured RESIDENCY_UNSATISFIED"},
		{"AAIF-4.9-4 one outside of the region, and one in it that is away", request("", "B", "A"), func(r *route.Request, o *route.Operator) {
			r.Residency, o.Providers[1].Regions = "EU", []string{"US"}
		}, down, "-B:residency -A:unavailable MODEL_UNAVAILABLE"},
		{"AAIF-4.2-16 without a region it is nothing of one", request("", "X"), func(r *route.Request, _ *route.Operator) {
			r.Residency = "EU"
		}, nil, "-X:unconfigured PROVIDER_UNCONFIGURED"},
		{"AAIF-4.2-14 too small", request("", "A"), func(r *route.Request, o *route.Operator) {
			r.MinContext = 32_000
			model(o, "A", func(m *route.Model) { m.Context = 8_192 })
		}, nil, "-A:context MODEL_UNAVAILABLE"},
		{"AAIF-4.2-14 exactly enough", request("", "A"), func(r *route.Request, o *route.Operator) {
			r.MinContext = 32_000
			model(o, "A", func(m *route.Model) { m.Context = 32_000 })
		}, nil, "A"},
		{"AAIF-4.2-15 not known", request("", "A"), func(r *route.Request, o *route.Operator) {
			r.MinContext = 1
			model(o, "A", func(m *route.Model) { m.Context = 0 })
		}, nil, "-A:context_unknown MODEL_UNAVAILABLE"},
		{"AAIF-4.2-15 not asked", request("", "A"), func(_ *route.Request, o *route.Operator) {
			model(o, "A", func(m *route.Model) { m.Context = 0 })
		}, nil, "A"},
		{"AAIF-4.2-16 all down", request("", "A"), nil, down, "-A:unavailable MODEL_UNAVAILABLE"},
		{"AAIF-4.2-16 no chain", request(""), nil, nil, "MODEL_UNAVAILABLE"},
		{"AAIF-4.2-16 no model", route.Request{Chain: []route.Candidate{{Target: route.Target{Provider: "p-A"}}}}, nil, nil, "-:no_model MODEL_UNAVAILABLE"},
		{"AAIF-4.2-19 a provider nobody set up", request("", "Z"), nil, nil, "-Z:unconfigured PROVIDER_UNCONFIGURED"},
		{"AAIF-4.2-19 its base_url will do", request("", "Z"), func(r *route.Request, _ *route.Operator) { r.Chain[0].BaseURL = "https://m.example/v1" }, nil, "Z"},
		{"AAIF-4.9-4 the fallback lies in the region", request("", "A", "B"), func(r *route.Request, o *route.Operator) {
			r.Residency, o.Providers[0].Regions = "EU", []string{"US"}
		}, nil, "B -A:residency"},
		{"AAIF-4.9-4 AAIF-12-9 none does", request("", "A", "B"), func(r *route.Request, _ *route.Operator) { r.Residency = "UK" }, nil, "-A:residency -B:residency RESIDENCY_UNSATISFIED"},
		{"AAIF-4.9-4 one does and is down", request("", "A", "B"), func(r *route.Request, o *route.Operator) {
			r.Residency, o.Providers[1].Regions = "EU", []string{"US"}
		}, down, "-A:unavailable -B:residency MODEL_UNAVAILABLE"},
		{"AAIF-4.9-5 no region known", request("", "A"), func(r *route.Request, o *route.Operator) {
			r.Residency, o.Providers[0].Regions = "EU", nil
		}, nil, "-A:residency_unknown RESIDENCY_UNSATISFIED"},
		{"AAIF-4.9-5 nor of a base_url", request("", "Z"), func(r *route.Request, _ *route.Operator) {
			r.Residency, r.Chain[0].BaseURL = "EU", "https://eu.example/v1"
		}, nil, "-Z:residency_unknown RESIDENCY_UNSATISFIED"},
		{"AAIF-4.9-4 the address of a definition is not the operator's", request("", "A"), func(r *route.Request, _ *route.Operator) {
			r.Residency, r.Chain[0].BaseURL = "EU", "https://us.evil.example/v1"
		}, nil, "-A:residency_unknown RESIDENCY_UNSATISFIED"},
		{"AAIF-4.9-4 unless it is the same", request("", "A"), func(r *route.Request, o *route.Operator) {
			r.Residency, r.Chain[0].BaseURL, o.Providers[0].BaseURL = "EU", "https://M.example:443/v1/", "https://m.example/v1"
		}, nil, "A"},
		{"AAIF-4.9-4 on another path it is not", request("", "A"), func(r *route.Request, o *route.Operator) {
			r.Residency, r.Chain[0].BaseURL, o.Providers[0].BaseURL = "EU", "https://m.example/us", "https://m.example/v1"
		}, nil, "-A:residency_unknown RESIDENCY_UNSATISFIED"},
		{"AAIF-4.2-20 to the machine's own network", request("", "A"), func(r *route.Request, _ *route.Operator) {
			r.Chain[0].BaseURL = "http://169.254.169.254/"
		}, nil, "-A:egress_denied EGRESS_DENIED"},
		{"AAIF-4.2-20 the operator's own may be there", request("", "A"), func(r *route.Request, o *route.Operator) {
			r.Chain[0].BaseURL, o.Providers[0].BaseURL = "http://10.0.0.7:4000/v1", "http://10.0.0.7:4000/v1"
		}, nil, "A"},
		{"AAIF-4.2-20 not on the operator's list", request("", "A"), func(r *route.Request, o *route.Operator) {
			r.Chain[0].BaseURL, o.Egress = "https://m.example/v1", []string{"n.example"}
		}, nil, "-A:egress_denied EGRESS_DENIED"},
		{"AAIF-4.2-20 on it", request("", "A"), func(r *route.Request, o *route.Operator) {
			r.Chain[0].BaseURL, o.Egress = "https://N.example:8443/v1", []string{"n.example"}
		}, nil, "A"},
		{"AAIF-4.9-5 global asks for none", request("", "A"), func(r *route.Request, o *route.Operator) {
			r.Residency, o.Providers[0].Regions = route.Global, nil
		}, nil, "A"},
		{"AAIF-4.9-5 custom without a mapping", request("", "A"), func(r *route.Request, _ *route.Operator) { r.Residency = route.Custom }, nil, "-A:residency_unmapped RESIDENCY_UNSATISFIED"},
		{"AAIF-4.9-5 custom with one", request("", "A"), func(r *route.Request, o *route.Operator) {
			r.Residency, o.CustomRegion, o.Providers[0].Regions = route.Custom, "CH", []string{"CH"}
		}, nil, "A"},
		{"AAIF-3-1 a substitute", request("", "A", "B"), func(_ *route.Request, o *route.Operator) {
			o.Substitutes = map[route.Target]route.Target{target("A"): target("C")}
		}, down, "C B -A:unavailable"},
		{"AAIF-3-1 that is not needed", request("", "A"), func(_ *route.Request, o *route.Operator) {
			o.Substitutes = map[route.Target]route.Target{target("A"): target("C")}
		}, nil, "A -C:not_needed"},
		{"AAIF-3-1 none without a map", request("", "A", "B"), nil, down, "B -A:unavailable"},
		{"AAIF-3-2 in another region", request("", "A"), func(r *route.Request, o *route.Operator) {
			o.Substitutes = map[route.Target]route.Target{target("A"): target("C")}
			r.Residency, o.Providers[2].Regions = "EU", []string{"US"}
		}, down, "-A:unavailable -C:residency MODEL_UNAVAILABLE"},
		{"AAIF-3-2 above the ceiling", request("", "A"), func(r *route.Request, o *route.Operator) {
			o.Substitutes = map[route.Target]route.Target{target("A"): target("C")}
			r.Chain[0].MaxCost = usd(1.5)
			model(o, "A", func(m *route.Model) { m.Input, m.Output = usd(1), usd(1) })
		}, down, "-A:unavailable -C:cost MODEL_UNAVAILABLE"},
		{"AAIF-3-2 cannot cure a residency", request("", "A"), func(r *route.Request, o *route.Operator) {
			o.Substitutes = map[route.Target]route.Target{target("A"): target("C")}
			r.Residency, o.Providers[0].Regions = "EU", []string{"US"}
		}, nil, "-A:residency -C:not_needed RESIDENCY_UNSATISFIED"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := fleet()
			if c.change != nil {
				c.change(&c.request, &o)
			}
			if got := tried(route.Decide(c.request, o, c.observed)); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
