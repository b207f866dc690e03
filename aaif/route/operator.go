package route

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/memory"
)

// ReadOperator reads the operator table, whose form is in docs/agents.md. It refuses
// misspelled members, since nobody would notice them before a run goes elsewhere.
// Failures are [*codec.ParseError] with the place.
func ReadOperator(v canon.Value) (Operator, error) {
	t := &table{name: "operator table"}
	o := Operator{Substitutes: map[Target]Target{}, CustomRegion: t.text(v, "", "custom_region"), Egress: t.hosts(v)}
	t.only(v, "", "providers", "models", "substitutes", "custom_region", "egress")
	for at, item := range t.list(v, "providers") {
		t.only(item, at, "name", "regions", "base_url")
		p := Provider{Name: t.need(item, at, "name"), Regions: t.texts(item, at, "regions"), BaseURL: t.text(item, at, "base_url")}
		if p.BaseURL != "" && address(p.BaseURL) == "" {
			t.fail(at+"/base_url", "is no address such as https://models.example/v1")
		}
		o.Providers = append(o.Providers, p)
	}
	for at, item := range t.list(v, "models") {
		o.Models = append(o.Models, t.model(item, at))
	}
	for at, item := range t.list(v, "substitutes") {
		t.only(item, at, "for", "use")
		o.Substitutes[t.target(item.Get("for"), at+"/for")] = t.target(item.Get("use"), at+"/use")
	}
	t.unique("/providers", len(o.Providers), func(i int) string { return o.Providers[i].Name })
	t.unique("/models", len(o.Models), func(i int) string { return o.Models[i].String() })
	t.regions(o)
	return o, t.err
}

func (t *table) model(item canon.Value, at string) Model {
	t.only(item, at, "provider", "model", "context_tokens", "usd_per_1k_input", "usd_per_1k_output", "quality")
	m := Model{Target: t.target(item, at), Input: t.number(item, at, "usd_per_1k_input"), Output: t.number(item, at, "usd_per_1k_output"), Quality: t.number(item, at, "quality")}
	if n := t.number(item, at, "context_tokens"); n != nil {
		m.Context = int(*n)
	}
	return m
}

// regions refuses regions that differ from those of definitions in case only: they would
// never match.
func (t *table) regions(o Operator) {
	for _, p := range o.Providers {
		for _, r := range p.Regions {
			if upper := strings.ToUpper(r); upper != r && slices.Contains([]string{"EU", "US", "UK", "APAC"}, upper) {
				t.fail("/providers", "regions are told apart by case: write "+upper)
			}
		}
	}
}

// hosts refuses texts that are no host names: with a scheme, a port or a path they would
// never match.
func (t *table) hosts(v canon.Value) []string {
	if v.Get("egress").Type() == canon.TypeUndefined {
		return nil
	}
	list := []string{}
	for i, host := range t.texts(v, "", "egress") {
		if strings.ContainsAny(host, "/@ ") || strings.Contains(host, ":") && strings.Count(host, ":") < 2 {
			t.fail("/egress/"+strconv.Itoa(i), "is no host: write it without scheme, port and path")
		}
		list = append(list, strings.Trim(strings.ToLower(host), "[]."))
	}
	return list
}

// ReadHealth reads the observed health of routes. It refuses models and providers that
// the operator does not have, which nobody would look up.
func ReadHealth(v canon.Value, o Operator) (map[Target]Health, error) {
	t := &table{name: "health table"}
	observed := map[Target]Health{}
	t.only(v, "", "routes")
	for at, item := range t.list(v, "routes") {
		target := t.target(item, at)
		if !o.has(target) {
			t.fail(at+"/provider", "is no provider of the operator table; there are "+strings.Join(o.names(), ", "))
		}
		observed[target] = t.health(item, at)
	}
	return observed, t.err
}

func (t *table) health(item canon.Value, at string) Health {
	t.only(item, at, "provider", "model", "down", "limited_until", "latency_ms")
	h := Health{Down: t.flag(item, at, "down")}
	if until := t.text(item, at, "limited_until"); until != "" {
		instant, ok := memory.ParseInstant(until)
		if !ok {
			t.fail(at+"/limited_until", "is no time as RFC 3339 has it")
		}
		h.Until = instant
	}
	for i, n := range item.Get("latency_ms").Items() {
		if n.Type() != canon.TypeNumber || n.Float() < 0 || n.Float() > math.MaxInt32 {
			t.fail(at+"/latency_ms/"+strconv.Itoa(i), "is no number of milliseconds")
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
