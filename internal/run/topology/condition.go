package topology

import (
	"strings"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/condition"
	"github.com/satchel-memory/satchel/canon"
)

// takesPart decides the condition of a subagent (decisions R15, R16 and R18). outputs are
// those of the earlier steps, by alias.
func (s *scene) takesPart(m member, outputs []Outcome) (bool, string) {
	if m.when == nil {
		return true, "" // (AAIF-4.3-16)
	}
	task := s.input.Get("task")
	if task.Type() == canon.TypeUndefined {
		task = s.variables.Get("task")
	}
	payload := condition.ForWhen{Input: structured(s.input), Task: task, Outputs: byAlias(outputs, structuredText), Variables: s.variables}
	d := m.when.Decide(condition.When, payload.Value(), condition.Policy{})
	s.tell(m.pointer, m.when, d)
	if d.Satisfied {
		return true, ""
	}
	return false, "its condition is not satisfied: " + aaif.Shown(m.when.String())
}

// tell reports a condition in words, once for each condition of a definition, or one that
// failed (AAIF-5-14, AAIF-5-19).
func (s *scene) tell(pointer string, c *condition.Condition, d condition.Decision) {
	if d.Event() == condition.EventHint {
		if s.told[pointer] || s.decided(pointer) {
			return
		}
		s.told[pointer] = true
	}
	if n, ok := noteOf(pointer, c, d); ok {
		s.move.Notes = append(s.move.Notes, n)
	}
}

// decided reports whether an earlier step was decided by the condition at a pointer.
func (s *scene) decided(pointer string) bool {
	for _, group := range [][]member{s.workers, s.fallbacks, s.evaluators} {
		for _, m := range group {
			if _, known := s.of[m.step]; known && m.pointer == pointer {
				return true
			}
		}
	}
	return false
}

// noteOf returns the note that a decision causes.
func noteOf(pointer string, c *condition.Condition, d condition.Decision) (Note, bool) {
	n := Note{Code: d.Event(), Pointer: pointer}
	switch n.Code {
	case condition.EventHint:
		n.Text = "decided on a condition in words, which no platform decides as another does: " + aaif.Shown(c.String())
	case condition.EventError:
		n.Text = "the condition could not be decided and counts as not satisfied: " + aaif.Shown(d.Err.Error())
	}
	return n, n.Code != ""
}

// structured returns a value as conditions see it: the object or array that a text spells,
// and anything else as it is. What agents say is always a text.
func structured(v canon.Value) canon.Value {
	if v.Type() != canon.TypeString {
		return v
	}
	return structuredText(v.Text())
}

func structuredText(text string) canon.Value {
	if trimmed := strings.TrimSpace(text); strings.HasPrefix(trimmed, "{") || strings.HasPrefix(trimmed, "[") {
		if v, err := canon.Parse([]byte(trimmed), canon.Options{}); err == nil {
			return v
		}
	}
	return canon.String(text)
}

// byAlias returns the outputs of steps as an object. Of several steps of one agent the
// latest counts.
func byAlias(all []Outcome, as func(string) canon.Value) canon.Value {
	object := canon.Object()
	for _, o := range all {
		if o.succeeded() && o.Alias != "" {
			object = object.With(o.Alias, as(o.Output))
		}
	}
	return object
}
