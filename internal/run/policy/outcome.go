package policy

import (
	"slices"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
)

// Outcome is what follows from violations (AAIF-4.9-2).
//
//	            what is said            a call
//	minimal     stays, reported         is made, reported
//	standard    is redacted             is not made, and the model is told
//	strict      ends the run            ends the run
//	regulated   ends the run, or goes on redacted once a person agrees
//
// A call of a tool that the operator forbids is not made at any level.
type Outcome struct {
	Text    string   // what may be passed on of what was said; of a call, what the model is told
	Refuse  bool     // the call is not made
	Err     error    // ends the run, with the code CONSTRAINT_VIOLATION; nil: it goes on
	Approve bool     // the run may go on after all, with Text, once a person has agreed
	Notices []Notice // one for each violation
}

// withheld stands for what was said where nothing of it can be passed on.
const withheld = "[withheld: it violates a constraint of this agent]"

// removed stands for a part that was taken out.
const removed = "[removed]"

// OfOutput returns what follows from the violations of what a model said.
func (c *Constraints) OfOutput(text string, found []Violation) Outcome {
	out := c.outcome(found)
	out.Text = text
	if real := certain(found, c.safety); len(real) > 0 && c.safety != aaif.Minimal {
		out.Text = redacted(text, real)
	}
	return out
}

// OfCall returns what follows from the violations of a call.
func (c *Constraints) OfCall(found []Violation) Outcome {
	out := c.outcome(found)
	forbidden := slices.ContainsFunc(found, func(v Violation) bool { return v.forbidden })
	if forbidden || len(certain(found, c.safety)) > 0 && c.safety != aaif.Minimal {
		out.Refuse = true
		out.Text = refusal(found)
	}
	return out
}

// refusal tells a model that its call was not made, as JSON.
func refusal(found []Violation) string {
	var list []canon.Value
	for _, v := range found {
		list = append(list, canon.String(v.Constraint))
	}
	return string(canon.Object(
		canon.Member{Name: "error", Value: canon.String(string(aaif.ConstraintViolation))},
		canon.Member{Name: "constraints", Value: canon.Array(list...)},
		canon.Member{Name: "message", Value: canon.String("the call was not made: it violates a constraint")},
	).AppendCanonical(nil))
}

// outcome returns what follows for answers and calls alike.
func (c *Constraints) outcome(found []Violation) Outcome {
	var out Outcome
	for _, v := range found {
		out.Notices = append(out.Notices, Notice{v.event(), v.Pointer, v.describe()})
	}
	if len(certain(found, c.safety)) == 0 || !c.safety.IsStrict() {
		return out
	}
	first := certain(found, c.safety)[0]
	out.Err = fault(aaif.ConstraintViolation, "4.9-2", first.Pointer, "%s", first.describe())
	out.Approve = c.safety != aaif.Strict
	return out
}

// describe says what is violated without quoting what was said.
func (v Violation) describe() string {
	switch {
	case v.Unjudged:
		return "nobody could say whether it violates the constraint: " + shown(v.Constraint)
	case v.By == "judge":
		return "the judge finds that it violates the constraint: " + shown(v.Constraint)
	}
	return v.Why + ", under the constraint: " + shown(v.Constraint)
}

// certain returns the violations that count at a level. Those that nobody could judge count at
// strict and regulated only.
func certain(found []Violation, safety aaif.Safety) []Violation {
	var list []Violation
	for _, v := range found {
		if !v.Unjudged || safety.IsStrict() {
			list = append(list, v)
		}
	}
	return list
}

// redacted removes from a text what the patterns of the violated rules match. If one of the
// violations has no pattern, the whole text is withheld.
func redacted(text string, found []Violation) string {
	for _, v := range found {
		if v.rule == nil {
			return withheld
		}
	}
	wasJSON := isJSON(text)
	for _, v := range found {
		if now := v.rule.Forbid.ReplaceAllString(text, removed); now != text {
			text = now
		} else {
			text = v.rule.Forbid.ReplaceAllString(plainly(text), removed)
		}
	}
	for _, v := range found {
		for _, seen := range views(text) {
			if v.rule.Forbid.MatchString(seen) {
				return withheld
			}
		}
	}
	if wasJSON && !isJSON(text) {
		return withheld
	}
	return text
}

func isJSON(text string) bool {
	v, err := aaif.FromJSON([]byte(text), aaif.ReadOptions{})
	return err == nil && (v.Type() == canon.TypeObject || v.Type() == canon.TypeArray)
}
