package host_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/agentspec"
	"github.com/satchel-memory/satchel/aaif/assistants"
	"github.com/satchel-memory/satchel/aaif/exchange"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/internal/racing"
	"github.com/satchel-memory/satchel/internal/run"
	"github.com/satchel-memory/satchel/internal/run/faketool"
	"github.com/satchel-memory/satchel/internal/run/host"
	"github.com/satchel-memory/satchel/internal/run/model"
	"github.com/satchel-memory/satchel/internal/run/tool"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
)

// assistant is an assistant of OpenAI's Assistants API, as its owner saved it.
const assistant = `{"id":"asst_abc123","object":"assistant","created_at":1699009709,"name":"Tutor","model":"gpt-4o",
	"instructions":"You are a tutor.\nBe patient.","tools":[{"type":"code_interpreter"},
	{"type":"function","function":{"name":"solve","description":"Solves an equation.","parameters":{"type":"object","properties":{"x":{"type":"number"}},"required":["x"]}}}],
	"metadata":{},"temperature":0.7}`

// converted takes a definition in that was converted from another format, and returns the id
// of its agent.
func (p *place) converted(d aaif.Definition, err error) string {
	p.T.Helper()
	if err != nil {
		p.T.Fatal(err)
	}
	kept, err := p.agents.Intake(p.Ctx, p.Me(), d.Document().AppendCanonical(nil), aaif.IntakeOptions{})
	if err != nil {
		p.T.Fatal(err)
	}
	return kept.Kept.AgentID
}

// runs runs an agent to its end.
func (p *place) runs(agent string, input canon.Value) run.Run {
	p.T.Helper()
	if _, err := p.Host.Start(p.Ctx, p.Me(), host.Start{RunID: runID, Agent: agent, Input: input}); err != nil {
		p.T.Fatal(err)
	}
	return p.goOn()
}

// parsed reads a document of another format.
func (p *place) parsed(raw string) canon.Value {
	p.T.Helper()
	v, err := canon.Parse([]byte(raw), canon.Options{})
	if err != nil {
		p.T.Fatal(err)
	}
	return v
}

// TestConvertedAssistant converts an assistant and runs it: it asks its model, calls its
// function, and answers.
func TestConvertedAssistant(t *testing.T) {
	racing.Skip(t)
	t.Parallel()
	p := open(t, vaulttest.Open(t), turn(0, model.Step{Expect: "Be patient.", Calls: []model.ScriptCall{{Tool: "solve", Arguments: []byte(`{"x":4}`)}}}),
		turn(1, model.Step{Last: `"x":4`, Answer: "It is 2."}))
	lines := filepath.Join(t.TempDir(), "lines")
	p.set(func(s *host.Settings) {
		s.Tools.Functions = []tool.Function{{Name: "solve", Program: tool.Program{Command: faketool.Command(faketool.Function, lines)}}}
		s.Tools.Grants = []tool.Grant{{Agent: "*", Tools: []string{"*"}}}
	})
	d, lost, err := assistants.From(p.parsed(assistant), exchange.Options{})
	agent := p.converted(d, err)
	if !slices.ContainsFunc(lost, func(l codec.Loss) bool { return l.Pointer == "/tools/0" }) {
		t.Errorf("AAIF-11-5: its code_interpreter is not among what is lost: %v", lost)
	}
	r := p.runs(agent, canon.String("Take the root of 4."))
	if r.Status != aaif.Completed || r.Output != "It is 2." {
		t.Fatalf("AAIF-11-4: it ends %s with %q: %+v; the model was asked %q", r.Status, r.Output, r.Err, p.asked())
	}
	if written := faketool.Written(lines); len(written) != 1 {
		t.Errorf("AAIF-11-5: its function was called %d times: %q", len(written), written)
	}
	if asked := p.model.Requests(); len(asked) != 2 || asked[0].Model != "gpt-4o" || asked[0].Body.Get("temperature").Float() != 0.7 {
		t.Errorf("AAIF-11-4: its model was asked %q", p.asked())
	}
}

// specAgent returns an agent of Agent Spec with an id that ends in two digits, whose model has
// the agent's name.
func specAgent(id, name string) string {
	return fmt.Sprintf(`{"component_type":"Agent","id":"7b1f6d0e-3c55-4f0a-9a60-0f5f6f1f2a%s","name":%q,"system_prompt":"You are %s.","llm_config":{"component_type":"OpenAiConfig","name":"l","model_id":%q}}`, id, name, name, name)
}

// The teams of Agent Spec: a swarm that hands over, a manager with workers, a flow that is a line, and a
// flow that chooses an agent by one of its inputs.
var (
	specSwarm = `{"component_type":"Swarm","id":"sw","name":"Desk","agentspec_version":"25.4.1","first_agent":{"$component_ref":"a"},"handoff":true,
		"relationships":[[{"$component_ref":"a"},{"$component_ref":"b"}],[{"$component_ref":"b"},{"$component_ref":"a"}],[{"$component_ref":"a"},{"$component_ref":"c"}]],
		"$referenced_components":{"a":` + specAgent("0a", "Ask") + `,"b":` + specAgent("0b", "Bill") + `,"c":` + specAgent("0c", "Carry") + `}}`
	specManaged = `{"component_type":"ManagerWorkers","id":"team","name":"Office","agentspec_version":"25.4.2","group_manager":` + specAgent("01", "Boss") + `,
		"workers":[` + specAgent("02", "Clerk") + `,` + specAgent("03", "Typist") + `]}`
	specLine = `{"component_type":"Flow","id":"7b1f6d0e-3c55-4f0a-9a60-0f5f6f1f2aff","name":"Report","agentspec_version":"25.4.1","start_node":{"$component_ref":"start"},
		"nodes":[{"$component_ref":"start"},{"$component_ref":"draft"},{"$component_ref":"check"},{"$component_ref":"end"}],
		"control_flow_connections":[` + specEdge("start", "", "draft") + `,` + specEdge("draft", "", "check") + `,` + specEdge("check", "", "end") + `],
		"$referenced_components":{"start":{"component_type":"StartNode","id":"n0","name":"start"},"end":{"component_type":"EndNode","id":"n9","name":"end"},
		"draft":{"component_type":"AgentNode","id":"n1","name":"draft","agent":` + specAgent("11", "Writer") + `},"check":{"component_type":"AgentNode","id":"n2","name":"check","agent":` + specAgent("12", "Checker") + `}}}`
	specFork = `{"component_type":"Flow","id":"7b1f6d0e-3c55-4f0a-9a60-0f5f6f1f2aee","name":"Post","agentspec_version":"25.4.1","inputs":[{"title":"kind","type":"string"}],"start_node":{"$component_ref":"start"},
		"nodes":[{"$component_ref":"start"},{"$component_ref":"by"},{"$component_ref":"bill"},{"$component_ref":"mail"},{"$component_ref":"end"}],
		"control_flow_connections":[` + specEdge("start", "", "by") + `,` + specEdge("by", "money", "bill") + `,` + specEdge("by", "default", "mail") + `,` + specEdge("bill", "", "end") + `,` + specEdge("mail", "", "end") + `],
		"data_flow_connections":[{"component_type":"DataFlowEdge","id":"d","name":"d","source_node":{"$component_ref":"start"},"source_output":"kind","destination_node":{"$component_ref":"by"},"destination_input":"branching_mapping_key"}],
		"$referenced_components":{"start":{"component_type":"StartNode","id":"n0","name":"start"},"end":{"component_type":"EndNode","id":"n9","name":"end"},
		"by":{"component_type":"BranchingNode","id":"nb","name":"by","mapping":{"invoice":"money"}},
		"bill":{"component_type":"AgentNode","id":"n1","name":"bill","agent":` + specAgent("21", "Bill") + `},"mail":{"component_type":"AgentNode","id":"n2","name":"mail","agent":` + specAgent("22", "Mail") + `}}}`
)

// specEdge returns a connection from a node, or one of its branches, to a node.
func specEdge(from, branch, to string) string {
	if branch != "" {
		branch = `"from_branch":"` + branch + `",`
	}
	return fmt.Sprintf(`{"component_type":"ControlFlowEdge","id":"%s-%s","name":"e","from_node":{"$component_ref":%q},%s"to_node":{"$component_ref":%q}}`, from, to, from, branch, to)
}

// TestConvertedTeams converts teams of Agent Spec, agent by agent, and runs them on a scripted
// model to their ends.
func TestConvertedTeams(t *testing.T) {
	racing.Skip(t)
	t.Parallel()
	for _, c := range []struct {
		name, document string
		agents         []string // the first one is that of the run; empty: the document's
		input          string
		script         []model.Step
		output         string
		asked          []string // the models, in order
	}{
		{"a swarm hands over by the intent of an answer", specSwarm, []string{"", "Bill", "Carry"}, `"Who pays?"`,
			[]model.Step{{Model: "Ask", Answer: `{"intent":"Bill"}`}, {Model: "Bill", Expect: "Who pays?", Answer: "I do."}}, "I do.", []string{"Ask", "Bill"}},
		{"and back", specSwarm, []string{"", "Bill", "Carry"}, `"Who pays?"`,
			[]model.Step{{Model: "Ask", Times: 1, Answer: `{"intent":"Bill"}`}, {Model: "Bill", Answer: `{"intent":"Ask"}`}, {Model: "Ask", Answer: "You do."}}, "You do.", []string{"Ask", "Bill", "Ask"}},
		{"a manager merges what its workers say", specManaged, []string{"", "Clerk", "Typist"}, `"Report."`,
			[]model.Step{{Model: "Clerk", Answer: "Filed."}, {Model: "Typist", Answer: "Typed."}, {Model: "Boss", Expect: "Filed.", Last: "Typed.", Answer: "All done."}}, "All done.", []string{"Clerk", "Typist", "Boss"}},
		{"a line is a pipeline", specLine, []string{"", "Writer", "Checker"}, `"Rain"`,
			[]model.Step{{Model: "Writer", Last: "Rain", Answer: "It rains."}, {Model: "Checker", Last: "It rains.", Answer: "It rains!"}}, "It rains!", []string{"Writer", "Checker"}},
		{"a flow that chooses is a router", specFork, []string{"", "Bill", "Mail"}, `{"kind":"invoice"}`,
			[]model.Step{{Model: "Bill", Answer: "Paid."}}, "Paid.", []string{"Bill"}},
	} {
		t.Run("AAIF-11-4 "+c.name, func(t *testing.T) {
			t.Parallel()
			p := open(t, vaulttest.Open(t), c.script...)
			agent := ""
			for _, name := range slices.Backward(c.agents) {
				d, _, err := agentspec.From(p.parsed(c.document), agentspec.Options{Agent: name})
				agent = p.converted(d, err)
			}
			r := p.runs(agent, p.parsed(c.input))
			var asked []string
			for _, q := range p.model.Requests() {
				asked = append(asked, q.Model)
			}
			if r.Status != aaif.Completed || r.Output != c.output || !slices.Equal(asked, c.asked) {
				t.Errorf("it ends %s with %q: %+v; the models of %s were asked", r.Status, r.Output, r.Err, strings.Join(asked, ", "))
			}
		})
	}
}
