package topology

import "github.com/satchel-memory/satchel/canon"

// ownMerge is the step in which the agent's own model merges.
const ownMerge = "merge"

// What agents are asked about the outputs of others.
const (
	askToMerge  = "Merge the outputs of these agents into one result for the input."
	askToJudge  = "Judge the outputs of these agents for the input."
	askToScore  = "Score the output for the input with a number from 0 to 1. Answer with the number only."
	askToChoose = "Choose the best of the outputs of these agents for the input. Answer with the name of its agent only."
)

// merge makes one result of all outputs, by the synthesizer or by the agent's own model
// (AAIF-4.3-7). What evaluators say about the outputs goes along.
func (s *scene) merge(settled, some []Outcome) {
	var said []Outcome
	waits := false
	for _, one := range s.evaluators {
		step := "judge:" + one.step
		o, known := s.of[step]
		switch {
		case known && o.Running:
			waits = true
		case known:
			said = append(said, o)
		case s.judges(one, some):
			s.begin(Task{Step: step, Alias: one.alias, Input: s.question(askToJudge, some, nil), Slot: -1})
			waits = true
		}
		if waits && !s.parallel {
			return
		}
	}
	if waits {
		return
	}
	t := Task{Step: ":" + ownMerge, Merge: true, Slot: -1}
	if m := s.synthesizer; m != nil {
		if s.synthesizes(m, some) {
			t.Step, t.Alias = ownMerge+":"+m.step, m.alias
		}
	}
	o, known := s.of[t.Step]
	switch {
	case !known:
		t.Input = s.question(askToMerge, some, said)
		if failed := failures(settled); failed.Len() > 0 {
			t.Input = t.Input.With("failed", failed)
		}
		s.begin(t)
	case o.Running:
	case !o.succeeded():
		s.failAs(o)
	default:
		s.done(o.Output)
	}
}

// synthesizes reports whether the synthesizer takes part.
func (s *scene) synthesizes(m *member, some []Outcome) bool {
	if o, known := s.of[m.step]; known {
		return !o.Skipped
	}
	if _, known := s.of[ownMerge+":"+m.step]; known {
		return true
	}
	yes, why := s.takesPart(*m, some)
	if !yes {
		s.skip(*m, why)
	}
	return yes
}

// question returns what an agent is asked about the outputs of others.
func (s *scene) question(what string, some, judged []Outcome) canon.Value {
	v := canon.Object(canon.Member{Name: "request", Value: canon.String(what)}, canon.Member{Name: "input", Value: s.input})
	if len(some) > 0 {
		v = v.With("outputs", byAlias(some, canon.String))
	}
	if len(judged) > 0 {
		v = v.With("judgements", byAlias(judged, canon.String))
	}
	return v
}

// failures returns why agents have no output, by alias.
func failures(settled []Outcome) canon.Value {
	object := canon.Object()
	for _, o := range settled {
		if !o.succeeded() {
			object = object.With(o.Alias, canon.String(o.Code))
		}
	}
	return object
}
