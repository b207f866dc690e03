package agentstore

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/satchel-memory/satchel/internal/audit"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
)

// Causes of refusals by [Service.ReceiveState].
var (
	ErrSpent        = errors.New("the token was used before")
	ErrUnknownAgent = errors.New("no such agent is kept here")
	ErrOtherState   = errors.New("another checkpoint of this id is here")
	ErrRevised      = errors.New("the definition of its agent has changed meanwhile")
)

// Landing is a checkpoint to keep, and the token that admits it.
type Landing struct {
	State KeptState // the vault sets its time of arrival
	Token SpentToken
	// Revision is the revision of the agent's definition whose policy State follows. If
	// it is no longer the newest, the checkpoint is refused with cause [ErrRevised].
	Revision int64
	Seal     bool // the store keeps it sealed under the owner's key (AAIF-12-10)
	// Same reports whether a kept document under this id has the same content, so that
	// the checkpoint only arrived again.
	Same func(document []byte) bool
}

// ReceiveState keeps a checkpoint of an agent known here, and spends its token in the
// same transaction (AAIF-8.2-8). A refused checkpoint leaves nothing behind, and its
// token unspent.
func (k *Service) ReceiveState(ctx context.Context, c memory.Caller, l Landing) (KeptState, error) {
	const op = "agent receive"
	if err := k.mayAgents(op, c, true); err != nil {
		return KeptState{}, err
	}
	now := vault.Instant(k.kernel.Now())
	release, err := k.reserve(ctx, c, l.Token, now)
	if err != nil {
		return KeptState{}, err
	}
	var landed KeptState
	err = k.kernel.Store().Update(ctx, c.Owner, func(w store.Writer) (err error) {
		landed, err = k.land(w, c, l, now)
		return err
	})
	if errors.Is(err, ErrSpent) {
		k.replayed(c, op)
	}
	if err != nil {
		return KeptState{}, k.agentRefusal(c, op, errors.Join(err, release(err)))
	}
	return landed, nil
}

// land is ReceiveState in its transaction.
func (k *Service) land(w store.Writer, c memory.Caller, l Landing, now time.Time) (KeptState, error) {
	const op = "agent receive"
	if err := w.AgentKeeper().Spend(vault.SpentMark(l.Token), now); err != nil {
		return KeptState{}, turned(op, err, store.ErrExists, ErrSpent)
	}
	agent, err := w.Agents().Agent(l.State.Agent, 0)
	if err != nil {
		return KeptState{}, turned(op, err, store.ErrNotFound, ErrUnknownAgent)
	}
	here, err := k.stateOf(w, c.Owner, l.State.ID)
	switch {
	case err == nil && l.Same(here.Document):
		back, err := k.cameBack(w, here, k.unconfirmed(l, now))
		if err != nil {
			return KeptState{}, err
		}
		return back, k.kernel.Note(w, c, k.receipt(c, l), memory.ID(back.ID))
	case err == nil:
		return KeptState{}, turned(op, store.ErrExists, store.ErrExists, ErrOtherState)
	case !errors.Is(err, store.ErrNotFound):
		return KeptState{}, err
	case agent.Revision != l.Revision:
		return KeptState{}, turned(op, ErrRevised, ErrRevised, ErrRevised)
	}
	landed := l.State
	landed.Received, landed.Departed = now, k.unconfirmed(l, now)
	if err := k.putState(w, c.Owner, landed, l.Seal); err != nil {
		return KeptState{}, err
	}
	landed.Departed = Departed{}
	return landed, k.kernel.Note(w, c, k.receipt(c, l), memory.ID(landed.ID))
}

// unconfirmed returns where a checkpoint is that has just arrived. If it arrived over a network,
// its sender may still go on with it until [Service.ConfirmState] (AAIF-8.2-7). If it arrived in
// a file, its owner brought it: it is here.
func (k *Service) unconfirmed(l Landing, now time.Time) Departed {
	if k.kernel.Via() != "http" {
		return Departed{}
	}
	return Departed{At: now, For: cmp.Or(l.State.Source, l.Token.Issuer)}
}

// ConfirmState records that the sender of a checkpoint has been told that it arrived. Until
// then no run starts from it, since the sender may go on with it.
func (k *Service) ConfirmState(ctx context.Context, c memory.Caller, id string) error {
	const op = "agent receive"
	if err := k.mayAgents(op, c, true); err != nil {
		return err
	}
	err := k.kernel.Store().Update(ctx, c.Owner, func(w store.Writer) error {
		s, err := w.Agents().State(id)
		if err != nil || s.Departed.To != "" {
			return vault.NotFoundIsNone(err)
		}
		return depart(w, s, Departed{})
	})
	return k.agentRefusal(c, op, err)
}

// cameBack returns a kept checkpoint that arrived again: wherever it had gone, it came
// back. to is the result of unconfirmed.
func (k *Service) cameBack(w store.Writer, here KeptState, to Departed) (KeptState, error) {
	lies, err := w.Agents().State(here.ID) // as stored, sealed or not
	if err != nil {
		return KeptState{}, err
	}
	here.Departed = Departed{}
	return here, depart(w, lies, to)
}

// receipt returns the audit log's entry for a checkpoint that arrived: whose token
// admitted it, and who brought it. Over a network the token's bearer brought it,
// whatever else the caller showed.
func (k *Service) receipt(c memory.Caller, l Landing) audit.Entry {
	ledger := k.kernel.Ledger(c.Owner)
	e := audit.Entry{Act: audit.Receive, Format: agentFormat, Agent: ledger.Mark(l.State.Agent), Producer: ledger.Mark(l.Token.Issuer), Token: l.Token.JTI}
	if k.kernel.Via() == "http" {
		e.Who = audit.Token(l.Token.JTI)
	}
	return e
}

// putState stores a checkpoint, sealed if seal is set.
func (k *Service) putState(w store.Writer, owner memory.DID, s store.State, seal bool) (err error) {
	if seal {
		if s, err = vault.SealState(k.kernel.Holder(owner), s); err != nil {
			return err
		}
	}
	return w.AgentKeeper().PutState(s)
}

// turned replaces a failure of the store with a refusal that has a cause of its own.
func turned(op string, err, from, to error) error {
	if !errors.Is(err, from) {
		return err
	}
	return &memory.Error{Kind: memory.InvalidRecord, Op: op, Err: to, Message: to.Error()}
}

// replayed counts in the audit log that a token was used again.
func (k *Service) replayed(c memory.Caller, op string) {
	k.kernel.NoteLater(c, audit.Entry{Act: audit.Refuse, Format: agentFormat, Reason: "TOKEN_REPLAYED", Result: "agent_receive"})
}

// KeptState returns a checkpoint to an owner who looks at it; see [Service.HandState]
// for one that leaves. If its seal does not open, the cause of the error is
// [ErrKeyClosed] or [ErrSealBroken].
func (k *Service) KeptState(ctx context.Context, c memory.Caller, id string) (s KeptState, err error) {
	const op = "agent get"
	if err := k.mayAgents(op, c, false); err != nil {
		return KeptState{}, err
	}
	err = k.kernel.Store().View(ctx, c.Owner, func(r store.Reader) (err error) {
		s, err = k.stateOf(r, c.Owner, id)
		return err
	})
	return s, k.agentRefusal(c, op, err)
}

// KeptStates lists at most limit checkpoints of an agent, or of all agents if agent is
// empty, without their documents. It starts after a place, newest first, and returns
// fewer only if there are no more. limit is clamped to 1000.
func (k *Service) KeptStates(ctx context.Context, c memory.Caller, agent string, after StatePlace, limit int) (list []KeptState, err error) {
	const op = "agent list"
	if err := k.mayAgents(op, c, false); err != nil {
		return nil, err
	}
	err = k.kernel.Store().View(ctx, c.Owner, func(r store.Reader) (err error) {
		list, err = r.Agents().StateList(agent, after, min(limit, maxAgents))
		return err
	})
	return list, k.agentRefusal(c, op, err)
}
