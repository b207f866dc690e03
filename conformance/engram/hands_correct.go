package engramsuite

import (
	"errors"
	"fmt"
	"slices"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/engram"
)

// correctedChecks look at the results of a correction by the owner.
func correctedChecks() []check {
	return []check{
		{"ENGRAM-3.4-2", corrected(func(_, after engram.Document, id, value string) error {
			if b, _ := belief(after, id); b.Text != value {
				return errors.New("the corrected belief is not there under its id with its new value")
			}
			return nil
		})},
		{"ENGRAM-3.5-9", corrected(func(before, after engram.Document, id, _ string) error {
			if n := len(changes(after, id)) - len(changes(before, id)); n != 1 {
				return fmt.Errorf("a correction adds %d changes", n)
			}
			return kept("change", before.Evolution, after.Evolution, func(c engram.Change) (string, canon.Value) { return c.ID, c.Value })
		})},
		{"ENGRAM-3.6-10", corrected(func(before, after engram.Document, _, _ string) error {
			return kept("correction", before.Corrections, after.Corrections, func(c engram.Correction) (string, canon.Value) { return c.ID, c.Value })
		})},
		{"ENGRAM-3.6-11", corrected(func(_, after engram.Document, id, value string) error {
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
		{"ENGRAM-3.6-12", corrected(func(_, after engram.Document, id, _ string) error {
			if b, _ := belief(after, id); b.Source != engram.Corrected || b.LastConfirmed.IsZero() {
				return errors.New("the source is not corrected, or last_confirmed is not there")
			}
			return nil
		})},
	}
}

// corrected makes the owner correct a belief of the run that was corrected before. It
// compares the contexts before and after.
func corrected(try func(before, after engram.Document, id, value string) error) func(*run) error {
	return func(r *run) error {
		id, err := r.spare1()
		if err != nil {
			return err
		}
		if err := r.do(correct("once corrected by "+r.nonce), id); err != nil {
			return err
		}
		before, err := r.get("").document()
		if err != nil {
			return err
		}
		value := "corrected by " + r.nonce
		if err := r.do(correct(value), id); err != nil {
			return err
		}
		after, err := r.get("").document()
		if err != nil {
			return err
		}
		return try(before, after, id, value)
	}
}

// kept compares two states of an append-only list.
func kept[T any](what string, before, after []T, told func(T) (string, canon.Value)) error {
	for _, one := range before {
		id, was := told(one)
		at := slices.IndexFunc(after, func(other T) bool {
			name, _ := told(other)
			return name == id
		})
		if at < 0 {
			return fmt.Errorf("a %s is gone", what)
		}
		if _, is := told(after[at]); !same(was, is) {
			return fmt.Errorf("a %s is another than before", what)
		}
	}
	return nil
}

// same compares two values, ignoring the order of their members.
func same(a, b canon.Value) bool {
	return string(a.AppendCanonical(nil)) == string(b.AppendCanonical(nil))
}
