package agents_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/agents"
	"github.com/satchel-memory/satchel/internal/audit"
	"github.com/satchel-memory/satchel/memory"
)

// TestLeaving looks for what leaves in the audit log, as what comes in is found there.
func TestLeaving(t *testing.T) {
	ctx := context.Background()
	for name, opening := range stores {
		t.Run("a checkpoint that is read out is logged, by marks "+name, func(t *testing.T) {
			s := sending(t, over(t, opening))
			if _, err := s.receive(s.ready()); err != nil {
				t.Fatal(err)
			}
			if _, err := s.State(ctx, s.owner(), stateID); err != nil {
				t.Fatal(err)
			}
			log := s.log(audit.Send)
			if len(log) != 1 || log[0].Result != "get" || log[0].Format != "aaif" || log[0].Who != audit.Owner ||
				log[0].Agent != s.vault.AuditMark(s.owner(), agentID) || !slices.Equal(log[0].Records, s.log(audit.Receive)[0].Records) || len(log[0].Records) != 1 {
				t.Errorf("logged %+v", log)
			}
		})
	}
	t.Run("looking at one, and one that is not there, are not logged", func(t *testing.T) {
		s := sending(t, open(t))
		v := s.ready()
		if _, err := s.receive(v); err != nil {
			t.Fatal(err)
		}
		if l, err := s.Look(ctx, s.owner(), stateID); err != nil || text(l.Document) != text(v) {
			t.Errorf("got %+v, %v", l, err)
		}
		_, err := s.State(ctx, s.owner(), "nobody's")
		_, err2 := s.Look(ctx, s.owner(), "nobody's")
		if memory.KindOf(err) != memory.NotFound || memory.KindOf(err2) != memory.NotFound || len(s.log(audit.Send)) != 0 {
			t.Errorf("got %v, %v, %+v", err, err2, s.log(audit.Send))
		}
	})
	for _, way := range []agents.Way{agents.Migrate, agents.Handoff, agents.ToFile} {
		t.Run("one that is sent is logged: "+string(way), func(t *testing.T) {
			s := sending(t, open(t))
			until := start.Add(10 * time.Minute)
			if err := s.Sending(ctx, s.owner(), s.ready(), way, "jti-1", until); err != nil {
				t.Fatal(err)
			}
			log := s.log(audit.Send)
			if len(log) != 1 || log[0].Result != string(way) || log[0].Token != "jti-1" || !log[0].Until.Equal(until) ||
				log[0].Agent != s.vault.AuditMark(s.owner(), agentID) || !slices.Equal(log[0].Records, []string{s.vault.AuditMark(s.owner(), stateID)}) {
				t.Errorf("logged %+v", log)
			}
			if said := text(s.ready()); strings.Contains(log[0].Agent, agentID) || !strings.Contains(said, agentID) {
				t.Errorf("logged %+v", log)
			}
		})
	}
	t.Run("what cannot be logged does not leave", func(t *testing.T) {
		s := sending(t, open(t))
		if _, err := s.receive(s.ready()); err != nil {
			t.Fatal(err)
		}
		canceled, cancel := context.WithCancel(ctx)
		cancel()
		l, err := s.State(canceled, s.owner(), stateID)
		if !errors.Is(err, context.Canceled) || l.StateID != "" {
			t.Errorf("got %+v, %v", l, err)
		}
	})
	t.Run("no assistant, token or stranger reads one", func(t *testing.T) {
		h := open(t)
		for _, c := range []memory.Caller{{Owner: h.key.DID(), Role: memory.Agent, Agent: "claude"}, {Owner: h.key.DID(), Role: memory.Stranger}} {
			_, err := h.Look(ctx, c, stateID)
			err2 := h.Sending(ctx, c, value(t, `{"state_id":"x"}`), agents.ToFile, "", time.Time{})
			if memory.KindOf(err) != memory.ForbiddenScope || memory.KindOf(err2) != memory.ForbiddenScope {
				t.Errorf("got %v, %v", err, err2)
			}
		}
	})
}
