package topology

import "github.com/satchel-memory/satchel/canon"

// pipeline begins the first step without a result. The output of a step is the input of the
// next one (AAIF-4.3-4). A step whose condition is not satisfied is passed over, and its input
// goes to the next one (AAIF-4.3-6). A step that fails ends the pipeline (AAIF-4.3-8).
func (s *scene) pipeline() {
	input := s.input
	var earlier []Outcome
	for _, one := range s.workers {
		o, known := s.of[one.step]
		switch {
		case !known:
			if yes, why := s.takesPart(one, earlier); !yes {
				s.skip(one, why)
				continue
			}
			s.begin(Task{Step: one.step, Alias: one.alias, Input: input, Slot: -1})
			return
		case o.Running:
			return
		case o.Skipped:
		case !o.succeeded():
			s.failAs(o)
			return
		default:
			input = canon.String(o.Output)
			earlier = append(earlier, o)
		}
	}
	s.done(said(input))
}

func (s *scene) skip(m member, why string) {
	s.move.Skip = append(s.move.Skip, Outcome{Step: m.step, Alias: m.alias, Skipped: true, Text: why})
}

// said returns an input as the output of a pipeline all of whose steps were skipped.
func said(v canon.Value) string {
	if v.Type() == canon.TypeString {
		return v.Text()
	}
	return string(v.AppendCanonical(nil))
}
