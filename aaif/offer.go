package aaif

import (
	"slices"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/canon"
)

// Offer describes a platform for [NewManifest]. The zero Offer has no capabilities.
type Offer struct {
	Name, Version, Vendor string
	URL                   string   // the address of the manifest
	Editions              []string // editions of the format that the platform reads; nil: the newest
	// Kept reports whether the platform has proven a requirement of [Duties]; nil: none.
	Kept func(rule string) bool
	// Capabilities are in force. Model.Streaming says that callers get streamed output.
	Capabilities Groups
	Restore      bool // continues from checkpoints
	Async        bool // runs in the background
	Batch        bool // accepts lists of inputs
	Constraints  bool // enforces constraints
	Intake       Intake
	Keys         canon.Value // public keys that verify migration tokens, as a JWK Set
	Settings     []string    // operator settings that change how documents are accepted, by the platform's own names
	IssuedAt     time.Time
	ExpiresAt    time.Time // zero: never
}

// NewManifest describes a platform, and claims no more than it offers (section 7,
// AAIF-7-15). Its level comes from [ConsumerLevels], for the duties that the platform
// keeps and has the means for. A safety feature is included only if its duty is kept,
// too. Capabilities that validators of edition 3.4.0 do not know stand in
// x-aaif-capabilities, the list of all capabilities. A manifest without a level must not
// be published: see [Manifest.Publishable].
func NewManifest(o Offer) Manifest {
	m := Manifest{Standard: StandardID, Version: Version, Keys: o.Keys, Settings: slices.Clone(o.Settings), Platform: Platform{
		Name: o.Name, Version: o.Version, Vendor: o.Vendor, URL: o.URL, Level: o.level(), Versions: slices.Clone(o.Editions),
		Capabilities: o.groups(), Intake: o.Intake, IssuedAt: o.IssuedAt, ExpiresAt: o.ExpiresAt,
	}}
	if len(m.Platform.Versions) == 0 {
		m.Platform.Versions = []string{Version}
	}
	m.Platform.Intake.Value = canon.Value{}
	m.Extra = o.flat(m.Platform.Capabilities)
	m.Platform.Capabilities = m.Platform.Capabilities.published(o.Restore)
	return m
}

// conformance returns the levels whose duties are kept and whose means are in force.
func (o Offer) conformance() Conformance { return ConsumerLevels(o.keeps) }

// level returns the highest level, on the longer branch if there are two.
func (o Offer) level() Level {
	held := o.conformance().Held
	if len(held) == 0 {
		return ""
	}
	return held[len(held)-1]
}

// keeps reports whether a duty is kept and its means are in force.
func (o Offer) keeps(rule string) bool { return o.Kept != nil && o.Kept(rule) && o.hasMeans(rule) }

// hasMeans reports whether the means for a duty are in force.
func (o Offer) hasMeans(rule string) bool {
	g := o.Capabilities
	switch rule {
	case "AAIF-4.4-4":
		return g.Tool.Function || g.Tool.MCP || g.Tool.HTTP || g.Tool.OpenAPI
	case "AAIF-12-5":
		return o.Constraints
	case "AAIF-4.3-4":
		return g.Orchestration.Pipeline && g.Orchestration.Parallel && g.Orchestration.DynamicRouting && g.Orchestration.Handoff
	case "AAIF-5-16":
		return slices.ContainsFunc(g.Orchestration.Languages, isConditionLanguage)
	case "AAIF-4.7-1":
		return g.Telemetry.Traces
	case "AAIF-4.9-4":
		return len(g.Compliance.Regions) > 0
	case "AAIF-4.9-7":
		return g.Compliance.PIIScrubbing
	case "AAIF-4.9-8":
		return g.Compliance.AuditLog
	case "AAIF-4.9-12":
		return g.Compliance.HumanInTheLoop
	case "AAIF-12-14", "AAIF-12-13", "AAIF-8.1-8":
		return g.State.Checkpoint && o.Restore
	}
	return true
}

// isConditionLanguage reports whether a language is more than a constant.
func isConditionLanguage(l Language) bool { return l != Always && l != Never && l != "" }

// groups returns the capabilities in force, without safety features whose duties are not
// kept.
func (o Offer) groups() Groups {
	g := o.Capabilities.withoutValues()
	g.Compliance.HumanInTheLoop = o.keeps("AAIF-4.9-12")
	g.Compliance.AuditLog = o.keeps("AAIF-4.9-8")
	g.Compliance.PIIScrubbing = o.keeps("AAIF-4.9-7")
	if !o.keeps("AAIF-4.9-4") {
		g.Compliance.Regions = nil
	}
	g.Auth.Vault.Supported = g.Auth.Vault.Supported && len(g.Auth.Vault.Providers) > 0
	if !g.Auth.Vault.Supported {
		g.Auth.Vault.Providers = nil
	}
	g.Orchestration.MaxSubagents = max(g.Orchestration.MaxSubagents, 0)
	g.State.MaxTokens = max(g.State.MaxTokens, 0)
	return g
}

// flat lists the capabilities by their registry names, including those that only
// x-aaif-capabilities can hold.
func (o Offer) flat(g Groups) []string {
	p := provisionOf(Manifest{Platform: Platform{Capabilities: g}})
	p.has["state.restore"] = o.Restore
	p.has["io.async"], p.has["io.batch"] = o.Async, o.Batch
	p.has[constraintsCapability] = o.keeps("AAIF-12-5")
	p.has[handlingCapability] = o.keeps("AAIF-4.9-7")
	var list []string
	for _, id := range p.list() {
		if e, ok := StandardRegistries()[Capabilities].Entry(id); ok && e.Status == StandardEntry || id == constraintsCapability || id == handlingCapability || needsFlatList(id) {
			list = append(list, id)
		}
	}
	return list
}

// needsFlatList reports whether manifests of edition 3.4.0 have no member for a
// capability.
func needsFlatList(id string) bool {
	if slices.Contains([]string{"memory.sqlite", "memory.weaviate", "auth.basic", "auth.mtls", vaultID("custom")}, id) {
		return true
	}
	lang, ok := strings.CutPrefix(id, "condition.")
	return ok && !slices.Contains(languages(), Language(lang))
}
