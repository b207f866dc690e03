package store

import (
	"context"
	"errors"

	"github.com/satchel-memory/satchel/memory"
)

// ErrErased: the owner was erased after the data to emit had been read.
var ErrErased = errors.New("the owner was erased meanwhile")

// Gatekeeper is a store that lets an owner's data leave only if the owner was not erased
// meanwhile, over all processes that share the store.
type Gatekeeper interface {
	// Erasures returns how often the owner was erased completely. Callers ask for it before
	// they read the data to emit.
	Erasures(ctx context.Context, owner memory.DID) (int64, error)
	// Emit runs write, which hands an owner's content to somebody. If the owner was erased
	// more often than erasures says, it fails with ErrErased and write does not run. Any
	// number of writes run at the same time. write must end by itself: Silence waits for
	// it.
	Emit(ctx context.Context, owner memory.DID, erasures int64, write func() error) error
	// Silence returns once every write for owner has ended that began before the last
	// committed erasure. No new one begins afterwards.
	Silence(ctx context.Context, owner memory.DID) error
}
