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
		there, err := k.hasRun(ctx, run.ID)
		if err != nil || there {
			return err
		}
		run.Lineage = ""
		if run.Document, err = k.resealedEvent(run.ID, 0, run.Document); err != nil {
			return err
		}
		err = k.kernel.Bare().Update(ctx, k.to.DID(), func(w store.Writer) error {
			return vault.NotFoundIsNone(w.RunKeeper().DropRun(run.ID)) // events that an interrupted rekey has left
		})
		if err == nil {
			err = k.copyRunEvents(ctx, run.ID)
		}
		if err != nil {
			return err
		}
		revision, err := k.revisionOf(ctx, run)
		if err != nil {
			return err
		}
		run.Revision = revision
		return k.kernel.Bare().Update(ctx, k.to.DID(), func(w store.Writer) error { return w.RunKeeper().PutRun(run) })
	})
}

// runEventsAtOnce is how many events one transaction copies.
const runEventsAtOnce = 50

// copyRunEvents copies the events of a run, before the run itself: without it nobody finds
// them.
func (k *keyChange) copyRunEvents(ctx context.Context, id string) error {
	for after := int64(0); ; {
		events, err := k.runEvents(ctx, id, after)
		if err != nil || len(events) == 0 {
			return err
		}
		for i, e := range events {
			if events[i].Document, err = k.resealedEvent(id, e.Number, e.Document); err != nil {
				return err
			}
		}
		after = events[len(events)-1].Number
		err = k.kernel.Bare().Update(ctx, k.to.DID(), func(w store.Writer) error { return w.RunKeeper().PutRunEvents(events) })
		if err != nil {
			return err
		}
	}
}

// runEvents reads some events of a run of the old owner's.
func (k *keyChange) runEvents(ctx context.Context, id string, after int64) (events []store.RunEvent, err error) {
	err = k.kernel.Bare().View(ctx, k.from, func(r store.Reader) (err error) {
		events, err = r.Runs().RunEvents(id, after, runEventsAtOnce)
		return err
	})
	return events, changedAgent(err)
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
	var ids []string
	err := k.kernel.Bare().View(ctx, k.from, func(r store.Reader) error {
		ids = nil
		return vault.EachRun(r.Runs(), func(id string) error { ids = append(ids, id); return nil })
	})
	for _, id := range ids {
		if err != nil {
			break
		}
		var run store.Run
		err = k.kernel.Bare().View(ctx, k.from, func(r store.Reader) (err error) {
			run, err = r.Runs().Run(id)
			return err
		})
		if err == nil {
			err = do(run)
		}
	}
	return changedAgent(err)
}

// hasRun reports whether the new owner has a run.
func (k *keyChange) hasRun(ctx context.Context, id string) (bool, error) {
	err := k.kernel.Bare().View(ctx, k.to.DID(), func(r store.Reader) error {
		_, err := r.Runs().RunHead(id)
		return err
	})
	if errors.Is(err, store.ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

// resealedEvent returns a document of a run in the form for the new owner: a sealed one is
// sealed under the new key.
func (k *keyChange) resealedEvent(run string, number int64, document []byte) ([]byte, error) {
	if !vault.IsSealed(document) {
		return document, nil
	}
	plain, err := vault.OpenRunEvent(k.kernel.Holder(k.from), run, number, document)
	if err != nil {
		return nil, err
	}
	return vault.SealRunEvent(&k.to, run, number, plain)
}

// runsOpen checks that all of the old owner's runs can be copied: nothing was changed
// outside of satchel, and every document opens.
func (k *keyChange) runsOpen(ctx context.Context) error {
	return k.eachRun(ctx, func(run store.Run) error {
		if _, err := k.resealedEvent(run.ID, 0, run.Document); err != nil {
			return err
		}
		return k.kernel.Bare().View(ctx, k.from, func(r store.Reader) error {
			return vault.EachRunEvent(r.Runs(), run.ID, func(e store.RunEvent) error {
				_, err := k.resealedEvent(run.ID, e.Number, e.Document)
				return err
			})
		})
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
			if err == nil {
				_, err = vault.OpenRunEvent(&k.to, run.ID, 0, held.Document)
			}
			if err != nil {
				return err
			}
			return vault.EachRunEvent(r.Runs(), run.ID, func(e store.RunEvent) error {
				_, err := vault.OpenRunEvent(&k.to, run.ID, e.Number, e.Document)
				return err
			})
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
			held, err := w.Runs().RunHead(run.ID)
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
