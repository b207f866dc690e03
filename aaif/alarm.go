package aaif

import (
	"cmp"
	"strconv"
	"strings"
)

// ChangeKind says how a member differs between two documents.
type ChangeKind string

// The kinds of change. Moved is an item of a list at another place.
const (
	Added   ChangeKind = "added"
	Removed ChangeKind = "removed"
	Changed ChangeKind = "changed"
	Moved   ChangeKind = "moved"
)

// Change is a member that differs between two definitions of an agent.
type Change struct {
	Pointer string // in the later definition; for a removed member in the earlier
	How     ChangeKind
}

// Alarm returns a warning for a change that a person must not overlook: the agent may do
// more, has fewer rules, or talks to somebody else. It returns "" for any other change.
func (c Change) Alarm(earlier, later Definition) string {
	path := strings.Split(strings.TrimPrefix(c.Pointer, "/"), "/")
	if path[0] != "agent" {
		return c.alarmBeside(path, earlier.Provenance.Signature != "")
	}
	was, is := earlier.Agent, later.Agent
	if len(path) == 1 {
		return "AGENT REPLACED"
	}
	switch path[1] {
	case "tools":
		return c.alarmOfTool(path, was, is)
	case "compliance":
		return alarmOfCompliance(path, was.Compliance, is.Compliance)
	case "instructions", "goal":
		return "WHAT IT IS TOLD CHANGED"
	case "model":
		return c.alarmOfModel(path)
	case "orchestration":
		return c.alarmOfTopology(path, was, is)
	case "telemetry":
		return c.alarmOfTelemetry(path, was.Telemetry, is.Telemetry)
	case "memory":
		return c.alarmOfMemory(path)
	case "context":
		return c.alarmOfContext(path)
	case "runtime":
		return alarmOfRuntime(path, was.Runtime, is.Runtime)
	case "evaluation":
		return alarmOfGates(was.Evaluation, is.Evaluation)
	}
	return c.alarmOfRest(path, was, is)
}

// alarmOfRest returns the Alarm of members that matter for one reason only.
func (c Change) alarmOfRest(path []string, was, is Agent) string {
	fewer := len(path) == 2 && len(is.Constraints) < len(was.Constraints)
	switch {
	case path[1] == "constraints" && (fewer || c.How == Removed || c.How == Changed):
		return "CONSTRAINT REMOVED"
	case path[1] == "events" && c.How != Removed && (len(path) == 2 || path[2] == "triggers"):
		return "STARTED BY SOMETHING ELSE"
	case path[1] == "events" && (len(path) == 2 || path[2] == "on_tool_call") && was.Events.OnToolCall != "" && is.Events.OnToolCall != was.Events.OnToolCall:
		return "ITS CALLS OF TOOLS ARE WATCHED DIFFERENTLY"
	case path[1] == "required_capabilities" && c.How == Removed:
		return "CAPABILITY NOT REQUIRED ANY MORE"
	}
	return ""
}

// alarmOfTelemetry returns the Alarm of changes to telemetry.
func (c Change) alarmOfTelemetry(path []string, was, is Telemetry) string {
	switch {
	case was.Endpoint != is.Endpoint && is.Endpoint != "" && (len(path) == 2 || path[2] == "otlp_endpoint"):
		return "TELEMETRY GOES ELSEWHERE"
	case was.Traces() && !is.Traces(), was.Measures() && !is.Measures(), c.How == Removed && (len(path) == 2 || path[2] == "otlp_endpoint"):
		return "TELEMETRY SWITCHED OFF"
	}
	return ""
}

// alarmBeside returns the Alarm of members outside the agent.
func (c Change) alarmBeside(path []string, signed bool) string {
	switch {
	case path[0] == "agent_id":
		return "ANOTHER AGENT: its id never changes"
	case path[0] == "provenance" && (len(path) == 1 || path[1] == "signature") && c.How == Removed && signed:
		return "SIGNATURE REMOVED"
	case path[0] == "provenance" && len(path) > 1 && path[1] == "authored_by":
		return "ANOTHER AUTHOR"
	case path[0] == "provenance" && len(path) > 1 && path[1] == "source_platform":
		return "ANOTHER PLATFORM: its key may be another's"
	case path[0] == "provenance" && len(path) > 1 && path[1] == "signature" && c.How == Changed:
		return "SIGNED ANEW: verify by whom"
	case path[0] == "x-aaif-signer":
		return "ANOTHER SIGNER"
	}
	return ""
}

func (c Change) alarmOfTool(path []string, was, is Agent) string {
	if c.How == Moved || c.How == Removed && len(path) <= 3 {
		return ""
	}
	name := ""
	if len(path) > 2 {
		if i, err := strconv.Atoi(path[2]); err == nil && i >= 0 && i < len(is.Tools) {
			name = " " + Shown(is.Tools[i].Name)
		}
	}
	switch {
	case len(path) == 2 || len(path) == 3 && c.How == Added:
		return "TOOL ADDED" + name
	case len(path) == 3:
		return "TOOL CHANGED" + name
	case path[3] == "endpoint" || path[3] == "protocol":
		return "TOOL CALLS SOMEBODY ELSE:" + name
	case path[3] == "auth":
		return "TOOL AUTHENTICATES DIFFERENTLY:" + name
	case path[3] == "parameters_schema" || path[3] == "description":
		return "TOOL TAKES OR DOES SOMETHING ELSE:" + name
	case path[3] == "rate_limit":
		return alarmOfLimit(path[2], was, is)
	}
	return ""
}

func alarmOfCompliance(path []string, was, is Compliance) string {
	touches := func(member string) bool { return len(path) == 2 || path[2] == member }
	var all []string
	add := func(yes bool, text string) {
		if yes {
			all = append(all, text)
		}
	}
	add(touches("safety_level") && is.Safety.rank() < was.Safety.rank(), "SAFETY LEVEL LOWERED")
	add(touches("pii_handling") && is.PII.rank() < was.PII.rank(), "PERSONAL DATA PROTECTED LESS")
	add(touches("data_residency") && was.Residency != is.Residency && cmp.Or(was.Residency, Global) != Global, "DATA MAY GO ELSEWHERE")
	add(touches("audit_log") && was.AuditLog && !is.AuditLog, "AUDIT LOG SWITCHED OFF")
	add(touches("human_in_the_loop") && was.Oversight.Enabled && !is.Oversight.Enabled, "NOBODY IS ASKED ANY MORE")
	add(touches("human_in_the_loop") && was.Oversight.Enabled && is.Oversight.Enabled, "PEOPLE ARE ASKED ABOUT SOMETHING ELSE")
	return strings.Join(all, "; ")
}

func (c Change) alarmOfModel(path []string) string {
	if len(path) == 2 && c.How == Removed {
		return ""
	}
	if len(path) == 2 {
		return "DATA GOES TO ANOTHER MODEL"
	}
	switch path[2] {
	case "provider", "provider_id", "base_url":
		return "DATA GOES TO ANOTHER PROVIDER"
	case "params":
		if len(path) == 3 || path[3] == "extended" && (len(path) == 4 || isAddressName(path[4])) {
			return c.unlessRemoved("DATA MAY GO TO ANOTHER PROVIDER")
		}
	case "fallbacks":
		switch {
		case strings.HasSuffix(c.Pointer, "/max_cost_usd_per_1k_tokens") && c.How == Removed:
			return "COST CEILING REMOVED"
		case c.How == Added && len(path) <= 4:
			return "DATA MAY GO TO ONE MORE MODEL"
		}
	}
	return ""
}

func (c Change) alarmOfTopology(path []string, was, is Agent) string {
	if len(path) == 2 && c.How == Removed {
		return ""
	}
	if len(path) == 2 {
		return "WORKS WITH OTHER AGENTS"
	}
	switch path[2] {
	case "subagents", "handoff":
		if c.How != Removed && c.How != Moved {
			return "WORKS WITH OTHER AGENTS, OR PASSES MORE TO THEM"
		}
	case "max_iterations":
		if is.Orchestration.MaxIterations > was.Orchestration.MaxIterations {
			return "MAY GO ON FOR LONGER"
		}
	}
	return ""
}
