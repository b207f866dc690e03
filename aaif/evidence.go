package aaif

import (
	"fmt"
	"strings"
	"time"
)

// Evidence is what a conformance report rests on, for [NewReport].
type Evidence struct {
	Offer       Offer         // the platform, what it has in force and which duties it keeps
	InForce     string        // see [InForce]: what was in force where the consumer was run
	Homepage    string        // of the platform
	URL         string        // where the report is published
	Consumer    Suite         // the run that shows the duties of Offer.Kept
	Producer    Suite         // the run in which documents were exported
	Exported    []Conformance // of every document of that run, see [Validator.Produced]
	RoundTrips  []RoundTrip   // what survives a conversion to another framework and back
	By, Contact string        // who stands behind the report; [Attest] signs it
	GeneratedAt time.Time
	ExpiresAt   time.Time // zero: never
}

// NewReport reports what has been shown (section 6), and claims no more (AAIF-6-20): a
// direction all of whose run passed, at the levels that a consumer keeps the duties of,
// and that every exported document reaches (AAIF-6-13 to AAIF-6-15). A report without
// claims is none to publish: see [Report.Publishable], and [Evidence.Withheld] for why.
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
		for _, l := range e.shown(d).claimed(d) {
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

// reached returns how far a direction has come, whatever its run.
func (e Evidence) reached(d Direction) Conformance {
	if d == Consumer {
		return e.Offer.conformance()
	}
	return climb(func(l Level) []Missing {
		if len(e.Exported) == 0 {
			return []Missing{{Level: l, Rule: "AAIF-6-14", Text: "no document was exported"}}
		}
		for i, c := range e.Exported {
			if !c.Has(l) {
				return []Missing{{Level: l, Rule: "AAIF-6-14", Text: fmt.Sprintf("exported document %d does not reach it", i+1)}}
			}
		}
		return nil
	})
}

// shown returns how far a direction was shown to have come.
func (e Evidence) shown(d Direction) Conformance {
	why := e.suite(d).unproven(e.GeneratedAt)
	if why == "" && d == Consumer && e.InForce != "" && e.InForce != InForce(NewManifest(e.Offer).Document()) {
		why = "the run was of other settings than are in force"
	}
	if why != "" {
		return Conformance{Missing: []Missing{{Level: Core, Rule: "AAIF-6-20", Text: why}}}
	}
	return e.reached(d)
}

// Withheld says what keeps a direction from the levels that are not claimed: of what is
// next, the duties that were not shown or the documents that do not reach it, or what is
// wrong with the run (AAIF-6-16).
func (e Evidence) Withheld(d Direction) []Missing { return e.shown(d).Missing }

// unproven says why a run shows nothing, and "" of one that does.
func (s Suite) unproven(now time.Time) string {
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

// supported lists what of the registries a manifest offers.
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
