package topology

// swarm dispatches to all eligible workers, and makes one result of their outputs
// (AAIF-4.3-9). Workers that fail are left out; the swarm fails if all do.
func (s *scene) swarm() {
	if s.consensus.Strategy == firstSuccess && s.first() {
		return
	}
	if settled, all := s.eligible(); all {
		s.agree(settled)
	}
}

// eligible dispatches to the workers, or to the fallbacks if no worker is eligible or all
// failed. It returns what became of them, and whether all have a result.
func (s *scene) eligible() (settled []Outcome, all bool) {
	settled, all = s.gather(s.workers)
	if !all || len(outputs(settled)) > 0 {
		return settled, all
	}
	instead, all := s.gather(s.fallbacks)
	if len(instead) > 0 {
		settled = instead
	}
	return settled, all
}

// gather dispatches to the eligible ones of some members: to all at the same time in a
// parallel team, and otherwise to one after another. It returns their outcomes in declared
// order, and whether all have a result. Conditions see the outputs of earlier members only
// where the members work one after another, as otherwise it would matter who is faster.
func (s *scene) gather(some []member) (settled []Outcome, all bool) {
	all = true
	slot := 0
	for _, one := range some {
		o, known := s.of[one.step]
		switch {
		case known && o.Skipped:
			continue
		case known && o.Running:
			all = false
		case known:
			settled = append(settled, o)
		default:
			var seen []Outcome
			if !s.parallel {
				seen = settled
			}
			if yes, why := s.takesPart(one, seen); !yes {
				s.skip(one, why)
				continue
			}
			at := slot
			if !s.parallel {
				at = -1
			}
			s.begin(Task{Step: one.step, Alias: one.alias, Input: s.input, Slot: at})
			all = false
		}
		slot++
		if !all && !s.parallel {
			return nil, false
		}
	}
	return settled, all
}

// first ends the team with the first output that there is, and cancels the steps that are
// running (AAIF-4.3-14).
func (s *scene) first() bool {
	for _, o := range s.so {
		if !o.succeeded() {
			continue
		}
		for _, other := range s.so {
			if other.Running {
				s.move.Cancel = append(s.move.Cancel, other.Step)
			}
		}
		s.done(o.Output)
		return true
	}
	return false
}

// outputs returns the steps that have an output.
func outputs(all []Outcome) (some []Outcome) {
	for _, o := range all {
		if o.succeeded() {
			some = append(some, o)
		}
	}
	return some
}
