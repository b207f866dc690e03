package engram

import (
	"context"
	"time"

	"github.com/satchel-memory/satchel/memory"
)

// Backend is the service behind the HTTP API (section 3.9). The vault implements
// it. Errors are of the kinds of package memory; those that the API has a code of
// its own for are a [*Fault].
type Backend interface {
	// State returns a number that changes whenever what Context returns may change by
	// something that was done, and until when it stays the same if nothing is done:
	// the next instant at which something expires or begins to be valid, zero: never.
	State(ctx context.Context, c memory.Caller) (state int64, until time.Time, err error)
	// Context returns what the caller may have of the owner's memory, filtered to q.
	Context(ctx context.Context, c memory.Caller, q Query) (View, error)
	// Diff returns what has changed after since, within q.
	Diff(ctx context.Context, c memory.Caller, q Query, since time.Time) (Delta, error)
	// Propose records a correction that waits for the owner. The same proposal again,
	// while it waits, is the same correction.
	Propose(ctx context.Context, c memory.Caller, p Proposal) (Correction, error)
}

// Query says which part of a memory is wanted. The zero Query is everything that the
// caller may have.
type Query struct {
	Scope      Scope      // empty: what the caller's token is for, else Full
	Categories []Category // intersected with Scope; nil: all of it
	Excluded   []Category // wins over what is included
	AsOf       time.Time  // values as they were then (ENGRAM-4-4); zero: now
	NoPending  bool       // leave proposals out that wait for the owner
	History    bool       // with residue in x_ump, for the owner's own files: lossless
}

// View is a memory as one caller may have it.
type View struct {
	Subject    Subject
	Scope      Scope
	Definition *Definition // nil with scope Full
	Memory
	State int64     // see Backend
	Until time.Time // see Backend
}

// Proposal is a correction that a runtime submits (section 3.9).
type Proposal struct {
	Belief     string // belief_id
	New        string // new_value
	Context    string
	Runtime    string // runtime_id
	ObservedAt time.Time
}

// Owner are the acts that are the owner's alone: the command line and the owner's
// pages are their callers. The vault implements it.
type Owner interface {
	// Corrections lists corrections, oldest first: all, or the proposals that wait.
	Corrections(ctx context.Context, c memory.Caller, waiting bool) ([]Case, error)
	// Resolve confirms or rejects a proposal, once. What it changed is in one
	// transaction with that.
	Resolve(ctx context.Context, c memory.Caller, correction string, confirm bool, note string) (Case, error)
	// Believe states a belief. One of the same category and key with another
	// value is a contradiction (decision E-50): it is not stored beside it, but waits as
	// a correction by system, unless resolve says that the new value holds.
	Believe(ctx context.Context, c memory.Caller, b Belief, resolve bool) (Stated, error)
	// Correct gives a belief another value because the owner says so.
	Correct(ctx context.Context, c memory.Caller, belief, value, note string) (Belief, error)
	// Confirm notes that the owner has validated a belief just now.
	Confirm(ctx context.Context, c memory.Caller, belief string) (Belief, error)
	// Archive puts a belief away without deleting it.
	Archive(ctx context.Context, c memory.Caller, belief string) (Belief, error)
	// Delete deletes a belief: a tombstone stays.
	Delete(ctx context.Context, c memory.Caller, belief string) (Tombstone, error)
	// Identify replaces the identity.
	Identify(ctx context.Context, c memory.Caller, i Identity) (Identity, error)
	// Constrain sets a constraint (edition 0.1.2).
	Constrain(ctx context.Context, c memory.Caller, k Constraint) (Constraint, error)
	// Unconstrain deletes a constraint: a tombstone stays.
	Unconstrain(ctx context.Context, c memory.Caller, id string) (Tombstone, error)
	// TakeIn brings a document into the memory (decision E-47): ids and history stay,
	// of one belief the later change wins, a tombstone wins a tie.
	TakeIn(ctx context.Context, c memory.Caller, d Document, dryRun bool) (TakenIn, error)
}

// Case is a correction with what the owner has to know to decide it.
type Case struct {
	Correction
	Key      string   // of the belief
	Category Category // of the belief
	Now      string   // the belief's present value
	Context  string   // what the runtime says of the occasion
}

// Stated is what became of a statement.
type Stated struct {
	Belief Belief // as it stands now
	// Contradicts is the correction that waits for the owner; nil: there is none.
	Contradicts *Correction
	Unchanged   bool // it was there already
}

// TakenIn counts what a document brought.
type TakenIn struct {
	Added, Updated, Deleted, Unchanged int
	Older                              int // beliefs that are newer here
	Identity                           bool
	Warnings                           []string
}
