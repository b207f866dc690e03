package aaif

import (
	"slices"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
)

// site is a place in a definition, and its value.
type site struct {
	pointer string
	value   canon.Value
}

// each returns the items of a list in a definition.
func each(v canon.Value, pointer string) []site {
	list, _ := v.At(pointer)
	var sites []site
	for i, inner := range list.Items() {
		sites = append(sites, site{item(pointer, i), inner})
	}
	return sites
}

// at goes down to a member; names are those of the format, which need no escape.
func (s site) at(names ...string) site {
	for _, name := range names {
		s = site{s.pointer + "/" + name, s.value.Get(name)}
	}
	return s
}

// Gate is which decision a condition makes (section 5).
type Gate string

// The four decisions.
const (
	SelectGate   Gate = "when"      // whether a subagent is chosen
	HandoffGate  Gate = "condition" // whether a run is handed over
	FilterGate   Gate = "filter"    // whether a trigger starts a run
	ApprovalGate Gate = "trigger"   // whether a person is asked
)

// Gated is a condition and where it stands.
type Gated struct {
	Pointer   string
	Gate      Gate
	Condition Condition
}

// Conditions returns the conditions of a definition, in its order (AAIF-5-1).
func (d Definition) Conditions() []Gated {
	return slices.DeleteFunc(d.gates(), func(g Gated) bool { return g.Condition.IsZero() })
}

// gates returns the places for conditions in a definition, in its order.
func (d Definition) gates() []Gated {
	var all []Gated
	add := func(c Condition, pointer string, g Gate) {
		all = append(all, Gated{Pointer: pointer + "/" + string(g), Gate: g, Condition: c})
	}
	for i, s := range d.Agent.Orchestration.Subagents {
		add(s.When, item("/agent/orchestration/subagents", i), SelectGate)
	}
	for i, h := range d.Agent.Orchestration.Handoffs {
		add(h.Condition, item("/agent/orchestration/handoff", i), HandoffGate)
	}
	for i, t := range d.Agent.Events.Triggers {
		add(t.Filter, item("/agent/events/triggers", i), FilterGate)
	}
	add(d.Agent.Compliance.Oversight.Trigger, "/agent/compliance/human_in_the_loop", ApprovalGate)
	return all
}

// names is a value of an extension point in a definition.
type names struct {
	site
	point Point
	rule  string
}

// extensions returns what a definition names at extension points.
func extensions(d Definition) []names {
	v := d.Value
	all := []names{{site{"", v}.at("agent", "model", "provider"), Providers, "4.2-17"}}
	for _, c := range d.Conditions() {
		all = append(all, names{site{c.Pointer, c.Condition.Value}.at("lang"), Languages, "5-3"})
	}
	for _, s := range each(v, "/agent/tools") {
		all = append(all, names{s.at("protocol"), Protocols, "4.4-3"}, names{s.at("auth", "vault_ref", "provider"), Vaults, "4.4-22"})
	}
	for _, s := range each(v, "/agent/memory") {
		all = append(all, names{s.at("backend"), Backends, "4.5-9"})
	}
	return all
}

// named says what registries say of what a definition names: what they alone know, what
// is deprecated, and why what they have is not enough (decision R40).
func (r Registries) named(d Definition) []*codec.ParseError {
	var found []*codec.ParseError
	for _, n := range extensions(d) {
		e, ok := r[n.point].Entry(n.value.Text())
		before := inEdition(n.point, n.value.Text())
		switch {
		case !ok, e.Status == ProvisionalEntry && before:
		case e.Status == ProvisionalEntry:
			found = append(found, fault(Unregistered, "10-6", n.pointer, "provisional in %s%s until it is standard", n.point, hatch(n.point)))
		case e.Status == ReservedEntry:
			found = append(found, fault(Unregistered, "10-6", n.pointer, "reserved in %s", n.point))
		case e.Status == DeprecatedEntry:
			found = append(found, warning(RegistryDeprecated, "10-6", n.pointer, "deprecated in %s", n.point))
		case !before:
			found = append(found, warning(RegisteredOnly, "10-4", n.pointer, "standard in %s, but not in the schema of edition %s", n.point, Version))
		}
	}
	return append(found, r.listed(d)...)
}

// inEdition reports whether edition 3.4.0 has a word at an extension point, whatever
// registries say of it: its enumeration counts beside them (decision R40).
func inEdition(p Point, id string) bool {
	e, ok := StandardRegistries()[p].Entry(id)
	return ok && e.Status == StandardEntry
}

// listed says what the registry of capabilities says of those that a definition lists
// (AAIF-10-6). Those that no registry has are no error: no platform will satisfy them.
func (r Registries) listed(d Definition) []*codec.ParseError {
	var found []*codec.ParseError
	for i, id := range d.Agent.Capabilities {
		e, ok := r[Capabilities].Entry(id)
		if !ok {
			e, ok = r[Capabilities].Entry(capabilityName(id))
		}
		pointer := item("/agent/required_capabilities", i)
		switch {
		case !ok, e.Status == ProvisionalEntry && inEdition(Capabilities, e.ID):
		case e.Status == DeprecatedEntry:
			found = append(found, warning(RegistryDeprecated, "10-6", pointer, "deprecated in %s", Capabilities))
		case e.Status == ReservedEntry:
			found = append(found, fault(Unregistered, "10-6", pointer, "reserved in %s", Capabilities))
		case e.Status == ProvisionalEntry:
			found = append(found, fault(Unregistered, "10-6", pointer, "provisional in %s: list it in a member of the document that begins with x- until it is standard", Capabilities))
		}
	}
	return found
}

// hatch says how to write what an extension point does not take yet (AAIF-10-5).
func hatch(p Point) string {
	if p == Providers {
		return `: write "custom", and the name as provider_id,`
	}
	return ": use another,"
}
