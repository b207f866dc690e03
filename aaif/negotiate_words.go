package aaif

import (
	"fmt"
	"strings"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/text/pattern"
)

// The most items of a list that people are shown.
const (
	mostPointersSaid = 3
	mostIDsSaid      = 20
)

// plainID is the form of capabilities that can be shown as they are.
var plainID = pattern.New(`^[A-Za-z0-9_.()-]{1,64}$`)

// id names a capability for people. A capability that is no plain name is shown by its
// place.
func (n Need) id() string {
	if !plainID.MatchString(n.Capability) {
		return "what is listed at " + n.Pointers[0]
	}
	return n.Capability
}

// joinSome joins the first items of a list, and says how many more there are.
func joinSome(list []string, most int) string {
	if more := len(list) - most; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(list[:most], ", "), more)
	}
	return strings.Join(list, ", ")
}

// Words says in lines of text what the platform lacks: the capability, where the
// definition asks for it, and what follows.
func (n Negotiation) Words() []string {
	var lines []string
	if n.Stale {
		lines = append(lines, "the manifest of the platform has expired, and what it says cannot be relied on: fetch it again")
	}
	if line := n.versionWords(); line != "" {
		lines = append(lines, line)
	}
	lacking := n.Unsatisfied()
	for i, need := range lacking {
		if i == mostViolations {
			return append(lines, fmt.Sprintf("%d more are lacking", len(lacking)-i))
		}
		lines = append(lines, n.words(need))
	}
	return lines
}

// Refusals says in lines of text which missing capabilities keep the agent from running,
// and where the definition asks for them.
func (n Negotiation) Refusals() []string {
	var lines []string
	if n.Unread {
		lines = append(lines, n.versionWords())
	}
	for i, need := range n.filter(func(need Need) bool { return need.Effect == Refusal }) {
		if i == mostViolations {
			break
		}
		lines = append(lines, need.lacking())
	}
	return lines
}

func (n Negotiation) words(need Need) string { return need.lacking() + "; " + n.follows(need) }

// lacking says what the platform lacks, where it is asked for, and why.
func (n Need) lacking() string {
	asked, why := "asked for", "the platform does not have it"
	if n.Implicit {
		asked = "used"
	}
	if n.Why != "" {
		why = n.Why
	}
	name := n.Capability
	if !plainID.MatchString(name) {
		name = "a capability of no plain name"
	}
	return fmt.Sprintf("%s, %s at %s: %s", name, asked, joinSome(n.Pointers, mostPointersSaid), why)
}

// follows says what follows from an effect.
func (n Negotiation) follows(need Need) string {
	switch {
	case need.Effect == Skipped:
		return "the agent runs without it"
	case need.Effect == Disabled:
		return "what depends on it is off"
	case need.Effect == Substituted && isModel(need.Capability):
		return "another model stands in for it, as definitions prefer models and bind nobody to them"
	case need.Effect == Substituted:
		return "another memory stands in for it, as required_capabilities does not list it"
	case need.Safety:
		return "the agent is refused, as it is never run without that"
	}
	return "the agent is refused, as its safety level is " + Shown(string(n.Safety))
}

// Without says in one line what is off if the agent is accepted, or returns "" (AAIF-7-5,
// AAIF-7-6).
func (n Negotiation) Without() string {
	var off []string
	for _, need := range n.offNeeds() {
		off = append(off, need.id())
	}
	switch {
	case len(off) == 0:
		return ""
	case n.Safety == Minimal:
		return "the agent runs without these: " + joinSome(off, mostIDsSaid)
	}
	return "what depends on these is off: " + joinSome(off, mostIDsSaid)
}

// Err returns nil unless the definition is rejected. The error has the code
// UnsatisfiedCapabilities and lists them (AAIF-7-7). If the manifest had expired, the
// code is NegotiationStale, and the list is uncertain.
func (n Negotiation) Err() error {
	if n.Stale {
		return fault(NegotiationStale, "U.U-2", "", "the manifest of the platform has expired: fetch it again")
	}
	if n.Unread {
		return fault(VersionUnsupported, "U.D-1", "/sc_version", "%s", n.versionWords())
	}
	refused := n.filter(func(need Need) bool { return need.Effect == Refusal })
	if len(refused) == 0 {
		return nil
	}
	var ids []string
	for _, need := range refused {
		ids = append(ids, need.id())
	}
	return fault(UnsatisfiedCapabilities, n.rule(), refused[0].Pointers[0], "the platform does not have what the agent needs: %s", joinSome(ids, mostIDsSaid))
}

// rule returns the requirement that rejects.
func (n Negotiation) rule() string {
	switch n.Safety {
	case Strict:
		return "7-7"
	case Regulated:
		return "7-8"
	}
	return "7-12"
}

// Value returns the negotiation as JSON: the verdict, the capabilities by whether they
// are satisfied, and each need with its places (AAIF-7-1).
func (n Negotiation) Value() canon.Value {
	var satisfied, unsatisfied, needs []canon.Value
	for _, need := range n.Needs {
		needs = append(needs, need.value())
		if need.Satisfied {
			satisfied = append(satisfied, canon.String(need.Capability))
		} else {
			unsatisfied = append(unsatisfied, canon.String(need.Capability))
		}
	}
	v := canon.Object(
		canon.Member{Name: "verdict", Value: canon.String(string(n.Verdict))},
		canon.Member{Name: "safety_level", Value: canon.String(string(n.Safety))},
		canon.Member{Name: "stale", Value: canon.Bool(n.Stale)},
		canon.Member{Name: "audit", Value: canon.Bool(n.Audit)},
		canon.Member{Name: "satisfied", Value: canon.Array(satisfied...)},
		canon.Member{Name: "unsatisfied", Value: canon.Array(unsatisfied...)},
		canon.Member{Name: "disabled", Value: textArray(n.Disabled())},
		canon.Member{Name: "needs", Value: canon.Array(needs...)},
	)
	if words := n.versionWords(); words != "" {
		v = v.With("version", canon.String(words))
	}
	return v
}

func (n Need) value() canon.Value {
	var named canon.Value
	if n.NamedBy != "" {
		named = canon.String(n.NamedBy)
	}
	v := canon.Object(
		canon.Member{Name: "capability", Value: canon.String(n.Capability)},
		canon.Member{Name: "pointers", Value: textArray(n.Pointers)},
		canon.Member{Name: "implicit", Value: canon.Bool(n.Implicit)},
		canon.Member{Name: "safety", Value: canon.Bool(n.Safety)},
		canon.Member{Name: "registered", Value: canon.Bool(n.NamedBy != "" && n.NamedBy != ManifestName)},
		canon.Member{Name: "named_by", Value: named},
		canon.Member{Name: "satisfied", Value: canon.Bool(n.Satisfied)},
	)
	if n.Effect != "" {
		v = v.With("effect", canon.String(string(n.Effect)))
	}
	if n.Why != "" {
		v = v.With("reason", canon.String(n.Why))
	}
	return v
}

// textArray returns a list of texts.
func textArray(list []string) canon.Value {
	items := make([]canon.Value, len(list))
	for i, text := range list {
		items[i] = canon.String(text)
	}
	return canon.Array(items...)
}
