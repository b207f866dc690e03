package run

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/route"
)

// Executor executes runs. It is safe for concurrent use; a run is executed once at a time.
type Executor struct {
	Journal Journal
	// Open returns what a run works with. It fails if the run cannot go on here.
	// r is the run as it stands, of which t is a thread.
	Open   func(ctx context.Context, r *Run, t *Thread) (*Setup, error)
	Holder string        // names this process among those that share the journal
	Lease  time.Duration // how long a process that died keeps a run; at least a second
	Now    func() time.Time
	Sleep  func(ctx context.Context, d time.Duration) error
	Log    *slog.Logger
	// Hook returns the hook of a run for a moment; about is the event by which the run ends. nil:
	// there are no hooks.
	Hook func(ctx context.Context, r *Run, m Moment, about Event) (Hook, error)
	// OnEvent is called after an event was written; nil: nobody listens.
	OnEvent func(id string, e Event)
	// OnText is called with the pieces of an answer as they come; nil: nobody listens.
	OnText func(id, piece string)

	renewing sync.Mutex // held while leases are renewed

	mu     sync.Mutex
	live   map[string]*heldRun // those that are executed here, by id
	health map[route.Target]route.Health
}

// errStopped means that the caller does not want the run to go on.
var errStopped = errors.New("stopped")

// ContinueOptions say how a run goes on.
type ContinueOptions struct {
	// Resumes: a person resumes the run. Without it a paused run stays paused, and a run that
	// was going on in another store fails with [ErrCopied].
	Resumes bool
	// Taken is the place of a caller that holds the run already; zero: nobody does.
	Taken Place
	// Stop ends the execution after the action that is under way; nil: nobody stops it.
	Stop <-chan struct{}
}

// Continue executes a run until it ends or has to wait for a person or another platform,
// and returns it as it stands. While somebody else executes it, Continue fails with
// [ErrHeld], and with [ErrCrowded] while others execute as many runs of the agent as its
// definition allows. If ctx ends, what was under way is recovered when the run goes on.
func (x *Executor) Continue(ctx context.Context, id string, how ContinueOptions) (Run, error) {
	h, err := x.hold(ctx, id, Hold{Resumes: how.Resumes, Executes: true, Taken: how.Taken})
	if err != nil {
		return Run{}, err
	}
	defer h.release(ctx)
	paused := h.run.Status == aaif.Paused && how.Resumes
	if next := h.run.Next(x.Now()).Do; next == NothingDo || next == Wait && !paused {
		return h.run, nil
	}
	ctx, lost := context.WithCancelCause(ctx)
	var keeper sync.WaitGroup
	defer keeper.Wait()
	defer lost(nil)
	h.lost = lost
	x.goesOn(id, h)
	keeper.Go(func() { h.keep(ctx) })
	defer x.goesOn(id, nil)
	err = h.execute(ctx, how.Stop)
	if cause := context.Cause(ctx); err != nil && errors.Is(cause, ErrFenced) {
		err = cause
	}
	if errors.Is(err, errStopped) {
		err = nil
	}
	return h.stands(), err
}

// goesOn says that a run is executed here; nil: no longer.
func (x *Executor) goesOn(id string, h *heldRun) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if h == nil {
		delete(x.live, id)
		return
	}
	if x.live == nil {
		x.live = map[string]*heldRun{}
	}
	x.live[id] = h
}

// executed returns a run that is executed here; nil: it is not.
func (x *Executor) executed(id string) *heldRun {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.live[id]
}
