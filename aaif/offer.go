package aaif

import (
	"slices"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/canon"
)

// Offer is what a platform has in force, for [NewManifest]. The zero Offer has nothing.
type Offer struct {
	Name, Version, Vendor string
	URL                   string   // where the manifest is published
	Editions              []string // of the format, that definitions may be of; nil: the newest
	// Kept reports whether the platform was shown to keep a requirement of [Duties];
	// nil: it keeps none.
	Kept func(rule string) bool
	// Capabilities are in force. Model.Streaming says that output is streamed to
	// whoever calls.
	Capabilities Groups
	Restore      bool // goes on from checkpoints
	Async        bool // works in the background
	Batch        bool // takes lists of inputs
	Constraints  bool // enforces constraints
	Intake       Intake
	Keys         canon.Value // public keys that migration tokens are signed with, as a JWK Set
	Settings     []string    // of the operator that change how documents are taken in, by names of the platform's own
	IssuedAt     time.Time
	ExpiresAt    time.Time // zero: never
}

// NewManifest describes a platform (section 7), and claims no more than it offers
// (AAIF-7-15): its level is what [Consumed] finds of the duties that it keeps and whose
// means are in force, and a safety feature is in it only if its duty is kept, too. What
// validators of edition 3.4.0 do not know stands in x-aaif-capabilities, the flat list of
// all capabilities. A manifest without a level is none to publish: see
// [Manifest.Publishable].
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

// conformance returns the levels whose duties are kept, and whose means are in force.
func (o Offer) conformance() Conformance { return Consumed(o.keeps) }

// level returns the highest level, of the longer branch where there are two.
func (o Offer) level() Level {
	held := o.conformance().Held
	if len(held) == 0 {
		return ""
	}
	return held[len(held)-1]
}

// keeps reports whether a duty is kept, which takes what it is kept with.
func (o Offer) keeps(rule string) bool { return o.Kept != nil && o.Kept(rule) && o.means(rule) }

// means reports whether that is in force without which a duty cannot be kept.
func (o Offer) means(rule string) bool {
	g := o.Capabilities
	switch rule {
	case "AAIF-4.4-4":
		return g.Tool.Function || g.Tool.MCP || g.Tool.HTTP || g.Tool.OpenAPI
	case "AAIF-12-5":
		return o.Constraints
	case "AAIF-4.3-4":
		return g.Orchestration.Pipeline && g.Orchestration.Parallel && g.Orchestration.DynamicRouting && g.Orchestration.Handoff
	case "AAIF-5-16":
		return slices.ContainsFunc(g.Orchestration.Languages, expressive)
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

// expressive reports whether a language is more than a constant.
func expressive(l Language) bool { return l != Always && l != Never && l != "" }

// groups returns the capabilities that are in force, without the safety features whose
// duties are not kept.
func (o Offer) groups() Groups {
	g := o.Capabilities.fresh()
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

// flat lists the capabilities by the names of registries, and those that only
// x-aaif-capabilities has a place for.
func (o Offer) flat(g Groups) []string {
	p := provided(Manifest{Platform: Platform{Capabilities: g}})
	p.has["state.restore"] = o.Restore
	p.has["io.async"], p.has["io.batch"] = o.Async, o.Batch
	p.has[constraintsCapability] = o.keeps("AAIF-12-5")
	p.has[handlingCapability] = o.keeps("AAIF-4.9-7")
	var list []string
	for _, id := range p.list() {
		if e, ok := StandardRegistries()[Capabilities].Entry(id); ok && e.Status == StandardEntry || id == constraintsCapability || id == handlingCapability || homeless(id) {
			list = append(list, id)
		}
	}
	return list
}

// homeless reports whether manifests of edition 3.4.0 have no place for a capability.
func homeless(id string) bool {
	if slices.Contains([]string{"memory.sqlite", "memory.weaviate", "auth.basic", "auth.mtls", vaultID("custom")}, id) {
		return true
	}
	lang, ok := strings.CutPrefix(id, "condition.")
	return ok && !slices.Contains(languages(), Language(lang))
}
