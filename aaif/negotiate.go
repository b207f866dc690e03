package aaif

import (
	"cmp"
	"slices"
	"time"
)

// Verdict is the result of a negotiation (section 7).
type Verdict string

// The verdicts.
const (
	Accepted Verdict = "accepted" // the platform has all that the agent needs
	Degraded Verdict = "degraded" // it runs without some of it; see Need.Effect
	Rejected Verdict = "rejected" // the platform refuses the definition
)

// Effect is the consequence of a capability that a platform lacks (section 7).
type Effect string

// The effects.
const (
	Skipped     Effect = "skipped"     // minimal: a warning, and the run goes on
	Disabled    Effect = "disabled"    // standard: dependent features are off, and the operator is told
	Substituted Effect = "substituted" // a warning: other memory replaces memory that is not pinned (AAIF-4.5-10), or another model replaces one (section 3)
	Refusal     Effect = "refused"     // strict, regulated, and every safety feature
)

// ManifestName stands in place of a registry for capabilities that only manifests name.
const ManifestName = "manifest"

// Need is one capability that an agent needs of a platform.
type Need struct {
	Capability   string   // id of the registry, "condition.<language>", "auth.vault(<provider>)"; see [Manifest.Offered]
	Pointers     []string // where the definition asks for it
	Implicit     bool     // derived from what the agent uses, not listed (decision R19)
	Safety       bool     // a safety feature, without which the agent never runs
	Unregistered bool     // listed, but without a name in any registry or manifest, so that nothing can satisfy it (AAIF-7-3)
	NamedBy      string   // the registry that names it, ManifestName, or empty
	Satisfied    bool
	Effect       Effect // empty: satisfied
	Why          string // for people; empty: the platform lacks it
}

// Negotiation is the result of comparing a definition with a manifest.
type Negotiation struct {
	Verdict Verdict
	Safety  Safety // the safety level that decided
	Needs   []Need // explicit ones first, each in the order of the format
	Audit   bool   // the failure belongs into the audit log (regulated)
	Stale   bool   // rejected because the manifest has expired: fetch it again (AAIF-U.U-2)
	Unread  bool   // rejected because the definition has a later version than the platform reads (AAIF-U.D-1)
	Newer   bool   // a warning: the definition has a later edition than the platform reads

	version string // the definition's
}

// NegotiateOptions steer [Negotiate].
type NegotiateOptions struct {
	Now        time.Time  // decides whether the manifest has expired; zero: not checked
	Registries Registries // nil: the standard ones
	// CustomRegion is the operator's region for the residency "custom"; empty: none, and
	// agents that declare it are refused (decision R35).
	CustomRegion string
}

// Negotiate compares a definition with the manifest of a platform that is to run it
// (section 7). The agent needs what it lists in required_capabilities, and what it uses
// without listing it (decision R19, AAIF-7-11). The safety level decides what follows
// from a need that the platform lacks; the default is standard (AAIF-7-10, decision R17).
// Five safety features are required at every level if the agent uses them: constraints,
// residency, handling of personal data, approval by people, and the audit log
// (AAIF-7-12).
func Negotiate(d Definition, m Manifest, o NegotiateOptions) Negotiation {
	if o.Registries == nil {
		o.Registries = StandardRegistries()
	}
	n := Negotiation{Verdict: Accepted, Safety: cmp.Or(d.Agent.Compliance.Safety, Standard), Needs: o.Registries.needs(d)}
	there := provisionOf(m)
	if len(m.Platform.Capabilities.Model.Providers) == 0 { // the manifest says nothing about models
		n.Needs = slices.DeleteFunc(n.Needs, func(need Need) bool { return need.Implicit && isModel(need.Capability) })
	}
	for i := range n.Needs {
		n.settle(&n.Needs[i], there, d, o)
	}
	n.version = cmp.Or(d.Version, Version)
	n.Newer, n.Unread = m.reads(n.version)
	n.Stale = m.expired(o.Now)
	if n.Stale || n.Unread {
		n.Verdict = Rejected
	}
	n.Audit = n.Verdict == Rejected && n.Safety == Regulated
	return n
}

// settle decides a need, and updates the verdict.
func (n *Negotiation) settle(need *Need, there provision, d Definition, o NegotiateOptions) {
	switch {
	case need.Unregistered:
		need.Why = "it is in no registry"
	case need.Capability == residencyCapability:
		need.Why = there.lacksRegion(d.Agent.Compliance.Residency, o.CustomRegion)
		need.Satisfied = need.Why == ""
	case need.Implicit && isModel(need.Capability):
		if need.Satisfied = there.hasProvider(d.Agent.Model); !need.Satisfied {
			need.Why = "the platform asks none of the providers that are named"
		}
	default:
		need.Satisfied = there.has[need.Capability]
	}
	if need.Satisfied {
		return
	}
	need.Effect = n.effect(*need, there)
	switch {
	case need.Effect == Refusal:
		n.Verdict = Rejected
	case n.Verdict == Accepted:
		n.Verdict = Degraded
	}
}

// effect returns the consequence of a need that is not satisfied.
func (n *Negotiation) effect(need Need, there provision) Effect {
	switch {
	case need.Safety:
		return Refusal
	case need.Implicit && (isModel(need.Capability) || isMemory(need.Capability) && there.hasMemory()):
		return Substituted
	case n.Safety.IsStrict():
		return Refusal
	case n.Safety == Minimal:
		return Skipped
	}
	return Disabled
}

// Unsatisfied returns the needs that are not satisfied.
func (n Negotiation) Unsatisfied() []Need {
	return n.filter(func(need Need) bool { return !need.Satisfied })
}

// filter returns the needs that a function selects.
func (n Negotiation) filter(is func(Need) bool) []Need {
	return slices.DeleteFunc(slices.Clone(n.Needs), func(need Need) bool { return !is(need) })
}

// Disabled returns the capabilities that are disabled or skipped if the agent is accepted
// (AAIF-U.P-1). A capability with a substitute is not among them.
func (n Negotiation) Disabled() []string {
	var off []string
	for _, need := range n.offNeeds() {
		off = append(off, need.Capability)
	}
	return off
}

// offNeeds returns the needs that are off if the agent is accepted.
func (n Negotiation) offNeeds() []Need {
	if n.Verdict == Rejected {
		return nil
	}
	return n.filter(func(need Need) bool { return need.Effect == Disabled || need.Effect == Skipped })
}
