package store

import (
	"context"

	"github.com/satchel-memory/satchel/memory"
)

// Carrier is a store that can move rows to another store unchanged, with their numbers and
// seals. Package stored lists the tables and columns.
type Carrier interface {
	// Leave runs fn with an owner's rows while nobody else writes for that owner. After fn
	// has returned nil, it stores moved as SetMoved does; empty: nothing. fn may run more
	// than once. Leave fails with ErrNotFound if the owner has no row.
	Leave(ctx context.Context, owner memory.DID, moved string, fn func(OwnerRows) error) error
	// Arrive receives an owner from another store, where row is the owner's row, or
	// continues an earlier arrival. If the row differs from that arrival's, it discards the
	// arrived rows. Until Settle, nobody can read or write for the owner, and Owners does
	// not list the owner: calls fail with ErrArriving.
	//
	// Arrive fails with ErrExists if the owner already lives here, with three exceptions.
	// An owner that settled here from this very row stays settled. An owner that settled
	// here and had no writes since begins anew. So does an owner that left here for
	// Elsewhere and comes back complete: the row knows every number that this store gave.
	Arrive(ctx context.Context, owner memory.DID, row []any) (Arrival, error)
	// Arriving lists the owners whose arrival is incomplete.
	Arriving(ctx context.Context) ([]memory.DID, error)
	// TurnAway removes the arrived rows of such an owner, or fails with ErrNotFound.
	TurnAway(ctx context.Context, owner memory.DID) error
}

// Elsewhere is the first word of SetMoved's text for an owner that moved to another store.
// The store's name follows after a space.
const Elsewhere = "elsewhere"

// Removed is SetMoved's text for an owner whom the operator removed, and did not add again
// since. A store in a database keeps the owner's row, its audit log and the ids of its
// tokens until the operator scrubs the store, which removes them.
const Removed = "removed"

// OwnerRows holds all rows of an owner. Only one goroutine may use it.
type OwnerRows interface {
	// Owner returns the owner's row: its columns, and last its seal. It fails with
	// ErrAltered if the row was changed outside of the store, as far as the store can tell.
	Owner() ([]any, error)
	// Rows returns at most max rows of a table after the row with a key; nil: from the
	// first. Records are in the order of their numbers, other rows in a stable order of the
	// store's. Each row holds its columns, and last its seal. Large rows make it return
	// fewer than max, but never none.
	Rows(table string, after []any, max int) ([][]any, error)
	// Tally counts the rows of a table.
	Tally(table string) (Tally, error)
}

// Arrival receives the rows of an owner. Each call is durable when it returns. Only one
// goroutine may use it.
type Arrival interface {
	// Settled reports whether an earlier attempt has settled the owner, so that nothing is
	// left to do.
	Settled() bool
	// Last returns the table and the key of the last stored row; "": none.
	Last() (table string, key []any)
	// Put adds rows of a table. It indexes records, which arrive in the order of their
	// numbers, under their lists of terms. It fails with ErrAltered if it cannot read such
	// a list.
	Put(ctx context.Context, table string, rows [][]any) error
	// Tally counts the arrived rows of a table.
	Tally(ctx context.Context, table string) (Tally, error)
	// Settle stores the owner's row; from then on the owner lives here.
	Settle(ctx context.Context) error
}

// Tally summarises an owner's rows in a table, so that two stores compare without a second
// look at each row.
type Tally struct {
	Rows    int64
	Seals   [16]byte // the sum of their seals
	Content [16]byte // the sum of digests of all their content
}
