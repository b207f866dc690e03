package engramruntime

import (
	"errors"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/conformance"
)

// levelChecks judges by the outcomes of earlier rows.
func levelChecks() []check {
	return []check{
		{"ENGRAM-6-2", Minimal, func(r *run) error {
			if len(r.strange) > 0 {
				return errors.New("it sends more than questions: " + r.strange[0])
			}
			return nil
		}},
		{"ENGRAM-6-5", Minimal, func(r *run) error {
			if broken := r.broken(Minimal); len(broken) > 0 {
				return errors.New("it is no Reader: " + strings.Join(broken, ", "))
			}
			return nil
		}},
	}
}

// broken returns the rows of a level that the runtime does not keep, of those tried.
func (r *run) broken(level Level) []string {
	var rows []string
	for _, result := range r.Results {
		if result.Outcome == conformance.Fail && r.levels[result.ID] == level {
			rows = append(rows, result.ID)
		}
	}
	return rows
}

// passed reports whether a row was tried and passed.
func (r *run) passed(id string) bool {
	return slices.ContainsFunc(r.Results, func(x conformance.Result) bool { return x.ID == id && x.Outcome == conformance.Pass })
}

// reached returns the level without broken rows.
func (r *run) reached() Level {
	switch {
	case len(r.broken(Minimal)) > 0:
		return ""
	case len(r.broken(Full)) > 0 || r.Level == Minimal:
		return Minimal
	}
	return Full
}
