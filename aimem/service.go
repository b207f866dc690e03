package aimem

import (
	"context"
	"time"

	"github.com/satchel-memory/satchel/memory"
)

// Backend is the service behind the HTTP profile and the command line. The vault
// implements it.
type Backend interface {
	// ExportBrain calls write with what leaves of the caller's brain, all from one
	// snapshot and in an order that does not change from one export to the next. It
	// fails with kind Unauthorized or ForbiddenScope before write is called. The
	// Brain is good until write returns.
	ExportBrain(ctx context.Context, c memory.Caller, q Export, write func(Brain, ExportReport) error) error
	// ImportBrain takes a bundle in that was opened, and therefore verified:
	// wholly or, when it returns an error, not at all.
	ImportBrain(ctx context.Context, c memory.Caller, b *Bundle, o Import) (Report, error)
	// EraseBrain erases everything of the caller's, who must be the owner. When it
	// has returned, no write of anybody's begins that carries anything of it.
	EraseBrain(ctx context.Context, c memory.Caller) (Erasure, error)
	// Trusted returns the keys by which the owner knows a producer (section 5.3);
	// none: nothing is known of it.
	Trusted(ctx context.Context, c memory.Caller, producer string) ([]Key, error)
}

// Export says what leaves (section 3.1).
type Export struct {
	Scope Scope     // empty: Full
	Since time.Time // with scope Since: the inclusive lower bound
	// ToPeer is for somebody else: private records and limited retention stay
	// behind.
	ToPeer     bool
	OriginIDs  bool           // keep the ids that foreign chunks came with, against section 2.3 (decision AD-7)
	History    bool           // superseded versions too, as residue, never as chunks (decision AD-19)
	Embeddings bool           // needs the owner, or consent embeddings:export (decision AD-15)
	Model      string         // whose embeddings; empty: the one most chunks have
	Progress   func(done int) // chunks of this walk so far; nil: nobody asks
}

// Settled returns q with what it leaves open filled in (decision AD-20). It fails with
// a [*Fault] of code invalid_scope or since_required.
func (q Export) Settled() (Export, error) {
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
	Model        string         // whose they are
	Models       []string       // where none leave although they were asked for: whose there are
}

// Import steers how a bundle is taken in (section 2.9).
type Import struct {
	Name       string // of the file, for people; empty: the producer
	OnNewer    OnNewer
	ForeignIDs bool // the bundle was opened with them accepted
	Restore    bool // take in again what was deleted here (decision AD-29)
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

// Erasure is what an erasure came to (decision AD-28).
type Erasure struct {
	ErasedAt      time.Time
	ChunksPurged  int
	RecordsPurged int
	AuditSequence int64
	Pending       bool // the files could not be cleared of it yet; that follows
}
