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
	Extra    []string    `aaif:"x-aaif-capabilities"` // what no group has a place for
	Keys     canon.Value `aaif:"x-aaif-jwks"`         // that migration tokens are signed with (decision R7)
	Settings []string    `aaif:"x-aaif-settings"`     // which change how documents are taken in
	Value    canon.Value
}

// Platform is the platform of a manifest.
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

// Groups are the capabilities of a platform.
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

// ToolGroup says which tools can be called.
type ToolGroup struct {
	Function bool `aaif:"function!"`
	MCP      bool `aaif:"mcp!"`
	HTTP     bool `aaif:"http!"`
	OpenAPI  bool `aaif:"openapi!"`
	Parallel bool `aaif:"parallel_calls!"`
	Value    canon.Value
}

// MemoryGroup says where memory can be kept. Validators of edition 3.4.0 do not know
// SQLite and Weaviate, which are written when they are true.
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

// ModelGroup says which models can be asked, and how.
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

// OrchestrationGroup says how agents can work together.
type OrchestrationGroup struct {
	Pipeline       bool       `aaif:"pipeline!"`
	Parallel       bool       `aaif:"parallel!"`
	DynamicRouting bool       `aaif:"dynamic_routing!"`
	Handoff        bool       `aaif:"handoff!"`
	Consensus      bool       `aaif:"consensus!"`
	MaxSubagents   int        `aaif:"max_subagents"` // 0: not said
	Languages      []Language `aaif:"condition_languages"`
	Value          canon.Value
}

// AuthGroup says how tools can be told who calls. Validators of edition 3.4.0 do not
// know Basic and MTLS, which are written when they are true.
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

// VaultGroup says which vaults can be asked.
type VaultGroup struct {
	Supported bool     `aaif:"supported!"`
	Providers []string `aaif:"providers"` // see [VaultName]
	Value     canon.Value
}

// StateGroup says what can be done with checkpoints.
type StateGroup struct {
	Checkpoint       bool `aaif:"checkpoint!"`
	LiveMigration    bool `aaif:"live_migration!"`
	StreamingHandoff bool `aaif:"streaming_handoff!"`
	MaxTokens        int  `aaif:"max_conversation_tokens"` // 0: no limit
	Value            canon.Value
}

// ComplianceGroup says what can be kept to.
type ComplianceGroup struct {
	HumanInTheLoop bool     `aaif:"human_in_the_loop!"`
	AuditLog       bool     `aaif:"audit_log!"`
	PIIScrubbing   bool     `aaif:"pii_scrubbing!"`
	Regions        []string `aaif:"data_residency_regions"`
	Value          canon.Value
}

// TelemetryGroup says what can be let see.
type TelemetryGroup struct {
	Traces  bool `aaif:"otel_traces!"`
	Metrics bool `aaif:"otel_metrics!"`
	Export  bool `aaif:"otlp_export!"`
	Value   canon.Value
}

// Intake is where a platform takes definitions in.
type Intake struct {
	URL         string `aaif:"url"`
	Method      string `aaif:"method=POST"`
	AuthScheme  string `aaif:"auth_scheme"` // bearer, api_key, none
	ContentType string `aaif:"content_type=application/json"`
	MaxBytes    int    `aaif:"max_body_bytes"` // 0: not said
	Value       canon.Value
}

// ReadManifest reads a manifest as far as it can be read.
func ReadManifest(v canon.Value) Manifest { return view[Manifest](v) }

// Document returns the manifest as it is written.
func (m Manifest) Document() canon.Value { return document(m) }

// InForce is a digest of what a manifest says, whenever it was issued: a run of the
// conformance suite shows something of platforms of this digest only (AAIF-6-20).
func InForce(manifest canon.Value) string {
	p := manifest.Get("platform").Without("manifest_issued_at").Without("manifest_expires_at")
	return digest(manifest.With("platform", p))
}

// VaultName returns the name that definitions have for a vault, which manifests spell
// otherwise (decision R23).
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
