package host

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/satchel-memory/satchel/internal/run"
	"github.com/satchel-memory/satchel/internal/vault/runstore"
	"github.com/satchel-memory/satchel/memory"
)

// lookEvery is how often Drive looks for runs that other processes left.
const lookEvery = time.Second

// Drive goes on with the runs of an owner that nobody executes and that have something to
// do, until ctx is over. What the owner has set up is for the owner's runs alone: those of
// others stay. Of several servers with one store, one executes each run. most is how many
// runs are executed here at once. After stop is closed no action begins; Drive returns once
// those under way have ended, and others can go on with the runs.
func (h *Host) Drive(ctx context.Context, c memory.Caller, most int, stop <-chan struct{}) {
	places := make(chan struct{}, most)
	var under sync.WaitGroup
	defer under.Wait()
	t := time.NewTicker(lookEvery)
	defer t.Stop()
	for {
		due, err := h.runs.Due(ctx, most-len(places)+h.broken(), c.Owner)
		if err != nil && ctx.Err() == nil {
			h.opt.Log.Warn("runs of agents are not looked for", "err", err)
		}
		for _, d := range due {
			if h.rests(d.ID) || len(places) == cap(places) {
				continue
			}
			places <- struct{}{} // there is one: nobody else takes places
			under.Go(func() {
				well := h.drive(ctx, c, d.Run, stop)
				if <-places; well {
					h.wake() // another run may wait for the place
				}
			})
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
	case errors.Is(err, run.ErrHeld), errors.Is(err, run.ErrFenced), errors.Is(err, context.Canceled):
	case err != nil:
		h.opt.Log.Warn("a run does not go on", "run", row.ID, "err", err, "again_in_seconds", h.rest(row.ID).Seconds())
		return false
	default:
		h.wakes(row.ID)
		h.opt.Log.Info("run", "run", row.ID, "agent", row.Agent, "status", string(r.Status), "events", r.Events-row.Events, "took_seconds", h.opt.Now().Sub(began).Seconds())
	}
	return true
}

// The first and the longest rest of a run that cannot go on here.
const (
	firstRest   = 15 * time.Second
	longestRest = 10 * time.Minute
)

// pauseOf is how long a run rests that could not go on, and until when.
type pauseOf struct {
	long  time.Duration
	until time.Time
}

// rest lets a run rest that cannot go on here, longer each time.
func (h *Host) rest(id string) time.Duration {
	h.mu.Lock()
	defer h.mu.Unlock()
	p := h.resting[id]
	p.long = min(max(2*p.long, firstRest), longestRest)
	p.until = h.opt.Now().Add(p.long)
	h.resting[id] = p
	return p.long
}

func (h *Host) rests(id string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.opt.Now().Before(h.resting[id].until)
}

// broken returns how many runs rest, which those that do not must not wait for.
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

// wake makes Drive look at once.
func (h *Host) wake() {
	select {
	case h.look <- struct{}{}:
	default: // it looks anyway
	}
}
