package store

import (
	"context"
	"errors"

	"github.com/satchel-memory/satchel/memory"
)

// ErrErased: everything of the owner was erased after what was to leave had been
// read.
var ErrErased = errors.New("the owner was erased meanwhile")

// Gatekeeper is a store that keeps what leaves of an owner apart from an erasure of
// everything, over all processes that share it.
type Gatekeeper interface {
	// Erasures returns how often everything of owner was erased: the number to be
	// asked for before anything is read that is to leave.
	Erasures(ctx context.Context, owner memory.DID) (int64, error)
	// Emit runs write, which hands content of owner to somebody, unless owner was
	// erased more often than erasures says; then it fails with ErrErased and write
	// does not run. Any number of writes run at the same time. write must come to
	// an end by itself: Silence waits for it.
	Emit(ctx context.Context, owner memory.DID, erasures int64, write func() error) error
	// Silence returns once every write for owner has ended that began before the
	// last erasure that has been committed. None begins afterwards.
	Silence(ctx context.Context, owner memory.DID) error
}
