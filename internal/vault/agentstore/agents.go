package agentstore

import (
	"context"
	"errors"

	"github.com/satchel-memory/satchel/internal/audit"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
)

// KeptAgent is a revision of a definition, as the store has it.
type KeptAgent = store.Agent

// KeptState is a checkpoint of an agent, as the store has it.
type KeptState = store.State

// Departed is the departure of a checkpoint as the store has it: who it left for.
type Departed = store.Departure

// StatePlace is where a checkpoint stands in lists.
type StatePlace = store.StatePlace

// SpentToken is a token that serves once, as the store has it.
type SpentToken = store.Spent

// AgentDraft is a definition that is to be kept. Its revision and when it was received
// are the vault's to give.
type AgentDraft struct {
	KeptAgent
	Given bool // the id was made for it: the document came without one
	Dry   bool // says what would become of it, and keeps nothing
	// May says whether it may follow the newest revision, which is the zero one where there
	// is none, by whoever has judged both; nil: it may. It is not asked of what changes
	// nothing, looks into no store, and fails with [ErrRevised] where it was another
	// revision that was judged.
	May func(newest KeptAgent) error
	// Seal: it asks that its agent's checkpoints lie encrypted, also those that are here
	// (AAIF-12-10).
	Seal bool
	// Recasting is what becomes of other checkpoints of its agent that are here; nil:
	// nothing. It is asked anew from the beginning when it has to be.
	Recasting *Recasting
}

// agentFormat names the format of agents in the audit log.
const agentFormat = "aaif"

// maxAgents is the most agents, or checkpoints, that one list holds.
const maxAgents = 1000

// mayAgents refuses everybody but the owner in person, whose agents these are: what an
// assistant or a token's bearer brought would act in the owner's name.
func (k *Service) mayAgents(op string, c memory.Caller, writes bool) error {
	if c.Owner == "" {
		return &memory.Error{Kind: memory.Unauthorized, Op: op, Message: "say whose agents are meant"}
	}
	if writes && k.kernel.ReadOnly() {
		return vault.ReadOnly(op)
	}
	return k.kernel.MayOwn(op, c)
}

// KeepAgent keeps a definition as the next revision of its agent (AAIF-4.1-6). One that
// is the newest already changes nothing: under its id by its digest, and without an id
// of its own by the digest of what came.
func (k *Service) KeepAgent(ctx context.Context, c memory.Caller, d AgentDraft) (kept KeptAgent, unchanged bool, err error) {
	const op = "agent keep"
	if err := k.mayAgents(op, c, !d.Dry); err != nil {
		return KeptAgent{}, false, err
	}
	if d.Dry {
		err = k.kernel.Store().View(ctx, c.Owner, func(r store.Reader) (err error) {
			if kept, unchanged, err = k.placed(r, d); err == nil {
				err = k.recast(r, nil, c.Owner, kept, d.Recasting)
			}
			return err
		})
	} else {
		err = k.kernel.Store().Update(ctx, c.Owner, func(w store.Writer) (err error) {
			if kept, unchanged, err = k.placed(w, d); err == nil {
				// Of an unchanged one, too: checkpoints that did not open when it came may open
				// now, and others were carried over by a rekey since.
				err = k.holdTo(w, c, kept, d)
			}
			if err != nil || unchanged {
				return err
			}
			if err := w.AgentKeeper().PutAgent(kept); err != nil {
				return err
			}
			e := audit.Entry{Act: audit.Take, Format: agentFormat, Agent: k.kernel.Ledger(c.Owner).Mark(kept.ID), Signature: "none"}
			if kept.Signer != "" {
				e.Signature = "verified"
			}
			return k.kernel.Note(w, c, e)
		})
	}
	if err != nil {
		return KeptAgent{}, false, k.agentRefusal(c, op, err)
	}
	if !d.Dry && (d.Seal || d.Recasting.done()) {
		k.kernel.ClearSealed(ctx)
	}
	return kept, unchanged, nil
}

// placed returns the revision that a definition becomes, or that it is. The definition that
// came last is the newest one: an earlier one that comes again is a revision of its own.
func (k *Service) placed(r store.Reader, d AgentDraft) (KeptAgent, bool, error) {
	next := d.KeptAgent
	if d.Given {
		same, err := r.Agents().AgentAs("", d.Came)
		if err == nil { // it has an id here
			next.ID, next.Digest, next.Document = same.ID, same.Digest, same.Document
		}
		if vault.NotFoundIsNone(err) != nil {
			return KeptAgent{}, false, err
		}
	}
	newest, err := r.Agents().Agent(next.ID, 0)
	if vault.NotFoundIsNone(err) != nil {
		return KeptAgent{}, false, err
	}
	if err == nil && newest.Digest == next.Digest {
		return newest, true, nil
	}
	if d.May != nil {
		if err := d.May(newest); err != nil {
			return KeptAgent{}, false, err
		}
	}
	next.Revision, next.Received = newest.Revision+1, vault.Instant(k.kernel.Now())
	return next, false, nil
}

// RejectAgent puts into the audit log that a definition was not taken in: the code of why,
// and what its agent needs that is not here (AAIF-7-9).
func (k *Service) RejectAgent(ctx context.Context, c memory.Caller, agentID, why string, needs []string) error {
	const op = "agent reject"
	if err := k.mayAgents(op, c, true); err != nil {
		return err
	}
	err := k.kernel.Store().Update(ctx, c.Owner, func(w store.Writer) error {
		e := audit.Entry{Act: audit.TurnDown, Format: agentFormat, Needs: needs, Result: why}
		if agentID != "" {
			e.Agent = k.kernel.Ledger(c.Owner).Mark(agentID)
		}
		return k.kernel.Note(w, c, e)
	})
	return k.agentRefusal(c, op, err)
}

// KeptAgent returns a revision of an agent; 0: the newest.
func (k *Service) KeptAgent(ctx context.Context, c memory.Caller, id string, revision int64) (a KeptAgent, err error) {
	const op = "agent get"
	if err := k.mayAgents(op, c, false); err != nil {
		return KeptAgent{}, err
	}
	err = k.kernel.Store().View(ctx, c.Owner, func(r store.Reader) (err error) {
		a, err = r.Agents().Agent(id, revision)
		return err
	})
	return a, k.agentRefusal(c, op, err)
}

// KeptAgents lists the newest revisions of at most limit agents whose ids are greater
// than after; fewer only where there are no more. limit is clamped to 1000.
func (k *Service) KeptAgents(ctx context.Context, c memory.Caller, after string, limit int) (list []KeptAgent, err error) {
	const op = "agent list"
	if err := k.mayAgents(op, c, false); err != nil {
		return nil, err
	}
	err = k.kernel.Store().View(ctx, c.Owner, func(r store.Reader) (err error) {
		list, err = r.Agents().AgentList(after, min(limit, maxAgents))
		return err
	})
	return list, k.agentRefusal(c, op, err)
}

// agentRefusal is refusal with words for agents.
func (k *Service) agentRefusal(c memory.Caller, op string, err error) error {
	switch {
	case errors.Is(err, store.ErrNotFound):
		return &memory.Error{Kind: memory.NotFound, Op: op, Err: err, Message: "no such agent or checkpoint is kept here"}
	case errors.Is(err, store.ErrAltered):
		k.kernel.Log().Error("vault", "op", op, "err", err)
		return &memory.Error{Kind: memory.SignatureInvalid, Op: op, Err: err,
			Message: "what is kept of this agent was changed outside of satchel: see satchel doctor, and restore a backup"}
	}
	return k.kernel.Refusal(c, op, "", err)
}

// MayKeepAgents refuses a caller who may not see what is kept of agents, or who may not
// add to it, so that nothing of a document needs to be looked at.
func (k *Service) MayKeepAgents(c memory.Caller, writes bool) error {
	return k.mayAgents("agent", c, writes)
}
