package topology_test

import (
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/internal/run/topology"
)

func TestPosition(t *testing.T) {
	d := definition(t, "{"+subagents("a", "b", "c")+`,"pipeline":["a","urn:b","a","c"]}`)
	done := func(step string) topology.Outcome { return topology.Outcome{Step: step, Alias: step[:1]} }
	for _, c := range []struct {
		name string
		so   []topology.Outcome
		want string // completed | current | remaining | current_subagent
		done string // the steps of what is completed
	}{
		{"AAIF-8.1-9 nothing has begun", nil, "|a|urn:b a:2 c|", ""},
		{"AAIF-8.1-9 in the second step", []topology.Outcome{done("a"), {Step: "b", Alias: "b", Running: true}}, "a|urn:b|a:2 c|b", "a"},
		{"AAIF-8.1-9 a skipped step is completed", []topology.Outcome{{Step: "a", Skipped: true}}, "a|urn:b|a:2 c|", "a"},
		{"AAIF-8.1-9 a step that failed is not", []topology.Outcome{{Step: "a", Code: "X"}}, "|a|urn:b a:2 c|", ""},
		{"AAIF-8.1-9 in the second step of one agent", []topology.Outcome{done("b"), done("a"), {Step: "a:2", Alias: "a", Running: true}}, "a urn:b|a:2|c|a", "a b"},
		{"AAIF-8.1-9 all are completed", []topology.Outcome{done("a"), done("b"), done("a:2"), done("c")}, "a urn:b a:2 c|||", "a b a:2 c"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := topology.Position(d, c.so)
			got := strings.Join(p.Completed, " ") + "|" + p.Current + "|" + strings.Join(p.Remaining, " ") + "|" + p.Subagent
			if got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
			passed, ok := topology.Passed(d, p)
			steps := ""
			for _, task := range passed {
				steps += " " + task.Step
			}
			if strings.TrimSpace(steps) != c.done || !ok {
				t.Errorf("AAIF-8.2-5: the completed steps are%s, %v; want %s", steps, ok, c.done)
			}
		})
	}
	if p := topology.Position(definition(t, "{"+subagents("a")+"}"), nil); p.Current != "" || len(p.Remaining) > 0 {
		t.Errorf("without a pipeline there is a position: %+v", p)
	}
	for _, p := range []aaif.Position{{Current: "a"}, {Completed: []string{"b"}, Current: "a", Remaining: []string{"a:2", "c"}}, {Completed: []string{"a", "urn:b", "a:2", "c", "d"}}} {
		if _, ok := topology.Passed(d, p); ok {
			t.Errorf("AAIF-8.2-5: %+v counts as a position of another pipeline", p)
		}
	}
	for name, want := range map[string]string{"a": "a a", "urn:b": "b b", "a:2": "a:2 a", "b": "b b", "far/off": "far%2Foff far/off"} {
		if step, alias := topology.StepOf(d, name); step+" "+alias != want {
			t.Errorf("the state of %s is at step %s of %s, want %s", name, step, alias, want)
		}
	}
}
