package topology

// route dispatches to the first subagent whose condition is satisfied, or to all such
// subagents if the team is parallel (AAIF-4.3-15). If there is none, a fallback works.
func (s *scene) route() {
	if s.parallel {
		s.swarm()
		return
	}
	for _, some := range [][]member{s.workers, s.fallbacks} {
		for _, one := range some {
			o, known := s.of[one.step]
			switch {
			case known && o.Skipped:
				continue
			case known && o.Running:
			case known && o.succeeded():
				s.done(o.Output)
			case known:
				s.failAs(o)
			default:
				if yes, why := s.takesPart(one, nil); !yes {
					s.skip(one, why)
					continue
				}
				s.begin(Task{Step: one.step, Alias: one.alias, Input: s.input, Slot: -1})
			}
			return
		}
	}
	s.noMatch()
}

func (s *scene) noMatch() {
	s.fail(NoMatch, "the condition of no subagent is satisfied", "")
}
