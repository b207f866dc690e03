package rekey

import (
	"context"
	"errors"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
)

// keptWalk is a walk over everything that the old owner keeps of agents. Each step runs
// in an Update of the new owner.
type keptWalk struct {
	agent func(store.Writer, store.Agent) error // for every revision of every agent, in their order
	state func(store.Writer, store.State) error // for every checkpoint
	looks bool                                  // it only reads the old owner's: there is no Update
	// back walks from the newest revision of an agent to the first, and skips entries
	// changed outside of satchel, which otherwise end the walk.
	back bool
}

// eachKept walks over everything that the old owner keeps of agents.
func (k *keyChange) eachKept(ctx context.Context, do keptWalk) error {
	agents := func(r store.Reader, each func(string) error) error { return vault.EachAgent(r.Agents(), each) }
	err := k.eachID(ctx, agents, func(id string) error { return k.eachRevision(ctx, do, id) })
	if err != nil {
		return err
	}
	checkpoints := func(r store.Reader, each func(string) error) error { return vault.EachState(r.Agents(), "", each) }
	return k.eachID(ctx, checkpoints, func(id string) error {
		return passed(ctx, k, do, func(r store.Reader) (store.State, error) { return r.Agents().State(id) }, do.state)
	})
}

// eachID calls do with ids of the old owner's, outside of the transaction that reads
// them.
func (k *keyChange) eachID(ctx context.Context, list func(store.Reader, func(string) error) error, do func(id string) error) error {
	var ids []string
	err := k.kernel.Bare().View(ctx, k.from, func(r store.Reader) error {
		ids = nil
		return list(r, func(id string) error { ids = append(ids, id); return nil })
	})
	if err != nil {
		return changedAgent(err)
	}
	for _, id := range ids {
		if err := do(id); err != nil {
			return err
		}
	}
	return nil
}

func (k *keyChange) eachRevision(ctx context.Context, do keptWalk, id string) error {
	var newest store.Agent
	err := k.kernel.Bare().View(ctx, k.from, func(r store.Reader) (err error) {
		newest, err = r.Agents().Agent(id, 0)
		return err
	})
	if err != nil {
		return do.passing(err)
	}
	for n := range newest.Revision {
		revision := n + 1
		if do.back {
			revision = newest.Revision - n
		}
		err := passed(ctx, k, do, func(r store.Reader) (store.Agent, error) { return r.Agents().Agent(id, revision) }, do.agent)
		if err != nil {
			return err
		}
	}
	return nil
}

// passing skips missing entries, and changed ones where the walk allows that.
func (do keptWalk) passing(err error) error {
	if do.back && errors.Is(err, store.ErrAltered) {
		return nil
	}
	return changedAgent(vault.NotFoundIsNone(err))
}

// changedAgent describes what keeps a rekey from continuing.
func changedAgent(err error) error {
	if !errors.Is(err, store.ErrAltered) {
		return err
	}
	return &memory.Error{Kind: memory.SignatureInvalid, Op: "rekey", Err: err,
		Message: "something that is kept of agents was changed outside of satchel and cannot be carried over: see satchel doctor, and restore a backup or remove it with satchel agent remove or satchel agent state remove"}
}

// passed passes to write what read found of the old owner.
func passed[T any](ctx context.Context, k *keyChange, do keptWalk, read func(store.Reader) (T, error), write func(store.Writer, T) error) error {
	var found T
	err := k.kernel.Bare().View(ctx, k.from, func(r store.Reader) (err error) {
		found, err = read(r)
		return err
	})
	switch {
	case err != nil:
		return do.passing(err)
	case do.looks:
		return write(nil, found)
	}
	return k.kernel.Bare().Update(ctx, k.to.DID(), func(w store.Writer) error { return write(w, found) })
}
