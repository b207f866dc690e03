package vault

import (
	"context"
	"errors"
	"math"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// copyAgents carries over the definitions of agents and their checkpoints. What the new
// owner has already stays as it is; another definition of an agent that the new owner
// has too becomes its next revision.
func (k *rekeying) copyAgents(ctx context.Context) error {
	return k.eachKept(ctx, func(w store.Writer, a store.Agent) error {
		if _, err := w.AgentAs(a.ID, a.Digest); !errors.Is(err, store.ErrNotFound) {
			return err
		}
		newest, err := w.Agent(a.ID, 0)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return err
		}
		a.Revision = newest.Revision + 1
		return w.PutAgent(a)
	}, func(w store.Writer, s store.State) error {
		s, err := k.resealed(s)
		if err == nil {
			err = w.PutState(s)
		}
		if errors.Is(err, store.ErrExists) {
			return nil
		}
		return err
	})
}

// resealed returns a checkpoint of the old owner's as it lies under the new one: what is
// sealed, sealed under the new key.
func (k *rekeying) resealed(s store.State) (store.State, error) {
	if !isSealed(s.Document) {
		return s, nil
	}
	s, err := openState(k.vault.holder(k.from), s)
	if err != nil {
		return s, err
	}
	return sealState(&k.to, s)
}

// agentsOpen makes sure that every checkpoint of the old owner's opens, so that it can
// be carried over.
func (k *rekeying) agentsOpen(ctx context.Context) error {
	var list []store.State
	err := k.vault.bare.View(ctx, k.from, func(r store.Reader) (err error) {
		list, err = r.StateList("", math.MaxInt32)
		return err
	})
	for _, s := range list {
		if err == nil {
			err = k.vault.bare.View(ctx, k.from, func(r store.Reader) error {
				_, err := k.vault.stateOf(r, k.from, s.ID)
				return notFoundIsNone(err)
			})
		}
	}
	return err
}

// verifyAgents makes sure that everything that was kept of agents is there.
func (k *rekeying) verifyAgents(ctx context.Context) error {
	err := k.eachKept(ctx, func(w store.Writer, a store.Agent) error {
		_, err := w.AgentAs(a.ID, a.Digest)
		return err
	}, func(w store.Writer, s store.State) error {
		held, err := w.State(s.ID)
		if err == nil {
			_, err = openState(&k.to, held)
		}
		return err
	})
	if errors.Is(err, store.ErrNotFound) {
		return &memory.Error{Kind: memory.Internal, Op: "rekey", Err: err,
			Message: "what is kept of agents did not arrive under the new owner; nothing was erased"}
	}
	return err
}

// dropAgents takes back what copyAgents wrote for an owner who has other agents too:
// what is the same and came at the same instant.
func (k *rekeying) dropAgents(ctx context.Context) error {
	return k.eachKept(ctx, func(w store.Writer, a store.Agent) error {
		held, err := w.AgentAs(a.ID, a.Digest)
		if err == nil && held.Received.Equal(a.Received) {
			err = w.DropAgent(held.ID, held.Revision)
		}
		return notFoundIsNone(err)
	}, func(w store.Writer, s store.State) error {
		held, err := w.State(s.ID)
		same := string(held.Document) == string(s.Document) || isSealed(held.Document) // under another key than the old one's
		if err == nil && held.Received.Equal(s.Received) && same {
			err = w.DropState(s.ID)
		}
		return notFoundIsNone(err)
	})
}

// eachKept calls agent for every revision of every agent of the old owner, in their
// order, and state for every checkpoint, each in an Update of the new owner.
func (k *rekeying) eachKept(ctx context.Context, agent func(store.Writer, store.Agent) error, state func(store.Writer, store.State) error) error {
	for after := ""; ; {
		var page []store.Agent
		err := k.vault.bare.View(ctx, k.from, func(r store.Reader) (err error) {
			page, err = r.AgentList(after, importBatch)
			return err
		})
		if err != nil {
			return err
		}
		if len(page) == 0 {
			return k.eachState(ctx, state)
		}
		for _, a := range page {
			after = a.ID
			for revision := int64(1); revision <= a.Revision; revision++ {
				err := passed(ctx, k, func(r store.Reader) (store.Agent, error) { return r.Agent(a.ID, revision) }, agent)
				if err != nil {
					return err
				}
			}
		}
	}
}

func (k *rekeying) eachState(ctx context.Context, state func(store.Writer, store.State) error) error {
	var list []store.State
	err := k.vault.bare.View(ctx, k.from, func(r store.Reader) (err error) {
		list, err = r.StateList("", math.MaxInt32)
		return err
	})
	for _, s := range list {
		if err == nil {
			err = passed(ctx, k, func(r store.Reader) (store.State, error) { return r.State(s.ID) }, state)
		}
	}
	return err
}

// passed hands to do what read found of the old owner. What is not there is passed over.
func passed[T any](ctx context.Context, k *rekeying, read func(store.Reader) (T, error), do func(store.Writer, T) error) error {
	var found T
	err := k.vault.bare.View(ctx, k.from, func(r store.Reader) (err error) {
		found, err = read(r)
		return err
	})
	if err != nil {
		return notFoundIsNone(err)
	}
	return k.vault.bare.Update(ctx, k.to.DID(), func(w store.Writer) error { return do(w, found) })
}
