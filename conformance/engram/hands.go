package engramsuite

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/satchel-memory/satchel/conformance"
	"github.com/satchel-memory/satchel/engram"
)

// certain is a confidence that nothing else would produce.
const certain = 0.73

// state states a belief of each category, once.
func (r *run) state() error {
	for _, category := range engram.Categories() {
		if _, err := r.mine(category); err != nil {
			return err
		}
	}
	return nil
}

// mine returns the run's own belief of a category, and states it once.
func (r *run) mine(c engram.Category) (string, error) {
	if id := r.stated[c]; id != "" || r.unstated != nil {
		return id, r.unstated
	}
	id, err := r.spareBelief(c)
	switch {
	case conformance.IsSkipped(err):
		return "", err
	case err != nil:
		r.unstated = fmt.Errorf("state a belief: %w", err)
		return "", r.unstated
	}
	r.stated[c] = id
	return id, nil
}

// canary returns a word that appears only in the belief of a category.
func (r *run) canary(c engram.Category) string { return "canary-" + r.nonce + "-" + string(c) }

// spareBelief states one more belief.
func (r *run) spareBelief(c engram.Category) (string, error) {
	if r.Hands == nil {
		return "", conformance.Lacks("the run has not the hands of the owner")
	}
	return r.believe(engram.Belief{Category: c})
}

// believe states a belief with only the members that the run tests.
func (r *run) believe(b engram.Belief) (string, error) {
	r.spare++
	b.Key, b.Text = fmt.Sprintf("conformance_%s_%d", r.nonce, r.spare), r.canary(b.Category)+fmt.Sprintf(" — <b>&\u2028%d", r.spare)
	b.Confidence, b.Source, b.Status = certain, engram.UserStated, engram.Active
	id, err := r.Hands.Believe(r.ctx, b)
	if err == nil {
		r.made = append(r.made, id)
	}
	return id, err
}

// cleanTime is the longest time for removing what the run leaves.
const cleanTime = time.Minute

// clean rejects the run's proposals, which would otherwise wait for the owner, and deletes
// its beliefs. It works even after the run was cancelled.
func (r *run) clean() {
	if r.Hands == nil {
		return
	}
	ctx, done := context.WithTimeout(context.WithoutCancel(r.ctx), cleanTime)
	defer done()
	r.waiting = slices.DeleteFunc(r.waiting, func(id string) bool { return r.Hands.Decide(ctx, id, false) == nil })
	for _, id := range r.made {
		_ = r.Hands.Delete(ctx, id) // some are deleted already
	}
}

// handChecks need acts of the owner.
func handChecks() []check {
	return slices.Concat(statedChecks(), correctedChecks(), decidedChecks(), []check{
		{"ENGRAM-3.4-17", stays},
		{"ENGRAM-3.9-DIFF-6", toldUpdated},
		{"ENGRAM-3.9-DIFF-5", toldAdded},
		{"ENGRAM-3.4-13", keptTombstones},
		{"ENGRAM-3.4-15", silent},
		{"ENGRAM-3.9-CTX-6", everyStatus},
		{"ENGRAM-3.7-18", deleted(scopedTombstone)},
		{"ENGRAM-3.9-CORR-15", deleted(func(r *run, id, _ string) error {
			if r.ReadOnly {
				return conformance.Lacks("the run proposes nothing")
			}
			return r.post(r.proposal(id)).refused(engram.BeliefNotFound)
		})},
		{"ENGRAM-3.9-DIFF-7", toldTombstones},
		{"ENGRAM-3.9-DIFF-8", cameAndWent},
	})
}

// statedChecks look at the run's own beliefs.
func statedChecks() []check {
	return []check{
		{"ENGRAM-3.4-29", func(r *run) error {
			return conformance.First(r.state(), r.holds("", engram.Categories()...))
		}},
		{"ENGRAM-3.7-20", func(r *run) error {
			if err := r.state(); err != nil {
				return err
			}
			for _, s := range engram.Scopes() {
				a := r.get("?scope=" + string(s))
				if err := a.Is(http.StatusOK); err != nil {
					return err
				}
				for _, c := range engram.Categories() {
					if !slices.Contains(s.Categories(), c) && (bytes.Contains(a.Body, []byte(r.canary(c))) || bytes.Contains(a.Body, []byte(r.stated[c]))) {
						return fmt.Errorf("scope %s tells of category %s", s, c)
					}
				}
			}
			return nil
		}},
		{"ENGRAM-3.8-4", func(r *run) error {
			return conformance.First(second(r.mine(engram.Values)), second(r.verified("")), covers(r))
		}},
		{"ENGRAM-3.9-CTX-7", func(r *run) error {
			id, err := r.mine(engram.Values)
			if err != nil {
				return err
			}
			return r.asCertain(id)
		}},
		{"ENGRAM-3.4-21", func(r *run) error {
			id, err := r.stale()
			if err != nil {
				return err
			}
			return r.asCertain(id)
		}},
	}
}

// stale states a belief that becomes stale at once.
func (r *run) stale() (string, error) {
	if r.Hands == nil {
		return "", conformance.Lacks("the run has not the hands of the owner")
	}
	none := 0
	return r.believe(engram.Belief{Category: engram.Learning, StaleAfter: &none})
}

// asCertain checks that the context shows a belief of the run with its stated confidence.
func (r *run) asCertain(id string) error {
	d, err := r.get("").document()
	if err != nil {
		return err
	}
	switch b, there := belief(d, id); {
	case !there:
		return errors.New("what was stated is not in the context")
	case b.Confidence != certain:
		return fmt.Errorf("a belief of confidence %v is told with %v", certain, b.Confidence)
	}
	return nil
}
