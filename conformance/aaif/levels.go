package aaifsuite

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/conformance"
)

// levelChecks judges by the outcomes of earlier rows.
func levelChecks() []check {
	return []check{
		{"AAIF-7-15", honest},
		{"AAIF-6-15", shown},
	}
}

// honest tries the features that the manifest claims.
func honest(r *run) error {
	if err := r.manifest.is(http.StatusOK); err != nil {
		return blocked(err)
	}
	p := r.offer.Platform
	if !p.ExpiresAt.IsZero() && !p.ExpiresAt.After(r.Now()) {
		return fmt.Errorf("the manifest has expired")
	}
	if p.Intake.URL != "" && r.do(ask{method: http.MethodPost, path: r.intake, media: jsonType, body: []byte("{}")}).is(http.StatusNotFound, http.StatusMethodNotAllowed) == nil {
		return fmt.Errorf("nothing takes definitions in at the intake_endpoint")
	}
	for path, claimed := range map[string]bool{r.States: p.Capabilities.State.LiveMigration, r.Handoff: p.Capabilities.State.StreamingHandoff} {
		a := r.do(ask{method: http.MethodPost, path: path, media: "text/plain", body: []byte("{}")})
		if claimed && a.is(http.StatusNotFound, http.StatusMethodNotAllowed) == nil {
			return fmt.Errorf("the manifest has it that states move, and nothing takes them in at %s", path)
		}
	}
	return nil
}

// shown compares the claimed consumer levels with the failed rows.
func shown(r *run) error {
	claimed := []aaif.Level{r.offer.Platform.Level}
	if a, err := r.report(); err == nil {
		for _, c := range aaif.ReadReport(a.Value).Claims {
			if c.Direction != aaif.Producer {
				claimed = append(claimed, c.Level)
			}
		}
	}
	tried, broken := false, []string(nil)
	for _, d := range aaif.Duties() {
		if !slices.ContainsFunc(claimed, func(l aaif.Level) bool { return includes(l, d.Level) }) {
			continue
		}
		for _, row := range r.Results {
			if row.ID != d.Rule {
				continue
			}
			tried = tried || row.Outcome == conformance.Pass
			if slices.Contains([]conformance.Outcome{conformance.Fail, conformance.Warn, conformance.Blocked}, row.Outcome) {
				broken = append(broken, d.Rule)
			}
		}
	}
	switch {
	case len(broken) > 0:
		return fmt.Errorf("%s is claimed, and not shown: %s", joined(claimed), strings.Join(broken, ", "))
	case !tried:
		return conformance.Lacks("no row that a level asks for was tried")
	}
	return nil
}

// includes reports whether level l is the other level or builds on it.
func includes(l, other aaif.Level) bool {
	for ; l != ""; l = l.Below() {
		if l == other {
			return true
		}
	}
	return false
}

func joined(levels []aaif.Level) string {
	var names []string
	for _, l := range levels {
		if name := string(l); !slices.Contains(names, name) && slices.Contains(aaif.Levels(), l) {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}
