package store

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/satchel-memory/satchel/memory"
)

// Failures that callers branch on. Everything else that a store returns is a
// [memory.Error] of kind Internal whose cause is the driver's error.
var (
	ErrNotFound = errors.New("no such row")
	ErrExists   = errors.New("a row with this key exists")
	ErrNewer    = errors.New("the store was written by a newer release")
	ErrNotStore = errors.New("not a satchel store")
	ErrReadOnly = errors.New("the store cannot be written")
	ErrFull     = errors.New("no space left for the store")
	ErrBusy     = errors.New("the store is held by another process")
	ErrClosed   = errors.New("the store is closed")
	ErrAltered  = errors.New("a row was changed outside of the store")
	// ErrUnavailable: the store cannot be reached, and nothing was done. The same
	// call may succeed a little later.
	ErrUnavailable = errors.New("the store cannot be reached")
	// ErrUncertain: the store could not be reached any more when a change was to be
	// made durable, so that it is not known whether it was. Whoever repeats the call
	// must be able to tell that it was done already.
	ErrUncertain = errors.New("it is not known whether the change was made")
	// ErrOperator: what was asked for takes powers over the store that this program
	// was not given; its operator has them.
	ErrOperator = errors.New("the store's operator has to do this")
	// ErrArriving: the owner's rows are on their way from another store, see Carrier.
	ErrArriving = errors.New("the owner has not arrived wholly yet")
)

// Store keeps the memories of many owners. It is safe for concurrent use, by
// several goroutines and by several processes.
type Store interface {
	// View runs fn on one consistent snapshot of owner's rows. What fn receives
	// is only valid until fn returns. An owner without rows has an empty view.
	View(ctx context.Context, owner memory.DID, fn func(Reader) error) error
	// Update runs fn in one transaction on owner's rows. When Update returns
	// nil, what fn wrote survives the loss of power; when it returns an error,
	// nothing of it remains. Concurrent Updates run one after the other and may
	// share a commit. fn may run more than once and must start afresh each time.
	Update(ctx context.Context, owner memory.DID, fn func(Writer) error) error
	// Owners lists the owners that have ever been written for, in the order in
	// which that first happened.
	Owners(ctx context.Context) ([]memory.DID, error)
	// Check looks for damage and returns what it found, one finding a line; an
	// empty slice says that all is well.
	Check(ctx context.Context) ([]string, error)
	// Close waits for what is under way and releases the store. It may be called
	// more than once, and returns the same each time; any other call fails with
	// ErrClosed from then on.
	Close() error
}

// Backuper is a store that can write a consistent copy of all it holds.
type Backuper interface {
	// Backup writes a copy that the same kind of store opens, while others may
	// read and write.
	Backup(ctx context.Context, w io.Writer) error
}

// Compacter is a store that can make sure that deleted content is gone from its
// files: logs truncated, free pages overwritten.
type Compacter interface {
	// Compact returns once nothing that was deleted before the call is left in
	// the files. It fails with ErrOperator where that would be in the way of other
	// owners, and is left to whoever looks after the store.
	Compact(ctx context.Context) error
	// Owed reports whether content has left the store since the last Compact that
	// succeeded: a row was deleted, its Origin changed, its Current became
	// shorter, a term is no longer indexed for it, the residue of an import
	// became shorter, or an attachment, an agent or a checkpoint was removed. The store remembers that from the Update on which it
	// happened, so that a Compact that failed can be made up for. Owed is cheap.
	Owed(ctx context.Context) (bool, error)
}

// Summer is a store that keeps the sum of the seals of each owner's rows.
type Summer interface {
	// Summed reports whether the seals of all rows of owner come to the sum that the
	// owner's row says: false where a row was removed, added or put back behind the
	// store's back. It reads the seals alone, in one snapshot. Check says more.
	Summed(ctx context.Context, owner memory.DID) (bool, error)
}

// Watcher is a store that tells when it may have been written.
type Watcher interface {
	// Watch returns a channel that receives within a second after a commit of any
	// process for owner, its own included, and after a time in which it could not
	// hear of commits; several commits may share one value, and there may be values
	// without a commit. It is closed when ctx ends or the store closes.
	Watch(ctx context.Context, owner memory.DID) (<-chan struct{}, error)
}

// Limiter is a store that counts, for all servers that share it, how much
// everybody has asked for.
type Limiter interface {
	// Take takes up to want tokens out of the bucket of a payer and returns how many
	// there were, and when there are none how long until there is one. A bucket
	// begins full with burst tokens, is refilled by rate tokens a second, and belongs
	// to owner, whose rows it lies among. What is taken need not survive the loss of
	// power.
	Take(ctx context.Context, owner memory.DID, payer string, want, burst int, rate float64) (got int, wait time.Duration, err error)
}

// Row is a record at rest.
type Row struct {
	ID      memory.ID
	Number  int64  // document number of the owner, rising from 1; the store gives it
	Origin  []byte // UMP JSON as authored; empty once its content was erased
	Current []byte // UMP JSON now; nil while Origin says everything
	Columns Columns
	// Erased: the change feed says that this very row was erased, so that somebody put
	// it back behind the store's back. No count knows of it.
	Erased bool
	// Followed: another active row of the same lineage links to it. Most such links
	// are those of a successor.
	Followed bool
}

// Columns are what rows are found by. Times have the resolution of a
// microsecond, come back in UTC, and a zero time is an open end; Created is
// never zero. Times too far away to be counted in microseconds are kept as the
// farthest that can, some hundred thousand years before or after now.
type Columns struct {
	Kind       memory.Kind
	Status     memory.Status
	Visibility memory.Visibility
	Project    string
	User       string
	Agent      string
	Session    string
	Created    time.Time
	From       time.Time // first instant of valid time
	To         time.Time // end of valid time
	Expires    time.Time // when retention ends
	Duplicate  string    // digest that rows saying the same share; empty: never merged
	Lineage    memory.ID // first record of the chain of successors
	Import     int64     // number of the import that brought it; 0: none
	Staged     bool      // not yet published by its import; see Records for who sees it
}

// Filter chooses rows. The zero Filter chooses all that are published.
type Filter struct {
	Kinds    []memory.Kind
	Statuses []memory.Status
	Projects []string // rows of any of these; "" stands for rows without a project
	Lineage  memory.ID
	Import   int64     // rows that this import brought, staged or not
	Expired  time.Time // rows whose retention ended at or before this instant
	Since    time.Time // created at or after this instant
	ValidAt  time.Time // rows whose valid time holds this instant
	Newest   bool      // newest first; otherwise oldest first
}

// Cursor is a place in the order created, number. The zero Cursor is the start.
type Cursor struct {
	Created time.Time
	Number  int64
}
