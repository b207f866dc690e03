package engramsuite

import (
	"errors"
	"fmt"
	"slices"

	"github.com/satchel-memory/satchel/conformance"
	"github.com/satchel-memory/satchel/engram"
)

// decidedChecks look at the results of a proposal after the owner's decision.
func decidedChecks() []check {
	return []check{
		{"ENGRAM-3.9-CORR-3", decided(true, func(d decision) error {
			if d.belief.Text != d.value {
				return errors.New("a confirmed correction is not applied")
			}
			return nil
		})},
		{"ENGRAM-3.9-CORR-12", decided(true, approved)},
		{"ENGRAM-3.9-CORR-13", decided(false, rejected)},
		{"ENGRAM-3.9-CORR-14", once},
		{"ENGRAM-3.9-CORR-18", overtaken},
		{"ENGRAM-3.9-CORR-22", comesBack},
	}
}

// decision is a decision of the owner, with the contexts before and after.
type decision struct {
	correction, value string        // the id, and the proposed value
	belief            engram.Belief // after the decision
	before, after     engram.Document
}

// told reports whether holds is true for a correction of the belief to the proposed value.
func (d decision) told(holds func(engram.Correction) bool) bool {
	return slices.ContainsFunc(d.after.Corrections, func(c engram.Correction) bool {
		return c.Belief == d.belief.ID && c.New == d.value && holds(c)
	})
}

// decided proposes a correction, lets the owner decide, and examines the result.
func decided(confirm bool, try func(decision) error) func(*run) error {
	return func(r *run) error {
		id, err := r.spare1()
		if err != nil {
			return err
		}
		d, err := r.decide(id, confirm, nil)
		if err != nil {
			return err
		}
		return try(d)
	}
}

// decide proposes a correction and lets the owner decide. Before that the owner performs
// meanwhile on the belief, unless it is nil.
func (r *run) decide(id string, confirm bool, meanwhile deed) (d decision, err error) {
	if r.ReadOnly {
		return d, conformance.Lacks("the run proposes nothing")
	}
	a, _, err := r.proposeFor(id)
	if err != nil {
		return d, err
	}
	if meanwhile != nil {
		if err := r.do(meanwhile, id); err != nil {
			return d, err
		}
	}
	if d.before, err = r.get("").document(); err != nil {
		return d, err
	}
	d.correction, d.value = a.Value.Get("correction_id").Text(), r.proposal(id).Get("new_value").Text()
	if b, _ := belief(d.before, id); b.Text == d.value {
		return d, errors.New("the correction is applied before anybody confirmed it")
	}
	if err := r.Hands.Decide(r.ctx, d.correction, confirm); err != nil {
		return d, fmt.Errorf("decide on the correction: %w", err)
	}
	r.waiting = slices.DeleteFunc(r.waiting, func(s string) bool { return s == d.correction })
	if d.after, err = r.get("").document(); err != nil {
		return d, err
	}
	d.belief, _ = belief(d.after, id)
	return d, nil
}

// approved examines the result of a confirmed proposal.
func approved(d decision) error {
	was, _ := belief(d.before, d.belief.ID)
	list := changes(d.after, d.belief.ID)
	switch {
	case d.belief.Source != engram.Corrected || d.belief.LastConfirmed.IsZero():
		return errors.New("the source is not corrected, or last_confirmed is not there")
	case d.belief.Confidence < was.Confidence:
		return fmt.Errorf("what was confirmed has confidence %v, and had %v", d.belief.Confidence, was.Confidence)
	case len(list) != len(changes(d.before, d.belief.ID))+1:
		return errors.New("there is not one more change")
	case !d.told(func(c engram.Correction) bool { return c.By == engram.ByUser && c.Method == engram.Approved }):
		return errors.New("nothing says that the user approved it")
	case !d.told(func(c engram.Correction) bool {
		return c.ID == d.correction && c.By == engram.ByRuntime && c.Status == engram.Confirmed
	}):
		return errors.New("the proposal is not told as one of a runtime that was confirmed")
	}
	if c := list[len(list)-1]; c.Old != was.Text || c.New != d.value || c.Trigger != engram.UserCorrection || c.Context != proposedContext {
		return errors.New("the change is not that of the correction: values, trigger or context differ")
	}
	return nil
}

// rejected examines the result of a rejected proposal.
func rejected(d decision) error {
	was, _ := belief(d.before, d.belief.ID)
	switch {
	case !same(was.Value, d.belief.Value) || len(changes(d.after, d.belief.ID)) != len(changes(d.before, d.belief.ID)):
		return errors.New("a rejected correction changes the belief")
	case !d.told(func(c engram.Correction) bool { return c.ID == d.correction && c.Status == engram.Rejected }):
		return errors.New("a rejected correction is not kept as one")
	case d.told(func(c engram.Correction) bool { return c.By == engram.ByUser }):
		return errors.New("a rejected correction is told as one of the user")
	}
	return nil
}

// once repeats a decision.
func once(r *run) error {
	id, err := r.spare1()
	if err != nil {
		return err
	}
	d, err := r.decide(id, true, nil)
	if err != nil {
		return err
	}
	if r.Hands.Decide(r.ctx, d.correction, true) == nil {
		return errors.New("a correction can be confirmed again")
	}
	again, err := r.get("").document()
	if err == nil && len(changes(again, id)) != len(changes(d.after, id)) {
		err = errors.New("a correction is applied again")
	}
	return err
}

// overtaken lets the owner correct the belief before the proposal is confirmed.
func overtaken(r *run) error {
	id, err := r.spare1()
	if err != nil {
		return err
	}
	value := "meanwhile corrected by " + r.nonce
	d, err := r.decide(id, true, correct(value))
	if err != nil {
		return err
	}
	list := changes(d.after, id)
	if len(list) == 0 || list[len(list)-1].Old != value || list[len(list)-1].New != d.value {
		return errors.New("the change does not say what was really replaced")
	}
	return nil
}

// comesBack corrects an archived belief.
func comesBack(r *run) error {
	id, err := r.spare1()
	if err != nil {
		return err
	}
	if err := r.do(Hands.Archive, id); err != nil {
		return err
	}
	d, err := r.decide(id, true, nil)
	if err == nil && (d.belief.Status != engram.Active || d.belief.Text != d.value) {
		err = errors.New("what was archived does not come back with its correction")
	}
	return err
}
