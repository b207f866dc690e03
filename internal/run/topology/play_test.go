package topology_test

import (
	"fmt"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/condition"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/run/topology"
)

// compiler compiles the conditions of all tests.
var compiler = condition.NewCompiler(condition.Options{})

// checker is a test, or one case of a property.
type checker interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

// agent answers a task, or fails with a code.
type agent func(t topology.Task) (output, code string)

// says returns an agent that always says the same.
func says(text string) agent { return func(topology.Task) (string, string) { return text, "" } }

// fails returns an agent that always fails.
func fails(code string) agent { return func(topology.Task) (string, string) { return "", code } }

// appends returns an agent that repeats its input with a suffix.
func appends(suffix string) agent {
	return func(t topology.Task) (string, string) { return t.Input.Text() + "-" + suffix, "" }
}

// play is a team at work: a definition, its agents by alias ("" is the own model), the roles
// of their own definitions, and what happened.
type play struct {
	orchestration string
	agents        map[string]agent
	roles         map[string]aaif.Role
	input         canon.Value
	variables     canon.Value
	pick          func(running int) int // which of the running steps ends next; nil: the first

	begun     []string // steps, in order
	skipped   []string
	cancelled []string
	notes     []topology.Note
	tasks     map[string]topology.Task
	most      int // most steps that ran at the same time
	last      topology.Move
}

// definition returns the definition with an orchestration.
func definition(t checker, orchestration string) aaif.Definition {
	t.Helper()
	v, err := canon.Parse([]byte(`{"sc_standard":"SC-006","agent":{"name":"Lead","goal":"Lead.","orchestration":`+orchestration+`}}`), canon.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return aaif.ReadDefinition(v)
}

// subagents returns the member subagents for some aliases; "b?jsonpath $.task" has a
// condition, and "b!evaluator" a role.
func subagents(all ...string) string {
	var items []string
	for _, one := range all {
		one, role, _ := strings.Cut(one, "!")
		alias, when, gated := strings.Cut(one, "?")
		item := fmt.Sprintf(`{"ref":"urn:%s","alias":%q`, alias, alias)
		if gated {
			item += `,"when":` + whenOf(when)
		}
		if role != "" {
			item += fmt.Sprintf(`,"role":%q`, role)
		}
		items = append(items, item+"}")
	}
	return `"subagents":[` + strings.Join(items, ",") + `]`
}

// whenOf returns a condition: a language and an expression, or words in brackets.
func whenOf(text string) string {
	if strings.HasPrefix(text, "(") {
		return fmt.Sprintf("%q", strings.Trim(text, "()"))
	}
	lang, expr, found := strings.Cut(text, " ")
	if !found {
		return fmt.Sprintf(`{"lang":%q}`, lang)
	}
	return fmt.Sprintf(`{"lang":%q,"expr":%q}`, lang, expr)
}

// team returns the team.
func (p *play) team(t checker) (*topology.Team, error) {
	t.Helper()
	return topology.New(compiler, definition(t, p.orchestration), func(alias string) (aaif.Definition, bool) {
		var d aaif.Definition
		d.Agent.Orchestration.Role = p.roles[alias]
		_, known := p.agents[alias]
		return d, known
	})
}

// run lets the team work until it is done, and checks what holds for every team: no step
// begins twice, and the team comes to an end.
func (p *play) run(t checker) *play {
	t.Helper()
	team, err := p.team(t)
	if err != nil {
		t.Fatal(err)
	}
	if p.tasks = map[string]topology.Task{}; p.input.Type() == canon.TypeUndefined {
		p.input = canon.String("x")
	}
	var ended, running []topology.Outcome
	for range 200 {
		m := team.Next(p.input, p.variables, slices.Concat(ended, running))
		p.last = m
		p.notes = append(p.notes, m.Notes...)
		for _, o := range m.Skip {
			p.skipped = append(p.skipped, o.Step)
			ended = append(ended, o)
		}
		p.cancelled = append(p.cancelled, m.Cancel...)
		if m.Done {
			if len(m.Begin) > 0 {
				t.Fatalf("the team is done and begins %v", m.Begin)
			}
			slices.Sort(p.cancelled)
			return p
		}
		for _, task := range m.Begin {
			if _, twice := p.tasks[task.Step]; twice {
				t.Fatalf("the step %s begins twice", task.Step)
			}
			p.tasks[task.Step] = task
			p.begun = append(p.begun, task.Step)
			running = append(running, topology.Outcome{Step: task.Step, Alias: task.Alias, Running: true})
		}
		p.most = max(p.most, len(running))
		if len(running) == 0 {
			t.Fatalf("the team waits for nobody; it began %v", p.begun)
		}
		at := 0
		if p.pick != nil {
			at = p.pick(len(running))
		}
		o := running[at]
		running = slices.Delete(slices.Clone(running), at, at+1)
		does := p.agents[o.Alias]
		if does == nil {
			t.Fatalf("nobody plays %q", o.Alias)
		}
		o.Running = false
		o.Output, o.Code = does(p.tasks[o.Step])
		ended = append(ended, o)
	}
	t.Fatal("the team comes to no end")
	return p
}
