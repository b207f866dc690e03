package runstore

import (
	"context"
	"errors"
	"fmt"

	"github.com/satchel-memory/satchel/internal/audit"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
)

// Get returns a run.
func (s *Service) Get(ctx context.Context, c memory.Caller, id string) (Run, error) {
	const op = "run get"
	if err := s.may(op, c, false); err != nil {
		return Run{}, err
	}
	run, err := s.run(ctx, c.Owner, id)
	return run, s.refusal(c, op, err)
}

// run looks a run up.
func (s *Service) run(ctx context.Context, owner memory.DID, id string) (run Run, err error) {
	err = s.kernel.Store().View(ctx, owner, func(r store.Reader) (err error) {
		run, err = r.Runs().Run(id)
		return err
	})
	return run, err
}

// Lineage returns the lineage of the store. A run of another one waits for a person to
// resume it.
func (s *Service) Lineage(ctx context.Context, c memory.Caller) (here string, err error) {
	const op = "run get"
	if err := s.may(op, c, false); err != nil {
		return "", err
	}
	err = s.kernel.Store().View(ctx, c.Owner, func(r store.Reader) (err error) {
		here, err = r.Runs().Lineage()
		return err
	})
	return here, s.refusal(c, op, err)
}

// List lists at most limit runs of an agent, or of all agents if agent is empty. It starts
// after a place, newest first, and returns fewer only if there are no more. limit is clamped
// to 1000.
func (s *Service) List(ctx context.Context, c memory.Caller, agent string, after Place, limit int) (list []Run, err error) {
	const op = "run list"
	if err := s.may(op, c, false); err != nil {
		return nil, err
	}
	err = s.kernel.Store().View(ctx, c.Owner, func(r store.Reader) (err error) {
		list, err = r.Runs().RunList(agent, after, min(limit, most))
		return err
	})
	return list, s.refusal(c, op, err)
}

// Events returns at most limit events of a run with numbers greater than after, in order.
// It returns fewer only if there are no more. limit is clamped to 1000. If the seal of one
// does not open, the cause of the error is [vault.ErrKeyClosed] or [vault.ErrSealBroken].
func (s *Service) Events(ctx context.Context, c memory.Caller, id string, after int64, limit int) (events []Event, err error) {
	const op = "run events"
	if err := s.may(op, c, false); err != nil {
		return nil, err
	}
	err = s.kernel.Store().View(ctx, c.Owner, func(r store.Reader) (err error) {
		events, err = r.Runs().RunEvents(id, after, min(limit, most))
		return err
	})
	key := s.kernel.Holder(c.Owner)
	for i := range events {
		if err == nil {
			events[i], err = vault.OpenRunEvent(key, events[i])
		}
	}
	if err != nil {
		return nil, s.refusal(c, op, err)
	}
	return events, nil
}

// Await waits until a run has an event with a number greater than after, or has ended. The
// store wakes it within a second after a commit of any process, see [store.Watcher].
func (s *Service) Await(ctx context.Context, c memory.Caller, id string, after int64) error {
	const op = "run watch"
	if err := s.may(op, c, false); err != nil {
		return err
	}
	watcher, ok := s.kernel.Store().(store.Watcher)
	if !ok {
		return &memory.Error{Kind: memory.Unsupported, Op: op, Message: "this store cannot be watched"}
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	written, err := watcher.Watch(ctx, c.Owner)
	if err != nil {
		return s.refusal(c, op, err)
	}
	for {
		run, err := s.run(ctx, c.Owner, id)
		if err != nil || run.Events > after || ended(run.Status) {
			return s.refusal(c, op, err)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case _, open := <-written:
			if !open {
				return s.refusal(c, op, errors.Join(ctx.Err(), store.ErrClosed))
			}
		}
	}
}

// refusal is Refusal with messages about runs.
func (s *Service) refusal(c memory.Caller, op string, err error) error {
	refuse := func(kind memory.ErrorKind, cause error, message string) error {
		if cause != nil {
			err = fmt.Errorf("%w: %w", cause, err)
		}
		return &memory.Error{Kind: kind, Op: op, Err: err, Message: message}
	}
	switch {
	case errors.Is(err, audit.ErrDamaged):
		s.kernel.Log().Error("vault", "op", op, "err", err)
		return refuse(memory.Unsupported, nil, "the audit log cannot be written, so nothing is done: see satchel audit verify")
	case errors.Is(err, store.ErrNotFound):
		return refuse(memory.NotFound, nil, "no such run is kept here")
	case errors.Is(err, store.ErrAltered):
		s.kernel.Log().Error("vault", "op", op, "err", err)
		return refuse(memory.SignatureInvalid, nil, "what is kept of this run was changed outside of satchel: see satchel doctor, and restore a backup")
	case errors.Is(err, store.ErrExists):
		return refuse(memory.InvalidRecord, ErrRunExists, "there is a run of this id")
	case errors.Is(err, store.ErrHeld):
		return refuse(memory.InvalidRecord, ErrHeld, "another program goes on with this run: wait until it stops, or its lease has ended")
	case errors.Is(err, store.ErrFenced):
		return refuse(memory.InvalidRecord, ErrFenced, "another program took this run over: what was done here since does not count")
	case errors.Is(err, store.ErrCopied):
		return refuse(memory.InvalidRecord, ErrCopied, "this run was going on in another store, or before this store was restored: resume it once nobody goes on with it there")
	case errors.Is(err, store.ErrCrowded):
		return refuse(memory.InvalidRecord, ErrCrowded, "as many runs of the agent are executed as its definition allows at once: wait until one ends")
	}
	return s.kernel.Refusal(c, op, "", err)
}
