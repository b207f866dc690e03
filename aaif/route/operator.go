package route

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec/settings"
	"github.com/satchel-memory/satchel/memory"
)

// table reads a document of the operator.
type table struct{ *settings.Table }

func tableOf(name string) table { return table{&settings.Table{Name: name, Rule: "AAIF-4.2-1"}} }

func (t table) target(v canon.Value, at string) Target {
	return Target{Provider: t.Need(v, at, "provider"), Model: t.Need(v, at, "model")}
}

// ReadOperator reads the operator table, whose form is in docs/agents.md. It refuses
// misspelled members, since nobody would notice them before a run goes elsewhere.
// Failures are [*codec.ParseError] with the place.
func ReadOperator(v canon.Value) (Operator, error) {
	t := tableOf("operator table")
	o := Operator{Substitutes: map[Target]Target{}, CustomRegion: t.Text(v, "", "custom_region"), Egress: t.Hosts(v, "", "egress")}
	t.Only(v, "", "providers", "models", "substitutes", "custom_region", "egress")
	for at, item := range t.List(v, "providers") {
		t.Only(item, at, "name", "regions", "base_url")
		p := Provider{Name: t.Need(item, at, "name"), Regions: t.Names(item, at, "regions"), BaseURL: t.Text(item, at, "base_url")}
		if p.BaseURL != "" && address(p.BaseURL) == "" {
			t.Fail(at+"/base_url", "is no address such as https://models.example/v1")
		}
		o.Providers = append(o.Providers, p)
	}
	for at, item := range t.List(v, "models") {
		o.Models = append(o.Models, t.model(item, at))
	}
	for at, item := range t.List(v, "substitutes") {
		t.Only(item, at, "for", "use")
		o.Substitutes[t.target(item.Get("for"), at+"/for")] = t.target(item.Get("use"), at+"/use")
	}
	t.Unique("/providers", len(o.Providers), func(i int) string { return o.Providers[i].Name })
	t.Unique("/models", len(o.Models), func(i int) string { return o.Models[i].String() })
	t.regions(o)
	return o, t.Err
}

func (t table) model(item canon.Value, at string) Model {
	t.Only(item, at, "provider", "model", "context_tokens", "usd_per_1k_input", "usd_per_1k_output", "quality", "pictures")
	m := Model{Target: t.target(item, at), Input: t.Number(item, at, "usd_per_1k_input"), Output: t.Number(item, at, "usd_per_1k_output"), Quality: t.Number(item, at, "quality")}
	if n := t.Number(item, at, "context_tokens"); n != nil {
		m.Context = int(*n)
	}
	if item.Has("pictures") {
		takes := t.Flag(item, at, "pictures")
		m.Pictures = &takes
	}
	return m
}

// regions refuses regions that differ from those of definitions in case only: they would
// never match.
func (t table) regions(o Operator) {
	for _, p := range o.Providers {
		for _, r := range p.Regions {
			if upper := strings.ToUpper(r); upper != r && slices.Contains([]string{"EU", "US", "UK", "APAC"}, upper) {
				t.Fail("/providers", "regions are told apart by case: write "+upper)
			}
		}
	}
}

// ReadHealth reads the observed health of routes. It refuses models and providers that
// the operator does not have, which nobody would look up.
func ReadHealth(v canon.Value, o Operator) (map[Target]Health, error) {
	t := tableOf("health table")
	observed := map[Target]Health{}
	t.Only(v, "", "routes")
	for at, item := range t.List(v, "routes") {
		target := t.target(item, at)
		if !o.has(target) {
			t.Fail(at+"/provider", "is no provider of the operator table; there are "+strings.Join(o.names(), ", "))
		}
		observed[target] = t.health(item, at)
	}
	return observed, t.Err
}

func (t table) health(item canon.Value, at string) Health {
	t.Only(item, at, "provider", "model", "down", "limited_until", "latency_ms")
	h := Health{Down: t.Flag(item, at, "down")}
	if until := t.Text(item, at, "limited_until"); until != "" {
		instant, ok := memory.ParseInstant(until)
		if !ok {
			t.Fail(at+"/limited_until", "is no time as RFC 3339 has it")
		}
		h.Until = instant
	}
	for i, n := range item.Get("latency_ms").Items() {
		if n.Type() != canon.TypeNumber || n.Float() < 0 || n.Float() > math.MaxInt32 {
			t.Fail(at+"/latency_ms/"+strconv.Itoa(i), "is no number of milliseconds")
		}
		h.Samples = append(h.Samples, time.Duration(n.Float()*float64(time.Millisecond)))
	}
	return h
}

// has reports whether the operator has a provider, or knows a model of it.
func (o Operator) has(t Target) bool {
	_, listed := o.provider(t.Provider)
	return listed || slices.ContainsFunc(o.Models, func(m Model) bool { return m.Target == t })
}

// UnknownModels returns the observed models that neither the operator nor a chain names,
// which nobody would look up.
func (o Operator) UnknownModels(observed map[Target]Health, chain []Candidate) []Target {
	known := map[Target]bool{}
	for _, m := range o.Models {
		known[m.Target] = true
	}
	for of, by := range o.Substitutes {
		known[of], known[by] = true, true
	}
	for _, c := range chain {
		known[c.Target] = true
	}
	var unnamed []Target
	for t := range observed {
		if !known[t] {
			unnamed = append(unnamed, t)
		}
	}
	slices.SortFunc(unnamed, func(a, b Target) int { return strings.Compare(a.String(), b.String()) })
	return unnamed
}

// names lists the providers.
func (o Operator) names() []string {
	var all []string
	for _, p := range o.Providers {
		all = append(all, p.Name)
	}
	for _, m := range o.Models {
		if !slices.Contains(all, m.Provider) {
			all = append(all, m.Provider)
		}
	}
	return all
}
