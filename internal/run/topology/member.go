package topology

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/condition"
	"github.com/satchel-memory/satchel/codec"
)

// member is a subagent at one step.
type member struct {
	step, alias string
	entry       string    // of a pipeline: its name in a position
	role        aaif.Role // as the team declares it
	when        *condition.Condition
	pointer     string // of the condition in the definition
}

// Members lists the agents that a definition names, each once and under the name by which
// its tasks name it: its subagents by alias, or by ref if they have none, the referee, and
// the targets of handoffs.
func Members(d aaif.Definition) []aaif.Subagent {
	o := d.Agent.Orchestration
	var all []aaif.Subagent
	add := func(s aaif.Subagent) {
		if s.Alias = cmp.Or(s.Alias, s.Ref); s.Alias != "" && find(all, s.Alias) < 0 {
			all = append(all, s)
		}
	}
	for _, s := range o.Subagents {
		add(s)
	}
	named := []string{o.Consensus.Referee}
	for _, h := range o.Handoffs {
		named = append(named, h.Target)
	}
	for _, name := range named {
		if find(all, name) < 0 {
			add(aaif.Subagent{Ref: name})
		}
	}
	return all
}

// named returns the name of a member by which its tasks name it: pipelines, consensus and
// handoffs may name it by alias or by ref.
func named(d aaif.Definition, name string) string {
	all := Members(d)
	if i := find(all, name); i >= 0 {
		return all[i].Alias
	}
	return name
}

// find returns the place of the member with an alias, or else with a ref; -1 if there is none.
func find(all []aaif.Subagent, name string) int {
	if i := slices.IndexFunc(all, func(s aaif.Subagent) bool { return s.Alias == name }); i >= 0 {
		return i
	}
	return slices.IndexFunc(all, func(s aaif.Subagent) bool { return s.Ref == name })
}

// compiled returns the subagents of a definition with their conditions.
func compiled(c *condition.Compiler, d aaif.Definition) ([]member, error) {
	var all []member
	steps := stepsOf(d)
	for i, s := range d.Agent.Orchestration.Subagents {
		name := cmp.Or(s.Alias, s.Ref)
		one := member{step: steps[i], alias: name, role: s.Role, pointer: "/agent/orchestration/subagents/" + strconv.Itoa(i) + "/when"}
		if !s.When.IsZero() {
			var err error
			if one.when, err = c.Compile(s.When.Value, one.pointer); err != nil {
				return nil, err
			}
		}
		all = append(all, one)
	}
	return all, nil
}

// stepsOf returns the names of the steps of the subagents, in order. A further one with the same
// name has a number besides.
func stepsOf(d aaif.Definition) (all []string) {
	times := map[string]int{}
	for _, s := range d.Agent.Orchestration.Subagents {
		name := cmp.Or(s.Alias, s.Ref)
		step := stepOf(name)
		if times[name]++; times[name] > 1 {
			step += ":" + strconv.Itoa(times[name])
		}
		all = append(all, step)
	}
	return all
}

// line returns the steps of a pipeline. The order of the array counts, and nothing else
// (AAIF-4.3-6). An agent may have several steps.
func line(d aaif.Definition, all []member) (steps []member) {
	times := map[string]int{}
	for _, entry := range d.Agent.Orchestration.Pipeline {
		name := named(d, entry)
		one := member{step: stepOf(name), alias: name}
		if i := slices.IndexFunc(all, func(m member) bool { return m.alias == name }); i >= 0 {
			one = all[i]
		}
		one.entry = entry
		if times[name]++; times[name] > 1 {
			again := ":" + strconv.Itoa(times[name])
			one.step, one.entry = one.step+again, entry+again
		}
		steps = append(steps, one)
	}
	return steps
}

// cast gives the subagents of a swarm or a router their parts. A definition with the role of
// a synthesizer merges (AAIF-4.3-7), evaluators judge, a referee decides, and the target of a
// handoff waits for the handoff.
func (t *Team) cast(d aaif.Definition, all []member, of func(string) (aaif.Definition, bool)) {
	o := d.Agent.Orchestration
	if o.Consensus.Referee != "" {
		t.referee = named(d, o.Consensus.Referee)
	}
	targets := map[string]bool{}
	for _, h := range o.Handoffs {
		targets[named(d, h.Target)] = true
	}
	for i := range all {
		one := all[i]
		own, _ := of(one.alias)
		switch role := own.Agent.Orchestration.Role; {
		case one.alias == t.referee, targets[one.alias]:
		case merges(one.role, role):
			if t.synthesizer != nil {
				t.leaves(strings.TrimSuffix(one.pointer, "/when"), "another subagent merges the outputs already")
				continue
			}
			t.synthesizer = &all[i]
		case one.role == aaif.Fallback:
			t.fallbacks = append(t.fallbacks, one)
		case one.role == aaif.Evaluator, one.role == "" && role == aaif.Evaluator:
			t.evaluators = append(t.evaluators, one)
		default:
			t.workers = append(t.workers, one)
		}
	}
}

// merges reports whether a subagent with a role in the team, and one of its own, merges.
func merges(role, own aaif.Role) bool {
	return role == aaif.Synthesizer || own == aaif.Synthesizer && role != aaif.Fallback && role != aaif.Evaluator
}

// leaves notes a part of the definition that has no effect.
func (t *Team) leaves(pointer, why string) {
	t.unused = append(t.unused, Note{Code: stepUnused, Pointer: pointer, Text: why})
}

// decidable reports whether somebody is there to decide.
func (t *Team) decidable() error {
	if t.arrangement == pipeline {
		return nil
	}
	var why *codec.ParseError
	switch t.consensus.Strategy {
	case bestOfN:
		if len(t.evaluators) == 0 {
			why = aaif.Violation("aaif", aaif.ConsensusConfig, "4.3-12", "/agent/orchestration/consensus/strategy", "no subagent has the role of an evaluator")
		}
	case refereed:
		if t.referee == "" {
			why = aaif.Violation("aaif", aaif.ConsensusConfig, "4.3-13", "/agent/orchestration/consensus/referee_agent", "a referee is wanted")
		}
	}
	if why != nil {
		return why
	}
	return nil
}

// stepOf returns the name of a step of an agent. Paths of steps have "/" between their parts,
// and the steps of this package have ":".
func stepOf(alias string) string {
	return strings.NewReplacer("%", "%25", "/", "%2F", ":", "%3A").Replace(alias)
}
