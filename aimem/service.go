package aimem

import (
	"context"
	"time"

	"github.com/satchel-memory/satchel/memory"
)

// Backend is the service behind the HTTP profile and the command line. The vault
// implements it.
type Backend interface {
	// ExportBrain calls write with the exported part of the caller's brain, from one
	// snapshot and in the same order at every export. It fails with kind Unauthorized or
	// ForbiddenScope before it calls write. The Brain is valid until write returns.
	ExportBrain(ctx context.Context, c memory.Caller, q Export, write func(Brain, ExportReport) error) error
	// ImportBrain imports an opened, and therefore verified, bundle: wholly or, if it
	// returns an error, not at all.
	ImportBrain(ctx context.Context, c memory.Caller, b *Bundle, o Import) (Report, error)
	// EraseBrain erases everything of the caller, who must be the owner. After its return,
	// no new write of any caller contains anything of it.
	EraseBrain(ctx context.Context, c memory.Caller) (Erasure, error)
	// Trusted returns the owner's trusted keys of a producer (section 5.3); none: the
	// producer is unknown.
	Trusted(ctx context.Context, c memory.Caller, producer string) ([]Key, error)
}

// Export says what to export (section 3.1).
type Export struct {
	Scope Scope     // empty: Full
	Since time.Time // with scope Since: the inclusive lower bound
	// ToPeer is for somebody else: private records and limited retention stay
	// behind.
	ToPeer     bool
	OriginIDs  bool           // keep the ids that foreign chunks came with, against section 2.3 (decision AD-7)
	History    bool           // superseded versions too, as residue, never as chunks (decision AD-19)
	Embeddings bool           // needs the owner, or consent embeddings:export (decision AD-15)
	Model      string         // model of the embeddings; empty: that of most chunks
	Progress   func(done int) // chunks of this walk so far; nil: nobody asks
}

// WithDefaults returns q with its defaults (decision AD-20). It fails with a [*Fault] of
// code invalid_scope or since_required.
func (q Export) WithDefaults() (Export, error) {
	const rule = "AIMEM-3.1-6"
	switch q.Scope {
	case "":
		q.Scope = Full
	case Full, DNAOnly:
	case Since:
		if q.Since.IsZero() {
			return q, &Fault{Code: SinceRequired, Rule: rule, Detail: "scope SINCE needs the parameter since"}
		}
	default:
		return q, &Fault{Code: InvalidScope, Rule: rule, Detail: "scope is FULL, DNA_ONLY or SINCE"}
	}
	if q.Scope != Since {
		q.Since = time.Time{} // ignored
	}
	return q, nil
}

// ExportReport counts what stayed behind.
type ExportReport struct {
	Omitted      map[string]int // reason -> records
	OmittedEdges int            // edges with an end outside of the bundle
	Records      int            // that leave: as many chunks, or more where texts are long
	Embeddings   int            // vectors that leave
	Model        string         // model of those vectors
	Models       []string       // the stored models, if none of the requested vectors leave
}

// Import says how to import a bundle (section 2.9).
type Import struct {
	Name       string // of the file, for people; empty: the producer
	OnNewer    OnNewer
	ForeignIDs bool // the bundle was opened with them accepted
	Restore    bool // import deleted chunks again (decision AD-29)
	DryRun     bool
	// Signature is what verifying the signature came to, for the audit log.
	Signature Outcome
	Progress  func(done int) // chunks so far; nil: nobody asks
}

// OnNewer is what becomes of a chunk that is newer than the one that is here
// (decision AD-16).
type OnNewer string

// The two ways. Empty means RejectNewer.
const (
	RejectNewer OnNewer = "reject"
	UpdateNewer OnNewer = "update"
)

// Erasure is the result of an erasure (decision AD-28).
type Erasure struct {
	ErasedAt      time.Time
	ChunksPurged  int
	RecordsPurged int
	AuditSequence int64
	Pending       bool // the files could not be cleared of it yet; that follows
}
