package aaif

import (
	"maps"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/canon"
)

// Capabilities that no registry has a name for. A platform that enforces constraints
// lists constraintsCapability in x-aaif-capabilities, or has a level of Portable or above, whose
// consumers do (AAIF-12-5). One that does with personal data whatever definitions declare,
// be that encrypt or reject, lists handlingCapability, or says to scrub them and has a level of
// Enterprise or above (AAIF-4.9-7). The others are names of members of manifests.
const (
	constraintsCapability = "compliance.constraints"
	handlingCapability    = "compliance.pii_handling"
	scrubbingCapability   = "compliance.pii_scrubbing"
	residencyCapability   = "compliance.data_residency"
	vaultCapability       = "auth.vault"
	modelCapability       = "model.provider(" // and its name; manifests list providers
)

// capabilityName returns the name that registries have for a capability which
// manifests, or others, spell otherwise (AAIF-7-4, AAIF-7-18).
func capabilityName(id string) string {
	switch id {
	case "compliance.human_in_the_loop":
		return "compliance.hitl"
	case "telemetry.otel_traces":
		return "telemetry.otel"
	}
	if vault, ok := vaultOf(id); ok {
		return vaultID(vault)
	}
	return id
}

// vaultID returns the capability to ask one vault.
func vaultID(provider string) string { return vaultCapability + "(" + VaultName(provider) + ")" }

// vaultOf returns the vault of such a capability.
func vaultOf(id string) (provider string, ok bool) {
	rest, ok := strings.CutPrefix(id, vaultCapability+"(")
	if !ok {
		return "", false
	}
	return strings.CutSuffix(rest, ")")
}

// isMemory reports whether a capability is a place for memory, or what it can do.
func isMemory(id string) bool { return strings.HasPrefix(id, "memory.") }

// modelID returns the capability to ask one provider of models.
func modelID(provider string) string { return modelCapability + provider + ")" }

// isModel reports whether a capability is a provider of models.
func isModel(id string) bool { return strings.HasPrefix(id, modelCapability) }

// capable reports whether registries or manifests know a capability (AAIF-7-3, AAIF-7-4).
func (r Registries) capable(id string) bool { return r.namedBy(id) != "" }

// namedBy returns which registry has a name for a capability, or ManifestName, or "".
func (r Registries) namedBy(id string) string {
	point, name := Capabilities, id
	if named := r[point].written(name); !named {
		group, rest, _ := strings.Cut(id, ".")
		switch group {
		case "tool":
			point, name = Protocols, rest
		case "condition":
			point, name = Languages, rest
		case "memory":
			point, name = Backends, rest
		}
		if vault, ok := vaultOf(id); ok {
			point, name = Vaults, vault
		}
	}
	switch {
	case r[point].written(name):
		return string(point)
	case aliased(id) || id == constraintsCapability || id == handlingCapability:
		return ManifestName
	}
	return ""
}

// provision is what a manifest says that there is.
type provision struct {
	has       map[string]bool
	regions   []string
	providers []string // of models
}

// remembers reports whether there is any place for memory, which may stand in for another
// (AAIF-4.5-10).
func (p provision) remembers() bool {
	for id, there := range p.has {
		if there && isMemory(id) {
			return true
		}
	}
	return false
}

// asks reports whether one of the providers that a definition names is there.
func (p provision) asks(m Model) bool {
	there := func(provider string) bool {
		return slices.Contains(p.providers, provider) || slices.Contains(p.providers, m.nameOf(provider))
	}
	return there(m.Provider) || slices.ContainsFunc(m.Fallbacks, func(f Route) bool { return there(f.Provider) })
}

// provided gathers what a manifest says: what its groups have as true, and its flat list
// x-aaif-capabilities (decisions, section 8).
func provided(m Manifest) provision {
	c := m.Platform.Capabilities
	p := provision{has: map[string]bool{}, regions: c.Compliance.Regions, providers: c.Model.Providers}
	for _, group := range c.document().Members() {
		for _, member := range group.Value.Members() {
			if member.Value.True() {
				p.has[capabilityName(group.Name+"."+member.Name)] = true
			}
		}
	}
	// One member stands for two capabilities; in the flat list each stands for itself.
	p.has["io.streaming"], p.has["state.restore"] = c.Model.Streaming, c.State.Checkpoint
	for _, id := range m.Extra {
		p.has[capabilityName(id)] = true
	}
	for _, l := range c.Orchestration.Languages {
		p.has["condition."+string(l)] = true
	}
	p.vaults(c.Auth.Vault)
	p.implied(m.Platform.Level)
	return p
}

// document returns the groups as they are written.
func (g Groups) document() canon.Value { return document(g) }

// vaults adds the vaults that can be asked; of a platform that supports none it is none.
func (p provision) vaults(g VaultGroup) {
	if g.Supported {
		p.has[vaultCapability] = true
	}
	for _, name := range g.Providers {
		p.has[vaultID(name)] = true
	}
	if !p.has[vaultCapability] {
		maps.DeleteFunc(p.has, func(id string, _ bool) bool { _, ok := vaultOf(id); return ok })
	}
}

// implied adds what follows from what is there.
func (p provision) implied(l Level) {
	for id := range maps.Clone(p.has) {
		if lang, ok := strings.CutPrefix(id, "condition."); ok && expressive(Language(lang)) {
			p.has["condition.structured"] = true
		}
	}
	for ; l != ""; l = l.Below() {
		p.has[constraintsCapability] = p.has[constraintsCapability] || l == Portable
		p.has[handlingCapability] = p.has[handlingCapability] || l == Enterprise && p.has[scrubbingCapability]
	}
	p.has[scrubbingCapability] = p.has[scrubbingCapability] || p.has[handlingCapability]
	p.has[residencyCapability] = p.has[residencyCapability] || len(p.regions) > 0
}

// lacksRegion says why a residency cannot be kept to, and "" where it can
// (AAIF-4.9-5, decision R35).
func (p provision) lacksRegion(r Residency, custom string) string {
	region := string(r)
	switch {
	case r == CustomRegion && custom == "":
		return "the residency is custom, and the operator has not said which region that means"
	case r == CustomRegion:
		region = custom
	}
	switch {
	case region == "" || region == string(Global):
		if !p.has[residencyCapability] {
			return "the platform keeps to no region"
		}
	case !slices.Contains(p.regions, region):
		return "the platform does not keep to the declared region"
	}
	return ""
}

// Offered returns the capabilities that a manifest says there are, in alphabetical
// order, by the names of registries: what its groups have as true, what
// x-aaif-capabilities lists, "condition.<language>", "auth.vault(<provider>)", and
// "compliance.constraints" of a platform that enforces constraints, and
// "compliance.pii_handling" of one that does with personal data whatever is declared.
func (m Manifest) Offered() []string { return provided(m).list() }

// list returns what there is, in alphabetical order.
func (p provision) list() []string {
	var list []string
	for id, there := range p.has {
		if there {
			list = append(list, id)
		}
	}
	slices.Sort(list)
	return list
}
