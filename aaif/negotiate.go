package aaif

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
	Skipped  Effect = "skipped"  // minimal: a warning, and the run goes on
	Disabled Effect = "disabled" // standard: what depends on it is off, and the operator is told
	Refusal  Effect = "refused"  // strict, regulated, and every safety feature
)

// Need is one capability that an agent needs of a platform.
type Need struct {
	Capability string   // id of the registry, "condition.<language>", "auth.vault(<provider>)"
	Pointers   []string // where the definition asks for it
	Implicit   bool     // derived from what the agent uses, not listed (decision R19)
	Safety     bool     // a safety feature, which is never done without
	Satisfied  bool
	Effect     Effect // empty: satisfied
}

// Negotiation is what comes of holding a definition against a manifest.
type Negotiation struct {
	Verdict Verdict
	Safety  Safety // the safety level that decided
	Needs   []Need // explicit ones first, each in the order of the document
	Audit   bool   // the failure has to be written into the audit log (regulated)
	Stale   bool   // the manifest had expired (AAIF-U.U-2)
}
