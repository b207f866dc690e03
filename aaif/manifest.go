package aaif

import (
	"time"

	"github.com/satchel-memory/satchel/canon"
)

// Manifest says what a platform can do (section 7).
type Manifest struct {
	Standard string      `aaif:"sc_standard!"`
	Version  string      `aaif:"sc_version!"`
	Platform Platform    `aaif:"platform!"`
	Extra    []string    `aaif:"x-aaif-capabilities"` // capabilities that belong to no group
	Keys     canon.Value `aaif:"x-aaif-jwks"`         // public keys that verify migration tokens (decision R7)
	Settings []string    `aaif:"x-aaif-settings"`     // settings that change how documents are accepted
	Value    canon.Value
}

// Platform describes the platform of a manifest.
type Platform struct {
	Name         string    `aaif:"name!"`
	Version      string    `aaif:"version!"`
	Vendor       string    `aaif:"vendor"`
	URL          string    `aaif:"manifest_url"`
	Level        Level     `aaif:"aaif_conformance_level!"`
	Versions     []string  `aaif:"aaif_versions_supported"`
	Capabilities Groups    `aaif:"capabilities!"`
	Intake       Intake    `aaif:"intake_endpoint"`
	IssuedAt     time.Time `aaif:"manifest_issued_at"`
	ExpiresAt    time.Time `aaif:"manifest_expires_at"`
	Value        canon.Value
}

// Groups holds the capabilities of a platform.
type Groups struct {
	Tool          ToolGroup          `aaif:"tool!"`
	Memory        MemoryGroup        `aaif:"memory!"`
	Model         ModelGroup         `aaif:"model!"`
	Orchestration OrchestrationGroup `aaif:"orchestration!"`
	Auth          AuthGroup          `aaif:"auth!"`
	State         StateGroup         `aaif:"state!"`
	Compliance    ComplianceGroup    `aaif:"compliance!"`
	Telemetry     TelemetryGroup     `aaif:"telemetry!"`
	Value         canon.Value
}

// ToolGroup says which tools the platform can call.
type ToolGroup struct {
	Function bool `aaif:"function!"`
	MCP      bool `aaif:"mcp!"`
	HTTP     bool `aaif:"http!"`
	OpenAPI  bool `aaif:"openapi!"`
	Parallel bool `aaif:"parallel_calls!"`
	Value    canon.Value
}

// MemoryGroup says where the platform can keep memory. Validators of edition 3.4.0 do not
// know SQLite and Weaviate, so these are written only when true.
type MemoryGroup struct {
	InMemory      bool `aaif:"in_memory!"`
	Redis         bool `aaif:"redis!"`
	Postgres      bool `aaif:"postgres!"`
	SQLite        bool `aaif:"sqlite"`
	MongoDB       bool `aaif:"mongodb!"`
	Elasticsearch bool `aaif:"elasticsearch!"`
	Qdrant        bool `aaif:"qdrant!"`
	Pinecone      bool `aaif:"pinecone!"`
	Chroma        bool `aaif:"chroma!"`
	Weaviate      bool `aaif:"weaviate"`
	Vector        bool `aaif:"vector!"`
	Value         canon.Value
}

// ModelGroup says which models the platform can ask, and how.
type ModelGroup struct {
	Providers        []string   `aaif:"providers"`
	Strategies       []Strategy `aaif:"routing_strategies"`
	Fallback         bool       `aaif:"fallback!"`
	Streaming        bool       `aaif:"streaming!"`
	FunctionCalling  bool       `aaif:"function_calling!"`
	StructuredOutput bool       `aaif:"structured_output!"`
	Vision           bool       `aaif:"vision!"`
	Value            canon.Value
}

// OrchestrationGroup says how agents can work together on the platform.
type OrchestrationGroup struct {
	Pipeline       bool       `aaif:"pipeline!"`
	Parallel       bool       `aaif:"parallel!"`
	DynamicRouting bool       `aaif:"dynamic_routing!"`
	Handoff        bool       `aaif:"handoff!"`
	Consensus      bool       `aaif:"consensus!"`
	MaxSubagents   int        `aaif:"max_subagents"` // 0: not stated
	Languages      []Language `aaif:"condition_languages"`
	Value          canon.Value
}

// AuthGroup says how the platform can authenticate to tools. Validators of edition 3.4.0
// do not know Basic and MTLS, so these are written only when true.
type AuthGroup struct {
	Bearer bool       `aaif:"bearer!"`
	APIKey bool       `aaif:"api_key!"`
	Basic  bool       `aaif:"basic"`
	OAuth2 bool       `aaif:"oauth2!"`
	SigV4  bool       `aaif:"aws_sigv4!"`
	MTLS   bool       `aaif:"mtls"`
	Vault  VaultGroup `aaif:"vault"`
	Value  canon.Value
}

// VaultGroup says which vaults the platform can ask.
type VaultGroup struct {
	Supported bool     `aaif:"supported!"`
	Providers []string `aaif:"providers"` // see [VaultName]
	Value     canon.Value
}

// StateGroup says what the platform can do with checkpoints.
type StateGroup struct {
	Checkpoint       bool `aaif:"checkpoint!"`
	LiveMigration    bool `aaif:"live_migration!"`
	StreamingHandoff bool `aaif:"streaming_handoff!"`
	MaxTokens        int  `aaif:"max_conversation_tokens"` // 0: no limit
	Value            canon.Value
}

// ComplianceGroup says which rules the platform can keep.
type ComplianceGroup struct {
	HumanInTheLoop bool     `aaif:"human_in_the_loop!"`
	AuditLog       bool     `aaif:"audit_log!"`
	PIIScrubbing   bool     `aaif:"pii_scrubbing!"`
	Regions        []string `aaif:"data_residency_regions"`
	Value          canon.Value
}

// TelemetryGroup says what the platform can report about runs.
type TelemetryGroup struct {
	Traces  bool `aaif:"otel_traces!"`
	Metrics bool `aaif:"otel_metrics!"`
	Export  bool `aaif:"otlp_export!"`
	Value   canon.Value
}

// Intake is the address at which a platform accepts definitions.
type Intake struct {
	URL         string `aaif:"url"`
	Method      string `aaif:"method=POST"`
	AuthScheme  string `aaif:"auth_scheme"` // bearer, api_key, none
	ContentType string `aaif:"content_type=application/json"`
	MaxBytes    int    `aaif:"max_body_bytes"` // 0: not stated
	Value       canon.Value
}

// ReadManifest reads a manifest. Members that cannot be read count as absent.
func ReadManifest(v canon.Value) Manifest { return view[Manifest](v) }

// Document returns the manifest as a document.
func (m Manifest) Document() canon.Value { return document(m) }

// InForce returns a digest of the settings in a manifest, whenever it was issued. A
// conformance run proves something about platforms with the same digest only (AAIF-6-20).
func InForce(manifest canon.Value) string {
	p := manifest.Get("platform").Without("manifest_issued_at").Without("manifest_expires_at")
	return digest(manifest.With("platform", p))
}

// VaultName returns the name of a vault in definitions, which manifests spell differently
// (decision R23).
func VaultName(name string) string {
	switch name {
	case "aws_secrets_manager":
		return "aws_secretsmanager"
	case "azure_key_vault":
		return "azure_keyvault"
	case "gcp_secret_manager":
		return "gcp_secretmanager"
	}
	return name
}
