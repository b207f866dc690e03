package aaif

import (
	"cmp"
	"slices"
	"time"
)

// Verdict is what negotiation makes of a definition (section 7).
type Verdict string

// The verdicts.
const (
	Accepted Verdict = "accepted" // the platform has all that the agent needs
	Degraded Verdict = "degraded" // it runs without some of it; see Need.Effect
	Rejected Verdict = "rejected" // it is not taken in
)

// Effect is what becomes of a capability that a platform lacks (section 7).
type Effect string

// The effects.
const (
	Skipped     Effect = "skipped"     // minimal: a warning, and the run goes on
	Disabled    Effect = "disabled"    // standard: what depends on it is off, and the operator is told
	Substituted Effect = "substituted" // a warning: another memory stands in for one that is not pinned (AAIF-4.5-10), or another model (section 3)
	Refusal     Effect = "refused"     // strict, regulated, and every safety feature
)

// ManifestName is who names a capability that is in no registry, though manifests can say
// whether a platform has it.
const ManifestName = "manifest"

// Need is one capability that an agent needs of a platform.
type Need struct {
	Capability   string   // id of the registry, "condition.<language>", "auth.vault(<provider>)"; see [Manifest.Offered]
	Pointers     []string // where the definition asks for it
	Implicit     bool     // derived from what the agent uses, not listed (decision R19)
	Safety       bool     // a safety feature, which is never done without
	Unregistered bool     // listed, but nobody has a name for it, so that nothing can satisfy it (AAIF-7-3)
	NamedBy      string   // the registry that names it, ManifestName of what manifests alone name; empty: nobody
	Satisfied    bool
	Effect       Effect // empty: satisfied
	Why          string // for people, where there is more to say than that the platform lacks it
}

// Negotiation is what comes of holding a definition against a manifest.
type Negotiation struct {
	Verdict Verdict
	Safety  Safety // the safety level that decided
	Needs   []Need // explicit ones first, each in the order of the format
	Audit   bool   // the failure has to be written into the audit log (regulated)
	Stale   bool   // the manifest had expired, which rejects: fetch it again (AAIF-U.U-2)
	Unread  bool   // the definition is of a later version than any that the platform reads, which rejects (AAIF-U.D-1)
	Newer   bool   // it is of a later edition of such a version: a warning

	version string // of the definition
}

// NegotiateOptions steer [Negotiate].
type NegotiateOptions struct {
	Now        time.Time  // by which the manifest expires; zero: it is not looked at
	Registries Registries // nil: those of the edition
	// CustomRegion is the region that the operator means by the residency "custom";
	// empty: none, and agents that declare it are refused (decision R35).
	CustomRegion string
}

// Negotiate holds a definition against the manifest of the platform that is to run it
// (section 7): what it lists in required_capabilities, and what it uses without listing
// it (decision R19, AAIF-7-11). What the platform lacks has the effect that the safety
// level gives it; without one it is standard (AAIF-7-10, decision R17). The five safety
// features, where the agent uses them, are refused at every level: constraints,
// residency, what is done with personal data, approval by people, and the audit log
// (AAIF-7-12).
func Negotiate(d Definition, m Manifest, o NegotiateOptions) Negotiation {
	if o.Registries == nil {
		o.Registries = StandardRegistries()
	}
	n := Negotiation{Verdict: Accepted, Safety: cmp.Or(d.Agent.Compliance.Safety, Standard), Needs: o.Registries.needs(d)}
	there := provided(m)
	if len(m.Platform.Capabilities.Model.Providers) == 0 { // which says nothing of models
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

// settle decides a need, and what it does to the verdict.
func (n *Negotiation) settle(need *Need, there provision, d Definition, o NegotiateOptions) {
	switch {
	case need.Unregistered:
		need.Why = "it is in no registry"
	case need.Capability == residencyCapability:
		need.Why = there.lacksRegion(d.Agent.Compliance.Residency, o.CustomRegion)
		need.Satisfied = need.Why == ""
	case need.Implicit && isModel(need.Capability):
		if need.Satisfied = there.asks(d.Agent.Model); !need.Satisfied {
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

// effect returns what follows from a need that is not satisfied.
func (n *Negotiation) effect(need Need, there provision) Effect {
	switch {
	case need.Safety:
		return Refusal
	case need.Implicit && (isModel(need.Capability) || isMemory(need.Capability) && there.remembers()):
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
	return n.such(func(need Need) bool { return !need.Satisfied })
}

// such returns the needs of which something is true.
func (n Negotiation) such(is func(Need) bool) []Need {
	return slices.DeleteFunc(slices.Clone(n.Needs), func(need Need) bool { return !is(need) })
}

// Disabled returns the capabilities that the agent does without when it is taken in, be
// they disabled or skipped (AAIF-U.P-1). Where another stands in, nothing is off.
func (n Negotiation) Disabled() []string {
	var off []string
	for _, need := range n.without() {
		off = append(off, need.Capability)
	}
	return off
}

// without returns the needs that the agent does without when it is taken in.
func (n Negotiation) without() []Need {
	if n.Verdict == Rejected {
		return nil
	}
	return n.such(func(need Need) bool { return need.Effect == Disabled || need.Effect == Skipped })
}
