package aaif

import "cmp"

// asked gathers what a definition needs; one need for each capability.
type asked struct {
	registries Registries
	needs      []Need
	at         map[string]int
}

// needs returns what a definition lists, and then what it uses (decision R19), in the
// order of the format.
func (r Registries) needs(d Definition) []Need {
	a := &asked{registries: r, at: map[string]int{}}
	for i, id := range d.Agent.Capabilities {
		a.need(id, item("/agent/required_capabilities", i)).Implicit = false
	}
	a.models(d.Agent.Model)
	a.topology(d.Agent.Orchestration)
	a.conditions(d.Conditions())
	a.tools(d.Agent.Tools)
	a.memory(d.Agent.Memory)
	if len(d.Agent.Constraints) > 0 {
		a.safety(constraintsCapability, "/agent/constraints")
	}
	a.ways(d.Agent)
	a.compliance(d.Agent.Compliance)
	return a.needs
}

// need adds a place where a capability is asked for. What is returned is good until the
// next call.
func (a *asked) need(id, pointer string) *Need {
	id = capabilityName(id)
	i, ok := a.at[id]
	if !ok {
		i = len(a.needs)
		a.at[id] = i
		a.needs = append(a.needs, Need{Capability: id, Implicit: true})
		need := &a.needs[i]
		need.NamedBy = a.registries.namedBy(id)
		need.Unregistered = need.NamedBy == ""
	}
	a.needs[i].Pointers = append(a.needs[i].Pointers, pointer)
	return &a.needs[i]
}

// where adds a place if something is there.
func (a *asked) where(is bool, id, pointer string) {
	if is {
		a.need(id, pointer)
	}
}

// safety adds a place that needs a safety feature.
func (a *asked) safety(id, pointer string) { a.need(id, pointer).Safety = true }

// models adds the providers of models, of which one is enough: models are preferences
// (section 3).
func (a *asked) models(m Model) {
	const at = "/agent/model/"
	var places []string
	name := m.nameOf(m.Provider)
	if name != "" {
		places = append(places, at+"provider")
	}
	for i, f := range m.Fallbacks {
		if f.Provider != "" {
			name = cmp.Or(name, m.nameOf(f.Provider))
			places = append(places, item(at+"fallbacks", i)+"/provider")
		}
	}
	for _, place := range places {
		if need := a.need(modelID(name), place); need.Implicit {
			need.Unregistered = false
		}
	}
}

// nameOf returns the name of a provider: of a custom one its own.
func (m Model) nameOf(provider string) string {
	if provider == CustomProvider {
		return cmp.Or(m.ProviderID, provider)
	}
	return provider
}

func (a *asked) topology(o Orchestration) {
	const at = "/agent/orchestration/"
	a.where(o.Role == Router && len(o.Subagents) > 0, "orchestration.dynamic_routing", at+"role")
	a.where(len(o.Handoffs) > 0, "orchestration.handoff", at+"handoff")
	a.where(len(o.Pipeline) > 0, "orchestration.pipeline", at+"pipeline")
	a.where(o.Parallel, "orchestration.parallel", at+"parallel_execution")
	a.where(o.Consensus.Strategy != "" || o.Consensus.Value.Len() > 0, "orchestration.consensus", at+"consensus")
}

// conditions adds the languages of conditions; those in words have none.
func (a *asked) conditions(all []Gated) {
	for _, g := range all {
		a.where(g.Condition.Lang != "", "condition."+string(g.Condition.Lang), g.Pointer)
	}
}

func (a *asked) tools(tools []Tool) {
	for i, t := range tools {
		at := item("/agent/tools", i)
		protocol := at
		if t.Value.Has("protocol") {
			protocol += "/protocol"
		}
		a.need("tool."+string(cmp.Or(t.Protocol, FunctionTool)), protocol)
		a.where(t.Auth.Type != "" && t.Auth.Type != "none", "auth."+t.Auth.Type, at+"/auth/type")
		a.where(t.Auth.Vault.Provider != "", vaultID(t.Auth.Vault.Provider), at+"/auth/vault_ref/provider")
	}
}

// memory adds the places of memory, for which others may stand in where they are not
// listed (AAIF-4.5-10).
func (a *asked) memory(entries []MemoryEntry) {
	for i, m := range entries {
		at := item("/agent/memory", i) + "/backend"
		e, ok := a.registries[Backends].Entry(m.Backend)
		a.where(ok && m.Backend != "custom", "memory."+m.Backend, at)
		a.where(e.Value.Get("vector").True(), "memory.vector", at)
	}
}

// ways adds how an agent is run and watched.
func (a *asked) ways(agent Agent) {
	a.where(agent.IO.Streaming, "io.streaming", "/agent/io/streaming")
	a.where(agent.IO.Mode == "async", "io.async", "/agent/io/mode")
	a.where(agent.IO.Mode == "batch", "io.batch", "/agent/io/mode")
	a.where(agent.Runtime.Async, "io.async", "/agent/runtime/async_execution")
	// Tracing is on without being asked for; only what is written is needed.
	a.where(agent.Telemetry.Tracing != nil && *agent.Telemetry.Tracing, "telemetry.otel", "/agent/telemetry/tracing")
}

func (a *asked) compliance(c Compliance) {
	const at = "/agent/compliance/"
	if c.Residency != "" && c.Residency != Global {
		a.safety(residencyCapability, at+"data_residency")
	}
	switch c.PII {
	case "", PIINone:
	case PIIAnonymize:
		a.safety(scrubbingCapability, at+"pii_handling")
	case PIIDetect: // also where nothing is written, which asks for nothing
		if c.Value.Has("pii_handling") {
			a.safety(scrubbingCapability, at+"pii_handling")
		}
	default:
		a.safety(handlingCapability, at+"pii_handling")
	}
	if c.AuditLog {
		a.safety("compliance.audit_log", at+"audit_log")
	}
	if c.Oversight.Enabled {
		a.safety("compliance.hitl", at+"human_in_the_loop/enabled")
	}
}
