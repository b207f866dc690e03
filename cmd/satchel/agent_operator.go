package main

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/route"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

// operatorTable reads what there is to route to. docs/agents.md has its form; what is
// spelled wrong is refused, since it would be missed only when a run goes elsewhere.
func (a *app) operatorTable(path string) (route.Operator, error) {
	v, err := a.agentTree(path)
	if err != nil {
		return route.Operator{}, err
	}
	t := &table{file: path}
	o := route.Operator{Substitutes: map[route.Target]route.Target{}, CustomRegion: t.text(v, "", "custom_region")}
	t.only(v, "", "providers", "models", "substitutes", "custom_region")
	for at, item := range t.list(v, "providers") {
		t.only(item, at, "name", "regions")
		o.Providers = append(o.Providers, route.Provider{Name: t.need(item, at, "name"), Regions: t.texts(item, at, "regions")})
	}
	for at, item := range t.list(v, "models") {
		t.only(item, at, "provider", "model", "context_tokens", "usd_per_1k_input", "usd_per_1k_output", "quality")
		m := route.Model{Target: t.target(item, at), Input: t.number(item, at, "usd_per_1k_input"), Output: t.number(item, at, "usd_per_1k_output"), Quality: t.number(item, at, "quality")}
		if n := t.number(item, at, "context_tokens"); n != nil {
			m.Context = int(*n)
		}
		o.Models = append(o.Models, m)
	}
	for at, item := range t.list(v, "substitutes") {
		t.only(item, at, "for", "use")
		o.Substitutes[t.target(item.Get("for"), at+"/for")] = t.target(item.Get("use"), at+"/use")
	}
	t.unique("/providers", len(o.Providers), func(i int) string { return o.Providers[i].Name })
	t.unique("/models", len(o.Models), func(i int) string { return o.Models[i].String() })
	for _, p := range o.Providers {
		for _, r := range p.Regions {
			if upper := strings.ToUpper(r); upper != r && isRegion(upper) {
				t.fail("/providers", "regions are told apart by case: write "+upper)
			}
		}
	}
	return o, t.err
}

// healthTable reads what was observed of routes.
func (a *app) healthTable(path string) (map[route.Target]route.Health, error) {
	v, err := a.agentTree(path)
	if err != nil {
		return nil, err
	}
	t := &table{file: path}
	observed := map[route.Target]route.Health{}
	t.only(v, "", "routes")
	for at, item := range t.list(v, "routes") {
		t.only(item, at, "provider", "model", "down", "limited_until", "latency_ms")
		h := route.Health{Down: t.flag(item, at, "down")}
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
		observed[t.target(item, at)] = h
	}
	return observed, t.err
}

// table reads a file of the operator's, and keeps the first thing that is wrong with it.
type table struct {
	file string
	err  error
}

func (t *table) fail(pointer, text string) {
	if t.err == nil {
		t.err = &codec.ParseError{Format: "operator table", File: clean(t.file), Path: pointer, Rule: "AAIF-4.2-1", Err: &aaif.Fault{Code: aaif.SchemaViolation, Text: text}}
	}
}

// only refuses members that nobody reads.
func (t *table) only(v canon.Value, at string, names ...string) {
	if v.Type() != canon.TypeObject {
		t.fail(at, "is no object")
	}
	for _, m := range v.Members() {
		if !slices.Contains(names, m.Name) {
			t.fail(at+canon.Pointer(m.Name), "is not known; there are "+strings.Join(names, ", "))
		}
	}
}

// list yields the items of a list with their pointers.
func (t *table) list(v canon.Value, name string) func(func(string, canon.Value) bool) {
	list := v.Get(name)
	if list.Type() != canon.TypeArray && list.Type() != canon.TypeUndefined {
		t.fail("/"+name, "is no list")
	}
	return func(yield func(string, canon.Value) bool) {
		for i, item := range list.Items() {
			if t.err != nil || !yield("/"+name+"/"+strconv.Itoa(i), item) {
				return
			}
		}
	}
}

func (t *table) text(v canon.Value, at, name string) string {
	if m := v.Get(name); m.Type() != canon.TypeString && m.Type() != canon.TypeUndefined {
		t.fail(at+"/"+name, "is no text")
	}
	return v.Get(name).Text()
}

func (t *table) need(v canon.Value, at, name string) string {
	text := t.text(v, at, name)
	if text == "" {
		t.fail(at+"/"+name, "is missing")
	}
	return text
}

func (t *table) texts(v canon.Value, at, name string) []string {
	list := v.Get(name)
	if list.Type() != canon.TypeArray && list.Type() != canon.TypeUndefined {
		t.fail(at+"/"+name, "is no list of texts")
	}
	var all []string
	for i, item := range list.Items() {
		if item.Text() == "" {
			t.fail(at+"/"+name+"/"+strconv.Itoa(i), "is no text")
		}
		all = append(all, item.Text())
	}
	return all
}

func (t *table) flag(v canon.Value, at, name string) bool {
	if m := v.Get(name); m.Type() != canon.TypeBool && m.Type() != canon.TypeUndefined {
		t.fail(at+"/"+name, "is neither true nor false")
	}
	return v.Get(name).True()
}

// number returns a number from 0 on, nil where there is none.
func (t *table) number(v canon.Value, at, name string) *float64 {
	m := v.Get(name)
	if m.Type() == canon.TypeUndefined {
		return nil
	}
	n := m.Float()
	if m.Type() != canon.TypeNumber || n < 0 || n > math.MaxInt32 {
		t.fail(at+"/"+name, "is no number from 0 on")
	}
	return &n
}

func (t *table) target(v canon.Value, at string) route.Target {
	return route.Target{Provider: t.need(v, at, "provider"), Model: t.need(v, at, "model")}
}

// unique refuses what is listed twice.
func (t *table) unique(at string, n int, name func(int) string) {
	seen := map[string]bool{}
	for i := range n {
		if seen[name(i)] {
			t.fail(at+"/"+strconv.Itoa(i), "is listed twice")
		}
		seen[name(i)] = true
	}
}
