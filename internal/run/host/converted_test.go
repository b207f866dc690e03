package host_test

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/satchel-memory/satchel/aaif"
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
