package store

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/satchel-memory/satchel/memory"
)

// Failures that callers tell apart. Every other failure of a store is a [memory.Error] of
// kind Internal whose cause is the driver's error.
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
	// ErrUncertain: the connection failed during a commit, so that nobody knows whether the
	// change was made. A caller that repeats the call must recognise a change that was
	// made.
	ErrUncertain = errors.New("it is not known whether the change was made")
	// ErrOperator: the call needs rights on the store that this program lacks; the store's
	// operator has them.
	ErrOperator = errors.New("the store's operator has to do this")
	// ErrArriving: the owner's rows are still arriving from another store, see Carrier.
	ErrArriving = errors.New("the owner has not arrived wholly yet")
)

// Store keeps the memories of many owners. It is safe for concurrent use, by
// several goroutines and by several processes.
type Store interface {
	// View runs fn on one consistent snapshot of owner's rows. The Reader is valid only
	// until fn returns. An owner without rows has an empty view.
	View(ctx context.Context, owner memory.DID, fn func(Reader) error) error
	// Update runs fn in one transaction on owner's rows. When Update returns
	// nil, what fn wrote survives the loss of power; when it returns an error,
	// nothing of it remains. Concurrent Updates run one after the other and may
	// share a commit. fn may run more than once and must start afresh each time.
	Update(ctx context.Context, owner memory.DID, fn func(Writer) error) error
	// Owners lists all owners that ever had a write, in the order of their first one.
	Owners(ctx context.Context) ([]memory.DID, error)
	// Labelled lists the owners whose accounts have a label, in the same order.
	Labelled(ctx context.Context, label string) ([]memory.DID, error)
	Agenda
	// Check looks for damage and returns its findings, one in each line; an empty slice
	// means that all is well.
	Check(ctx context.Context) ([]string, error)
	// Close waits for running calls and releases the store. Further calls of Close return
	// the same; any other call fails with ErrClosed from then on.
	Close() error
}

// Backuper is a store that can write a consistent copy of its content.
type Backuper interface {
	// Backup writes a copy that the same kind of store opens, while others may
	// read and write.
	Backup(ctx context.Context, w io.Writer) error
}

// Compacter is a store that can remove deleted content from its files: it truncates logs
// and overwrites free pages.
type Compacter interface {
	// Compact returns once the files hold nothing that was deleted before the call. It
	// fails with ErrOperator if it would disturb other owners; then the operator has to do
	// it.
	Compact(ctx context.Context) error
	// Owed reports whether content has left the store since the last successful Compact.
	// Content leaves if a row is deleted, its Origin changes, its Current gets shorter, a
	// term is no longer indexed for it, an import's residue gets shorter, or an attachment,
	// an agent, a checkpoint or a run is removed. The Update itself records it, so that a later
	// Compact makes up for a failed one. Owed is cheap.
	Owed(ctx context.Context) (bool, error)
}

// Rooted is a store whose lineage can be made another, see [Runs.Lineage]. Its file can be a
// copy of another machine's.
type Rooted interface {
	// NewLineage makes the store's lineage another, so that no run of an agent goes on by
	// itself. Call it after the store was put back to an earlier state.
	NewLineage(ctx context.Context) error
	// Part makes the store of an owner, which is a copy of another machine's, a store of its
	// own with another lineage. It drops what belongs to a machine: the audit log, receipts,
	// sessions, readings, runs, the owner's account, and attachments in spaces that are not in
	// keep. Then it runs fn in the same transaction, and clears the file of what it dropped.
	// If Part fails, the copy is of no use.
	Part(ctx context.Context, owner memory.DID, keep []string, fn func(Writer) error) error
}

// Summer is a store that keeps the sum of the seals of each owner's rows.
type Summer interface {
	// Summed reports whether the seals of all rows of owner add up to the sum in the
	// owner's row. It is false if somebody removed, added or restored a row outside of the
	// store. It reads only the seals, in one snapshot. Check says more.
	Summed(ctx context.Context, owner memory.DID) (bool, error)
}

// Watcher is a store that reports possible writes.
type Watcher interface {
	// Watch returns a channel that receives a value within a second after a commit of any
	// process for owner, its own included, and after a time in which it could not see
	// commits. Several commits may share one value, and a value may come without a commit.
	// The channel closes when ctx ends or the store closes.
	Watch(ctx context.Context, owner memory.DID) (<-chan struct{}, error)
}

// Limiter is a store that counts requests for all servers that share it.
type Limiter interface {
	// Take takes up to want tokens out of a payer's bucket and returns how many it took. If
	// the bucket is empty, it returns how long until there is a token. A bucket begins full
	// with burst tokens, gains rate tokens a second, and is one of owner's rows. A loss of
	// power may undo Take.
	Take(ctx context.Context, owner memory.DID, payer string, want, burst int, rate float64) (got int, wait time.Duration, err error)
}

// Row is a stored record.
type Row struct {
	ID      memory.ID
	Number  int64  // the owner's document number, rising from 1; the store sets it
	Origin  []byte // UMP JSON as authored; empty after an erasure of the content
	Current []byte // the present UMP JSON; nil while it equals Origin
	Columns Columns
	// Erased: the change feed says that this row was erased, so somebody restored it
	// outside of the store. No count includes it.
	Erased bool
	// Followed: another active row of the same lineage links to this one. Most such links
	// come from a successor.
	Followed bool
}

// Columns are the searchable columns of a row. Times have the resolution of a microsecond
// and come back in UTC. A zero time is an open end; Created is never zero. A time beyond
// the range of microseconds becomes the farthest possible one, some hundred thousand years
// away.
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
	Duplicate  string    // digest that rows with the same statement share; empty: never merged
	Lineage    memory.ID // first record of the chain of successors
	Import     int64     // number of the row's import; 0: none
	Staged     bool      // not published by its import yet; see Records for who sees it
}

// Filter selects rows. The zero Filter selects all published rows.
type Filter struct {
	Kinds    []memory.Kind
	Statuses []memory.Status
	Projects []string // rows of any of these; "" stands for rows without a project
	Lineage  memory.ID
	Import   int64     // rows of this import, staged or not
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
