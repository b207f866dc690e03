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

// Departure is a checkpoint that leaves, as the audit log tells of it.
type Departure struct {
	State, Agent string
	Way          string    // a code: "migrate", "handoff", "file"
	Token        string    // jti of the migration token that it was given; empty: none
	Until        time.Time // when that expires
	For          string    // the platform that the token is for; empty: none
	Again        bool      // it may leave though another platform has it
}

// ErrDeparted is the cause where a checkpoint does not leave: another platform has it
// (AAIF-8.2-1).
var ErrDeparted = errors.New("the checkpoint has left")

// SendState puts into the audit log that a checkpoint leaves, and beside the checkpoint,
// if it is kept here, for whom it was given a token. It is called before the checkpoint
// leaves, so that none does unlogged.
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

// issued keeps beside a checkpoint that a token was made for it. Who is known to have it
// stays known.
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

// DepartState keeps beside a checkpoint, if it is kept here, which platform has it; the
// zero Departed: none has, after all. Of a time that is not said it is now.
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

// depart files a checkpoint anew, with where it is.
func depart(w store.Writer, s store.State, d Departed) error {
	if s.Departed == d {
		return nil
	}
	s.Departed = d
	return replaceState(w, s)
}

// HandState returns a checkpoint to whoever takes it out of the store, and puts that into
// the audit log; see [Service.KeptState]. Where nothing can be written at all, it is not
// logged either.
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
