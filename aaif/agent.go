package aaif

import (
	"time"

	"github.com/satchel-memory/satchel/canon"
)

// StandardID is the sc_standard of every document (section 4.1).
const StandardID = "SC-006"

// Version is the edition of the format that this package writes (section 4).
const Version = "3.4.0"

// Definition is the portable declaration of one agent (section 4).
type Definition struct {
	Standard   string     `aaif:"sc_standard!"`
	Version    string     `aaif:"sc_version=3.4.0"`
	ID         string     `aaif:"agent_id"` // never changes
	Status     Status     `aaif:"status=active"`
	Tags       []string   `aaif:"tags"`
	Agent      Agent      `aaif:"agent!"`
	Provenance Provenance `aaif:"provenance"`
	Value      canon.Value
}

// Agent declares what an agent is and does (section 4).
type Agent struct {
	Name          string         `aaif:"name!"`
	Goal          string         `aaif:"goal!"`
	Version       string         `aaif:"version"`
	Description   string         `aaif:"description"`
	Instructions  string         `aaif:"instructions"`
	Skills        []string       `aaif:"skills"`
	Capabilities  []string       `aaif:"required_capabilities"`
	Model         Model          `aaif:"model"`
	Orchestration Orchestration  `aaif:"orchestration"`
	Context       []ContextEntry `aaif:"context"`
	Tools         []Tool         `aaif:"tools"`
	Memory        []MemoryEntry  `aaif:"memory"`
	Constraints   []string       `aaif:"constraints"`
	IO            IO             `aaif:"io"`
	Events        Events         `aaif:"events"`
	Runtime       Runtime        `aaif:"runtime"`
	Telemetry     Telemetry      `aaif:"telemetry"`
	Evaluation    Evaluation     `aaif:"evaluation"`
	Compliance    Compliance     `aaif:"compliance"`
	Value         canon.Value
}

// Provenance says where a definition comes from (section 4).
type Provenance struct {
	AuthoredBy     string    `aaif:"authored_by"`
	SourcePlatform string    `aaif:"source_platform"`
	CreatedAt      time.Time `aaif:"created_at"`
	UpdatedAt      time.Time `aaif:"updated_at"`
	License        string    `aaif:"license"`
	Refs           []string  `aaif:"sc_refs"`
	Signature      string    `aaif:"signature"` // base64 of an Ed25519 signature, see [Sign]
	Value          canon.Value
}

// ReadDefinition reads a definition. Members that cannot be read count as absent.
func ReadDefinition(v canon.Value) Definition { return view[Definition](v) }

// Document returns the definition as a document.
func (d Definition) Document() canon.Value { return document(d) }

// ContextEntry is text or data that the model gets to read (section 4).
type ContextEntry struct {
	Type        string `aaif:"type!"` // text, file, url, dataset, schema_ref
	Content     string `aaif:"value!"`
	Label       string `aaif:"label"`
	Description string `aaif:"description"`
	Refresh     int    `aaif:"refresh_ttl_seconds"` // 0: read once
	Value       canon.Value
}

// MemoryEntry is a place for memory, with its first content (section 4.5).
type MemoryEntry struct {
	Scope          Scope  `aaif:"scope!"`
	Content        string `aaif:"content!"` // never replaces existing memory
	Key            string `aaif:"key"`
	Backend        string `aaif:"backend"`
	TTL            int    `aaif:"ttl_seconds"` // 0: it never expires
	EmbeddingModel string `aaif:"embedding_model"`
	Retrieval      string `aaif:"retrieval_strategy"` // similarity, keyword, hybrid, recency
	TopK           int    `aaif:"top_k=5"`
	Value          canon.Value
}
