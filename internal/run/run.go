package run

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/satchel-memory/satchel/aaif"
)

// Run is a run as its journal tells it: the fold of its events with [Run.Apply]. Its own
// agent works in the Thread that is embedded. Usage and Active of that are those of the
// whole run, and its Status is that of the whole run: while only people can go on with it,
// the run waits for them.
type Run struct {
	Thread
	ID      string    // run_id, a UUID
	Events  int64     // how many were applied
	Threads []*Thread // of subagents, in the order in which they began; they never change

	Platform string // where the run goes, or went
	Began    time.Time
	Last     time.Time // of the newest event

	ticking bool // Active grows
	ids     map[string]bool
	heard   map[string]bool      // the conditions in words that were reported
	rests   map[string]time.Time // until when a route wants to be left alone, by provider/model
}

// CopiedCode is the code of the event Resumed if the run was going on in another store, or
// before this store was restored.
const CopiedCode = "COPIED"

// Apply adds an event. It fails, and changes nothing, if the event cannot follow.
func (r *Run) Apply(e Event) error {
	if e.Number != r.Events+1 {
		return fmt.Errorf("event %d follows event %d", e.Number, r.Events)
	}
	next := *r
	next.Threads = slices.Clone(r.Threads)
	next.Thread = *r.Thread.edited()
	next.tick(e)
	if err := next.apply(e); err != nil {
		return fmt.Errorf("event %d, %s: %w", e.Number, e.Kind, err)
	}
	next.settleLeaders()
	if next.Status != aaif.Running && next.Status != aaif.AwaitingToolResult {
		next.ticking = false
	}
	next.Events, next.Last = e.Number, e.At
	*r = next
	return nil
}

// add completes an event that comes next, and applies it.
func (r *Run) add(e *Event, now time.Time) error {
	e.Number, e.At = r.Events+1, now.UTC().Truncate(time.Microsecond)
	if e.At.Before(r.Last) {
		e.At = r.Last // a clock that was set back
	}
	if t := r.Of(e.In); t != nil && (e.In != "" || len(t.Agents) > 1) {
		e.Agent = t.Worker().Agent
	}
	return r.Apply(*e)
}

// tick counts the time of execution. While nobody executes a run, no time passes for it.
func (r *Run) tick(e Event) {
	if r.ticking && e.Kind != Resumed && e.At.After(r.Last) {
		passed := e.At.Sub(r.Last)
		r.Active += passed
		for i, t := range r.Threads {
			if t.Status == aaif.Running || t.Status == aaif.AwaitingToolResult {
				t = t.edited()
				t.Active += passed
				r.Threads[i] = t
			}
		}
	}
	if e.Kind == Resumed {
		r.ticking = true
	}
}

// apply adds an event to the run or to one of its threads.
func (r *Run) apply(e Event) error {
	switch e.Kind {
	case Dispatched, Skipped:
		return r.begin(e)
	case Cancelled:
		return r.cancel(e)
	case Noted:
		r.used(e)
		r.hear(e)
		return nil
	case Started, Resumed, Paused, Leaving, Left, Stayed:
		if e.In != "" {
			return errors.New("this is of the whole run")
		}
		return r.applyWhole(e)
	}
	t, err := r.edit(e.In)
	if err != nil {
		return err
	}
	if err := t.apply(e, r); err != nil {
		return err
	}
	r.used(e)
	if e.Kind == Passed && !e.Until.IsZero() {
		r.rests = with(r.rests, e.Route, e.Until)
	}
	if t.Status.Ended() {
		r.endBelow(t, e)
	}
	return nil
}

// applyWhole adds an event of the whole run.
func (r *Run) applyWhole(e Event) error {
	switch e.Kind {
	case Started:
		return r.start(e)
	case Resumed:
		return r.resumed(e.Code == CopiedCode)
	case Paused:
		return r.become(aaif.Paused)
	case Leaving:
		r.Platform = e.Text
		return r.become(aaif.Migrating)
	case Left:
		r.Output = ""
		return r.become(aaif.Completed)
	}
	r.Platform = ""
	return r.become(aaif.Paused)
}

// resumed goes on with a run. One that waits for a person still does. copied says that the
// journal may be older than what became of the run: every call may have been made since.
func (r *Run) resumed(copied bool) error {
	if r.Status.Ended() || r.Status == aaif.Migrating && !copied {
		return aaif.Transition(r.Status, aaif.Running)
	}
	if copied {
		for i, t := range r.Threads {
			if !t.Status.Ended() {
				r.Threads[i] = t.edited()
				if err := r.Threads[i].copied(); err != nil {
					return err
				}
			}
		}
		return r.copied()
	}
	if r.Status != aaif.Paused {
		return nil
	}
	r.Status = aaif.Running
	if r.asks() {
		return r.become(aaif.AwaitingApproval)
	}
	return nil // a thread below that waits for a person is found by settleLeaders
}

// unused returns an id for a call: the given one if no call of the run has it yet.
func (r *Run) unused(id string) string {
	own := id
	for n := 2; own == "" || r.ids[own]; n++ {
		own = fmt.Sprintf("%s-%d", id, n)
	}
	r.ids = with(r.ids, own, true)
	return own
}

// with returns a copy of a map with one more value. Runs share their maps with the runs from
// which later events made them.
func with[V any](m map[string]V, key string, v V) map[string]V {
	more := make(map[string]V, len(m)+1)
	maps.Copy(more, m)
	more[key] = v
	return more
}

// Fold returns the run of a journal.
func Fold(id string, events []Event) (Run, error) {
	r := Run{ID: id}
	for _, e := range events {
		if err := r.Apply(e); err != nil {
			return Run{}, err
		}
	}
	return r, nil
}
