package engramsuite

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/conformance"
	"github.com/satchel-memory/satchel/engram"
)

// tierChecks are judged by the rows before them.
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

// reached reports whether no row that counts has failed up to a level.
func reached(level, essence string) func(*run) error {
	return func(r *run) error { return r.reached(level, essence) }
}

func (r *run) reached(level, essence string) error {
	var broken []string
	tried := false
	for _, result := range r.Results {
		tried = tried || result.ID == essence && (result.Outcome == conformance.Pass || result.Outcome == conformance.Warn || result.Outcome == conformance.Fail)
		if failed := result.Outcome == conformance.Fail || result.ID == essence && result.Outcome == conformance.Warn; failed && result.Level <= level && result.Section != "6" {
			broken = append(broken, result.ID)
		}
	}
	switch {
	case len(broken) > 5:
		return fmt.Errorf("not reached: %s and %d more", strings.Join(broken[:5], ", "), len(broken)-5)
	case len(broken) > 0:
		return errors.New("not reached: " + strings.Join(broken, ", "))
	case !tried:
		return conformance.Lacks(essence + " was not tried")
	}
	return nil
}

// tier is what the rows say, in the end.
func (r *run) tier() Tier {
	tier := Tier("")
	for i, t := range []Tier{engram.ReaderTier, engram.WriterTier, engram.FullTier} {
		id := []string{"ENGRAM-6-2", "ENGRAM-6-3", "ENGRAM-6-4"}[i]
		if !slices.ContainsFunc(r.Results, func(x Result) bool { return x.ID == id && x.Outcome == conformance.Pass }) {
			break
		}
		tier = t
	}
	return tier
}
