package rekey

import (
	"context"
	"errors"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
)

// copyRuns copies the runs of agents with their events. The new owner's own stay as they
// are. No copied run goes on by itself: whoever held it may not know yet that the owner has
// another key.
func (k *keyChange) copyRuns(ctx context.Context) error {
	return k.eachRun(ctx, func(run store.Run) error {
		there := false
		err := k.kernel.Bare().Update(ctx, k.to.DID(), func(w store.Writer) error {
			_, err := w.Runs().Run(run.ID)
			if there = err == nil; there || !errors.Is(err, store.ErrNotFound) {
				return err
			}
			return vault.NotFoundIsNone(w.RunKeeper().DropRun(run.ID)) // events that an interrupted rekey has left
		})
		if err != nil || there {
			return err
		}
		if err := k.copyRunEvents(ctx, run.ID); err != nil {
			return err
		}
		run.Lineage = ""
		if run.Revision, err = k.revisionOf(ctx, run); err != nil {
			return err
		}
		return k.kernel.Bare().Update(ctx, k.to.DID(), func(w store.Writer) error { return w.RunKeeper().PutRun(run) })
	})
}

// runEventsAtOnce is how many events one transaction copies.
const runEventsAtOnce = 50

// copyRunEvents copies the events of a run, before the run itself: without it nobody finds
// them.
func (k *keyChange) copyRunEvents(ctx context.Context, id string) error {
	for after := int64(0); ; {
		var events []store.RunEvent
		err := k.kernel.Bare().View(ctx, k.from, func(r store.Reader) (err error) {
			events, err = r.Runs().RunEvents(id, after, runEventsAtOnce)
			return err
		})
		if err != nil || len(events) == 0 {
			return err
		}
		for i, e := range events {
			after = e.Number
			if events[i], err = k.resealedEvent(e); err != nil {
				return err
			}
		}
		err = k.kernel.Bare().Update(ctx, k.to.DID(), func(w store.Writer) error { return w.RunKeeper().PutRunEvents(events) })
		if err != nil {
			return err
		}
	}
}

// revisionOf returns the revision of the agent's definition under the new owner.
func (k *keyChange) revisionOf(ctx context.Context, run store.Run) (int64, error) {
	var agent store.Agent
	err := k.kernel.Bare().View(ctx, k.from, func(r store.Reader) (err error) {
		agent, err = r.Agents().Agent(run.Agent, run.Revision)
		return err
	})
	if err != nil {
		return run.Revision, vault.NotFoundIsNone(err)
	}
	err = k.kernel.Bare().View(ctx, k.to.DID(), func(r store.Reader) (err error) {
		agent, err = r.Agents().AgentAs(run.Agent, agent.Digest)
		return err
	})
	return agent.Revision, err
}

// eachRun calls do with every run of the old owner's, outside of the transaction that reads
// them.
func (k *keyChange) eachRun(ctx context.Context, do func(store.Run) error) error {
	runs := func(r store.Reader, each func(string) error) error { return vault.EachRun(r.Runs(), each) }
	return k.eachID(ctx, runs, func(id string) error {
		var run store.Run
		err := k.kernel.Bare().View(ctx, k.from, func(r store.Reader) (err error) {
			run, err = r.Runs().Run(id)
			return err
		})
		if err == nil {
			err = do(run)
		}
		return changedAgent(err)
	})
}

// resealedEvent returns an event of the old owner's in the form for the new one: a sealed
// one is sealed under the new key.
func (k *keyChange) resealedEvent(e store.RunEvent) (store.RunEvent, error) {
	if !vault.IsSealed(e.Document) {
		return e, nil
	}
	e, err := vault.OpenRunEvent(k.kernel.Holder(k.from), e)
	if err != nil {
		return e, err
	}
	return vault.SealRunEvent(&k.to, e)
}

// runsOpen checks that all of the old owner's runs can be copied: nothing was changed
// outside of satchel, and every event opens.
func (k *keyChange) runsOpen(ctx context.Context) error {
	return k.eachRun(ctx, func(run store.Run) error {
		return k.kernel.Bare().View(ctx, k.from, func(r store.Reader) error { return vault.RunOpens(r.Runs(), run.ID, k.kernel.Holder(k.from)) })
	})
}

// verifyRuns checks that all runs were copied with all of their events.
func (k *keyChange) verifyRuns(ctx context.Context) error {
	err := k.eachRun(ctx, func(run store.Run) error {
		return k.kernel.Bare().View(ctx, k.to.DID(), func(r store.Reader) error {
			held, err := r.Runs().Run(run.ID)
			if err == nil && held.Events != run.Events {
				err = store.ErrNotFound
			}
			if err != nil {
				return err
			}
			return vault.RunOpens(r.Runs(), run.ID, &k.to)
		})
	})
	if errors.Is(err, store.ErrNotFound) {
		return &memory.Error{Kind: memory.Internal, Op: "rekey", Err: err,
			Message: "the runs of agents did not arrive under the new owner; nothing was erased"}
	}
	return err
}

// dropRuns removes what copyRuns wrote for an owner who has other runs too: runs that nobody
// went on with since. What it cannot read of the old owner's it leaves alone.
func (k *keyChange) dropRuns(ctx context.Context) error {
	err := k.eachRun(ctx, func(run store.Run) error {
		return k.kernel.Bare().Update(ctx, k.to.DID(), func(w store.Writer) error {
			held, err := w.Runs().Run(run.ID)
			if err == nil && held.Lineage == "" && held.Fence == run.Fence && held.Began.Equal(run.Began) {
				err = w.RunKeeper().DropRun(run.ID)
			}
			return vault.NotFoundIsNone(err)
		})
	})
	if errors.Is(err, store.ErrAltered) {
		return nil
	}
	return err
}
