package aaif

import (
	"slices"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
)

// site is a pointer into a definition, and the value there.
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

// at goes down to a member. Names of the format need no escape.
func (s site) at(names ...string) site {
	for _, name := range names {
		s = site{s.pointer + "/" + name, s.value.Get(name)}
	}
	return s
}

// Gate is the decision that a condition makes (section 5).
type Gate string

// The four decisions.
const (
	SelectGate   Gate = "when"      // choose this subagent?
	HandoffGate  Gate = "condition" // hand the run over?
	FilterGate   Gate = "filter"    // start a run?
	ApprovalGate Gate = "trigger"   // ask a person?
)

// GatedCondition is a condition, its place and the decision it makes.
type GatedCondition struct {
	Pointer   string
	Gate      Gate
	Condition Condition
}

// Conditions returns the conditions of a definition in document order (AAIF-5-1).
func (d Definition) Conditions() []GatedCondition {
	return slices.DeleteFunc(d.gates(), func(g GatedCondition) bool { return g.Condition.IsZero() })
}

// gates returns the places for conditions in a definition in document order.
func (d Definition) gates() []GatedCondition {
	var all []GatedCondition
	add := func(c Condition, pointer string, g Gate) {
		all = append(all, GatedCondition{Pointer: pointer + "/" + string(g), Gate: g, Condition: c})
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

// extensionName is a name at an extension point of a definition.
type extensionName struct {
	site
	point Point
	rule  string
}

// extensions returns the names at the extension points of a definition.
func extensions(d Definition) []extensionName {
	v := d.Value
	all := []extensionName{{site{"", v}.at("agent", "model", "provider"), Providers, "4.2-17"}}
	for _, c := range d.Conditions() {
		all = append(all, extensionName{site{c.Pointer, c.Condition.Value}.at("lang"), Languages, "5-3"})
	}
	for _, s := range each(v, "/agent/tools") {
		all = append(all, extensionName{s.at("protocol"), Protocols, "4.4-3"}, extensionName{s.at("auth", "vault_ref", "provider"), Vaults, "4.4-22"})
	}
	for _, s := range each(v, "/agent/memory") {
		all = append(all, extensionName{s.at("backend"), Backends, "4.5-9"})
	}
	return all
}

// checkNames reports names that only registries know, that are deprecated, or that
// registries do not allow yet (decision R40).
func (r Registries) checkNames(d Definition) []*codec.ParseError {
	var found []*codec.ParseError
	for _, n := range extensions(d) {
		e, ok := r[n.point].Entry(n.value.Text())
		before := inEdition(n.point, n.value.Text())
		switch {
		case !ok, e.Status == ProvisionalEntry && before:
		case e.Status == ProvisionalEntry:
			found = append(found, fault(Unregistered, "10-6", n.pointer, "provisional in %s%s until it is standard", n.point, escapeHint(n.point)))
		case e.Status == ReservedEntry:
			found = append(found, fault(Unregistered, "10-6", n.pointer, "reserved in %s", n.point))
		case e.Status == DeprecatedEntry:
			found = append(found, warning(RegistryDeprecated, "10-6", n.pointer, "deprecated in %s", n.point))
		case !before:
			found = append(found, warning(RegisteredOnly, "10-4", n.pointer, "standard in %s, but not in the schema of edition %s", n.point, Version))
		}
	}
	return append(found, r.checkCapabilities(d)...)
}

// inEdition reports whether edition 3.4.0 has a name at an extension point. Its
// enumeration counts in addition to the registries (decision R40).
func inEdition(p Point, id string) bool {
	e, ok := StandardRegistries()[p].Entry(id)
	return ok && e.Status == StandardEntry
}

// checkCapabilities reports listed capabilities that the registry does not allow
// (AAIF-10-6). A capability in no registry is no error here: no platform will satisfy it.
func (r Registries) checkCapabilities(d Definition) []*codec.ParseError {
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

// escapeHint says how to write a name that an extension point does not accept yet
// (AAIF-10-5).
func escapeHint(p Point) string {
	if p == Providers {
		return `: write "custom", and the name as provider_id,`
	}
	return ": use another,"
}
