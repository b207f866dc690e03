package agentspec_test

import (
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/agentspec"
	"github.com/satchel-memory/satchel/aaif/exchange/exchangetest"
	"github.com/satchel-memory/satchel/codec"
)

// managed is a manager with two workers, of which one is on another server.
const managed = `{"component_type":"ManagerWorkers","id":"team","name":"Office","agentspec_version":"25.4.2","description":"Runs the office.",
	"group_manager":{"component_type":"Agent","id":"7b1f6d0e-3c55-4f0a-9a60-0f5f6f1f2a01","name":"Boss","system_prompt":"Lead."},
	"workers":[{"$component_ref":"w"},{"component_type":"Agent","id":"second","name":"Typist","system_prompt":"Type."},
	{"component_type":"A2AAgent","id":"far","name":"Far","agent_url":"https://far.example/a2a"}],
	"$referenced_components":{"w":{"component_type":"Agent","id":"7b1f6d0e-3c55-4f0a-9a60-0f5f6f1f2a02","name":"Clerk","system_prompt":"File."}}}`

// swarm is one of three agents; % is how they hand over.
const swarm = `{"component_type":"Swarm","id":"sw","name":"Desk","first_agent":{"$component_ref":"a"},"handoff":%,
	"relationships":[[{"$component_ref":"a"},{"$component_ref":"b"}],[{"$component_ref":"b"},{"$component_ref":"a"}],[{"$component_ref":"a"},{"$component_ref":"c"}]],
	"$referenced_components":{"a":{"component_type":"Agent","id":"7b1f6d0e-3c55-4f0a-9a60-0f5f6f1f2a0a","name":"Ask","system_prompt":"A."},
	"b":{"component_type":"Agent","id":"7b1f6d0e-3c55-4f0a-9a60-0f5f6f1f2a0b","name":"Bill","system_prompt":"B."},
	"c":{"component_type":"Agent","id":"7b1f6d0e-3c55-4f0a-9a60-0f5f6f1f2a0c","name":"Carry","system_prompt":"C."}}}`

// line is a flow of two agents, one after the other; % is what else leads from a step to a step.
const line = `{"component_type":"Flow","id":"7b1f6d0e-3c55-4f0a-9a60-0f5f6f1f2aff","name":"Report","description":"Writes reports.","agentspec_version":"25.4.1",
	"inputs":[{"title":"topic","type":"string"}],"start_node":{"$component_ref":"start"},
	"nodes":[{"$component_ref":"start"},{"$component_ref":"draft"},{"$component_ref":"check"},{"$component_ref":"end"}],
	"control_flow_connections":[{"component_type":"ControlFlowEdge","id":"e1","name":"1","from_node":{"$component_ref":"start"},"from_branch":null,"to_node":{"$component_ref":"draft"}},
	{"component_type":"ControlFlowEdge","id":"e2","name":"2","from_node":{"$component_ref":"draft"},"to_node":{"$component_ref":"check"}},
	{"component_type":"ControlFlowEdge","id":"e3","name":"3","from_node":{"$component_ref":"check"},"from_branch":"next","to_node":{"$component_ref":"end"}}%],
	"data_flow_connections":[{"component_type":"DataFlowEdge","id":"d1","name":"d","source_node":{"$component_ref":"draft"},"source_output":"text","destination_node":{"$component_ref":"check"},"destination_input":"text"}],
	"$referenced_components":{"start":{"component_type":"StartNode","id":"n0","name":"start"},"end":{"component_type":"EndNode","id":"n9","name":"end"},
	"draft":{"component_type":"AgentNode","id":"n1","name":"drafting","agent":{"component_type":"Agent","id":"7b1f6d0e-3c55-4f0a-9a60-0f5f6f1f2a11","name":"Writer","system_prompt":"Write."}},
	"check":{"component_type":"AgentNode","id":"n2","name":"checking","agent":{"component_type":"Agent","id":"7b1f6d0e-3c55-4f0a-9a60-0f5f6f1f2a12","name":"Checker","system_prompt":"Check."}}}}`

// fork is a flow that gives its input to one of two agents; % is where the value comes from
// by which it chooses.
const fork = `{"component_type":"Flow","id":"7b1f6d0e-3c55-4f0a-9a60-0f5f6f1f2aee","name":"Post","agentspec_version":"25.4.1","inputs":[{"title":"kind","type":"string"}],
	"start_node":{"$component_ref":"start"},"nodes":[{"$component_ref":"start"},{"$component_ref":"by"},{"$component_ref":"bill"},{"$component_ref":"mail"},{"$component_ref":"end"}],
	"control_flow_connections":[{"component_type":"ControlFlowEdge","id":"e1","name":"1","from_node":{"$component_ref":"start"},"to_node":{"$component_ref":"by"}},
	{"component_type":"ControlFlowEdge","id":"e2","name":"2","from_node":{"$component_ref":"by"},"from_branch":"money","to_node":{"$component_ref":"bill"}},
	{"component_type":"ControlFlowEdge","id":"e3","name":"3","from_node":{"$component_ref":"by"},"from_branch":"default","to_node":{"$component_ref":"mail"}},
	{"component_type":"ControlFlowEdge","id":"e4","name":"4","from_node":{"$component_ref":"bill"},"to_node":{"$component_ref":"end"}},
	{"component_type":"ControlFlowEdge","id":"e5","name":"5","from_node":{"$component_ref":"mail"},"to_node":{"$component_ref":"end"}}],
	"data_flow_connections":[{"component_type":"DataFlowEdge","id":"d1","name":"d","source_node":{"$component_ref":"%"},"source_output":"kind","destination_node":{"$component_ref":"by"},"destination_input":"branching_mapping_key"}],
	"$referenced_components":{"start":{"component_type":"StartNode","id":"n0","name":"start"},"end":{"component_type":"EndNode","id":"n9","name":"end"},
	"by":{"component_type":"BranchingNode","id":"nb","name":"by","mapping":{"invoice":"money","receipt":"money"}},
	"bill":{"component_type":"AgentNode","id":"n1","name":"bill","agent":{"component_type":"Agent","id":"7b1f6d0e-3c55-4f0a-9a60-0f5f6f1f2a21","name":"Bill","system_prompt":"B."}},
	"mail":{"component_type":"AgentNode","id":"n2","name":"mail","agent":{"component_type":"Agent","id":"7b1f6d0e-3c55-4f0a-9a60-0f5f6f1f2a22","name":"Mail","system_prompt":"M."}}}}`

func fill(text, with string) string { return strings.Replace(text, "%", with, 1) }

// reasonAt returns the reason that is told at a pointer, and "" where none is.
func reasonAt(lost []codec.Loss, pointer string) string {
	for _, l := range lost {
		if l.Pointer == pointer {
			return l.Reason
		}
	}
	return ""
}

func TestTeams(t *testing.T) {
	const mark = `"provenance":{"source_platform":"agentspec"}}`
	head := func(id string) string {
		return `{"sc_standard":"SC-006","sc_version":"3.4.0","agent_id":"7b1f6d0e-3c55-4f0a-9a60-0f5f6f1f2a` + id + `",`
	}
	ref := func(id string) string { return `"7b1f6d0e-3c55-4f0a-9a60-0f5f6f1f2a` + id + `"` }
	handed := func(id, name string) string {
		return `{"condition":{"lang":"jsonlogic","expr":{"==":[{"var":"intent"},"` + name + `"]},"nl":"the agent decides that ` + name + ` takes over"},"target_agent":` + ref(id) + `}`
	}
	for _, c := range []struct{ name, raw, agent, want string }{
		{"workers are subagents of their manager", managed, "", head("01") + `"agent":{"name":"Boss","instructions":"Lead.","goal":"Lead.","orchestration":{"role":"orchestrator","subagents":[` +
			`{"ref":` + ref("02") + `,"alias":"Clerk","role":"worker"},{"ref":"TYPIST","alias":"Typist","role":"worker"}]}},` + mark},
		{"a worker by itself", managed, "Clerk", head("02") + `"agent":{"name":"Clerk","instructions":"File.","goal":"File."},` + mark},
		{"a worker whose id is no UUID has the one by which its manager names it", managed, "Typist",
			`{"sc_standard":"SC-006","sc_version":"3.4.0","agent_id":"TYPIST","agent":{"name":"Typist","instructions":"Type.","goal":"Type."},` + mark},
		{"agents of a swarm that may hand over", fill(swarm, `"optional"`), "", head("0a") + `"agent":{"name":"Ask","instructions":"A.","goal":"A.","orchestration":{"role":"orchestrator","subagents":[` +
			`{"ref":` + ref("0b") + `,"alias":"Bill","role":"specialist"},{"ref":` + ref("0c") + `,"alias":"Carry","role":"specialist"}],"handoff":[` + handed("0b", "Bill") + `,` + handed("0c", "Carry") + `]}},` + mark},
		{"the earlier form of the same", fill(swarm, `true`), "Bill", head("0b") + `"agent":{"name":"Bill","instructions":"B.","goal":"B.","orchestration":{"role":"orchestrator","subagents":[` +
			`{"ref":` + ref("0a") + `,"alias":"Ask","role":"specialist"}],"handoff":[` + handed("0a", "Ask") + `]}},` + mark},
		{"agents of a swarm that always hand over", fill(swarm, `"always"`), "", head("0a") + `"agent":{"name":"Ask","instructions":"A.","goal":"A.","orchestration":{"role":"router","handoff":[` +
			handed("0b", "Bill") + `,` + handed("0c", "Carry") + `]}},` + mark},
		{"agents of a swarm that never hand over", fill(swarm, `"never"`), "", head("0a") + `"agent":{"name":"Ask","instructions":"A.","goal":"A.","orchestration":{"role":"orchestrator","subagents":[` +
			`{"ref":` + ref("0b") + `,"alias":"Bill","role":"specialist"},{"ref":` + ref("0c") + `,"alias":"Carry","role":"specialist"}]}},` + mark},
		{"an agent that nobody answers to", fill(swarm, `"always"`), "Carry", head("0c") + `"agent":{"name":"Carry","instructions":"C.","goal":"C."},` + mark},
		{"a flow of agents is a pipeline", fill(line, ""), "", head("ff") + `"agent":{"name":"Report","description":"Writes reports.","goal":"Writes reports.",` +
			`"io":{"input_schema":{"type":"object","properties":{"topic":{"title":"topic","type":"string"}},"required":["topic"]}},"orchestration":{"role":"orchestrator","subagents":[` +
			`{"ref":` + ref("11") + `,"alias":"Writer","role":"worker"},{"ref":` + ref("12") + `,"alias":"Checker","role":"worker"}],"pipeline":["Writer","Checker"]}},` + mark},
		{"a flow that chooses an agent is a router", fill(fork, "start"), "", head("ee") + `"agent":{"name":"Post","goal":"Post",` +
			`"io":{"input_schema":{"type":"object","properties":{"kind":{"title":"kind","type":"string"}},"required":["kind"]}},"orchestration":{"role":"router","subagents":[` +
			`{"ref":` + ref("21") + `,"alias":"Bill","role":"worker","when":{"lang":"jsonlogic","expr":{"in":[{"var":"input.kind"},["invoice","receipt"]]},"nl":"the input's kind is one of: invoice, receipt"}},` +
			`{"ref":` + ref("22") + `,"alias":"Mail","role":"worker","when":{"lang":"jsonlogic","expr":{"!":[{"in":[{"var":"input.kind"},["invoice","receipt"]]}]},"nl":"the input's kind is none of: invoice, receipt"}}]}},` + mark},
		{"a step of a flow by itself", fill(line, ""), "Checker", head("12") + `"agent":{"name":"Checker","instructions":"Check.","goal":"Check."},` + mark},
	} {
		t.Run("AAIF-11-5 "+c.name, func(t *testing.T) {
			d, _, err := agentspec.From(read(t, c.raw), agentspec.Options{Agent: c.agent})
			if err != nil {
				t.Fatal(err)
			}
			exchangetest.Same(t, d, strings.ReplaceAll(c.want, "TYPIST", typist(t)))
		})
	}
}

// typist returns the id by which the manager names a worker whose own is no UUID.
func typist(t *testing.T) string {
	t.Helper()
	d, _, err := from(read(t, managed))
	if err != nil || len(d.Agent.Orchestration.Subagents) != 2 {
		t.Fatalf("%v: %s", err, d.Document().Append(nil))
	}
	return d.Agent.Orchestration.Subagents[1].Ref
}

func TestTeamLosses(t *testing.T) {
	lost := func(raw, agent string) []codec.Loss {
		t.Helper()
		_, lost, err := agentspec.From(read(t, raw), agentspec.Options{Agent: agent})
		if err != nil {
			t.Fatal(err)
		}
		return lost
	}
	edge := func(from, branch, to string) string {
		return `,{"component_type":"ControlFlowEdge","id":"x","name":"x","from_node":{"$component_ref":"` + from + `"},"from_branch":` + branch + `,"to_node":{"$component_ref":"` + to + `"}}`
	}
	for _, c := range []struct{ name, raw, at, words string }{
		{"a subagent is converted by its name", managed, "/workers/1", "name it to convert it"},
		{"an id that is none", managed, "/workers/1/id", ""},
		{"an agent of A2A", managed, "/workers/2", "Agent Card"},
		{"the name of a team", managed, "/name", ""},
		{"who decides", fill(swarm, `"optional"`), "/relationships", "intent"},
		{"how it hands over", fill(swarm, `"sometimes"`), "/handoff", ""},
		{"which values flow", fill(line, ""), "/data_flow_connections", "whole"},
		{"a loop", fill(line, edge("check", `"again"`, "draft")), "/control_flow_connections", "it branches"},
		{"a choice by what an agent says", fill(fork, "bill"), "/control_flow_connections", "it branches"},
		{"a branch of two agents", strings.Replace(fill(fork, "start"), `"id":"e4","name":"4","from_node":{"$component_ref":"bill"},"to_node":{"$component_ref":"end"}`, `"id":"e4","name":"4","from_node":{"$component_ref":"bill"},"to_node":{"$component_ref":"mail"}`, 1), "/control_flow_connections", "it branches"},
		{"a circle", strings.Replace(fill(line, ""), `"to_node":{"$component_ref":"end"}`, `"to_node":{"$component_ref":"draft"}`, 1), "/control_flow_connections", "leads back"},
		{"a step that is no agent", strings.Replace(fill(line, ""), `"component_type":"AgentNode","id":"n2"`, `"component_type":"ToolNode","id":"n2"`, 1), "/control_flow_connections", "ToolNode"},
	} {
		t.Run("AAIF-3-4 "+c.name, func(t *testing.T) {
			all := lost(c.raw, "")
			if reason := reasonAt(all, c.at); c.name != "an id that is none" && (reason == "" || !strings.Contains(reason, c.words)) {
				t.Errorf("%q at %s: %v", reason, c.at, all)
			}
		})
	}
	t.Run("AAIF-11-5 what is no pipeline has subagents and none", func(t *testing.T) {
		d, _, err := from(read(t, fill(line, edge("check", `"again"`, "draft"))))
		if o := d.Agent.Orchestration; err != nil || len(o.Subagents) != 2 || len(o.Pipeline) != 0 {
			t.Errorf("%v %+v", err, o)
		}
	})
}

// TestRemote: the error for an agent that runs elsewhere says what it is, and what to do.
func TestRemote(t *testing.T) {
	for raw, words := range map[string]string{
		`{"component_type":"A2AAgent","id":"x","name":"Far","agent_url":"https://far.example/a2a"}`:                                                      "A2A.*https://far.example/.well-known/agent-card.json",
		`{"component_type":"A2AAgent","id":"x","name":"Far","agent_url":"?"}`:                                                                            "A2A.*Agent Card",
		`{"component_type":"OciAgent","id":"x","name":"Far","agent_endpoint_id":"ocid1.genaiagentendpoint.oc1..x"}`:                                      "OCI.*console",
		`{"component_type":"ManagerWorkers","name":"T","group_manager":{"component_type":"OciAgent","name":"Far","agent_endpoint_id":"e"},"workers":[]}`: "OCI.*console",
		`{"component_type":"ServerTool","name":"t"}`:                                                                                                     "ServerTool",
	} {
		t.Run("AAIF-11-4 "+raw, func(t *testing.T) {
			_, _, err := from(read(t, raw))
			if code := aaif.CodeOf(err); code != aaif.AgentUnknown {
				t.Fatalf("%s: %v", code, err)
			}
			for _, w := range strings.Split(words, ".*") {
				if !strings.Contains(err.Error(), w) {
					t.Errorf("%q is not in: %v", w, err)
				}
			}
		})
	}
}

// TestNamedTwice: of two agents of one name each is taken by its id, and not by the name.
func TestNamedTwice(t *testing.T) {
	v := read(t, strings.Replace(fill(swarm, "true"), `"name":"Bill"`, `"name":"Ask"`, 1))
	if _, _, err := agentspec.From(v, agentspec.Options{Agent: "Ask"}); aaif.CodeOf(err) != aaif.AgentUnknown || !strings.Contains(err.Error(), "by its id") {
		t.Errorf("AAIF-11-4: got %v", err)
	}
	const id = "7b1f6d0e-3c55-4f0a-9a60-0f5f6f1f2a0b"
	if d, _, err := agentspec.From(v, agentspec.Options{Agent: id}); err != nil || d.ID != id {
		t.Errorf("AAIF-11-4: got %q, %v", d.ID, err)
	}
}

// TestEmptyFlows: a definition refers to no flow that has no agent.
func TestEmptyFlows(t *testing.T) {
	const step = `"start_node":{"$component_ref":"n"},"nodes":[{"$component_ref":"n"}]`
	for name, inner := range map[string]string{
		"of itself": `"start_node":{"$component_ref":"n"},"nodes":[{"$component_ref":"n"}]`,
		"of tools":  `"start_node":{"$component_ref":"x"},"nodes":[{"$component_ref":"x"}]`,
	} {
		t.Run("AAIF-11-5 "+name, func(t *testing.T) {
			raw := `{"component_type":"Flow","id":"f","name":"Outer",` + step + `,"$referenced_components":{"x":{"component_type":"ToolNode","id":"x"},
				"n":{"component_type":"FlowNode","id":"n","name":"n","subflow":{"$component_ref":"g"}},"g":{"component_type":"Flow","id":"g","name":"Inner",` + inner + `}}}`
			if _, _, err := from(read(t, raw)); aaif.CodeOf(err) != aaif.AgentUnknown || !strings.Contains(err.Error(), "no agent in it") {
				t.Errorf("got %v", err)
			}
		})
	}
}

// TestServers: a box of tools of an MCP server is that server's tools, named or not.
func TestServers(t *testing.T) {
	const box = `{"component_type":"Agent","name":"A","system_prompt":"S","toolboxes":[{"component_type":"MCPToolBox","id":"b","name":"Mail box","description":"Mail.","requires_confirmation":%,
		"client_transport":{"component_type":"StreamableHTTPTransport","id":"t","name":"t","url":"https://mcp.example/mcp","sensitive_headers":{"Authorization":"x"}}}]}`
	d, lost, err := from(read(t, fill(box, "false")))
	if err != nil {
		t.Fatal(err)
	}
	if got := string(d.Document().Get("agent").Get("tools").Append(nil)); got != `[{"name":"Mail_box","description":"Mail.","protocol":"mcp","endpoint":"https://mcp.example/mcp"}]` {
		t.Errorf("AAIF-11-5: got %s", got)
	}
	if reason := reasonAt(lost, "/toolboxes/0/client_transport/sensitive_headers"); !strings.Contains(reason, "AAIF-12-3") {
		t.Errorf("got %q: %v", reason, lost)
	}
	d, _, err = from(read(t, fill(box, "true")))
	trigger := d.Agent.Compliance.Oversight.Trigger
	if got, want := string(trigger.Expr.Append(nil)), `{"==":[{"var":"tool.protocol"},"mcp"]}`; err != nil || got != want {
		t.Errorf("AAIF-12-6: a server's tools have names of their own: got %s, want %s (%v)", got, want, err)
	}
}

// TestManyWorkers: workers of one name have aliases of their own, and many take no longer
// for each than few.
func TestManyWorkers(t *testing.T) {
	const many = 20_000
	raw := `{"component_type":"ManagerWorkers","name":"T","group_manager":{"component_type":"Agent","name":"M"},"workers":[` +
		strings.TrimSuffix(strings.Repeat(`{"component_type":"Agent","name":"w"},`, many), ",") + `]}`
	d, _, err := from(read(t, raw))
	if err != nil || len(d.Agent.Orchestration.Subagents) != many {
		t.Fatalf("AAIF-11-5: %d, %v", len(d.Agent.Orchestration.Subagents), err)
	}
	if two := d.Agent.Orchestration.Subagents[1:3]; two[1].Alias != "w_3" || two[0].Ref == two[1].Ref {
		t.Errorf("got %+v", two)
	}
}
