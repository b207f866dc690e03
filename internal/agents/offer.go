package agents

import (
	"context"
	"slices"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/memory"
)

// agentsPath is the path that accepts definitions.
const agentsPath = "/aaif/agents"

// The paths of the published manifest and report (AAIF-7-13).
const (
	manifestPath = "/.well-known/aaif-manifest.json"
	reportPath   = "/.well-known/aaif-conformance.json"
)

// kept lists the duties of a consumer that this package fulfils, with any runtime for
// agents (section 6).
var kept = [...]string{"AAIF-6-2", "AAIF-12-4", "AAIF-7-2", "AAIF-12-17", "AAIF-12-14", "AAIF-12-13"}

// offer returns the features in force: those of Running, and those that intake needs.
func (o Options) offer(issued time.Time) aaif.Offer {
	f := o.Running
	f.Name, f.Version, f.IssuedAt, f.Settings = o.Platform, o.Release, issued, o.settings()
	if f.Name == "" {
		f.Name = "satchel"
	}
	running := o.Running.Kept
	f.Kept = func(rule string) bool {
		return slices.Contains(kept[:], rule) || running != nil && running(rule)
	}
	if o.URL != "" {
		f.URL = o.URL + manifestPath
	}
	if o.URL != "" && !o.ReadOnly {
		f.Intake = aaif.Intake{URL: o.URL + agentsPath, Method: "POST", AuthScheme: "bearer", ContentType: "application/json", MaxBytes: int(o.Limits.Body)}
	}
	return f
}

// settings names the options that the operator has changed from the default.
func (o Options) settings() (all []string) {
	for _, s := range []struct {
		name string
		set  bool
	}{{"agents-signed", o.Signed}, {"agents-active", o.Active}, {"agents-unbound", o.Unbound}, {"agents-local", o.Plain}} {
		if s.set {
			all = append(all, s.name)
		}
	}
	return all
}

// Manifest returns the features in force (AAIF-7-15).
func (s *Service) Manifest(context.Context) (aaif.Manifest, error) {
	s, err := s.fresh()
	if err != nil {
		return aaif.Manifest{}, err
	}
	return s.manifest, nil
}

// Report returns the results of a run of the conformance suite, signed if there is a
// key. Without such a run it fails with kind NotFound (AAIF-6-19).
func (s *Service) Report(context.Context) (aaif.Report, error) {
	s, err := s.fresh()
	if err != nil {
		return aaif.Report{}, err
	}
	var e aaif.Evidence
	if s.opt.Shown != nil {
		if e, err = s.opt.Shown(); err != nil {
			return aaif.Report{}, err
		}
	}
	e.Offer = s.opt.offer(s.issued)
	if s.opt.URL != "" {
		e.URL = s.opt.URL + reportPath
	}
	if e.GeneratedAt.IsZero() {
		e.GeneratedAt = s.issued
	}
	r := aaif.NewReport(e)
	if len(r.Claims) == 0 {
		return aaif.Report{}, &memory.Error{Kind: memory.NotFound, Op: "report", Rule: "AAIF-6-19",
			Message: "no run of the conformance suite is known here, and nothing is claimed without one"}
	}
	if !s.opt.Signer.IsZero() {
		r = aaif.ReadReport(aaif.Attest(r.Document(), s.opt.Signer))
	}
	return r, nil
}
