package engram

import (
	"context"

	"github.com/satchel-memory/satchel/memory"
)

// Batcher is a [Backend] that takes many proposals at once (section 12.4). The vault
// implements it.
type Batcher interface {
	// ProposeAll does as Propose with each of list, in one transaction, and returns what
	// came of each in the same order. A proposal that is refused has its refusal there.
	// With atomic none is recorded then. The error is what was in the way of all.
	ProposeAll(ctx context.Context, c memory.Caller, list []Proposal, atomic bool) ([]Proposed, error)
}

// Proposed is what came of one proposal of several: a correction, or why there is none.
// It is zero where another of an atomic batch was refused.
type Proposed struct {
	Correction Correction
	Err        error // a [*Fault]
}
