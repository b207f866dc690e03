package agentstore

import (
	"errors"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
)

// Recasting applies a definition's policy to the checkpoints of its agent that are kept
// already (AAIF-12-10).
type Recasting struct {
	// Rules returns the function that decides about each checkpoint. It is called once
	// for all of them, and again if the store starts over. revision looks up a
	// definition of their agent, as Agent does; 0 is the definition that is being kept.
	// Rules reads nothing else.
	Rules func(revision func(int64) (KeptAgent, error)) func(s KeptState) (Recast, error)

	// Changed and Dropped are the ids of the checkpoints that were rewritten and
	// removed, or would be. They are set once KeepAgent has returned.
	Changed, Dropped []string
}

// Recast says how to change a kept checkpoint; the zero Recast: not at all.
type Recast struct {
	Drop     bool   // remove the checkpoint
	Document []byte // its new document; nil: unchanged
}

// recast applies a definition to the kept checkpoints of its agent. It skips sealed
// checkpoints that do not open here: they stay encrypted, and readers apply the policy.
// A checkpoint that was changed outside of satchel makes it fail. With a nil writer it
// changes nothing.
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

// holdTo changes the checkpoints of an agent as its definition requires, in the
// transaction that keeps the definition.
func (k *Service) holdTo(w store.Writer, c memory.Caller, kept KeptAgent, d AgentDraft) error {
	if err := k.recast(w, w, c.Owner, kept, d.Recasting); err != nil {
		return err
	}
	if d.Seal {
		if err := errors.Join(k.sealStates(w, c.Owner, kept.ID), k.sealRuns(w, c.Owner, kept.ID)); err != nil {
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

// refile removes a checkpoint or stores it again, sealed if it was sealed.
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

// replaceState replaces a kept checkpoint with s as it is.
func replaceState(w store.Writer, s store.State) error {
	if err := w.AgentKeeper().DropState(s.ID); err != nil {
		return err
	}
	return w.AgentKeeper().PutState(s)
}

// stateOf returns a checkpoint of an owner, with its seal opened.
func (k *Service) stateOf(r store.Reader, owner memory.DID, id string) (store.State, error) {
	s, err := r.Agents().State(id)
	if err != nil {
		return store.State{}, err
	}
	return vault.OpenState(k.kernel.Holder(owner), s)
}

// sealStates seals the unsealed checkpoints of an agent. It fails if one was changed
// outside of satchel, rather than skip it.
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

// sealRuns seals the unsealed runs of an agent with all of their events. Whoever holds one
// goes on: its later events are sealed as well. It fails if a run was changed outside of
// satchel, rather than skip it.
func (k *Service) sealRuns(w store.Writer, owner memory.DID, agent string) error {
	return vault.EachRun(w.Runs(), func(id string) error {
		run, err := w.Runs().Run(id)
		if err != nil || run.Sealed || run.Agent != agent {
			return err
		}
		var events []store.RunEvent
		err = vault.EachRunEvent(w.Runs(), id, func(e store.RunEvent) (err error) {
			e, err = vault.SealRunEvent(k.kernel.Holder(owner), e)
			events = append(events, e)
			return err
		})
		if err != nil {
			return err
		}
		run.Sealed = true
		return errors.Join(w.RunKeeper().DropRun(id), w.RunKeeper().PutRunEvents(events), w.RunKeeper().PutRun(run))
	})
}
