package agentstore

import (
	"errors"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
)

// Recasting is what a definition does to the checkpoints of its agent that are here
// already, which its policy has to hold for as well (AAIF-12-10).
type Recasting struct {
	// Rules returns what says what becomes of each of them; it is called once for all, and
	// again when they are gone through anew. revision looks up a definition of their agent,
	// 0 being the one that is kept, as Agent does; nothing else is looked into.
	Rules func(revision func(int64) (KeptAgent, error)) func(s KeptState) (Recast, error)

	// Changed and Dropped are the ids of those that are written anew and of those that are
	// removed, or would be, once KeepAgent has returned.
	Changed, Dropped []string
}

// Recast is what becomes of a checkpoint that is here; the zero Recast: nothing.
type Recast struct {
	Drop     bool   // it is removed
	Document []byte // it says this from then on; nil: what it said
}

// recast applies a definition that is kept to the checkpoints of its agent, sealed ones
// included as far as they open here: others lie encrypted, and the policy counts when they
// are read. One that was changed outside of satchel ends it. A nil writer changes nothing.
func (k *Service) recast(r store.Reader, w store.Writer, owner memory.DID, kept KeptAgent, do *Recasting) error {
	if do == nil {
		return nil
	}
	do.Changed, do.Dropped = nil, nil
	rule := do.Rules(func(n int64) (KeptAgent, error) {
		if n == 0 || n == kept.Revision {
			return kept, nil
		}
		return r.Agents().Agent(kept.ID, n)
	})
	return vault.EachState(r.Agents(), kept.ID, func(id string) error {
		s, err := k.stateOf(r, owner, id)
		if errors.Is(err, vault.ErrKeyClosed) || errors.Is(err, vault.ErrSealBroken) {
			return nil
		}
		if err != nil {
			return err
		}
		becomes, err := rule(s)
		switch {
		case err != nil:
			return err
		case becomes.Drop:
			do.Dropped = append(do.Dropped, id)
		case becomes.Document != nil:
			do.Changed = append(do.Changed, id)
		default:
			return nil
		}
		if w == nil {
			return nil
		}
		return k.refile(w, owner, s, becomes)
	})
}

// done reports whether anything was changed.
func (do *Recasting) done() bool { return do != nil && len(do.Changed)+len(do.Dropped) > 0 }

// holdTo has the checkpoints of an agent kept as its definition wants it, in the
// transaction that keeps that.
func (k *Service) holdTo(w store.Writer, c memory.Caller, kept KeptAgent, d AgentDraft) error {
	if err := k.recast(w, w, c.Owner, kept, d.Recasting); err != nil {
		return err
	}
	if d.Seal {
		if err := k.sealStates(w, c.Owner, kept.ID); err != nil {
			return err
		}
	}
	if d.Recasting == nil || len(d.Recasting.Dropped) == 0 {
		return nil
	}
	var gone []memory.ID
	for _, id := range d.Recasting.Dropped {
		gone = append(gone, memory.ID(id))
	}
	return k.noteRemoved(w, c, kept.ID, Removed{States: len(gone)}, gone...)
}

// refile removes a checkpoint, or files it anew, sealed if it was.
func (k *Service) refile(w store.Writer, owner memory.DID, s KeptState, becomes Recast) error {
	lies, err := w.Agents().State(s.ID)
	if err != nil {
		return err
	}
	if becomes.Drop {
		return w.AgentKeeper().DropState(s.ID)
	}
	s.Document = becomes.Document
	if vault.IsSealed(lies.Document) {
		if s, err = vault.SealState(k.kernel.Holder(owner), s); err != nil {
			return err
		}
	}
	return replaceState(w, s)
}

// replaceState files a checkpoint that is here anew, as it is to lie.
func replaceState(w store.Writer, s store.State) error {
	if err := w.AgentKeeper().DropState(s.ID); err != nil {
		return err
	}
	return w.AgentKeeper().PutState(s)
}

// stateOf returns a checkpoint of an owner as it says.
func (k *Service) stateOf(r store.Reader, owner memory.DID, id string) (store.State, error) {
	s, err := r.Agents().State(id)
	if err != nil {
		return store.State{}, err
	}
	return vault.OpenState(k.kernel.Holder(owner), s)
}

// sealStates seals the checkpoints of an agent that lie in the clear. One that was changed
// outside of satchel ends it, as it would be passed over otherwise.
func (k *Service) sealStates(w store.Writer, owner memory.DID, agent string) error {
	return vault.EachState(w.Agents(), agent, func(id string) error {
		s, err := w.Agents().State(id)
		if err != nil || vault.IsSealed(s.Document) {
			return err
		}
		if s, err = vault.SealState(k.kernel.Holder(owner), s); err != nil {
			return err
		}
		return replaceState(w, s)
	})
}
