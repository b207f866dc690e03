package store

import (
	"cmp"
	"errors"
	"time"
)

// Failures of a run's holders.
var (
	// ErrHeld: somebody else holds the run, and the lease has not ended.
	ErrHeld = errors.New("the run is held by somebody else")
	// ErrFenced: the run was released, or somebody else took hold of it since. Nothing was
	// written, and nothing that this holder does counts any more.
	ErrFenced = errors.New("the run was taken over by somebody else")
	// ErrCopied: the run was started or held in another store, or before this store was put
	// back to an earlier state. Only a person decides that it goes on here, see
	// [Hold.Resumes]: the other store may have gone on with it.
	ErrCopied = errors.New("the run was going on in another store, or before this store was restored")
	// ErrCrowded: as many runs of the agent are executed as [Run.Slots] allows.
	ErrCrowded = errors.New("no more runs of the agent are executed at once")
)

// Run is a run of an agent. What happened in it are its events, see [RunEvent].
type Run struct {
	ID       string
	Agent    string // id of the agent
	Revision int64  // of the agent's definition
	Status   string // as in AAIF section 8.1
	// Fence is how often somebody took hold of the run. Whoever did it last may append.
	Fence  int64
	Holder string    // names the holder; empty: nobody holds the run
	Until  time.Time // end of the holder's lease by the store's clock, see [Runs.Clock]; zero: nobody holds it
	Wake   time.Time // when there is something to do without a person, such as at the end of an approval; zero: never
	// Lineage is that of the store in which the run was last started or held, see
	// [Runs.Lineage].
	Lineage string
	// Sealed: the caller has sealed the documents of the run's events.
	Sealed bool
	Events int64 // how many there are
	// Queue names the runs that the same servers execute; empty: those of no queue.
	Queue string
	// Slots is how many runs of the agent are executed at once (AAIF-4.6-3); 0: any number.
	Slots   int64
	Began   time.Time
	Changed time.Time // when an event was last appended; the caller sets both
}

// Due returns when a run has something to do without a person; the zero time: never. A run
// that is held has something to do when its lease ends, unless it is released before.
func (r Run) Due() time.Time {
	at := r.Wake
	if r.Status == "running" || r.Status == "awaiting_tool_result" {
		at = cmp.Or(r.Changed, r.Began, time.Unix(0, 0).UTC())
	}
	if !at.IsZero() && r.Until.After(at) {
		at = r.Until
	}
	return at
}

// Place returns a run's place in lists.
func (r Run) Place() RunPlace { return RunPlace{r.Began, r.ID} }

// RunPlace is a run's place in lists. The newest come first; at the same instant the
// greatest id does. The zero RunPlace is before the first.
type RunPlace struct {
	Began time.Time
	ID    string
}

// RunEvent is an event of a run.
type RunEvent struct {
	Run      string // its id
	Number   int64  // counts the events of the run, from 1 and without gaps
	At       time.Time
	Document []byte
}

// Runs finds the runs of an owner. Times have the resolution of a microsecond and come back
// in UTC. A row that was changed outside of the store fails with ErrAltered, and lists leave
// it out, as far as the store can tell, see Records.Altered.
type Runs interface {
	// Run returns a run, or ErrNotFound.
	Run(id string) (Run, error)
	// RunList returns at most max runs of an agent, or of all if agent is empty, after a
	// place. It returns fewer only if there are no more.
	RunList(agent string, after RunPlace, max int) ([]Run, error)
	// RunIDs returns at most max ids of runs greater than after, in the bytewise order of
	// their ids, those of outside changes included; ids with the same first 256 bytes may be
	// in any order. It fails with ErrAltered if one cannot be an id.
	RunIDs(after string, max int) ([]string, error)
	// RunEvents returns at most max events of a run with numbers greater than after, in
	// order, or fails with ErrNotFound if there is no such run. It fails with ErrAltered if
	// an event was changed outside of the store, is missing or is one too many: a run cannot
	// go on without one.
	RunEvents(id string, after int64, max int) ([]RunEvent, error)
	// DueRuns returns at most max runs of some queues, or of all if there are none, whose Due
	// is at or before an instant and whose lineage is that of this store, those due first
	// first. It leaves out those that have to wait for others of their agent, see [Run.Slots].
	DueRuns(by time.Time, max int, queues ...string) ([]Run, error)
	// NextRun returns when the first run of this store's lineage is due, of those that need
	// not wait for others of their agent; the zero time: none ever is.
	NextRun() (time.Time, error)
	// Clock returns the time by the store's clock: the database's in a shared store, so that
	// all servers go by the same, and the machine's in a file.
	Clock() (time.Time, error)
	// Lineage names this store's history. It is another in each store, after a restore, and
	// for a copy of a store's file or database, as far as the store can tell.
	Lineage() (string, error)
}

// Hold says how a run is taken hold of.
type Hold struct {
	Holder string // names the program; not empty
	Lease  time.Duration
	// Force takes the run from a holder whose lease has not ended. That holder can append
	// nothing any more.
	Force bool
	// Resumes: a person wants the run to go on. Without it a run of another lineage fails
	// with ErrCopied.
	Resumes bool
	// Executes: the holder is going to execute the run. Without it the run takes no slot of its
	// agent until it is held again.
	Executes bool
}

// RunChange is what an append changes beside adding events.
type RunChange struct {
	Status  string        // empty: as it is
	Wake    *time.Time    // nil: as it is; the zero time: never
	At      time.Time     // becomes Changed, unless it is zero
	Extend  time.Duration // the lease ends so long from now; 0: as it was
	Release bool          // nobody holds the run from now on
}

// RunKeeper stores the runs of an owner; [Trust.Usage] counts the documents of their
// events. It finds what it has stored. It files [Drive] for the owner when a run is
// due.
type RunKeeper interface {
	Runs
	// PutRun stores a run as it is, or fails with ErrExists if its id exists. Its events are
	// stored by PutRunEvents, in the same Update or before.
	PutRun(r Run) error
	// PutRunEvents stores events as they are, or fails with ErrExists if a number exists.
	// It is for a new run; that of a holder goes on by AppendRun.
	PutRunEvents(events []RunEvent) error
	// HoldRun takes hold of a run and returns it with its next fence. It fails with
	// ErrNotFound; with ErrHeld if a holder of another name has a lease that has not ended by
	// the store's clock, unless Hold.Force is set; with ErrCopied, see Hold; and with ErrCrowded
	// if Hold.Executes is set and others hold as many runs of the agent as its Slots say. It
	// makes the run's lineage that of this store.
	HoldRun(id string, h Hold) (Run, error)
	// AppendRun adds events to a run and changes it, for the holder with a fence. It ignores
	// the events' Run and Number and gives them the next numbers. It fails with ErrNotFound,
	// or with ErrFenced unless fence is the newest and the run was not released since. A
	// holder whose lease has ended may append until somebody else takes hold. It can extend its
	// lease only if its agent has a slot left, see [Run.Slots]: without one it fails with
	// ErrFenced as well.
	AppendRun(id string, fence int64, c RunChange, events []RunEvent) (Run, error)
	// RenewRuns makes the leases of runs end so long from now. fences are the holders' by the
	// ids of the runs. It returns the ids of the runs for which AppendRun would fail with
	// ErrFenced or ErrNotFound, and changes nothing of these.
	RenewRuns(lease time.Duration, fences map[string]int64) (lost []string, err error)
	// DropRun removes a run and its events, also rows that were changed outside of the store,
	// or fails with ErrNotFound if there are none.
	DropRun(id string) error
}
