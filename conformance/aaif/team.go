package aaifsuite

import (
	"fmt"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/conformance"
)

// teamChecks are about the duties of the level Multi-agent.
func teamChecks() []check {
	return []check{
		{"AAIF-4.3-4", staged(topologies)},
		{"AAIF-5-16", staged(decided)},
	}
}

// members are the agents that work for the agent of a play, or that it hands to.
func members() []string { return []string{"a", "b", "c"} }

// merger is the name of a synthesizer.
const merger = "merger"

// team chooses the ids of the members, once per run.
func (r stage) team() error {
	if err := r.runs(); err != nil {
		return blocked(err)
	}
	if r.ids != nil {
		return nil
	}
	ids := map[string]string{}
	for _, name := range append(members(), merger) {
		id, err := r.newID()
		if err != nil {
			return err
		}
		ids[name] = id
	}
	r.ids = ids
	return nil
}

// outcome is the models that a run asks, and its output.
type outcome struct {
	asked  []string // names of models, in order; sorted if the agents run at the same time
	output string
}

// teamPlay returns a play of an agent and its members. says is the answer of the agent's own
// model. meets is how many members have to be asked at the same time; 0: one is enough. edit
// writes the agent's orchestration.
func (r stage) teamPlay(says string, meets int, edit func(orchestration canon.Value) canon.Value) play {
	scripts := map[string][]line{merger: {{text: "merged"}}}
	for _, name := range members() {
		scripts[name] = []line{{text: "said by " + name, meets: meets}}
	}
	return play{
		props:   props{script: []line{{text: says}}, others: scripts},
		members: r.ids,
		edit: func(v canon.Value) canon.Value {
			return set(set(v, "/agent/tools", canon.Array()), "/agent/orchestration", edit(canon.Object()))
		},
	}
}

// handsOver runs an agent that hands its run to member c after the lines of its script.
func (r stage) handsOver(script []line, edit func(canon.Value) canon.Value) (performance, error) {
	return r.perform(play{
		props:   props{script: append(script, line{text: "It is for c."}), others: map[string][]line{"c": {{text: "said by c"}}}},
		members: map[string]string{"c": r.ids["c"]},
		edit: func(v canon.Value) canon.Value {
			return edit(set(v, "/agent/orchestration/handoff", canon.Array(r.handoff("c", "It is for c."))))
		},
	})
}

// handoff returns a handoff to a member, for runs with an output.
func (r stage) handoff(name, output string) canon.Value {
	return text("target_agent", r.ids[name]).With("condition", cel(fmt.Sprintf("output == %q", output)))
}

// subagent declares a member.
func (r stage) subagent(name string) canon.Value {
	return text("alias", name, "ref", r.ids[name])
}

// subagents declares members.
func (r stage) subagents(names ...string) canon.Value {
	var all []canon.Value
	for _, name := range names {
		all = append(all, r.subagent(name))
	}
	return canon.Array(all...)
}

// when is a structured condition.
func when(lang aaif.Language, expression canon.Value) canon.Value {
	return text("lang", string(lang)).With("expr", expression)
}

// cel is a condition in CEL.
func cel(expression string) canon.Value { return when(aaif.CEL, canon.String(expression)) }

// topologies runs a pipeline, a swarm, a router and a handoff.
func topologies(r stage) error {
	if err := r.team(); err != nil {
		return err
	}
	for _, c := range []struct {
		what    string
		edit    func(canon.Value) canon.Value
		want    outcome
		tells   map[string]string // by model: part of what it is told
		abreast bool              // the members run at the same time
	}{
		{"a pipeline", func(o canon.Value) canon.Value {
			return o.With("role", canon.String("orchestrator")).With("subagents", r.subagents(members()...)).With("pipeline", list("b", "a", "c"))
		}, outcome{[]string{"b", "a", "c"}, "said by c"}, map[string]string{"b": "Book number 1.", "a": "said by b", "c": "said by a"}, false},
		{"a swarm", func(o canon.Value) canon.Value {
			return o.With("role", canon.String("orchestrator")).With("subagents", r.subagents("a", "b", "c", merger)).With("parallel_execution", canon.Bool(true))
		}, outcome{[]string{"a", "b", "c", merger}, "merged"}, map[string]string{"a": "Book number 1.", "b": "Book number 1.", merger: "said by b"}, true},
		{"a router", func(o canon.Value) canon.Value {
			agents := canon.Array(r.subagent("a").With("when", cel(`input == "Something else."`)), r.subagent("b").With("when", cel(`input == "Book number 1."`)),
				r.subagent("c").With("when", cel(`input == "Book number 1."`)))
			return o.With("role", canon.String("router")).With("subagents", agents)
		}, outcome{[]string{"b"}, "said by b"}, map[string]string{"b": "Book number 1."}, false},
		{"a handoff", func(o canon.Value) canon.Value {
			return o.With("handoff", canon.Array(r.handoff("a", "Nothing."), r.handoff("c", "It is for c.")))
		}, outcome{[]string{"", "c"}, "said by c"}, nil, false},
	} {
		meets := 0
		if c.abreast {
			meets = len(members())
		}
		p, err := r.perform(r.teamPlay("It is for c.", meets, c.edit))
		if err != nil {
			return named(c.what, err)
		}
		got := outcome{slices.Clone(p.models()), p.state.Get("output").Text()}
		if c.abreast {
			slices.Sort(got.asked)
		}
		if p.status() != string(aaif.Completed) || !slices.Equal(got.asked, c.want.asked) || got.output != c.want.output {
			return fmt.Errorf("%s: the models %q are asked and not %q; the run is %s %s, with %.100q", c.what, got.asked, c.want.asked, p.status(), p.failed(), got.output)
		}
		if meets > 0 && !p.abreast() {
			return fmt.Errorf("%s: its agents do not work at the same time", c.what)
		}
		for model, what := range c.tells {
			if told := p.told(model); !strings.Contains(told, what) {
				return fmt.Errorf("%s: the model of %s is not told %q", c.what, model, what)
			}
		}
	}
	return nil
}

// decided routes by a condition in each language, twice: the same agent is to be asked.
func decided(r stage) error {
	if err := r.team(); err != nil {
		return err
	}
	is := func(what string) canon.Value {
		return canon.Object(canon.Member{Name: "==", Value: canon.Array(text("var", "input"), canon.String(what))})
	}
	tried := 0
	for lang, pair := range map[aaif.Language][2]canon.Value{
		aaif.CEL:       {canon.String(`input == "x"`), canon.String(`input == "Book number 1."`)},
		aaif.JMESPath:  {canon.String(`input == 'x'`), canon.String(`input == 'Book number 1.'`)},
		aaif.JSONPath:  {canon.String(`$.nowhere`), canon.String(`$.input`)},
		aaif.JSONLogic: {is("x"), is("Book number 1.")},
		aaif.Always:    {},
	} {
		if !slices.Contains(r.offer.Platform.Capabilities.Orchestration.Languages, lang) {
			continue
		}
		tried++
		no, yes := when(lang, pair[0]), when(lang, pair[1])
		if lang == aaif.Always {
			no, yes = text("lang", string(aaif.Never)), text("lang", string(aaif.Always))
		}
		for range 2 {
			p, err := r.perform(r.teamPlay("", 0, func(o canon.Value) canon.Value {
				return o.With("role", canon.String("router")).With("subagents", canon.Array(r.subagent("a").With("when", no), r.subagent("b").With("when", yes)))
			}))
			if err != nil {
				return named(string(lang), err)
			}
			if got := p.models(); !slices.Equal(got, []string{"b"}) {
				return fmt.Errorf("a condition in %s lets the models %q be asked, not that of b alone", lang, got)
			}
		}
	}
	if tried == 0 {
		return conformance.NotOffered("a language of conditions")
	}
	return nil
}
