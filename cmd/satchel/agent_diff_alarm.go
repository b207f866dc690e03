package main

import (
	"cmp"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/aaif"
)

// alarmOf says why a change of a definition must not be overlooked, and "" where it need
// not be shouted: the agent may do more, is held to less, or talks to somebody else.
func alarmOf(c agentChange, was, is aaif.Agent) string {
	path := strings.Split(strings.TrimPrefix(c.Pointer, "/"), "/")
	if path[0] != "agent" {
		return alarmBeside(c, path)
	}
	if len(path) == 1 {
		return "AGENT REPLACED"
	}
	switch path[1] {
	case "tools":
		return alarmOfTool(c, path, is)
	case "constraints":
		if c.Change != changeAdded && c.Change != changeMoved {
			return "CONSTRAINT REMOVED"
		}
		if len(path) == 2 && len(is.Constraints) < len(was.Constraints) {
			return "CONSTRAINT REMOVED"
		}
	case "compliance":
		return alarmOfCompliance(path, was.Compliance, is.Compliance)
	case "instructions", "goal":
		return "WHAT IT IS TOLD CHANGED"
	case "model":
		return alarmOfModel(c, path)
	case "orchestration":
		return alarmOfTopology(c, path, was, is)
	case "telemetry":
		return map[bool]string{true: "TELEMETRY GOES ELSEWHERE"}[len(path) == 2 || path[2] == "otlp_endpoint"]
	case "events":
		return map[bool]string{true: "STARTED BY SOMETHING ELSE"}[len(path) == 2 && c.Change != changeRemoved || len(path) > 2 && path[2] == "triggers" && c.Change != changeRemoved]
	case "runtime":
		return map[bool]string{true: "RUNS ELSEWHERE"}[len(path) > 2 && path[2] == "environment"]
	case "required_capabilities":
		return map[bool]string{true: "CAPABILITY NOT REQUIRED ANY MORE"}[c.Change == changeRemoved]
	}
	return ""
}

// alarmBeside is alarmOf of what stands beside the agent.
func alarmBeside(c agentChange, path []string) string {
	switch {
	case path[0] == "agent_id":
		return "ANOTHER AGENT: its id never changes"
	case path[0] == "provenance" && len(path) > 1 && path[1] == "signature" && c.Change == changeRemoved, path[0] == "provenance" && len(path) == 1 && c.Change == changeRemoved:
		return "SIGNATURE REMOVED"
	case path[0] == "provenance" && len(path) > 1 && path[1] == "authored_by":
		return "ANOTHER AUTHOR"
	case path[0] == "x-aaif-signer":
		return "ANOTHER SIGNER"
	}
	return ""
}

func alarmOfTool(c agentChange, path []string, is aaif.Agent) string {
	if c.Change == changeMoved || c.Change == changeRemoved && len(path) <= 3 {
		return ""
	}
	name := ""
	if len(path) > 2 {
		if i := indexOf(path[2]); i >= 0 && i < len(is.Tools) {
			name = " " + oneLine(is.Tools[i].Name, 80)
		}
	}
	switch {
	case len(path) == 2 || len(path) == 3 && c.Change == changeAdded:
		return "TOOL ADDED" + name
	case len(path) == 3:
		return "TOOL CHANGED" + name
	case path[3] == "endpoint" || path[3] == "protocol":
		return "TOOL CALLS SOMEBODY ELSE:" + name
	case path[3] == "auth":
		return "TOOL AUTHENTICATES DIFFERENTLY:" + name
	case path[3] == "parameters_schema" || path[3] == "description":
		return "TOOL TAKES OR DOES SOMETHING ELSE:" + name
	case path[3] == "rate_limit" && c.Change == changeRemoved:
		return "TOOL IS LIMITED NO MORE:" + name
	}
	return ""
}

// indexOf reads the index of an item, -1 where it is none.
func indexOf(step string) int {
	n := 0
	for _, r := range step {
		if r < '0' || r > '9' || n > 1<<20 {
			return -1
		}
		n = n*10 + int(r-'0')
	}
	return n
}

// lowered reports whether a word stands before another in an order.
func lowered[T ~string](was, is T, order ...T) bool {
	return slices.Index(order, is) < slices.Index(order, was)
}

func alarmOfCompliance(path []string, was, is aaif.Compliance) string {
	touches := func(member string) bool { return len(path) == 2 || path[2] == member }
	var all []string
	add := func(yes bool, text string) {
		if yes {
			all = append(all, text)
		}
	}
	add(touches("safety_level") && lowered(was.Safety, is.Safety, aaif.Minimal, aaif.Standard, aaif.Strict, aaif.Regulated), "SAFETY LEVEL LOWERED")
	add(touches("pii_handling") && lowered(was.PII, is.PII, aaif.PIINone, aaif.PIIDetect, aaif.PIIAnonymize, aaif.PIIEncrypt, aaif.PIIReject), "PERSONAL DATA PROTECTED LESS")
	add(touches("data_residency") && was.Residency != is.Residency && cmp.Or(was.Residency, aaif.Global) != aaif.Global, "DATA MAY GO ELSEWHERE")
	add(touches("audit_log") && was.AuditLog && !is.AuditLog, "AUDIT LOG SWITCHED OFF")
	add(touches("human_in_the_loop") && was.Oversight.Enabled && !is.Oversight.Enabled, "NOBODY IS ASKED ANY MORE")
	add(touches("human_in_the_loop") && was.Oversight.Enabled && is.Oversight.Enabled, "PEOPLE ARE ASKED ABOUT SOMETHING ELSE")
	return strings.Join(all, "; ")
}

func alarmOfModel(c agentChange, path []string) string {
	if len(path) == 2 {
		return map[bool]string{true: "DATA GOES TO ANOTHER MODEL"}[c.Change != changeRemoved]
	}
	switch path[2] {
	case "provider", "provider_id", "base_url":
		return "DATA GOES TO ANOTHER PROVIDER"
	case "fallbacks":
		switch {
		case strings.HasSuffix(c.Pointer, "/max_cost_usd_per_1k_tokens"):
			return map[bool]string{true: "COST CEILING REMOVED"}[c.Change == changeRemoved]
		case c.Change == changeAdded && len(path) <= 4:
			return "DATA MAY GO TO ONE MORE MODEL"
		}
	}
	return ""
}

func alarmOfTopology(c agentChange, path []string, was, is aaif.Agent) string {
	if len(path) == 2 {
		return map[bool]string{true: "WORKS WITH OTHER AGENTS"}[c.Change != changeRemoved]
	}
	switch path[2] {
	case "subagents", "handoff":
		if c.Change != changeRemoved && c.Change != changeMoved {
			return "WORKS WITH OTHER AGENTS, OR PASSES MORE TO THEM"
		}
	case "max_iterations":
		if is.Orchestration.MaxIterations > was.Orchestration.MaxIterations {
			return "MAY GO ON FOR LONGER"
		}
	}
	return ""
}
