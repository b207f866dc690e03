package aaif

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Evidence is the proof behind a conformance report, for [NewReport].
type Evidence struct {
	Offer       Offer         // the platform, its settings and the duties it keeps
	InForce     string        // the settings of the consumer's run, see [InForce]
	Homepage    string        // the platform's
	URL         string        // the address of the report
	Consumer    Suite         // the run that proves the duties of Offer.Kept
	Shown       []string      // the requirements that the consumer's run has shown (AAIF-6-15)
	Producer    Suite         // the run in which documents were exported
	Exported    []Conformance // the levels of every document of that run, see [Validator.Produced]
	RoundTrips  []RoundTrip   // what survives conversion to another framework and back
	By, Contact string        // who vouches for the report; [Attest] signs it
	GeneratedAt time.Time
	ExpiresAt   time.Time // zero: never
}

// NewReport claims what has been proven, and no more (section 6, AAIF-6-20). It claims a
// direction only if its whole run passed. A consumer gets the levels whose duties it
// keeps and has shown, a producer those that every exported document reaches (AAIF-6-13 to AAIF-6-15).
// A report without claims must not be published: see [Report.Publishable], and
// [Evidence.Withheld] for the reason.
func NewReport(e Evidence) Report {
	m := NewManifest(e.Offer)
	r := Report{
		Standard:    StandardID,
		Report:      ReportHead{GeneratedAt: e.GeneratedAt, Versions: m.Platform.Versions, ExpiresAt: e.ExpiresAt, URL: e.URL},
		Platform:    ReportPlatform{Name: e.Offer.Name, Version: e.Offer.Version, Vendor: e.Offer.Vendor, Manifest: e.Offer.URL, Homepage: e.Homepage},
		Supported:   m.supported(),
		Attestation: Attestation{By: e.By, Contact: e.Contact},
	}
	for _, d := range []Direction{Consumer, Producer} {
		for _, l := range e.provenLevels(d).levelsToClaim(d) {
			r.Claims = append(r.Claims, Claim{Level: l, Direction: d, Suite: e.suite(d), RoundTrip: e.RoundTrips})
		}
	}
	return r
}

// suite returns the run of a direction.
func (e Evidence) suite(d Direction) Suite {
	if d == Consumer {
		return e.Consumer
	}
	return e.Producer
}

// levelsOf returns the levels of a direction, whatever its run.
func (e Evidence) levelsOf(d Direction) Conformance {
	if d == Consumer {
		return ConsumerLevels(func(rule string) bool { return e.Offer.keeps(rule) && slices.Contains(e.Shown, rule) })
	}
	return climb(func(l Level) []Gap {
		if len(e.Exported) == 0 {
			return []Gap{{Level: l, Rule: "AAIF-6-14", Text: "no document was exported"}}
		}
		for i, c := range e.Exported {
			if !c.Has(l) {
				return []Gap{{Level: l, Rule: "AAIF-6-14", Text: fmt.Sprintf("exported document %d does not reach it", i+1)}}
			}
		}
		return nil
	})
}

// provenLevels returns the levels that a direction has proven.
func (e Evidence) provenLevels(d Direction) Conformance {
	why := e.suite(d).failure(e.GeneratedAt)
	if why == "" && d == Consumer && e.InForce != "" && e.InForce != InForce(NewManifest(e.Offer).Document()) {
		why = "the run was of other settings than are in force"
	}
	if why != "" {
		return Conformance{Missing: []Gap{{Level: Core, Rule: "AAIF-6-20", Text: why}}}
	}
	return e.levelsOf(d)
}

// Withheld says why a direction does not claim the next levels: the duties that were not
// proven, the documents that do not reach the level, or what is wrong with the run
// (AAIF-6-16).
func (e Evidence) Withheld(d Direction) []Gap { return e.provenLevels(d).Missing }

// failure says why a run proves nothing, or returns "".
func (s Suite) failure(now time.Time) string {
	switch {
	case s.Corpus == "" || s.RanAt.IsZero():
		return "there was no run"
	case s.Total < 1:
		return "the run tested nothing"
	case s.Passed != s.Total:
		return fmt.Sprintf("%d of %d passed", s.Passed, s.Total)
	case s.RanAt.After(now):
		return "the run is later than the report"
	}
	return ""
}

// supported lists the registry entries that a manifest offers.
func (m Manifest) supported() Supported {
	s := Supported{Providers: m.Platform.Capabilities.Model.Providers}
	r := StandardRegistries()
	for _, id := range m.Offered() {
		if _, ok := r[Capabilities].Entry(id); ok {
			s.Capabilities = append(s.Capabilities, id)
		}
		if vault, ok := vaultOf(id); ok {
			s.Vaults = append(s.Vaults, vault)
		}
		group, name, _ := strings.Cut(id, ".")
		for _, list := range []struct {
			group string
			point Point
			into  *[]string
		}{{"condition", Languages, &s.Languages}, {"memory", Backends, &s.Backends}, {"tool", Protocols, &s.Protocols}} {
			if _, ok := r[list.point].Entry(name); ok && group == list.group {
				*list.into = append(*list.into, name)
			}
		}
	}
	return s
}
