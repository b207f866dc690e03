package agents_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/audit"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

func TestStateID(t *testing.T) {
	ctx, capital := context.Background(), strings.ToUpper(stateID)
	t.Run("AAIF-8.1-2 a UUID names one checkpoint, however it is written", func(t *testing.T) {
		s := sending(t, open(t))
		v := s.checkpoint()
		s.lands(s.sealed(v, s.key))
		written := v.With("state_id", canon.String(capital))
		s.turnsAway(s.sealed(written.With("iteration", canon.Int(4)), s.key), aaif.TokenBinding)
		if l, err := s.State(ctx, s.owner(), capital); err != nil || l.StateID != stateID {
			t.Errorf("asked for in capital letters: %+v, %v", l, err)
		}
		if _, err := s.RemoveState(ctx, s.owner(), capital); err != nil {
			t.Error(err)
		}
		if l, err := s.receive(s.sealed(written, s.key)); err != nil || l.StateID != stateID || l.Document.Get("state_id").Text() != capital {
			t.Errorf("the document is as it came, and kept by its id: %+v, %v", l, err)
		}
		if l, err := s.Look(ctx, s.owner(), stateID); err != nil || l.StateID != stateID {
			t.Errorf("got %+v, %v", l, err)
		}
	})
	t.Run("AAIF-8.1-2 what an earlier release kept as it came is found", func(t *testing.T) {
		s := sending(t, open(t))
		s.lands(s.sealed(s.checkpoint(), s.key))
		s.rename(stateID, capital)
		if l, err := s.Look(ctx, s.owner(), capital); err != nil || l.StateID != capital {
			t.Errorf("got %+v, %v", l, err)
		}
		if _, err := s.RemoveState(ctx, s.owner(), capital); err != nil {
			t.Error(err)
		}
		if _, err := s.Look(ctx, s.owner(), capital); memory.KindOf(err) != memory.NotFound {
			t.Errorf("got %v", err)
		}
	})
	t.Run("AAIF-8.2-3 a checkpoint that comes again is logged as the first time", func(t *testing.T) {
		s := sending(t, open(t))
		s.lands(s.sealed(s.checkpoint(), s.key))
		s.lands(s.sealed(s.checkpoint(), s.key))
		log := s.log(audit.Receive)
		if len(log) != 2 || log[0].Token == log[1].Token || log[1].Agent != log[0].Agent || len(log[1].Records) != 1 || log[1].Records[0] != log[0].Records[0] {
			t.Errorf("logged %+v", log)
		}
	})
	t.Run("AAIF-4.1-3 an empty id is none that could stay, and is not given another", func(t *testing.T) {
		open(t).refuses(strings.Replace(definition(), agentID, "", 1), aaif.SchemaViolation)
	})
}

// rename has a checkpoint lie under another id.
func (h *house) rename(from, to string) {
	h.t.Helper()
	err := h.store.Update(context.Background(), h.key.DID(), func(w store.Writer) error {
		s, err := w.Agents().State(from)
		s.ID = to
		return errors.Join(err, w.AgentKeeper().DropState(from), w.AgentKeeper().PutState(s))
	})
	if err != nil {
		h.t.Fatal(err)
	}
}
