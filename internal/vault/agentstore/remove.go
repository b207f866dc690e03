package agentstore

import (
	"context"
	"errors"

	"github.com/satchel-memory/satchel/internal/audit"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
)

// Removed counts what was removed of agents.
type Removed struct {
	Revisions, States, Runs int
	Pending                 bool // the files still hold removed content
}

// RemoveAgent removes every revision, every checkpoint, every run and the notes of an agent for
// good, as Forget erases records, including those changed outside of satchel. A note that waits
// for the owner stays a record that waits. Used tokens stay spent. The audit log has marks of
// everything removed.
func (k *Service) RemoveAgent(ctx context.Context, c memory.Caller, id string) (Removed, error) {
	return k.remove(ctx, c, func(w store.Writer) (done Removed, err error) {
		var gone []memory.ID
		err = vault.EachState(w.Agents(), id, func(state string) error {
			gone = append(gone, memory.ID(state))
			return w.AgentKeeper().DropState(state)
		})
		if err == nil {
			done.Runs, err = dropRuns(w, id, &gone)
		}
		if err == nil {
			err = vault.DropNotes(w, vault.AgentNoteSpace+id)
		}
		for ; err == nil; done.Revisions++ {
			if err = w.AgentKeeper().DropAgent(id, 0); err != nil {
				break
			}
		}
		done.States = len(gone) - done.Runs
		if !errors.Is(err, store.ErrNotFound) || done == (Removed{}) {
			return done, err
		}
		return done, k.noteRemoved(w, c, id, done, gone...)
	})
}

// RemoveState removes a checkpoint, as RemoveAgent removes an agent.
func (k *Service) RemoveState(ctx context.Context, c memory.Caller, id string) (Removed, error) {
	return k.remove(ctx, c, func(w store.Writer) (Removed, error) {
		s, err := w.Agents().State(id)
		if err != nil && !errors.Is(err, store.ErrAltered) {
			return Removed{}, err
		}
		if err := w.AgentKeeper().DropState(id); err != nil {
			return Removed{}, err
		}
		done := Removed{States: 1}
		return done, k.noteRemoved(w, c, s.Agent, done, memory.ID(id))
	})
}

// dropRuns removes the runs of an agent, and appends their ids. Of a run that was changed
// outside of satchel nobody can tell whose it is.
func dropRuns(w store.Writer, agent string, gone *[]memory.ID) (n int, err error) {
	err = vault.EachRun(w.Runs(), func(id string) error {
		run, err := w.Runs().Run(id)
		if errors.Is(err, store.ErrAltered) || err == nil && run.Agent != agent {
			return nil
		}
		if err != nil {
			return err
		}
		n++
		*gone = append(*gone, memory.ID(run.ID))
		return errors.Join(w.RunKeeper().DropRun(run.ID), vault.DropNotes(w, vault.RunNoteSpace+run.ID))
	})
	return n, err
}

// remove calls drop in one transaction, and clears the removed content from the files.
func (k *Service) remove(ctx context.Context, c memory.Caller, drop func(store.Writer) (Removed, error)) (done Removed, err error) {
	const op = "agent remove"
	if err := k.mayAgents(op, c, true); err != nil {
		return Removed{}, err
	}
	err = k.kernel.Lessen(ctx, c.Owner, func(w store.Writer) (err error) {
		done, err = drop(w)
		return err
	})
	if err != nil {
		return Removed{}, k.agentRefusal(c, op, err)
	}
	cleared, err := k.kernel.Cleared(ctx)
	done.Pending = err == nil && !cleared
	return done, k.kernel.Refusal(c, op, "", err)
}

// noteRemoved writes a removal to the audit log. If a checkpoint was changed outside of
// satchel, its agent may be unknown.
func (k *Service) noteRemoved(w store.Writer, c memory.Caller, agent string, done Removed, states ...memory.ID) error {
	e := audit.Entry{Act: audit.Remove, Format: agentFormat, Count: done.Revisions + done.States + done.Runs}
	if agent != "" {
		e.Agent = k.kernel.Ledger(c.Owner).Mark(agent)
	}
	return k.kernel.Note(w, c, e, states...)
}
