package aaif

import (
	"maps"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/canon"
)

// Capabilities without a name in the registries. A platform that enforces constraints
// lists constraintsCapability in x-aaif-capabilities, or has level Portable or above,
// whose consumers enforce them (AAIF-12-5). A platform that follows every policy for
// personal data, including encrypt and reject, lists handlingCapability, or offers
// scrubbing and has level Enterprise or above (AAIF-4.9-7). The others are names of
// manifest members.
const (
	constraintsCapability = "compliance.constraints"
	handlingCapability    = "compliance.pii_handling"
	scrubbingCapability   = "compliance.pii_scrubbing"
	residencyCapability   = "compliance.data_residency"
	vaultCapability       = "auth.vault"
	modelCapability       = "model.provider(" // followed by the provider's name; manifests list providers
)

// capabilityName returns the registry's name of a capability that manifests or others
// spell differently (AAIF-7-4, AAIF-7-18).
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

// vaultID returns the capability of asking a vault.
func vaultID(provider string) string { return vaultCapability + "(" + VaultName(provider) + ")" }

// vaultOf returns the vault of such a capability.
func vaultOf(id string) (provider string, ok bool) {
	rest, ok := strings.CutPrefix(id, vaultCapability+"(")
	if !ok {
		return "", false
	}
	return strings.CutSuffix(rest, ")")
}

// isMemory reports whether a capability is about memory.
func isMemory(id string) bool { return strings.HasPrefix(id, "memory.") }

// modelID returns the capability of asking a provider of models.
func modelID(provider string) string { return modelCapability + provider + ")" }

// isModel reports whether a capability is a provider of models.
func isModel(id string) bool { return strings.HasPrefix(id, modelCapability) }

// knowsCapability reports whether a registry or a manifest has a name for a capability
// (AAIF-7-3, AAIF-7-4).
func (r Registries) knowsCapability(id string) bool { return r.namedBy(id) != "" }

// namedBy returns the registry that names a capability, ManifestName, or "".
func (r Registries) namedBy(id string) string {
	point, name := Capabilities, id
	if named := r[point].isWritable(name); !named {
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
	case r[point].isWritable(name):
		return string(point)
	case isManifestName(id) || id == constraintsCapability || id == handlingCapability:
		return ManifestName
	}
	return ""
}

// provision is the capabilities that a manifest offers.
type provision struct {
	has       map[string]bool
	regions   []string
	providers []string // of models
}

// hasMemory reports whether the platform has any place for memory, which may replace
// another (AAIF-4.5-10).
func (p provision) hasMemory() bool {
	for id, there := range p.has {
		if there && isMemory(id) {
			return true
		}
	}
	return false
}

// hasProvider reports whether the platform asks one of the providers that a definition
// names.
func (p provision) hasProvider(m Model) bool {
	there := func(provider string) bool {
		return slices.Contains(p.providers, provider) || slices.Contains(p.providers, m.nameOf(provider))
	}
	return there(m.Provider) || slices.ContainsFunc(m.Fallbacks, func(f Route) bool { return there(f.Provider) })
}

// provisionOf collects the capabilities of a manifest: the members of its groups that are
// true, and its list x-aaif-capabilities (decisions, section 8).
func provisionOf(m Manifest) provision {
	c := m.Platform.Capabilities
	p := provision{has: map[string]bool{}, regions: c.Compliance.Regions, providers: c.Model.Providers}
	for _, group := range c.document().Members() {
		for _, member := range group.Value.Members() {
			if member.Value.True() {
				p.has[capabilityName(group.Name+"."+member.Name)] = true
			}
		}
	}
	// One member stands for two capabilities. In the list each stands for itself.
	p.has["io.streaming"], p.has["state.restore"] = c.Model.Streaming, c.State.Checkpoint
	for _, id := range m.Extra {
		p.has[capabilityName(id)] = true
	}
	for _, l := range c.Orchestration.Languages {
		p.has["condition."+string(l)] = true
	}
	p.vaults(c.Auth.Vault)
	p.addImplied(m.Platform.Level)
	return p
}

// document returns the groups as an object.
func (g Groups) document() canon.Value { return document(g) }

// vaults adds the vaults that a platform can ask. A platform without vault support has
// none.
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

// addImplied adds the capabilities that others imply.
func (p provision) addImplied(l Level) {
	for id := range maps.Clone(p.has) {
		if lang, ok := strings.CutPrefix(id, "condition."); ok && isConditionLanguage(Language(lang)) {
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

// lacksRegion says why the platform cannot keep to a residency, or returns ""
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

// Offered returns the capabilities of a manifest in alphabetical order, by their registry
// names: the members of its groups that are true, its x-aaif-capabilities,
// "condition.<language>" and "auth.vault(<provider>)". "compliance.constraints" is among
// them if the platform enforces constraints, "compliance.pii_handling" if it follows
// every policy for personal data.
func (m Manifest) Offered() []string { return provisionOf(m).list() }

// list returns the capabilities in alphabetical order.
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
