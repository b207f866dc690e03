package engramconform

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/internal/trial"
)

func diffChecks() []check {
	return []check{
		{"ENGRAM-3.9-DIFF-1", func(r *run) error {
			return trial.First(r.call(r.Token, http.MethodGet, diffPath, "").refused(engram.InvalidRequest),
				r.diff("x").refused(engram.InvalidRequest), r.diff(anyTime).is(200))
		}},
		{"ENGRAM-3.9-DIFF-2", func(r *run) error {
			a := r.diff(anyTime)
			if a.value.Get("since").Text() != anyTime || a.value.Get("engram_version").Text() != engram.Version || !a.value.Has("changes") {
				return errors.New("engram_version, since as it was asked for, or changes are not there")
			}
			return second(a.delta())
		}},
		{"ENGRAM-3.9-DIFF-3", func(r *run) error { return second(r.diff(anyTime).delta()) }},
		{"ENGRAM-3.9-DIFF-10", func(r *run) error {
			a := r.diff(anyTime)
			if a.value.Has("signature") || a.value.Has("kid") {
				return errors.New("the changes look as if they were signed")
			}
			return a.is(200)
		}},
		{"ENGRAM-3.9-DIFF-4", func(r *run) error { return r.quiet() }},
		{"ENGRAM-3.9-DIFF-13", func(r *run) error { return r.quiet() }},
		{"ENGRAM-3.9-DIFF-12", func(r *run) error {
			before, err := r.mark()
			if err != nil {
				return err
			}
			id, err := r.spareBelief(engram.Projects)
			if err != nil {
				return err
			}
			d, err := r.diff(before).delta()
			if err != nil {
				return err
			}
			if !among(d.Added, id) && !among(d.Updated, id) {
				return errors.New("what was stated after generated_at is not told")
			}
			return r.quiet()
		}},
		{"ENGRAM-3.9-DIFF-14", func(r *run) error {
			if r.Narrow == "" {
				return trial.Lacks("there is no token for the scope professional")
			}
			d, err := r.call(r.Narrow, http.MethodGet, diffPath+"?since="+anyTime, "").delta()
			if err != nil {
				return err
			}
			for _, b := range slices.Concat(d.Added, d.Updated) {
				if !slices.Contains(engram.Professional.Categories(), b.Category) {
					return fmt.Errorf("a token for the scope professional is told of category %s", b.Category)
				}
			}
			return nil
		}},
		{"ENGRAM-3.9-DIFF-15", func(r *run) error {
			d, err := r.diff(anyTime).delta()
			if err != nil {
				return err
			}
			inOrder := slices.IsSortedFunc(d.Corrections, func(a, b engram.Correction) int { return a.CorrectedAt.Compare(b.CorrectedAt) }) &&
				slices.IsSortedFunc(d.Evolution, func(a, b engram.Change) int { return a.ChangedAt.Compare(b.ChangedAt) })
			if !inOrder {
				return errors.New("corrections or changes are not in the order of time")
			}
			return nil
		}},
	}
}

// mark returns generated_at of an answer that says what changed until now.
func (r *run) mark() (string, error) {
	a := r.diff(anyTime)
	return strings.ReplaceAll(a.value.Get("generated_at").Text(), "+", "%2B"), second(a.delta())
}

// quiet asks what changed since nothing did.
func (r *run) quiet() error {
	since, err := r.mark()
	if err != nil {
		return err
	}
	d, err := r.diff(since).delta()
	if err == nil && len(d.Added)+len(d.Updated)+len(d.Deleted)+len(d.Corrections)+len(d.Evolution) > 0 {
		err = errors.New("changes are told that were told before")
	}
	return err
}

func among(list []engram.Belief, id string) bool {
	return slices.ContainsFunc(list, func(b engram.Belief) bool { return b.ID == id })
}
