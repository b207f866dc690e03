package store

import (
	"context"

	"github.com/satchel-memory/satchel/memory"
)

// Carrier is a store whose rows can be carried to another store as they are, with
// their numbers and seals. Tables and their columns are those of package stored.
type Carrier interface {
	// Leave runs fn with what is to be carried of an owner, while nobody else writes
	// for that owner, and then, when fn has returned nil, files moved as SetMoved
	// does; empty: it files nothing. fn may run more than once. Leave fails with
	// ErrNotFound when the owner has no row.
	Leave(ctx context.Context, owner memory.DID, moved string, fn func(Luggage) error) error
	// Arrive takes in an owner who comes from another store, where the owner's row is
	// the one given, or goes on with that. What had arrived is given up when the row
	// was another one then. Until Settle, nobody can read or write for the owner, who
	// is not listed either: that fails with ErrArriving.
	//
	// It fails with ErrExists when the owner lives here already. There are three
	// exceptions. Who settled here from this very row, has. Who settled here and was
	// not written for since begins anew. So does who went Elsewhere from here and
	// comes back with nothing missing, every number that was given here having been
	// given there.
	Arrive(ctx context.Context, owner memory.DID, row []any) (Arrival, error)
	// Arriving lists the owners who have not arrived wholly.
	Arriving(ctx context.Context) ([]memory.DID, error)
	// TurnAway removes what has arrived of such an owner, or fails with ErrNotFound.
	TurnAway(ctx context.Context, owner memory.DID) error
}

// Elsewhere is the first word of what SetMoved files of an owner who was carried to
// another store. After a space it says to which.
const Elsewhere = "elsewhere"

// Luggage are all rows of an owner. It serves one goroutine.
type Luggage interface {
	// Owner returns the owner's row: the values of its columns, and last its seal. It
	// fails with ErrAltered when the row was changed outside of the store, as far as
	// can be told.
	Owner() ([]any, error)
	// Rows returns at most max rows of a table that come after the one with a key;
	// nil: the first. Records come in the order of their numbers, others in an order
	// of the store's own, which stays the same as long as they do. Each row holds the
	// values of its columns, and last its seal. They are fewer than max, but never
	// none, when they are large.
	Rows(table string, after []any, max int) ([][]any, error)
	// Tally counts the rows of a table.
	Tally(table string) (Tally, error)
}

// Arrival takes in the rows of an owner. Each call is durable when it returns. It
// serves one goroutine.
type Arrival interface {
	// Settled reports whether the owner lives here already, settled by an earlier
	// attempt, so that there is nothing left to be done.
	Settled() bool
	// Last returns the table and the key of the last row that was put; "": none was.
	Last() (table string, key []any)
	// Put adds rows of a table. Those of records, which come in the order of their
	// numbers, are indexed under the terms they list; Put fails with ErrAltered when
	// such a list cannot be read.
	Put(ctx context.Context, table string, rows [][]any) error
	// Tally counts what has arrived of a table.
	Tally(ctx context.Context, table string) (Tally, error)
	// Settle files the owner's row, so that the owner lives here.
	Settle(ctx context.Context) error
}

// Tally is what can be compared of an owner's rows in a table without looking at
// each of them twice.
type Tally struct {
	Rows    int64
	Seals   [16]byte // the sum of their seals
	Content [16]byte // the sum of digests of all that they hold
}
