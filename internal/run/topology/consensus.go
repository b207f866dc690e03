package topology

import (
	"slices"

	"github.com/satchel-memory/satchel/canon"
)

// The strategies (section 4.3).
const (
	majorityVote = "majority_vote"
	bestOfN      = "best_of_n"
	refereed     = "referee"
	firstSuccess = "first_success"
)

// agree makes one result of what became of the steps of a swarm.
func (s *scene) agree(settled []Outcome) {
	some := outputs(settled)
	switch {
	case len(settled) == 0:
		s.noMatch()
		return
	case len(some) == 0:
		s.failAs(settled[0])
		return
	case s.arrangement == router && len(settled) == 1:
		s.done(some[0].Output)
		return
	}
	switch s.consensus.Strategy {
	case majorityVote:
		s.vote(settled, some)
	case bestOfN:
		s.best(some)
	case refereed:
		s.decide(some, "")
	default:
		s.merge(settled, some)
	}
}

// vote takes the output that most workers agree on, if enough do (AAIF-4.3-11). Workers that
// failed count, and agree with nobody. If there is no such output, a referee decides.
func (s *scene) vote(settled, some []Outcome) {
	needed := s.consensus.MinVotes
	if needed == 0 {
		needed = len(settled)/2 + 1
	}
	votes := map[string]int{}
	most := 0
	for _, o := range some {
		key := normalised(o.Output)
		votes[key]++
		most = max(most, votes[key])
	}
	var winners []Outcome
	for _, o := range some {
		if key := normalised(o.Output); votes[key] == most && !slices.ContainsFunc(winners, func(w Outcome) bool { return normalised(w.Output) == key }) {
			winners = append(winners, o)
		}
	}
	if most >= needed && len(winners) == 1 {
		s.done(winners[0].Output)
		return
	}
	s.decide(some, "not enough agents agree on one output")
}

// decide lets the referee choose (AAIF-4.3-13). Without a referee, why is the reason for which
// the team fails.
func (s *scene) decide(some []Outcome, why string) {
	if s.referee == "" {
		s.fail(notReached, why, "")
		return
	}
	step := "referee:" + stepOf(s.referee)
	o, known := s.of[step]
	switch {
	case !known:
		s.begin(Task{Step: step, Alias: s.referee, Input: s.question(askToChoose, some, nil), Slot: -1})
	case o.Running:
	case !o.succeeded():
		s.failAs(o)
	default:
		s.done(chosen(o.Output, some))
	}
}

// best takes the output with the highest score (AAIF-4.3-12). Every evaluator scores every
// output; its mean counts. Of equal scores the first in declared order wins.
func (s *scene) best(some []Outcome) {
	var judges []member
	for _, one := range s.evaluators {
		if s.judges(one, some) {
			judges = append(judges, one)
		}
	}
	waits := false
	var scores []tally
	for i, o := range some {
		scores = append(scores, tally{output: o.Output})
		for j, one := range judges {
			step := "score:" + one.step + ":" + o.Step
			score, known := s.of[step]
			switch {
			case !known:
				slot := i*len(judges) + j
				if !s.parallel {
					slot = -1
				}
				s.begin(Task{Step: step, Alias: one.alias, Input: s.question(askToScore, nil, nil).With("output", canon.String(o.Output)), Slot: slot})
				waits = true
			case score.Running:
				waits = true
			case score.succeeded():
				scores[i].add(score.Output)
			}
			if waits && !s.parallel {
				return
			}
		}
	}
	if waits {
		return
	}
	if output, ok := highest(scores); ok {
		s.done(output)
		return
	}
	s.fail(notReached, "no evaluator gave a score", "")
}

// judges reports whether an evaluator takes part.
func (s *scene) judges(one member, some []Outcome) bool {
	if o, known := s.of[one.step]; known {
		return !o.Skipped
	}
	for _, o := range some {
		if _, known := s.of["score:"+one.step+":"+o.Step]; known {
			return true
		}
	}
	yes, why := s.takesPart(one, some)
	if !yes {
		s.skip(one, why)
	}
	return yes
}
