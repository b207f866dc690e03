package engramsuite

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/conformance"
	"github.com/satchel-memory/satchel/engram"
)

func diffChecks() []check {
	return []check{
		{"ENGRAM-3.9-DIFF-1", func(r *run) error {
			return conformance.First(r.call(r.Token, http.MethodGet, diffPath, "").refused(engram.InvalidRequest),
				r.diff("x").refused(engram.InvalidRequest), r.diff(anyTime).Is(200))
		}},
		{"ENGRAM-3.9-DIFF-2", func(r *run) error {
			a := r.diff(anyTime)
			if a.Value.Get("since").Text() != anyTime || a.Value.Get("engram_version").Text() != engram.Version || !a.Value.Has("changes") {
				return errors.New("engram_version, since as it was asked for, or changes are not there")
			}
			return second(a.delta())
		}},
		{"ENGRAM-3.9-DIFF-3", func(r *run) error { return second(r.diff(anyTime).delta()) }},
		{"ENGRAM-3.9-DIFF-10", func(r *run) error {
			a := r.diff(anyTime)
			if a.Value.Has("signature") || a.Value.Has("kid") {
				return errors.New("the changes look as if they were signed")
			}
			return a.Is(200)
		}},
		{"ENGRAM-3.9-DIFF-4", onlyNews},
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
		{"ENGRAM-3.9-DIFF-14", narrowDiff},
		{"ENGRAM-3.9-DIFF-15", inOrder},
	}
}

// mark returns generated_at of an answer with all changes until now.
func (r *run) mark() (string, error) {
	a := r.diff(anyTime)
	return strings.ReplaceAll(a.Value.Get("generated_at").Text(), "+", "%2B"), second(a.delta())
}

// quiet requests the changes since a moment after which nothing changed.
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

// among looks for a belief in a list.
func among(list []engram.Belief, id string) bool {
	return slices.ContainsFunc(list, func(b engram.Belief) bool { return b.ID == id })
}

// onlyNews requests the changes since a moment after which nothing changed, and since one
// with a single change.
func onlyNews(r *run) error {
	if err := r.quiet(); err != nil || r.Hands == nil {
		return err
	}
	old, err := r.spareBelief(engram.Projects)
	if err != nil {
		return err
	}
	since, err := r.mark()
	if err != nil {
		return err
	}
	if _, err = r.spareBelief(engram.Projects); err != nil {
		return err
	}
	d, err := r.diff(since).delta()
	if err == nil && (among(d.Added, old) || among(d.Updated, old) || len(d.Added) == 0) {
		err = errors.New("with what changed, something is told that did not")
	}
	return err
}

// narrowDiff compares the changes that a token for the scope professional gets with the
// beliefs that it sees.
func narrowDiff(r *run) error {
	if r.Narrow == "" {
		return conformance.Lacks("there is no token for the scope professional")
	}
	_, err := r.mine(engram.Health)
	id, bad := r.mine(engram.Projects)
	if err = conformance.First(err, bad); err != nil && !conformance.IsSkipped(err) {
		return err
	}
	d, err := r.call(r.Narrow, http.MethodGet, diffPath+"?since="+anyTime, "").delta()
	if err != nil {
		return err
	}
	there := map[string]bool{}
	for _, b := range slices.Concat(d.Added, d.Updated) {
		if there[b.ID] = true; !slices.Contains(engram.Professional.Categories(), b.Category) {
			return fmt.Errorf("a token for the scope professional is told of category %s", b.Category)
		}
	}
	if id != "" && !there[id] {
		return errors.New("a token for the scope professional is not told of a project")
	}
	beyond := slices.ContainsFunc(d.Evolution, func(c engram.Change) bool { return !there[c.Belief] }) ||
		slices.ContainsFunc(d.Corrections, func(c engram.Correction) bool { return !there[c.Belief] })
	if beyond {
		return errors.New("a token for the scope professional is told of the history of other beliefs")
	}
	return nil
}

// inOrder checks the order of corrections and changes.
func inOrder(r *run) error {
	if err := r.history(); err != nil {
		return err
	}
	d, err := r.diff(anyTime).delta()
	if err != nil {
		return err
	}
	inOrder := slices.IsSortedFunc(d.Corrections, func(a, b engram.Correction) int { return a.CorrectedAt.Compare(b.CorrectedAt) }) &&
		slices.IsSortedFunc(d.Evolution, func(a, b engram.Change) int { return a.ChangedAt.Compare(b.ChangedAt) })
	if !inOrder || r.Hands != nil && (len(d.Corrections) < 2 || len(d.Evolution) < 2) {
		return errors.New("corrections or changes are not all told, or not in the order of time")
	}
	return nil
}
