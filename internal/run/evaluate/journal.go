package evaluate

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/satchel-memory/satchel/internal/run"
)

// journal keeps the events of runs in memory.
type journal struct {
	mu   sync.Mutex
	runs map[string]*heldRun
}

// heldRun is a run with the number of its hold; 0: nobody holds it.
type heldRun struct {
	events []run.Event
	fence  int64
	holds  int64 // how many there were
}

var _ run.Journal = (*journal)(nil)

// begin adds a run with its first events.
func (j *journal) begin(id string, events []run.Event) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.runs == nil {
		j.runs = map[string]*heldRun{}
	}
	j.runs[id] = &heldRun{events: events}
}

// Events implements [run.Journal].
func (j *journal) Events(_ context.Context, id string, after int64) ([]run.Event, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.Clone(j.runs[id].events[after:]), nil
}

// Hold implements [run.Journal].
func (j *journal) Hold(_ context.Context, id string, h run.Hold) (run.Place, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	k := j.runs[id]
	if k.fence != 0 && !h.Force {
		return run.Place{}, run.ErrHeld
	}
	k.holds++
	k.fence = k.holds
	return run.Place{Fence: k.fence}, nil
}

// Append implements [run.Journal].
func (j *journal) Append(_ context.Context, id string, fence int64, _ time.Duration, to run.Standing, events []run.Event) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	k := j.runs[id]
	if k.fence != fence || len(events) > 0 && events[0].Number != int64(len(k.events))+1 {
		return run.ErrFenced
	}
	k.events = append(k.events, events...)
	if to.Rests && len(events) > 0 {
		k.fence = 0
	}
	return nil
}

// Join implements [run.Journal]: nobody else decides in an evaluation.
func (j *journal) Join(context.Context, string, run.Event) error { return run.ErrFenced }

// Renew implements [run.Journal].
func (j *journal) Renew(_ context.Context, _ time.Duration, fences map[string]int64) (lost []string, err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for id, fence := range fences {
		if k := j.runs[id]; k == nil || k.fence != fence {
			lost = append(lost, id)
		}
	}
	return lost, nil
}

// Release implements [run.Journal].
func (j *journal) Release(_ context.Context, id string, fence int64) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if k := j.runs[id]; k.fence == fence {
		k.fence = 0
	}
	return nil
}
