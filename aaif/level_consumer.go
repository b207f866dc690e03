package aaif

// Duty is a requirement that a consumer has to prove for a level (AAIF-6-15).
type Duty struct {
	Level Level
	Rule  string // requirement
	Text  string // for people
}

// Duties lists the duties of consumers by level. Each stands at its lowest level only.
func Duties() []Duty {
	return []Duty{
		{Core, "AAIF-6-2", "takes valid definitions in and refuses others"},
		{Core, "AAIF-12-4", "refuses inline secrets"},
		{Core, "AAIF-7-2", "checks required capabilities before it accepts a definition"},
		{Tooled, "AAIF-4.4-4", "offers tools to the model by their schemas"},
		{Tooled, "AAIF-4.4-28", "checks arguments before it calls"},
		{Portable, "AAIF-12-5", "enforces constraints"},
		{Portable, "AAIF-4.2-1", "routes to models as section 4.2 has it"},
		{Portable, "AAIF-12-1", "treats endpoints as untrusted"},
		{MultiAgent, "AAIF-4.3-4", "runs pipelines, swarms, routers and handoffs"},
		{MultiAgent, "AAIF-5-16", "evaluates structured conditions deterministically"},
		{MultiAgent, "AAIF-4.3-23", "enforces max_iterations"},
		{Observable, "AAIF-4.7-1", "emits the spans of section 4.7"},
		{Observable, "AAIF-4.8-7", "gates promotion on thresholds"},
		{Enterprise, "AAIF-4.9-4", "routes within the declared region only"},
		{Enterprise, "AAIF-4.9-7", "handles what identifies a person as declared"},
		{Enterprise, "AAIF-4.9-8", "keeps an audit log that shows tampering"},
		{Enterprise, "AAIF-4.9-12", "asks a person before it writes"},
		{Enterprise, "AAIF-12-17", "verifies signatures"},
		{Stateful, "AAIF-12-14", "verifies the checksum before it restores"},
		{Stateful, "AAIF-12-13", "verifies the migration token before it accepts a state"},
		{Stateful, "AAIF-8.1-8", "enforces max_iterations after restoring"},
	}
}

// ConsumerLevels returns the levels of a consumer that keeps certain requirements.
func ConsumerLevels(kept func(rule string) bool) Conformance {
	return climb(func(l Level) []Gap {
		var missing []Gap
		for _, d := range Duties() {
			if d.Level == l && !kept(d.Rule) {
				missing = append(missing, Gap{Level: l, Rule: d.Rule, Text: "was not shown: " + d.Text})
			}
		}
		return missing
	})
}
