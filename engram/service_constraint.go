package engram

import (
	"context"

	"github.com/satchel-memory/satchel/memory"
)

// Constrainer are the acts of edition 0.1.2. The vault implements it. Errors are those
// of [Backend] and [Owner].
type Constrainer interface {
	// Constrain sets a constraint by the owner's word: it is in force at once.
	Constrain(ctx context.Context, c memory.Caller, k Constraint) (Constraint, error)
	// ProposeConstraint records one that somebody else submits for the owner: it waits,
	// and no context has it. The same again, while it waits, is the same one.
	ProposeConstraint(ctx context.Context, c memory.Caller, k Constraint) (Constraint, error)
	// Unconstrain deletes one that is in force, by the owner's word: a tombstone stays.
	Unconstrain(ctx context.Context, c memory.Caller, id string) (Tombstone, error)
	// Constraints lists to the owner those that are set, and those that wait, whose
	// status is [Pending]; or these alone.
	Constraints(ctx context.Context, c memory.Caller, waiting bool) ([]Constraint, error)
	// ResolveConstraint confirms or rejects one that waits, by the owner's word.
	ResolveConstraint(ctx context.Context, c memory.Caller, id string, confirm bool) (Constraint, error)
}
