package topology

import (
	"cmp"
	"slices"

	"github.com/satchel-memory/satchel/aaif"
)

// Position returns the place of a run in the pipeline of its definition; zero if there is no
// pipeline (AAIF-8.1-9). The steps have the names that the pipeline gives them. A further step
// of one agent has a number besides, since every step stands in the position once.
func Position(d aaif.Definition, so []Outcome) (p aaif.Position) {
	of := map[string]Outcome{}
	for _, o := range so {
		of[o.Step] = o
	}
	for _, one := range line(d, nil) {
		o, known := of[one.step]
		switch {
		case p.Current == "" && known && (o.Skipped || o.succeeded()):
			p.Completed = append(p.Completed, one.entry)
		case p.Current == "":
			p.Current = one.entry
			if known && o.Running {
				p.Subagent = one.alias
			}
		default:
			p.Remaining = append(p.Remaining, one.entry)
		}
	}
	return p
}

// Passed returns the steps that a position has completed (AAIF-8.2-5); false if it is none of
// the definition's pipeline.
func Passed(d aaif.Definition, p aaif.Position) (all []Task, ok bool) {
	steps := append([]string{}, p.Completed...)
	if p.Current != "" {
		steps = append(steps, p.Current)
	}
	steps = append(steps, p.Remaining...)
	own := line(d, nil)
	if len(steps) != len(own) {
		return nil, false
	}
	for i, one := range own {
		if steps[i] != one.entry {
			return nil, false
		}
		if i < len(p.Completed) {
			all = append(all, Task{Step: one.step, Alias: one.alias, Slot: -1})
		}
	}
	return all, true
}

// NameOf returns the name of the agent at a step in a checkpoint: that by which the pipeline
// names it, or the alias. A step of another kind, such as a merge, has the step's own name.
func NameOf(d aaif.Definition, step, alias string) string {
	for _, one := range line(d, nil) {
		if one.step == step {
			return one.entry
		}
	}
	if step == stepOf(alias) {
		return alias
	}
	return step
}

// StepOf returns the name of the step at which a subagent works, by its name in a checkpoint,
// and the alias of the agent.
func StepOf(d aaif.Definition, name string) (step, alias string) {
	for _, one := range line(d, nil) {
		if one.entry == name || one.step == name {
			return one.step, one.alias
		}
	}
	if i := slices.Index(stepsOf(d), name); i >= 0 && find(Members(d), name) < 0 {
		one := d.Agent.Orchestration.Subagents[i]
		return name, cmp.Or(one.Alias, one.Ref)
	}
	name = named(d, name)
	return stepOf(name), name
}
