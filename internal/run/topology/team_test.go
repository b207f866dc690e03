package topology_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/run/topology"
)

// want is how a play ends.
type want struct {
	output, code, failed string
	begun, skipped       []string
	cancelled            []string
}

func (w want) check(t *testing.T, p *play) {
	t.Helper()
	if m := p.last; m.Output != w.output || m.Code != w.code || m.FailedStep != w.failed {
		t.Errorf("it ends with output %q, code %q at %q (%s); want %q, %q at %q", m.Output, m.Code, m.FailedStep, m.Text, w.output, w.code, w.failed)
	}
	for _, one := range []struct {
		what      string
		got, want []string
	}{{"begun", p.begun, w.begun}, {"skipped", p.skipped, w.skipped}, {"cancelled", p.cancelled, w.cancelled}} {
		if !slices.Equal(one.got, one.want) {
			t.Errorf("%s: %q, want %q", one.what, one.got, one.want)
		}
	}
}

func TestPipeline(t *testing.T) {
	three := map[string]agent{"a": appends("a"), "b": appends("b"), "c": appends("c")}
	for _, c := range []struct {
		name          string
		orchestration string
		agents        map[string]agent
		want          want
	}{
		{"AAIF-4.3-4 the output of a step is the input of the next", subagents("a", "b", "c") + `,"pipeline":["a","b","c"]`, three,
			want{output: "x-a-b-c", begun: []string{"a", "b", "c"}}},
		{"AAIF-4.3-6 the array has the order, whatever that of the subagents", subagents("c", "b", "a") + `,"pipeline":["a","b","c"]`, three,
			want{output: "x-a-b-c", begun: []string{"a", "b", "c"}}},
		{"AAIF-4.3-6 a step whose condition is not satisfied is skipped", subagents("a", "b?never", "c") + `,"pipeline":["a","b","c"]`, three,
			want{output: "x-a-c", begun: []string{"a", "c"}, skipped: []string{"b"}}},
		{"AAIF-4.3-6 the whole pipeline may be skipped", subagents("a?never", "b?never") + `,"pipeline":["a","b"]`, three,
			want{output: "x", skipped: []string{"a", "b"}}},
		{"AAIF-4.3-6 a condition sees the outputs before it", subagents("a", "b?cel outputs.a == 'x-a'", "c?cel outputs.b == 'x'") + `,"pipeline":["a","b","c"]`, three,
			want{output: "x-a-b", begun: []string{"a", "b"}, skipped: []string{"c"}}},
		{"AAIF-4.3-6 parallel_execution changes no pipeline", subagents("a", "b", "c") + `,"pipeline":["a","b"],"parallel_execution":true`, three,
			want{output: "x-a-b", begun: []string{"a", "b"}}},
		{"AAIF-4.3-8 a step that fails ends the pipeline", subagents("a", "b", "c") + `,"pipeline":["a","b","c"]`,
			map[string]agent{"a": appends("a"), "b": fails("MODEL_UNAVAILABLE"), "c": appends("c")},
			want{code: "MODEL_UNAVAILABLE", failed: "b", begun: []string{"a", "b"}}},
		{"an agent may have several steps", subagents("a", "b") + `,"pipeline":["a","b","a","a"]`, three,
			want{output: "x-a-b-a-a", begun: []string{"a", "b", "a:2", "a:3"}}},
		{"steps may be named by ref, and their names hold no slash", `"subagents":[{"ref":"https://example.org/a"}],"pipeline":["https://example.org/a"]`,
			map[string]agent{"https://example.org/a": appends("a")}, want{output: "x-a", begun: []string{"https%3A%2F%2Fexample.org%2Fa"}}},
		{"a pipeline may name a subagent with an alias by its ref", subagents("a") + `,"pipeline":["urn:a"]`, three, want{output: "x-a", begun: []string{"a"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.want.check(t, (&play{orchestration: "{" + c.orchestration + "}", agents: c.agents}).run(t))
		})
	}
}

func TestSwarm(t *testing.T) {
	three := map[string]agent{"a": says("A"), "b": says("B"), "c": says("C"), "s": says("all"), "": says("own"), "f": says("F"), "e": says("fine")}
	with := func(more map[string]agent) map[string]agent {
		all := map[string]agent{}
		for _, some := range []map[string]agent{three, more} {
			for name, one := range some {
				all[name] = one
			}
		}
		return all
	}
	for _, c := range []struct {
		name          string
		orchestration string
		agents        map[string]agent
		most          int
		want          want
	}{
		{"AAIF-4.3-9 all work at the same time and one merges", subagents("a", "b", "c", "s") + `,"parallel_execution":true`, three, 3,
			want{output: "all", begun: []string{"a", "b", "c", "merge:s"}}},
		{"AAIF-4.3-7 the subagent merges whose own definition is of a synthesizer", subagents("s", "a!worker") + `,"parallel_execution":true`, three, 1,
			want{output: "all", begun: []string{"a", "merge:s"}}},
		{"AAIF-4.3-7 without a synthesizer the own model merges", subagents("a", "b", "c") + `,"parallel_execution":true`, three, 3,
			want{output: "own", begun: []string{"a", "b", "c", ":merge"}}},
		{"AAIF-4.3-1 an orchestrator dispatches to one after another", subagents("a", "b", "c") + `,"role":"orchestrator"`, three, 1,
			want{output: "own", begun: []string{"a", "b", "c", ":merge"}}},
		{"AAIF-4.3-1 an evaluator judges before the merge", subagents("a", "b", "e!evaluator", "s") + `,"parallel_execution":true`, three, 2,
			want{output: "all", begun: []string{"a", "b", "judge:e", "merge:s"}}},
		{"AAIF-4.3-16 only those take part whose condition is satisfied", subagents("a", "b?never", "c?always") + `,"parallel_execution":true`, three, 2,
			want{output: "own", begun: []string{"a", "c", ":merge"}, skipped: []string{"b"}}},
		{"one that fails is left out", subagents("a", "b", "c") + `,"parallel_execution":true`, with(map[string]agent{"b": fails("TOOL_TIMEOUT")}), 3,
			want{output: "own", begun: []string{"a", "b", "c", ":merge"}}},
		{"a swarm fails if all fail", subagents("a", "b") + `,"parallel_execution":true`, with(map[string]agent{"a": fails("A_FAILED"), "b": fails("B_FAILED")}), 2,
			want{code: "A_FAILED", failed: "a", begun: []string{"a", "b"}}},
		{"a fallback works where all fail", subagents("a", "f!fallback") + `,"parallel_execution":true`, with(map[string]agent{"a": fails("A_FAILED")}), 1,
			want{output: "own", begun: []string{"a", "f", ":merge"}}},
		{"a merge that fails ends the swarm", subagents("a", "s") + `,"parallel_execution":true`, with(map[string]agent{"s": fails("MODEL_UNAVAILABLE")}), 1,
			want{code: "MODEL_UNAVAILABLE", failed: "s", begun: []string{"a", "merge:s"}}},
		{"nobody is eligible", subagents("a?never") + `,"parallel_execution":true`, three, 0,
			want{code: topology.NoMatch, skipped: []string{"a"}}},
		{"the target of a handoff waits for the handoff", subagents("a", "c") + `,"parallel_execution":true,"handoff":[{"condition":{"lang":"never"},"target_agent":"c"}]`, three, 1,
			want{output: "own", begun: []string{"a", ":merge"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := (&play{orchestration: "{" + c.orchestration + "}", agents: c.agents, roles: map[string]aaif.Role{"s": aaif.Synthesizer}}).run(t)
			c.want.check(t, p)
			if p.most != c.most {
				t.Errorf("at most %d worked at the same time, want %d", p.most, c.most)
			}
		})
	}
	t.Run("AAIF-4.3-9 the merge reads all outputs", func(t *testing.T) {
		p := (&play{orchestration: "{" + subagents("a", "b", "c", "s", "e!evaluator") + `,"parallel_execution":true}`, agents: with(map[string]agent{"b": fails("TOOL_TIMEOUT")}), roles: map[string]aaif.Role{"s": aaif.Synthesizer}}).run(t)
		want := `{"failed":{"b":"TOOL_TIMEOUT"},"input":"x","judgements":{"e":"fine"},"outputs":{"a":"A","c":"C"},"request":"Merge the outputs of these agents into one result for the input."}`
		if task := p.tasks["merge:s"]; !task.Merge || string(task.Input.AppendCanonical(nil)) != want {
			t.Errorf("it reads %s, want %s", task.Input.AppendCanonical(nil), want)
		}
	})
}

func TestRouter(t *testing.T) {
	all := map[string]agent{"invoice": says("paid"), "contract": says("signed"), "any": says("filed"), "": says("own")}
	typed := subagents("invoice?jsonpath $.task[?@ == 'invoice']", "contract?jsonpath $.task[?@ == 'contract']")
	for _, c := range []struct {
		name, orchestration, input string
		want                       want
	}{
		{"AAIF-4.3-15 only the specialist for the input is called", typed, `{"task":{"type":"invoice"}}`,
			want{output: "paid", begun: []string{"invoice"}}},
		{"AAIF-4.3-15 no match", typed, `{"task":{"type":"poem"}}`,
			want{code: topology.NoMatch, skipped: []string{"invoice", "contract"}}},
		{"AAIF-4.3-15 a fallback works where nothing matches", subagents("any!fallback", "invoice?jsonpath $.task[?@ == 'invoice']"), `{"task":{"type":"poem"}}`,
			want{output: "filed", begun: []string{"any"}, skipped: []string{"invoice"}}},
		{"AAIF-4.3-15 the first match in declared order wins", subagents("any", "invoice"), `{}`,
			want{output: "filed", begun: []string{"any"}}},
		{"AAIF-4.3-15 all matches if it is parallel", subagents("any", "invoice", "contract?never") + `,"parallel_execution":true`, `{}`,
			want{output: "own", begun: []string{"any", "invoice", ":merge"}, skipped: []string{"contract"}}},
		{"AAIF-4.3-15 one of all matches needs no merge", subagents("any?never", "invoice") + `,"parallel_execution":true`, `{}`,
			want{output: "paid", begun: []string{"invoice"}, skipped: []string{"any"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			input, err := canon.Parse([]byte(c.input), canon.Options{})
			if err != nil {
				t.Fatal(err)
			}
			c.want.check(t, (&play{orchestration: `{"role":"router",` + c.orchestration + "}", agents: all, input: input}).run(t))
		})
	}
}

func TestAlone(t *testing.T) {
	for _, orchestration := range []string{`{}`, `{"role":"router"}`, `{"parallel_execution":true}`,
		"{" + subagents("a") + `,"handoff":[{"condition":{"lang":"always"},"target_agent":"a"}]}`} {
		if team, err := (&play{orchestration: orchestration}).team(t); team != nil || err != nil {
			t.Errorf("%s: there is a team, or %v", orchestration, err)
		}
	}
}

func TestAsksOwnModel(t *testing.T) {
	for orchestration, want := range map[string]bool{
		`{}`: true,
		"{" + subagents("a") + `,"pipeline":["a"]}`:                                                     false,
		"{" + subagents("a") + `,"role":"router"}`:                                                      false,
		"{" + subagents("a") + `,"role":"router","parallel_execution":true}`:                            true,
		"{" + subagents("a") + `,"parallel_execution":true}`:                                            true,
		"{" + subagents("a", "s") + `,"parallel_execution":true}`:                                       false,
		"{" + subagents("a", "s?always") + `,"parallel_execution":true}`:                                true,
		"{" + subagents("a") + `,"parallel_execution":true,"consensus":{"strategy":"majority_vote"}}`:   false,
		"{" + subagents("a") + `,"parallel_execution":true,"consensus":{"strategy":"nobody knows it"}}`: true,
	} {
		p := &play{orchestration: orchestration, agents: map[string]agent{"a": says("A"), "s": says("S"), "": says("own")}, roles: map[string]aaif.Role{"s": aaif.Synthesizer}}
		team, err := p.team(t)
		if got := team.AsksOwnModel(); err != nil || got != want {
			t.Errorf("%s: %v, %v; want %v", orchestration, got, err, want)
		}
		if team != nil && want != slices.Contains(p.run(t).begun, ":merge") && !strings.Contains(orchestration, "router") && !strings.Contains(orchestration, "always") {
			t.Errorf("%s: it is said %v, and it begins %q", orchestration, want, p.begun)
		}
	}
}
