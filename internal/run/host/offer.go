package host

import (
	"slices"

	"github.com/satchel-memory/satchel/aaif"
)

// Offer returns what runs have here, for a manifest: only what is in force with the
// settings (section 7).
func (s Settings) Offer() aaif.Offer {
	o := aaif.Offer{Restore: true, Async: true, Batch: true, Constraints: true, Kept: func(rule string) bool { return slices.Contains(keptDuties[:], rule) }}
	c := &o.Capabilities
	c.Tool = aaif.ToolGroup{Function: len(s.Tools.Functions) > 0, MCP: true, HTTP: true, OpenAPI: true}
	c.Memory.InMemory = true // whatever keeps it, see package notes: it stands in for the backend that a definition names
	c.Model = aaif.ModelGroup{
		Strategies: []aaif.Strategy{aaif.PreferredFirst, aaif.Cheapest, aaif.Fastest, aaif.Best, aaif.RoundRobin},
		Streaming:  true, Fallback: true, FunctionCalling: true, StructuredOutput: true,
	}
	for _, p := range s.Models.Providers {
		c.Model.Providers = append(c.Model.Providers, p.Name)
		for _, region := range p.Regions {
			if !slices.Contains(c.Compliance.Regions, region) {
				c.Compliance.Regions = append(c.Compliance.Regions, region)
			}
		}
	}
	slices.Sort(c.Compliance.Regions)
	c.Orchestration = aaif.OrchestrationGroup{Pipeline: true, Parallel: true, DynamicRouting: true, Handoff: true, Consensus: true, MaxSubagents: mostPinned}
	c.Orchestration.Languages = []aaif.Language{aaif.JSONPath, aaif.JMESPath, aaif.CEL, aaif.JSONLogic, aaif.Always, aaif.Never}
	c.Auth = aaif.AuthGroup{Bearer: true, APIKey: true, Basic: true, OAuth2: true, SigV4: true, MTLS: true}
	for _, v := range s.Tools.Vaults {
		c.Auth.Vault.Supported = true
		c.Auth.Vault.Providers = append(c.Auth.Vault.Providers, aaif.VaultName(v.Provider))
	}
	c.Telemetry = aaif.TelemetryGroup{Traces: true, Metrics: true, Export: s.Exports || len(s.Collectors) > 0}
	c.State = aaif.StateGroup{Checkpoint: true, LiveMigration: true, StreamingHandoff: true}
	c.Compliance.HumanInTheLoop, c.Compliance.AuditLog, c.Compliance.PIIScrubbing = true, true, true
	return o
}

// keptDuties lists the duties of a consumer that runs fulfil here (section 6).
var keptDuties = [...]string{
	"AAIF-4.4-4", "AAIF-4.4-28", "AAIF-12-5", "AAIF-4.2-1", "AAIF-12-1", "AAIF-4.3-4", "AAIF-5-16", "AAIF-4.3-23",
	"AAIF-4.7-1", "AAIF-4.8-7", "AAIF-4.9-4", "AAIF-4.9-7", "AAIF-4.9-8", "AAIF-4.9-12", "AAIF-8.1-8",
}
