package engramsuite

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/conformance"
	"github.com/satchel-memory/satchel/engram"
)

// tierChecks judges by the outcomes of earlier rows.
func tierChecks() []check {
	return []check{
		{"ENGRAM-6-2", reached("L1", "ENGRAM-3.9-CTX-1")},
		{"ENGRAM-6-3", reached("L2", "ENGRAM-3.9-CORR-10")},
		{"ENGRAM-6-4", reached("L3", "ENGRAM-3.9-DIFF-3")},
		{"ENGRAM-6-5", reached("L1", "ENGRAM-3.9-CTX-1")},
		{"ENGRAM-6-6", func(r *run) error {
			if r.first.Issuer.Name == "" || r.first.Issuer.URL == "" {
				return errors.New("the context does not name project and address to list")
			}
			return nil
		}},
	}
}

// reached checks that a store keeps every row up to a level. The run must have tried each
// row of MUST and the essence of the level.
func reached(level, essence string) func(*run) error {
	return func(r *run) error { return r.reached(level, essence) }
}

func (r *run) reached(level, essence string) error {
	var broken []string
	settled := map[string]bool{}
	for _, a := range absent() {
		settled[a[0]] = true
	}
	for _, result := range r.Results {
		settled[result.ID] = settled[result.ID] || result.Outcome != conformance.NotTried && result.Outcome != conformance.Blocked
		if result.Outcome == conformance.Fail && result.Level <= level && result.Section != "6" {
			broken = append(broken, result.ID)
		}
	}
	if len(broken) > 0 {
		return errors.New("not reached: " + some(broken))
	}
	var untried []string
	for _, w := range rows() {
		must := w.Keyword == "MUST" || w.Keyword == "MUST NOT" || w.ID == essence
		if must && w.Level <= level && !settled[w.ID] {
			untried = append(untried, w.ID)
		}
	}
	if len(untried) > 0 {
		return conformance.Lacks("not tried: " + some(untried))
	}
	return nil
}

// some names the first few rows of a list, and counts the others.
func some(ids []string) string {
	const few = 5
	if len(ids) > few {
		return fmt.Sprintf("%s and %d more", strings.Join(ids[:few], ", "), len(ids)-few)
	}
	return strings.Join(ids, ", ")
}

// tier returns the tier that the final outcomes show.
func (r *run) tier() Tier {
	tier := Tier("")
	for i, t := range []Tier{engram.ReaderTier, engram.WriterTier, engram.FullTier} {
		id := []string{"ENGRAM-6-2", "ENGRAM-6-3", "ENGRAM-6-4"}[i]
		if !slices.ContainsFunc(r.Results, func(x conformance.Result) bool { return x.ID == id && x.Outcome == conformance.Pass }) {
			break
		}
		tier = t
	}
	return tier
}
