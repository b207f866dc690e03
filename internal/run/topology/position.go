package topology

import "github.com/satchel-memory/satchel/aaif"

// Position returns the place of a team in its pipeline; zero for a team that has none
// (AAIF-8.1-9). The steps have the names that the pipeline gives them. A further step of one
// agent has a number besides, since every step stands in the position once.
func (t *Team) Position(so []Outcome) (p aaif.Position) {
	if t.arrangement != pipeline {
		return p
	}
	of := map[string]Outcome{}
	for _, o := range so {
		of[o.Step] = o
	}
	for _, one := range t.workers {
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

// Passed returns the steps before the current one of a position, whose outputs it does not
// say, and false if the position is of another pipeline (AAIF-8.2-5).
func (t *Team) Passed(p aaif.Position) (all []Task, ok bool) {
	steps := append(append([]string{}, p.Completed...), p.Current)
	if p.Current == "" {
		steps = p.Completed
	}
	steps = append(steps, p.Remaining...)
	if t.arrangement != pipeline || len(steps) != len(t.workers) {
		return nil, false
	}
	for i, one := range t.workers {
		if steps[i] != one.entry {
			return nil, false
		}
		if i < len(p.Completed) {
			all = append(all, Task{Step: one.step, Alias: one.alias, Slot: -1})
		}
	}
	return all, true
}
