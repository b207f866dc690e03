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
		begin := func(row runstore.Run) {
			places <- struct{}{} // there is one: nobody else takes places
			under.Go(func() {
				well := h.drive(ctx, c, row, stop)
				if <-places; well {
					h.wake() // another run may wait for the place
				}
			})
		}
		for _, row := range h.backlog.take(most - len(places)) {
			begin(row)
		}
		due, err := h.runs.Due(ctx, most-len(places)+h.broken(), h.opt.Queues, c.Owner)
		if err != nil && ctx.Err() == nil {
			h.opt.Log.Warn("runs of agents are not looked for", "err", err)
		}
		for _, d := range due {
			if !h.rests(d.ID) && len(places) < cap(places) {
				begin(d.Run)
			}
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

// drive goes on with a run, and logs what became of it.
func (h *Host) drive(ctx context.Context, c memory.Caller, row runstore.Run, stop <-chan struct{}) (well bool) {
	began := h.opt.Now()
	r, err := h.Continue(ctx, c, row.ID, run.ContinueOptions{Stop: stop})
	switch {
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
