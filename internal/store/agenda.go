package store

import (
	"context"
	"time"

	"github.com/satchel-memory/satchel/memory"
)

// Work is work on an owner's rows that waits for its time.
type Work string

// The kinds of work. A store files the first two itself: Sweep when a row's retention
// ends, and Tidy when the lease of a staging import does.
const (
	Sweep Work = "sweep" // empty the rows whose retention has ended
	Tidy  Work = "tidy"  // remove the remains of imports that were cut off
	Tell  Work = "tell"  // tell subscribers of changes; each change makes it due if it is filed
	Index Work = "index" // index anew what an earlier release indexed
	Prune Work = "prune" // drop readings that are old
	Drive Work = "drive" // go on with runs of agents that nobody holds
)

// AllWork lists the kinds of work.
func AllWork() []Work { return []Work{Sweep, Tidy, Tell, Index, Prune, Drive} }

// Agenda is the list of the work that waits, so that nobody has to look at every owner. An
// owner who came from another store, or from an earlier release, has all kinds due at once.
type Agenda interface {
	// Due returns at most max owners who have work due at or before an instant, those who
	// have waited longest first.
	Due(ctx context.Context, work Work, by time.Time, max int) ([]memory.DID, error)
	// Lease gives an owner's work, due at or before an instant, to the caller: it is due
	// again at until, should the caller not say otherwise with [Writer.Reschedule]. It
	// reports false if there is none, since somebody else has taken it.
	Lease(ctx context.Context, owner memory.DID, work Work, by, until time.Time) (bool, error)
}

// Scheduler files the work that waits on an owner's rows.
type Scheduler interface {
	// Schedule files work for an instant, unless it is due before.
	Schedule(work Work, at time.Time) error
	// Reschedule files work for an instant, instead of what was said before; the zero time:
	// there is none any more.
	Reschedule(work Work, at time.Time) error
}
