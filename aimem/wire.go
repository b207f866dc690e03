package aimem

import (
	"time"

	"github.com/satchel-memory/satchel/canon"
)

// Format and version as section 2.1 spells them.
const (
	FormatName   = "aimem-bundle"
	LegacyFormat = "memoryai-bundle" // read, never written (decision AD-14)
	Version      = "1"
)

// The media types of section 3.1.
const (
	MediaType       = "application/aimem-bundle+json"
	StreamMediaType = "application/x-ndjson"
)

// MaxContent is the most codepoints of one chunk's content (section 2.2, decision
// AD-9).
const MaxContent = 65_536

// URN names a chunk or an entity: "urn:aimem:<producer>:<local>" (section 2.3). It
// is compared byte for byte.
type URN string

// Scope says which part of a brain a bundle holds (section 2.1).
type Scope string

// The three scopes.
const (
	Full    Scope = "FULL"
	DNAOnly Scope = "DNA_ONLY" // the five DNA-class types and whatever is pinned (decision AD-19)
	Since   Scope = "SINCE"    // created at or after the envelope's since
)

// MemoryType is what a chunk is (section 2.2).
type MemoryType string

// The eight types.
const (
	Fact       MemoryType = "fact"
	Preference MemoryType = "preference"
	Decision   MemoryType = "decision"
	Identity   MemoryType = "identity"
	Pitfall    MemoryType = "pitfall"
	Procedure  MemoryType = "procedure"
	Episodic   MemoryType = "episodic"
	Goal       MemoryType = "goal"
)

// IsDNA reports whether t is one of the five DNA-class types (section 1.2), which
// nothing but an explicit act of the owner decays, deletes or supersedes.
func (t MemoryType) IsDNA() bool {
	switch t {
	case Preference, Decision, Identity, Pitfall, Procedure:
		return true
	}
	return false
}

// Zone is how important a chunk is (section 2.2); empty: not said.
type Zone string

// The three zones.
const (
	Critical  Zone = "critical"
	Important Zone = "important"
	Standard  Zone = "standard"
)

// Envelope is a bundle without its four arrays (section 2.1).
type Envelope struct {
	Format     string
	Version    string
	Producer   string // Producer Namespace
	TenantID   string
	ExportedAt string // as spelled
	Scope      Scope
	Since      string // as spelled; empty: absent
	Checksum   string
	// EmbeddingDim and EmbeddingModel are of all embeddings of the bundle; 0 and
	// empty: absent.
	EmbeddingDim   int
	EmbeddingModel string
	// Absent names the arrays that the document does not have at all: edges,
	// entities, chunk_entities (decision AD-2). Nil: it has all four, as whatever we
	// make from scratch does.
	Absent []string
	// Value is the envelope as it was received: all members but the four arrays,
	// unknown ones and the checksum included. Members too large to be held are
	// left out of it, see [Bundle.Carried].
	Value canon.Value
}

// Chunk is one entry of chunks (section 2.2).
type Chunk struct {
	ID         URN
	Content    string
	Hash       string // content_hash; computed where it was absent
	MemoryType MemoryType
	Zone       Zone
	Pinned     bool
	CreatedAt  string // as spelled
	Created    time.Time
	Tags       []string
	Embedding  string // base64 of little-endian float32; empty: none
	// Value is the object as it was received, unknown members included, or as it
	// is to be written.
	Value canon.Value
}

// Protected reports whether the chunk has the DNA-class invariant (section 5.1):
// by its type, or because it is pinned.
func (c Chunk) Protected() bool { return c.Pinned || c.MemoryType.IsDNA() }

// Edge is one entry of edges (section 2.4).
type Edge struct {
	Source, Target URN
	Type           string
	Weight         float64
	CreatedAt      string // as spelled
	Value          canon.Value
}

// Entity is one entry of entities (section 2.5).
type Entity struct {
	ID        URN
	Name      string
	Kind      string
	CreatedAt string // as spelled
	Value     canon.Value
}

// Link is one entry of chunk_entities (section 2.6).
type Link struct {
	Chunk, Entity URN
	Value         canon.Value
}

// Brain is the content of a bundle: the source of a written bundle, or an opened one.
// Every call of a method yields the same items in the same order. A walk stops at the
// first error of yield and returns it. The methods are not safe for concurrent use.
type Brain interface {
	// Envelope returns the envelope without its checksum.
	Envelope() Envelope
	// Chunks yields the entries of chunks.
	Chunks(yield func(Chunk) error) error
	// Edges yields the entries of edges.
	Edges(yield func(Edge) error) error
	// Entities yields the entries of entities.
	Entities(yield func(Entity) error) error
	// Links yields the entries of chunk_entities.
	Links(yield func(Link) error) error
}

// Carrier is a Brain with records in the member x_ump of its envelope that it does not
// hold in memory. Order and records in the envelope's Value take precedence over those
// that a Carrier yields.
type Carrier interface {
	Brain
	// Order yields x_ump.order: the ids of the records in their first order.
	Order(yield func(string) error) error
	// Carried yields x_ump.records: records that are no chunks.
	Carried(yield func(canon.Value) error) error
}
