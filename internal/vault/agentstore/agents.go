package agentstore

import (
	"context"
	"errors"

	"github.com/satchel-memory/satchel/internal/audit"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
)

// KeptAgent is a revision of a definition, as the store keeps it.
type KeptAgent = store.Agent

// KeptState is a checkpoint of an agent, as the store keeps it.
type KeptState = store.State

// Departed says for whom a checkpoint left, as the store keeps it.
type Departed = store.Departure

// StatePlace is the place of a checkpoint in lists.
type StatePlace = store.StatePlace

// SpentToken is a token that can be used once, as the store keeps it.
type SpentToken = store.Spent

// AgentDraft is a definition to keep. The vault sets its revision and its time of
// arrival.
type AgentDraft struct {
	KeptAgent
	Given bool // the document has no id, and ID was made for it
	Dry   bool // only reports the result, and keeps nothing
	// May fails if the definition may not follow the newest revision, which is the zero
	// KeptAgent if there is none; nil: it may. It is not called for an unchanged
	// definition, and reads no store. It fails with [ErrRevised] if the caller judged
	// another revision.
	May func(newest KeptAgent) error
	// Seal seals the agent's checkpoints, also those already kept here (AAIF-12-10).
	Seal bool
	// Recasting changes the agent's checkpoints that are kept here; nil: nothing. The
	// store runs it again from the beginning if it has to.
	Recasting *Recasting
}

// agentFormat is the name of the format of agents in the audit log.
const agentFormat = "aaif"

// maxAgents is the most agents, or checkpoints, that one list holds.
const maxAgents = 1000

// mayAgents refuses all callers except the owner in person. An agent brought by an
// assistant or a token's bearer would act in the owner's name.
func (k *Service) mayAgents(op string, c memory.Caller, writes bool) error {
	if c.Owner == "" {
		return &memory.Error{Kind: memory.Unauthorized, Op: op, Message: "say whose agents are meant"}
	}
	if writes && k.kernel.ReadOnly() {
		return vault.ReadOnly(op)
	}
	return k.kernel.MayOwn(op, c)
}

// KeepAgent keeps a definition as the next revision of its agent (AAIF-4.1-6). A
// definition that is already the newest changes nothing. With an id it is compared by
// its digest, without one by the digest of the received document.
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
				// Also for an unchanged definition: checkpoints that did not open when
				// it arrived may open now, and a rekey may have carried others over
				// since.
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

// placed returns the revision that a definition becomes, or already is. The definition
// that arrived last is the newest: an earlier definition that arrives again is a new
// revision.
func (k *Service) placed(r store.Reader, d AgentDraft) (KeptAgent, bool, error) {
	next := d.KeptAgent
	if d.Given {
		same, err := r.Agents().AgentAs("", d.Came)
		if err == nil { // the document has an id here
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

// RejectAgent writes to the audit log that a definition was rejected, with the code of
// the reason and the unmet needs of its agent (AAIF-7-9).
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
// than after. It returns fewer only if there are no more. limit is clamped to 1000.
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

// agentRefusal is Refusal with messages about agents.
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

// MayKeepAgents refuses a caller who may not read the kept agents, or may not add to
// them. So nothing of a refused caller's document needs to be read.
func (k *Service) MayKeepAgents(c memory.Caller, writes bool) error {
	return k.mayAgents("agent", c, writes)
}
