package engram

import (
	"context"
	"time"

	"github.com/satchel-memory/satchel/memory"
)

// Backend is the service behind the HTTP API (section 3.9). The vault implements it. Errors
// have the kinds of package memory, or are a [*Fault] where the API has its own code.
type Backend interface {
	// State returns a number that changes whenever an act may change what Context returns.
	// until is when the result may change without an act: the next instant at which
	// something expires or becomes valid; zero: never.
	State(ctx context.Context, c memory.Caller) (state int64, until time.Time, err error)
	// Context returns the part of the owner's memory that the caller may have, filtered to
	// q.
	Context(ctx context.Context, c memory.Caller, q Query) (View, error)
	// Diff returns what changed after since, within q.
	Diff(ctx context.Context, c memory.Caller, q Query, since time.Time) (Delta, error)
	// Propose records a correction that waits for the owner. Repeating a proposal that
	// waits returns the same correction.
	Propose(ctx context.Context, c memory.Caller, p Proposal) (Correction, error)
}

// Query selects a part of a memory. The zero Query is everything that the caller may have.
type Query struct {
	Scope      Scope      // empty: the token's scope, else Full
	Categories []Category // intersected with Scope; nil: all of it
	Excluded   []Category // takes precedence over what is included
	AsOf       time.Time  // values at that time (ENGRAM-4-4); zero: now
	NoPending  bool       // leaves out proposals that wait for the owner
	History    bool       // with residue in x_ump, for the owner's own files: lossless
}

// View is the memory that one caller may have.
type View struct {
	Subject    Subject
	Scope      Scope
	Definition *Definition // nil with scope Full
	Consents   []Consent   // for the owner's own export with scope Full; nil: none
	Memory
	State int64     // see [Backend]
	Until time.Time // see [Backend]
}

// Proposal is a correction submitted by a runtime (section 3.9).
type Proposal struct {
	Belief     string // belief_id
	New        string // new_value
	Context    string
	Runtime    string // runtime_id
	ObservedAt time.Time
}

// Owner is the acts of the owner alone: the command line and the owner's pages call them.
// The vault implements it.
type Owner interface {
	// Corrections lists corrections, oldest first: all, or only the waiting proposals.
	Corrections(ctx context.Context, c memory.Caller, waiting bool) ([]Case, error)
	// Resolve confirms or rejects a proposal, once. One transaction holds the resolution
	// and its effects.
	Resolve(ctx context.Context, c memory.Caller, correction string, confirm bool, note string) (Case, error)
	// Believe states a belief. A belief of the same category and key with another value is
	// a contradiction (decision E-50). It then waits as a correction by system, unless
	// resolve lets the new value win.
	Believe(ctx context.Context, c memory.Caller, b Belief, resolve bool) (StatementResult, error)
	// Correct gives a belief another value on the owner's word.
	Correct(ctx context.Context, c memory.Caller, belief, value, note string) (Belief, error)
	// Confirm records that the owner has validated a belief now.
	Confirm(ctx context.Context, c memory.Caller, belief string) (Belief, error)
	// Archive archives a belief without deleting it.
	Archive(ctx context.Context, c memory.Caller, belief string) (Belief, error)
	// Delete deletes a belief and leaves a tombstone.
	Delete(ctx context.Context, c memory.Caller, belief string) (Tombstone, error)
	// Identify replaces the identity.
	Identify(ctx context.Context, c memory.Caller, i Identity) (Identity, error)
	// Constrain sets a constraint (edition 0.1.2).
	Constrain(ctx context.Context, c memory.Caller, k Constraint) (Constraint, error)
	// Unconstrain deletes a constraint and leaves a tombstone.
	Unconstrain(ctx context.Context, c memory.Caller, id string) (Tombstone, error)
	// ImportContext imports a document (decision E-47). Ids and history stay; of one belief
	// the later change wins, and a tombstone wins a tie.
	ImportContext(ctx context.Context, c memory.Caller, d Document, dryRun bool) (ImportResult, error)
}

// Case is a correction with what the owner needs to know to decide it.
type Case struct {
	Correction
	Key      string   // of the belief
	Category Category // of the belief
	Now      string   // the belief's present value
	Context  string   // what the runtime said about the occasion
}

// StatementResult is what became of a statement.
type StatementResult struct {
	Belief Belief // as it is now
	// Contradicts is the correction that waits for the owner; nil: none.
	Contradicts *Correction
	Unchanged   bool // the store had it already
}

// ImportResult counts the beliefs of an imported document.
type ImportResult struct {
	Added, Updated, Deleted, Unchanged int
	Older                              int // beliefs that are newer in the store
	Identity                           bool
	Warnings                           []string
}

// Batcher is a [Backend] that accepts many proposals at once (section 12.4). The vault
// implements it.
type Batcher interface {
	// ProposeAll proposes each of list in one transaction, and returns the results in the
	// same order. A refused proposal has its refusal as result; with atomic, ProposeAll
	// then records none. The error is what prevented all.
	ProposeAll(ctx context.Context, c memory.Caller, list []Proposal, atomic bool) ([]ProposalResult, error)
}

// ProposalResult is what became of one of several proposals: a correction, or why there is
// none. It is zero when another proposal of an atomic batch was refused.
type ProposalResult struct {
	Correction Correction
	Err        error // a [*Fault]
}

// Constrainer is the acts of edition 0.1.2. The vault implements it. Errors are those of
// [Backend] and [Owner].
type Constrainer interface {
	// Constrain sets a constraint on the owner's word; it is in force at once.
	Constrain(ctx context.Context, c memory.Caller, k Constraint) (Constraint, error)
	// ProposeConstraint records a constraint that somebody else submits for the owner. It
	// waits, and no context has it. Repeating one that waits returns the same constraint.
	ProposeConstraint(ctx context.Context, c memory.Caller, k Constraint) (Constraint, error)
	// Unconstrain deletes a constraint in force on the owner's word, and leaves a
	// tombstone.
	Unconstrain(ctx context.Context, c memory.Caller, id string) (Tombstone, error)
	// Constraints lists the constraints to the owner: those that are set, and the waiting
	// ones with status [Pending]; or only the waiting ones.
	Constraints(ctx context.Context, c memory.Caller, waiting bool) ([]Constraint, error)
	// ResolveConstraint confirms or rejects a waiting constraint on the owner's word.
	ResolveConstraint(ctx context.Context, c memory.Caller, id string, confirm bool) (Constraint, error)
}
