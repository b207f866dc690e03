package aaifhttp

import (
	"context"
	"net/http"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/memory"
)

// Runs executes the agents that a platform keeps. Runs are the owner's alone. A failure
// that a caller can do something about has one of the codes of this package or of package
// aaif. A Runs is safe for concurrent use.
type Runs interface {
	// Start starts a run, which the platform executes, and returns it at once. Where as many
	// runs of the agent are executed as it allows, Start fails with [aaif.ConcurrencyLimit],
	// unless the run is a job: that waits for its turn. A run that
	// was started with the same id and the same values is returned as it stands, and fresh
	// is false; with other values Start fails with [RunExists].
	Start(ctx context.Context, c memory.Caller, s RunStart) (r Run, fresh bool, err error)
	// GoOn starts the run of a kept checkpoint, once.
	GoOn(ctx context.Context, c memory.Caller, stateID string) (Run, error)
	// List lists at most limit runs of an agent, or of all, newest first and after a place.
	// It fills in no more than the ids, the status and the times.
	List(ctx context.Context, c memory.Caller, agentID string, after RunPlace, limit int) ([]Run, error)
	// Run returns a run as it stands.
	Run(ctx context.Context, c memory.Caller, id string) (Run, error)
	// Events returns at most limit events of a run after a number. ended says that the run has
	// ended and has no event behind these.
	Events(ctx context.Context, c memory.Caller, id string, after int64, limit int) (events []RunEvent, ended bool, err error)
	// Text returns the pieces of answers as models say them, for a run that this process
	// executes, until stop is called. Some may be missing: what counts are the events.
	Text(c memory.Caller, id string) (pieces <-chan string, stop func())
	// Await waits until a run has an event after a number, or has ended.
	Await(ctx context.Context, c memory.Caller, id string, after int64) error
	// Checkpoint returns a run as a state (section 8.1). The run goes on.
	Checkpoint(ctx context.Context, c memory.Caller, id string) (canon.Value, error)
	// Decide approves or rejects a call that a run waits for (AAIF-4.9-18).
	Decide(ctx context.Context, c memory.Caller, id string, d Decision) (Run, error)
	// Resume resumes a run that was paused, or that was going on in another store.
	Resume(ctx context.Context, c memory.Caller, id string) (Run, error)
	// Cancel ends a run, also one that is being executed.
	Cancel(ctx context.Context, c memory.Caller, id string) (Run, error)
	// Remove removes a run for good. pending: the files may still hold traces of it.
	Remove(ctx context.Context, c memory.Caller, id string) (pending bool, err error)
}

// RunStart says which run to start.
type RunStart struct {
	RunID     string // a UUID; empty: a new one
	AgentID   string
	Revision  int // of the definition; 0: the newest
	Input     canon.Value
	Variables canon.Value // an object; undefined: none
	Limits    RunLimits
	Async     bool   // the client wants a job, also of an agent that is synchronous
	User      string // whose run it is, as the owner calls them; empty: the owner's
	Session   string // that the run is part of; empty: it is one of its own
}

// RunLimits bound a run. Zero members mean the operator's limits, which none exceeds.
type RunLimits struct {
	Turns, Tokens      int
	Active, Call, Wait time.Duration
	USD                float64
}

// Run is a run as it stands.
type Run struct {
	RunID, AgentID string
	Revision       int
	Status         aaif.RunStatus
	Events         int64
	Began, Changed time.Time
	Turns          int
	Usage          canon.Value // tokens and costs
	Output         string      // once Status is completed
	Err            *aaif.RunError
	Platform       string      // the platform that has the run, or is to get it
	Threads        []RunThread // of subagents, in the order in which they began
	Waits          []RunWait   // for a person to approve or reject a call
	Resume         bool        // it goes on only once a person resumes it
	Job            bool        // whoever started it just now has a job (AAIF-4.6-7)
}

// stands reports whether a run has ended, or waits for a person or another platform.
func (r Run) stands() bool {
	return r.Status.Ended() || len(r.Waits) > 0 && r.Status != aaif.Running || r.Resume || r.Status == aaif.Migrating
}

// RunWait is a call that a person is asked about.
type RunWait struct {
	Call, Tool     string
	Arguments      canon.Value
	Why, Digest    string
	AskedAt, Until time.Time // Until: when it is refused; zero: never
	In, Agent      string    // the thread and the id of the agent that asks, see [RunThread]
}

// RunThread is what a subagent does in a run.
type RunThread struct {
	In, AgentID, Alias string // In is the path of the thread, which its events have, too
	Status             aaif.RunStatus
	Skipped            bool // it never began
	Turns              int
	Output             string
	Err                *aaif.RunError
	Usage              canon.Value
}

// RunPlace is the place of a run in lists. The zero RunPlace precedes the first.
type RunPlace struct {
	Began time.Time
	RunID string
}

// RunEvent is an event of a run, counted from 1. Document has its number as well.
type RunEvent struct {
	Number   int64
	Kind     string
	Document canon.Value
}

// Decision is what a person decided about a call.
type Decision struct {
	Call    string // empty: the only one that waits
	Digest  string // what the person has seen: the tool and its arguments
	Approve bool
	Why     string // told to the model if the call is rejected
}

// The codes of refusals that concern runs.
const (
	RunHeld   aaif.Code = "RUN_HELD"   // another program executes the run
	RunExists aaif.Code = "RUN_EXISTS" // a run of that id was started otherwise
	RunCopied aaif.Code = "RUN_COPIED" // it was going on elsewhere: resume it
)

// RunsPath lists runs. RunPath precedes the id of a run.
const (
	RunsPath = "/aaif/runs"
	RunPath  = RunsPath + "/"
)

// removeRun removes a run for good.
func (h *Handler) removeRun(w http.ResponseWriter, r *http.Request, c memory.Caller) error {
	id := r.PathValue("id")
	if err := noQuery(r); err != nil {
		return err
	}
	pending, err := h.options.Runs.Remove(r.Context(), c, id)
	if err != nil {
		return err
	}
	send(w, http.StatusOK, canon.Object(member("run_id", id), canon.Member{Name: "pending", Value: canon.Bool(pending)}))
	return nil
}
