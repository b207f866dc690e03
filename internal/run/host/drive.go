package host

import (
	"context"
	"errors"
	"maps"
	"sync"
	"time"

	"github.com/satchel-memory/satchel/internal/run"
	"github.com/satchel-memory/satchel/internal/vault/runstore"
	"github.com/satchel-memory/satchel/memory"
)

// sweepEvery is how often Drive removes notes that have expired.
const sweepEvery = 10 * time.Minute

// lookEvery is how often Drive looks for runs that other processes left.
const lookEvery = time.Second

// takenAtOnce is how many runs Drive takes hold of in one transaction, for which other writers
// of the owner wait.
const takenAtOnce = 32

// Drive executes the due runs of one owner until ctx is over, at most so many at once. A run
// is due if it has something to do and nobody holds it. Runs of other owners stay: the
// settings are this owner's. Several servers may drive one store; each run is executed by one
// of them. After stop is closed, no action begins. Drive returns once the actions under way
// have ended; other servers can then go on with the runs.
func (h *Host) Drive(ctx context.Context, c memory.Caller, most int, stop <-chan struct{}) {
	places := make(chan struct{}, most)
	var under sync.WaitGroup
	defer under.Wait()
	t := time.NewTicker(lookEvery)
	defer t.Stop()
	h.backlog.drives(true)
	defer h.backlog.giveUp(ctx, c, h)
	var swept time.Time
	for {
		if now := h.opt.Now(); now.Sub(swept).Abs() >= sweepEvery {
			swept = now
			if _, err := h.notes.Sweep(ctx, c); err != nil && ctx.Err() == nil {
				h.opt.Log.Warn("expired notes of agents are not removed", "err", err)
			}
		}
		begin := func(row runstore.Run, taken run.Place) {
			places <- struct{}{} // there is one: nobody else takes places
			under.Go(func() {
				well := h.drive(ctx, c, row, run.ContinueOptions{Taken: taken, Stop: stop})
				if <-places; well {
					h.wake() // another run may wait for the place
				}
			})
		}
		for _, row := range h.backlog.take(most - len(places)) {
			begin(row, run.Place{})
		}
		free := min(most-len(places), takenAtOnce)
		due, err := h.runs.Due(ctx, runstore.Look{Limit: free, Queues: h.opt.Queues, Owners: []memory.DID{c.Owner},
			Take: runstore.Hold{Holder: h.opt.Holder, Lease: h.opt.Lease, Executes: true}, Skip: h.leaves(c), Skipped: h.broken()})
		if err != nil && ctx.Err() == nil {
			h.opt.Log.Warn("runs of agents are not looked for", "err", err)
		}
		for _, d := range due {
			begin(d.Run, run.Place{Fence: d.Fence})
		}
		if len(due) > 0 && len(places) < most {
			h.wake() // there may be more
		}
		select {
		case <-ctx.Done():
			return
		case <-stop:
			return
		case <-t.C:
		case <-h.look:
		}
	}
}

// leaves returns the function that reports which runs Drive leaves alone: those that rest, and
// those on which this process works.
func (h *Host) leaves(c memory.Caller) func(id string) bool {
	return func(id string) bool {
		if h.rests(id) {
			return true
		}
		h.mu.Lock()
		defer h.mu.Unlock()
		return h.going[place{c.Owner, id}] != nil
	}
}

// drive goes on with a run, and logs what became of it.
func (h *Host) drive(ctx context.Context, c memory.Caller, row runstore.Run, how run.ContinueOptions) (well bool) {
	began := h.opt.Now()
	r, err := h.Continue(ctx, c, row.ID, how)
	switch {
	case errors.Is(err, run.ErrHeld) && how.Taken.Fence != 0: // this process works on it: a person decided something
		if err := (journal{h.runs, c}).Release(ctx, row.ID, how.Taken.Fence); err != nil && ctx.Err() == nil {
			h.opt.Log.Warn("a run stays held until its lease ends", "run", row.ID, "err", err)
		}
	case errors.Is(err, run.ErrHeld), errors.Is(err, run.ErrFenced), errors.Is(err, run.ErrCrowded), errors.Is(err, context.Canceled):
	case err != nil:
		h.opt.Log.Warn("a run does not go on", "run", row.ID, "err", err, "again_in_seconds", h.restLonger(row.ID).Seconds())
		return false
	default:
		h.wakes(row.ID)
		h.opt.Log.Info("run", "run", row.ID, "agent", row.Agent, "status", string(r.Status), "events", r.Events-row.Events, "took_seconds", h.opt.Now().Sub(began).Seconds())
	}
	return true
}

// The first and the longest rest.
const (
	firstRest   = 15 * time.Second
	longestRest = 10 * time.Minute
)

// rest is how long a run that could not go on here is left alone, and until when.
type rest struct {
	long  time.Duration
	until time.Time
}

// restLonger leaves a run alone that could not go on here, longer each time. It forgets the
// rests of runs that have not come back since: they ended, or go on elsewhere.
func (h *Host) restLonger(id string) time.Duration {
	h.mu.Lock()
	defer h.mu.Unlock()
	now := h.opt.Now()
	maps.DeleteFunc(h.resting, func(_ string, r rest) bool { return now.Sub(r.until) > longestRest })
	p := h.resting[id]
	p.long = min(max(2*p.long, firstRest), longestRest)
	p.until = now.Add(p.long)
	h.resting[id] = p
	return p.long
}

func (h *Host) rests(id string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.opt.Now().Before(h.resting[id].until)
}

// broken returns how many runs rest. Drive asks for so many more, as they are due as well.
func (h *Host) broken() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.resting)
}

func (h *Host) wakes(id string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.resting, id)
}

// wake makes Drive look for due runs at once, and not at its next tick.
func (h *Host) wake() {
	select {
	case h.look <- struct{}{}:
	default: // it looks anyway
	}
}
