package vault

import (
	"context"
	"errors"
	"time"

	"github.com/satchel-memory/satchel/internal/audit"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// Departure is a checkpoint that leaves, as the audit log tells of it.
type Departure struct {
	State, Agent string
	Way          string    // a code: "migrate", "handoff", "file"
	Token        string    // jti of the migration token that it was given; empty: none
	Until        time.Time // when that expires
}

// SendState puts into the audit log that a checkpoint leaves. It is called before the
// checkpoint does, so that none leaves unlogged.
func (v *Vault) SendState(ctx context.Context, c memory.Caller, d Departure) error {
	const op = "agent send"
	if err := v.mayAgents(op, c, false); err != nil {
		return err
	}
	err := v.store.Update(ctx, c.Owner, func(w store.Writer) error { return v.noteSent(w, c, d) })
	return v.agentRefusal(c, op, err)
}

// HandState returns a checkpoint to whoever takes it out of the store, and puts that into
// the audit log; see [Vault.KeptState]. Where nothing can be written at all, it is not
// logged either.
func (v *Vault) HandState(ctx context.Context, c memory.Caller, id string) (s KeptState, err error) {
	const op = "agent get"
	if err := v.mayAgents(op, c, false); err != nil {
		return KeptState{}, err
	}
	err = v.store.Update(ctx, c.Owner, func(w store.Writer) (err error) {
		if s, err = v.stateOf(w, c.Owner, id); err != nil {
			return err
		}
		return v.noteSent(w, c, Departure{State: s.ID, Agent: s.Agent, Way: "get"})
	})
	if errors.Is(err, store.ErrReadOnly) {
		return v.KeptState(ctx, c, id)
	}
	if err != nil {
		return KeptState{}, v.agentRefusal(c, op, err)
	}
	return s, nil
}

func (v *Vault) noteSent(w store.Writer, c memory.Caller, d Departure) error {
	return v.note(w, c, audit.Entry{
		Act: audit.Send, Format: agentFormat, Agent: v.ledger(c.Owner).Mark(d.Agent), Result: d.Way, Token: d.Token, Until: d.Until,
	}, memory.ID(d.State))
}
