package aaif

import (
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/canon"
)

// Produced returns the levels of a definition, which are those of its producer (section
// 6). Only written members count, not defaults.
func (v *Validator) Produced(d Document) Conformance {
	read := ReadDefinition(d.Value)
	return climb(func(l Level) []Gap {
		if l == Core {
			return v.core(d)
		}
		return v.predicates()[l](read)
	})
}

// Lacks returns the gaps between a definition and a level, including the levels below;
// none if the definition holds the level. An export at that level is refused for them
// (AAIF-6-14).
func (v *Validator) Lacks(d Document, l Level) []Gap {
	if !slices.Contains(Levels(), l) {
		return []Gap{{Level: l, Rule: "AAIF-6-1", Text: "there is no such level"}}
	}
	var missing []Gap
	if below := l.Below(); below != "" {
		missing = v.Lacks(d, below)
	}
	if l == Core {
		return v.core(d)
	}
	return append(missing, v.predicates()[l](ReadDefinition(d.Value))...)
}

// core checks the schema (AAIF-6-2).
func (v *Validator) core(d Document) []Gap {
	if d.Kind != AgentKind {
		return []Gap{{Level: Core, Rule: "AAIF-6-2", Text: "not a definition of an agent"}}
	}
	var missing []Gap
	for _, p := range Errors(v.Validate(d)) {
		missing = append(missing, Gap{Level: Core, Pointer: p.Path, Rule: p.Rule, Text: p.Err.Error()})
	}
	return missing
}

// WithFiles returns a validator that can look for files beside the definition. It calls
// exists with a path relative to the definition's folder; exists must not leave that
// folder. Without it, paths count as unresolved (decision R10).
func (v *Validator) WithFiles(exists func(path string) bool) *Validator {
	other := *v
	other.exists = exists
	return &other
}

func (v *Validator) predicates() map[Level]func(Definition) []Gap {
	return map[Level]func(Definition) []Gap{
		Tooled: tooled, Portable: v.portable, MultiAgent: multiAgent, Observable: observable, Enterprise: enterprise, Stateful: stateful,
	}
}

// need is a condition of a level.
type need struct {
	ok            bool
	pointer, text string
}

// unmet returns a gap for every need that is not met.
func unmet(l Level, rule string, needs ...need) []Gap {
	var missing []Gap
	for _, n := range needs {
		if !n.ok {
			missing = append(missing, Gap{Level: l, Pointer: n.pointer, Rule: "AAIF-" + rule, Text: n.text})
		}
	}
	return missing
}

func tooled(d Definition) []Gap {
	return unmet(Tooled, "6-3", need{
		slices.ContainsFunc(d.Agent.Tools, func(t Tool) bool { return t.Parameters.Type() == canon.TypeObject }),
		"/agent/tools", "no tool has a parameters_schema",
	})
}

func (v *Validator) portable(d Definition) []Gap {
	needs := []need{{len(d.Agent.Constraints) > 0, "/agent/constraints", "there are no constraints"}}
	for i, t := range d.Agent.Tools {
		at := item("/agent/tools", i) + "/endpoint"
		needs = append(needs, need{t.Resolvable(), at, "no endpoint that a tool of protocol " + Shown(string(t.Protocol)) + " could be called at"})
		if t.Resolvable() && t.Protocol == OpenAPITool && !strings.Contains(t.Endpoint, "://") {
			there := v.exists != nil && !strings.HasPrefix(t.Endpoint, "/") && v.exists(t.Endpoint)
			needs = append(needs, need{there, at, "no file that is known to lie beside the definition"})
		}
	}
	return unmet(Portable, "6-4", needs...)
}

func multiAgent(d Definition) []Gap {
	o := d.Agent.Orchestration
	named := slices.ContainsFunc(o.Subagents, func(s Subagent) bool { return s.Ref != "" }) ||
		slices.ContainsFunc(o.Handoffs, func(h Handoff) bool { return h.Target != "" })
	return unmet(MultiAgent, "6-5",
		need{o.Role != "", "/agent/orchestration/role", "no role is declared"},
		need{named, "/agent/orchestration", "there are neither subagents nor handoffs"})
}

func observable(d Definition) []Gap {
	return unmet(Observable, "6-6",
		need{d.Agent.Telemetry.Tracing != nil && *d.Agent.Telemetry.Tracing, "/agent/telemetry/tracing", "must be written as true"},
		need{slices.ContainsFunc(d.Agent.Evaluation.Metrics, func(m Metric) bool { return m.Threshold != nil }), "/agent/evaluation/metrics", "no metric has a threshold"})
}

func enterprise(d Definition) []Gap {
	c := d.Agent.Compliance
	return unmet(Enterprise, "6-8",
		need{c.Value.Has("safety_level"), "/agent/compliance/safety_level", "must be written"},
		need{c.AuditLog, "/agent/compliance/audit_log", "must be true"},
		need{d.Provenance.Signature != "", "/provenance/signature", "the definition is not signed"},
		need{d.Provenance.Signature == "" || signatureBytes(d.Provenance.Signature) != nil, "/provenance/signature", notSignature})
}

func stateful(d Definition) []Gap {
	return unmet(Stateful, "6-10", need{slices.Contains(d.Agent.Capabilities, "state.checkpoint"), "/agent/required_capabilities", "state.checkpoint is not among them"})
}

// Resolvable reports whether the endpoint of a tool has the form that its protocol needs.
// It does not try the endpoint (decision R10).
func (t Tool) Resolvable() bool {
	scheme, rest, hasScheme := strings.Cut(t.Endpoint, "://")
	web := hasScheme && (scheme == "https" || scheme == "http") && hasHost(rest)
	switch t.Protocol {
	case FunctionTool:
		return true
	case MCPTool:
		server, capability, ok := strings.Cut(rest, "/")
		return web || scheme == "mcp" && ok && server != "" && capability != "" ||
			hasScheme && (scheme == "ws" || scheme == "wss") && hasHost(rest) || strings.HasPrefix(t.Endpoint, "stdio:") && len(t.Endpoint) > len("stdio:")
	case HTTPTool:
		return web && hasSimplePlaceholders(rest)
	case OpenAPITool:
		return web || !hasScheme && t.Endpoint != "" && !strings.ContainsAny(t.Endpoint, "\x00\n")
	}
	return t.Endpoint != ""
}

// hasHost reports whether the rest of an address, after its scheme, names a host.
func hasHost(rest string) bool {
	host, _, _ := strings.Cut(rest, "/")
	host, _, _ = strings.Cut(host, "?")
	return host != "" && !strings.ContainsAny(rest, " \t\n\\")
}

// hasSimplePlaceholders reports whether the braces of an address are simple expressions
// (RFC 6570, level 1).
func hasSimplePlaceholders(s string) bool {
	for {
		before, after, ok := strings.Cut(s, "{")
		if strings.Contains(before, "}") {
			return false
		}
		if !ok {
			return true
		}
		name, rest, ok := strings.Cut(after, "}")
		if !ok || name == "" || strings.ContainsAny(name, "{/?#&+ ") {
			return false
		}
		s = rest
	}
}
