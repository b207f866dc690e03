package peer

import (
	"context"
	"time"

	"github.com/satchel-memory/satchel/aaif/a2a"
	"github.com/satchel-memory/satchel/memory"
)

// Follow returns a task of the caller, and a function that waits for its next changes. They
// follow from the journal, so that all who follow a task see the same.
func (s *Service) Follow(ctx context.Context, c memory.Caller, agent, id string) (a2a.Task, func(context.Context) ([]a2a.Event, error), error) {
	w, err := s.find(ctx, c, agent, id)
	if err != nil {
		return a2a.Task{}, nil, err
	}
	t := w.task()
	said := t.Status
	next := func(ctx context.Context) ([]a2a.Event, error) {
		if err := s.await(ctx, id, w.Run.Events); err != nil {
			return nil, err
		}
		events, err := s.opt.Host.Events(ctx, s.owner(), id, w.Run.Events)
		if err != nil {
			return nil, err
		}
		var changes []a2a.Event
		for _, e := range events {
			if err := w.add(e); err != nil {
				return nil, err
			}
			w.here, w.changed = true, time.Time{} // whoever goes on with it does so here
			now := w.status()
			if now.State == said.State && now.Say == said.Say {
				continue
			}
			said = now
			if now.State == a2a.Completed {
				made := w.artifact()
				changes = append(changes, a2a.Event{ID: id, Context: t.Context, Artifact: &made})
			}
			changes = append(changes, a2a.Event{ID: id, Context: t.Context, Status: &now})
		}
		return changes, nil
	}
	return t, next, nil
}

// await waits for an event of a run after a number, or until the server is about to stop.
func (s *Service) await(ctx context.Context, id string, after int64) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(s.opt.Ending, cancel)()
	err := s.opt.Host.Await(ctx, s.owner(), id, after)
	if err != nil && s.opt.Ending.Err() != nil {
		return a2a.ErrStopping
	}
	return err
}

// Cancel ends a task of the caller.
func (s *Service) Cancel(ctx context.Context, c memory.Caller, agent, id string) (a2a.Task, error) {
	w, err := s.find(ctx, c, agent, id)
	if err != nil {
		return a2a.Task{}, err
	}
	if w.status().State.Ended() {
		return a2a.Task{}, &a2a.Fault{Code: a2a.TaskNotCancelable, Text: "the task has ended"}
	}
	if _, err := s.opt.Host.Cancel(ctx, s.acting(c), id); err != nil {
		if t, failed := s.Task(ctx, c, agent, id); failed == nil && t.Status.State.Ended() { // meanwhile
			return a2a.Task{}, &a2a.Fault{Code: a2a.TaskNotCancelable, Text: "the task has ended"}
		}
		return a2a.Task{}, err
	}
	return s.Task(ctx, c, agent, id)
}
