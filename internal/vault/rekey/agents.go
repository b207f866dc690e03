package rekey

import (
	"context"
	"errors"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
)

// copyAgents copies the definitions of agents and their checkpoints. The new owner's own
// stay as they are. Another definition of an agent that the new owner has too becomes
// its next revision.
func (k *keyChange) copyAgents(ctx context.Context) error {
	return k.eachKept(ctx, keptWalk{agent: func(w store.Writer, a store.Agent) error {
		if here, err := hasCome(w, a); here || err != nil {
			return err
		}
		newest, err := w.Agents().Agent(a.ID, 0)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return err
		}
		a.Revision = newest.Revision + 1
		if a.Signer == string(k.from) { // the owner, who still vouches for it
			a.Signer = string(k.to.DID())
		}
		return w.AgentKeeper().PutAgent(a)
	}, state: func(w store.Writer, s store.State) error {
		s, err := k.resealed(s)
		if err == nil {
			err = w.AgentKeeper().PutState(s)
		}
		if errors.Is(err, store.ErrExists) {
			return nil
		}
		return err
	}})
}

// copySpent copies the marks of used migration tokens: none becomes valid again under
// the new owner (AAIF-8.2-8). The marks stay even if the rekey is given up.
func (k *keyChange) copySpent(ctx context.Context) error {
	var served []store.Spent
	err := k.kernel.Bare().View(ctx, k.from, func(r store.Reader) (err error) {
		served, err = vault.SpentTokens(r, k.now)
		return err
	})
	if err != nil || len(served) == 0 {
		return err
	}
	return k.kernel.Bare().Update(ctx, k.to.DID(), func(w store.Writer) error { return vault.SpendAll(w, served, k.now) })
}

// hasCome reports whether the new owner has a revision of the old owner's. A definition
// may have arrived more than once, with others between; the time of arrival tells which.
func hasCome(r store.Reader, a store.Agent) (bool, error) {
	held, err := r.Agents().AgentAs(a.ID, a.Digest)
	if err != nil {
		return false, vault.NotFoundIsNone(err)
	}
	late := held.Received.Compare(a.Received)
	return late > 0 || late == 0 && held.Revision >= a.Revision, nil
}

// resealed returns a checkpoint of the old owner in the form for the new one: a sealed
// one is sealed under the new key.
func (k *keyChange) resealed(s store.State) (store.State, error) {
	if !vault.IsSealed(s.Document) {
		return s, nil
	}
	s, err := vault.OpenState(k.kernel.Holder(k.from), s)
	if err != nil {
		return s, err
	}
	return vault.SealState(&k.to, s)
}

// agentsOpen checks that all of the old owner's agents can be copied: nothing was
// changed outside of satchel, and every checkpoint opens.
func (k *keyChange) agentsOpen(ctx context.Context) error {
	looked := func(store.Writer, store.Agent) error { return nil }
	return k.eachKept(ctx, keptWalk{looks: true, agent: looked, state: func(_ store.Writer, s store.State) error {
		_, err := vault.OpenState(k.kernel.Holder(k.from), s)
		return err
	}})
}

// verifyAgents checks that all agents and checkpoints were copied.
func (k *keyChange) verifyAgents(ctx context.Context) error {
	err := k.eachKept(ctx, keptWalk{agent: func(w store.Writer, a store.Agent) error {
		here, err := hasCome(w, a)
		if err == nil && !here {
			err = store.ErrNotFound
		}
		return err
	}, state: func(w store.Writer, s store.State) error {
		held, err := w.Agents().State(s.ID)
		if err == nil {
			_, err = vault.OpenState(&k.to, held)
		}
		return err
	}})
	if errors.Is(err, store.ErrNotFound) {
		return &memory.Error{Kind: memory.Internal, Op: "rekey", Err: err,
			Message: "what is kept of agents did not arrive under the new owner; nothing was erased"}
	}
	return err
}

// dropAgents removes what copyAgents wrote for an owner who has other agents too: equal
// entries with the same time of arrival. It skips entries changed outside of satchel
// since.
func (k *keyChange) dropAgents(ctx context.Context) error {
	return k.eachKept(ctx, keptWalk{back: true, agent: func(w store.Writer, a store.Agent) error {
		held, err := w.Agents().AgentAs(a.ID, a.Digest)
		if err == nil && held.Received.Equal(a.Received) {
			err = w.AgentKeeper().DropAgent(held.ID, held.Revision)
		}
		return vault.NotFoundIsNone(err)
	}, state: func(w store.Writer, s store.State) error {
		held, err := w.Agents().State(s.ID)
		same := string(held.Document) == string(s.Document) || vault.IsSealed(held.Document) // under another key than the old one's
		if err == nil && held.Received.Equal(s.Received) && same {
			err = w.AgentKeeper().DropState(s.ID)
		}
		return vault.NotFoundIsNone(err)
	}})
}
