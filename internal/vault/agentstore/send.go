package agentstore

import (
	"context"
	"errors"
	"time"

	"github.com/satchel-memory/satchel/internal/audit"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
)

// Departure describes a departing checkpoint for the audit log.
type Departure struct {
	State, Agent string
	Way          string    // a code: "migrate", "handoff", "file"
	Token        string    // jti of its migration token; empty: none
	Until        time.Time // when the token expires
	For          string    // the platform that the token is for; empty: none
	Again        bool      // it may leave even if another platform has it
}

// ErrDeparted is the cause of a refusal because another platform has the checkpoint
// (AAIF-8.2-1).
var ErrDeparted = errors.New("the checkpoint has left")

// SendState writes to the audit log that a checkpoint leaves. If the checkpoint is kept
// here, it also notes which platform the token is for. Callers call it before the
// checkpoint leaves, so that the log has every departure.
func (k *Service) SendState(ctx context.Context, c memory.Caller, d Departure) error {
	const op = "agent send"
	if err := k.mayAgents(op, c, false); err != nil {
		return err
	}
	err := k.kernel.Store().Update(ctx, c.Owner, func(w store.Writer) error {
		if err := k.issued(w, d); err != nil {
			return err
		}
		return k.noteSent(w, c, d)
	})
	return k.agentRefusal(c, op, err)
}

// issued notes with a checkpoint that a token was made for it. A platform known to have
// the checkpoint stays noted.
func (k *Service) issued(w store.Writer, d Departure) error {
	const op = "agent send"
	if d.For == "" {
		return nil
	}
	s, err := w.Agents().State(d.State)
	switch {
	case err != nil:
		return vault.NotFoundIsNone(err)
	case s.Departed.To == "":
		return depart(w, s, Departed{At: vault.Instant(k.kernel.Now()), For: d.For})
	case !d.Again:
		return turned(op, ErrDeparted, ErrDeparted, ErrDeparted)
	}
	return nil
}

// DepartState notes with a kept checkpoint which platform has it; the zero Departed: no
// platform has it. A zero time means now.
func (k *Service) DepartState(ctx context.Context, c memory.Caller, id string, d Departed) error {
	const op = "agent send"
	if err := k.mayAgents(op, c, false); err != nil {
		return err
	}
	if d.For != "" && d.At.IsZero() {
		d.At = vault.Instant(k.kernel.Now())
	}
	err := k.kernel.Store().Update(ctx, c.Owner, func(w store.Writer) error {
		s, err := w.Agents().State(id)
		if err != nil {
			return vault.NotFoundIsNone(err)
		}
		return depart(w, s, d)
	})
	return k.agentRefusal(c, op, err)
}

// depart stores a checkpoint again, with its whereabouts.
func depart(w store.Writer, s store.State, d Departed) error {
	if s.Departed == d {
		return nil
	}
	s.Departed = d
	return replaceState(w, s)
}

// HandState returns a checkpoint to a caller who takes it out of the store, and logs
// that; see [Service.KeptState]. If the store is read-only, it logs nothing.
func (k *Service) HandState(ctx context.Context, c memory.Caller, id string) (s KeptState, err error) {
	const op = "agent get"
	if err := k.mayAgents(op, c, false); err != nil {
		return KeptState{}, err
	}
	err = k.kernel.Store().Update(ctx, c.Owner, func(w store.Writer) (err error) {
		if s, err = k.stateOf(w, c.Owner, id); err != nil {
			return err
		}
		return k.noteSent(w, c, Departure{State: s.ID, Agent: s.Agent, Way: "get"})
	})
	if errors.Is(err, store.ErrReadOnly) {
		return k.KeptState(ctx, c, id)
	}
	if err != nil {
		return KeptState{}, k.agentRefusal(c, op, err)
	}
	return s, nil
}

func (k *Service) noteSent(w store.Writer, c memory.Caller, d Departure) error {
	return k.kernel.Note(w, c, audit.Entry{
		Act: audit.Send, Format: agentFormat, Agent: k.kernel.Ledger(c.Owner).Mark(d.Agent), Result: d.Way, Token: d.Token, Until: d.Until,
	}, memory.ID(d.State))
}
