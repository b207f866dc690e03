package aaif

import "cmp"

// needCollector collects the needs of a definition, one per capability.
type needCollector struct {
	registries Registries
	needs      []Need
	at         map[string]int
}

// needs returns the listed capabilities and then the used ones (decision R19), in
// document order.
func (r Registries) needs(d Definition) []Need {
	a := &needCollector{registries: r, at: map[string]int{}}
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
	a.runtime(d.Agent)
	a.compliance(d.Agent.Compliance)
	return a.needs
}

// need adds a place that needs a capability. The result is valid until the next call.
func (a *needCollector) need(id, pointer string) *Need {
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

// needIf adds a place if it needs the capability.
func (a *needCollector) needIf(is bool, id, pointer string) {
	if is {
		a.need(id, pointer)
	}
}

// safety adds a place that needs a safety feature.
func (a *needCollector) safety(id, pointer string) { a.need(id, pointer).Safety = true }

// models adds the providers of models. One of them is enough, as models are preferences
// (section 3).
func (a *needCollector) models(m Model) {
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

// nameOf returns the name of a provider; a custom provider has its own.
func (m Model) nameOf(provider string) string {
	if provider == CustomProvider {
		return cmp.Or(m.ProviderID, provider)
	}
	return provider
}

func (a *needCollector) topology(o Orchestration) {
	const at = "/agent/orchestration/"
	a.needIf(o.Role == Router && len(o.Subagents) > 0, "orchestration.dynamic_routing", at+"role")
	a.needIf(len(o.Handoffs) > 0, "orchestration.handoff", at+"handoff")
	a.needIf(len(o.Pipeline) > 0, "orchestration.pipeline", at+"pipeline")
	a.needIf(o.Parallel, "orchestration.parallel", at+"parallel_execution")
	a.needIf(o.Consensus.Strategy != "" || o.Consensus.Value.Len() > 0, "orchestration.consensus", at+"consensus")
}

// conditions adds the languages of conditions. Conditions in words have none.
func (a *needCollector) conditions(all []GatedCondition) {
	for _, g := range all {
		a.needIf(g.Condition.Lang != "", "condition."+string(g.Condition.Lang), g.Pointer)
	}
}

func (a *needCollector) tools(tools []Tool) {
	for i, t := range tools {
		at := item("/agent/tools", i)
		protocol := at
		if t.Value.Has("protocol") {
			protocol += "/protocol"
		}
		a.need("tool."+string(cmp.Or(t.Protocol, FunctionTool)), protocol)
		a.needIf(t.Auth.Type != "" && t.Auth.Type != "none", "auth."+t.Auth.Type, at+"/auth/type")
		a.needIf(t.Auth.Vault.Provider != "", vaultID(t.Auth.Vault.Provider), at+"/auth/vault_ref/provider")
	}
}

// memory adds the backends of memory. Another may replace those that are not listed
// (AAIF-4.5-10).
func (a *needCollector) memory(entries []MemoryEntry) {
	for i, m := range entries {
		at := item("/agent/memory", i) + "/backend"
		e, ok := a.registries[Backends].Entry(m.Backend)
		a.needIf(ok && m.Backend != "custom", "memory."+m.Backend, at)
		a.needIf(e.Value.Get("vector").True(), "memory.vector", at)
	}
}

// runtime adds needs of running and watching the agent.
func (a *needCollector) runtime(agent Agent) {
	a.needIf(agent.IO.Streaming, "io.streaming", "/agent/io/streaming")
	a.needIf(agent.IO.Mode == "async", "io.async", "/agent/io/mode")
	a.needIf(agent.IO.Mode == "batch", "io.batch", "/agent/io/mode")
	a.needIf(agent.Runtime.Async, "io.async", "/agent/runtime/async_execution")
	// Tracing is on by default; only a written true needs it.
	a.needIf(agent.Telemetry.Tracing != nil && *agent.Telemetry.Tracing, "telemetry.otel", "/agent/telemetry/tracing")
}

func (a *needCollector) compliance(c Compliance) {
	const at = "/agent/compliance/"
	if c.Residency != "" && c.Residency != Global {
		a.safety(residencyCapability, at+"data_residency")
	}
	switch c.PII {
	case "", PIINone:
	case PIIAnonymize:
		a.safety(scrubbingCapability, at+"pii_handling")
	case PIIDetect: // the default, which needs nothing unless it is written
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
