package engramconform

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/internal/trial"
)

// certain is a confidence that nobody would come by otherwise.
const certain = 0.73

// state states a belief of each category, once.
func (r *run) state() error {
	switch {
	case r.Hands == nil:
		return trial.Lacks("the run has not the hands of the owner")
	case r.stated != nil:
		return r.unstated
	}
	r.stated = map[engram.Category]string{}
	for _, category := range engram.Categories() {
		id, err := r.spareBelief(category)
		if err != nil {
			r.unstated = fmt.Errorf("state a belief: %w", err)
			return r.unstated
		}
		r.stated[category] = id
	}
	return nil
}

// canary is a word that stands in the belief of a category and nowhere else.
func (r *run) canary(c engram.Category) string { return "canary-" + r.nonce + "-" + string(c) }

// spareBelief states one more belief.
func (r *run) spareBelief(c engram.Category) (string, error) {
	if r.Hands == nil {
		return "", trial.Lacks("the run has not the hands of the owner")
	}
	r.spare++
	id, err := r.Hands.Believe(r.ctx, engram.Belief{
		Category: c, Key: fmt.Sprintf("conformance_%s_%d", r.nonce, r.spare), Text: r.canary(c) + fmt.Sprintf(" — <b>&\u2028%d", r.spare),
		Confidence: certain, Source: engram.UserStated, Status: engram.Active,
	})
	if err == nil {
		r.made = append(r.made, id)
	}
	return id, err
}

// cleanTime is how long it may take to delete what the run stated.
const cleanTime = time.Minute

// clean deletes what the run stated, even if the run was called off.
func (r *run) clean() {
	ctx, done := context.WithTimeout(context.WithoutCancel(r.ctx), cleanTime)
	defer done()
	for _, id := range r.made {
		_ = r.Hands.Delete(ctx, id) // some are deleted already
	}
}

func handChecks() []check {
	return []check{
		{"ENGRAM-3.4-29", func(r *run) error {
			return trial.First(r.state(), r.holds("", engram.Categories()...))
		}},
		{"ENGRAM-3.7-20", func(r *run) error {
			if err := r.state(); err != nil {
				return err
			}
			for _, s := range engram.Scopes() {
				a := r.get("?scope=" + string(s))
				for _, c := range engram.Categories() {
					if !slices.Contains(s.Categories(), c) && bytes.Contains(a.body, []byte(r.canary(c))) {
						return fmt.Errorf("scope %s tells of category %s", s, c)
					}
				}
			}
			return nil
		}},
		{"ENGRAM-3.8-4", func(r *run) error {
			if err := r.state(); err != nil {
				return err
			}
			return trial.First(second(r.verified("")), covers(r))
		}},
		{"ENGRAM-3.9-CTX-7", func(r *run) error {
			b, err := r.own(engram.Values)
			if err == nil && b.Confidence != certain {
				err = fmt.Errorf("a belief of confidence %v is told with %v", certain, b.Confidence)
			}
			return err
		}},
		{"ENGRAM-3.4-21", func(r *run) error {
			b, err := r.own(engram.Learning)
			if err == nil && b.Confidence != certain {
				err = fmt.Errorf("a belief of confidence %v is told with %v", certain, b.Confidence)
			}
			return err
		}},
		{"ENGRAM-3.4-2", corrected(func(r *run, before, after engram.Document, id, value string) error {
			if b, _ := belief(after, id); b.Text != value {
				return errors.New("the corrected belief is not there under its id with its new value")
			}
			return nil
		})},
		{"ENGRAM-3.5-9", corrected(func(_ *run, before, after engram.Document, id, _ string) error {
			if n := len(changes(after, id)) - len(changes(before, id)); n != 1 {
				return fmt.Errorf("a correction adds %d changes", n)
			}
			return nil
		})},
		{"ENGRAM-3.6-11", corrected(func(_ *run, _, after engram.Document, id, value string) error {
			list := changes(after, id)
			for _, c := range after.Corrections {
				if c.Belief == id && c.New == value && c.By == engram.ByUser && len(list) > 0 {
					last := list[len(list)-1]
					if last.New == c.New && last.Old == c.Old && last.ChangedAt.Equal(c.CorrectedAt) && last.Trigger == engram.UserCorrection {
						return nil
					}
				}
			}
			return errors.New("correction and change do not say the same")
		})},
		{"ENGRAM-3.6-12", corrected(func(_ *run, _, after engram.Document, id, _ string) error {
			if b, _ := belief(after, id); b.Source != engram.Corrected || b.LastConfirmed.IsZero() {
				return errors.New("the source is not corrected, or last_confirmed is not there")
			}
			return nil
		})},
		{"ENGRAM-3.6-10", corrected(func(_ *run, before, after engram.Document, _, _ string) error {
			for _, c := range before.Corrections {
				if !slices.ContainsFunc(after.Corrections, func(d engram.Correction) bool { return d.ID == c.ID }) {
					return errors.New("a correction is gone")
				}
			}
			return nil
		})},
		{"ENGRAM-3.9-CORR-3", decided(true, func(b engram.Belief, value string, _, _ engram.Document) error {
			if b.Text != value {
				return errors.New("a confirmed correction is not applied")
			}
			return nil
		})},
		{"ENGRAM-3.9-CORR-12", decided(true, func(b engram.Belief, value string, before, after engram.Document) error {
			if b.Source != engram.Corrected || b.LastConfirmed.IsZero() || len(changes(after, b.ID)) != len(changes(before, b.ID))+1 {
				return errors.New("source, last_confirmed or the change are not those of a correction")
			}
			byUser := slices.ContainsFunc(after.Corrections, func(c engram.Correction) bool {
				return c.Belief == b.ID && c.By == engram.ByUser && c.Method == engram.Approved && c.New == value
			})
			if !byUser {
				return errors.New("nothing says that the user approved it")
			}
			return nil
		})},
		{"ENGRAM-3.9-CORR-13", decided(false, func(b engram.Belief, value string, before, after engram.Document) error {
			kept := slices.ContainsFunc(after.Corrections, func(c engram.Correction) bool {
				return c.Belief == b.ID && c.New == value && c.Status == engram.Rejected
			})
			if b.Text == value || !kept || len(changes(after, b.ID)) != len(changes(before, b.ID)) {
				return errors.New("a rejected correction is applied, or not kept as one")
			}
			return nil
		})},
		{"ENGRAM-3.9-CORR-22", comesBack},
		{"ENGRAM-3.4-17", archived},
		{"ENGRAM-3.9-DIFF-6", archived},
		{"ENGRAM-3.9-DIFF-5", added},
		{"ENGRAM-3.4-13", deleted(tombstone)},
		{"ENGRAM-3.4-15", deleted(tombstone)},
		{"ENGRAM-3.9-CTX-6", deleted(tombstone)},
		{"ENGRAM-3.7-18", deleted(scopedTombstone)},
		{"ENGRAM-3.9-CORR-15", deleted(func(r *run, id, _ string) error {
			return r.post(id, r.proposal(id)).refused(engram.BeliefNotFound)
		})},
		{"ENGRAM-3.9-DIFF-7", deleted(toldDeleted)},
		{"ENGRAM-3.9-DIFF-8", cameAndWent},
	}
}
