package agents_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/audit"
)

// next has the clock of a house go on, and a definition kept in place of the one before.
func (s *source) next(raw string) {
	s.t.Helper()
	s.now = s.now.Add(time.Minute)
	if _, err := s.Intake(context.Background(), s.owner(), []byte(raw), aaif.IntakeOptions{Keep: true, Replace: true}); err != nil {
		s.t.Fatal(err)
	}
	s.now = s.now.Add(time.Minute)
}

func (s *source) policy(stateID string) aaif.PII {
	s.t.Helper()
	pii, known, err := s.Policy(context.Background(), s.owner(), agentID, stateID)
	if err != nil || !known {
		s.t.Errorf("known %v, %v", known, err)
	}
	return pii
}

func TestPolicyInForce(t *testing.T) {
	const person = `"variables":{"mail":"ada.lovelace@example.org"}`
	for name, opening := range stores {
		t.Run("AAIF-12-10 a later definition does not open what came under a stricter one "+name, func(t *testing.T) {
			s := sending(t, over(t, opening, running()))
			s.next(policed("encrypt", "2.0.0"))
			s.lands(s.ready())
			s.next(policed("none", "3.0.0"))
			if got := s.policy(stateID); got != aaif.PIIEncrypt {
				t.Errorf("in force is %q", got)
			}
			if got := s.policy(""); got != aaif.PIINone {
				t.Errorf("for others %q", got)
			}
		})
	}
	t.Run("AAIF-12-10 who cannot sign cannot loosen", func(t *testing.T) {
		s := sending(t, open(t, running()))
		s.next(signedBy(t, s.house.key, policed("reject", "2.0.0")))
		s.next(policed("none", "3.0.0"))
		s.turnsAway(s.ready(person), aaif.PIIRejected)
		s.next(signedBy(t, s.house.key, policed("detect", "4.0.0")))
		s.lands(s.ready(person))
	})
	t.Run("AAIF-12-10 what is altered on arrival is told with its new checksum", func(t *testing.T) {
		s := sending(t, open(t, running()))
		s.next(policed("anonymize", "2.0.0"))
		l, err := s.receive(s.ready(person))
		if said := strings.Join(l.Warnings, "\n"); err != nil || !strings.Contains(said, "email") || !strings.Contains(said, aaif.Checksum(l.Document)) {
			t.Errorf("got %q, %v", said, err)
		}
	})
}

func TestArrival(t *testing.T) {
	t.Run("AAIF-12-13 it counts as whose token it has", func(t *testing.T) {
		s := sending(t, open(t))
		v := s.checkpoint().With("provenance", value(t, `{"source_platform":"bank-of-trust"}`))
		l, err := s.receive(s.sealed(v, s.key))
		if err != nil || l.Source != "elsewhere" || !strings.Contains(strings.Join(l.Warnings, ""), `"bank-of-trust"`) {
			t.Errorf("got %+v, %v", l, err)
		}
		list, err := s.States(context.Background(), s.owner(), "", aaif.Place{}, 0)
		if err != nil || len(list) != 1 || list[0].Source != "elsewhere" {
			t.Errorf("listed %+v, %v", list, err)
		}
	})
	t.Run("AAIF-8.1-6 a run that is over does not land", func(t *testing.T) {
		s := sending(t, open(t))
		s.turnsAway(s.sealed(s.checkpoint().With("status", canon.String("completed")), s.key), aaif.StateTransition)
		failed := s.checkpoint(`"error":{"code":"X","message":"y"}`).With("status", canon.String("failed"))
		s.turnsAway(s.sealed(failed, s.key), aaif.StateTransition)
	})
	t.Run("AAIF-8.2-1 AAIF-8.1-19 a run that waits for somebody lands whole", func(t *testing.T) {
		for status, more := range map[string]string{
			"awaiting_approval":    `"approval_request":{"trigger_description":"a gift","pending_action":{"tool_name":"pay","arguments":{}}}`,
			"awaiting_tool_result": `"pending_tool_calls":[{"id":"1","tool_name":"pay","arguments":{},"status":"in_flight"}]`,
		} {
			s := sending(t, open(t))
			v := s.sealed(s.checkpoint(more).With("status", canon.String(status)), s.key)
			l, err := s.receive(v)
			if err != nil || len(l.Warnings) > 0 || text(l.Document) != text(v) {
				t.Errorf("%s: %q, %v", status, l.Warnings, err)
			}
		}
	})
	for id, members := range map[string][]string{
		"AAIF-8.1-19 an approval that nobody is asked for": {`"status":"awaiting_approval"`},
		"AAIF-8.1-15 a time to live below zero":            {`"memory_snapshot":[{"scope":"task","key":"k","content":"v","ttl_remaining_seconds":-5}]`},
		"AAIF-8.1-9 a step at two places":                  {`"pipeline_position":{"current_step":"a","completed_steps":["a"]}`},
	} {
		t.Run(id, func(t *testing.T) {
			s := sending(t, open(t))
			v := s.checkpoint()
			for _, m := range value(t, "{"+strings.Join(members, ",")+"}").Members() {
				v = v.With(m.Name, m.Value)
			}
			v = s.sealed(v, s.key)
			if _, err := s.receive(v); aaif.CodeOf(err) != aaif.WrongState && aaif.CodeOf(err) != aaif.WrongForm {
				t.Errorf("got %v", err)
			}
		})
	}
	t.Run("AAIF-8.1-3 of a version that is not kept: warned of", func(t *testing.T) {
		s := sending(t, open(t))
		s.next(definition(`"version":"1.0.0"`))
		for version, warned := range map[string]bool{"1.0.0": false, "9.9.9": true} {
			v := s.checkpoint().With("agent_version", canon.String(version)).With("state_id", canon.String(strings.Replace(stateID, "0001", "000"+version[:1], 1)))
			l, err := s.receive(s.sealed(v, s.key))
			if err != nil || strings.Contains(strings.Join(l.Warnings, ""), "AAIF-8.1-3") != warned {
				t.Errorf("%s: %q, %v", version, l.Warnings, err)
			}
		}
	})
	t.Run("AAIF-8.1-1 an id that could not be asked for is refused", func(t *testing.T) {
		for _, id := range []string{"a/b", ".", "..", "a\nb", "a\x00", "a\u202eb", `a\b`} {
			s := sending(t, open(t))
			s.turnsAway(s.sealed(s.checkpoint().With("state_id", canon.String(id)), s.key), aaif.WrongForm)
			s.refuses(strings.Replace(definition(), quoted(agentID), quoted(id), 1), aaif.WrongForm)
		}
		empty := sending(t, open(t))
		unsaid := empty.checkpoint().With("state_id", canon.String(""))
		if _, err := empty.receive(aaif.WithChecksum(unsaid)); err == nil {
			t.Error("a state without an id was taken in")
		}
	})
	t.Run("AAIF-4.1-6 a UUID in capital letters is the same agent", func(t *testing.T) {
		s := sending(t, open(t))
		upper := strings.ToUpper(agentID)
		if r := s.taken(strings.Replace(definition(`"version":"1.0.0"`), agentID, upper, 1)); r.Kept.AgentID != agentID || r.Kept.Revision != 2 {
			t.Errorf("got %+v", r.Kept)
		}
		if _, err := s.receive(s.sealed(s.checkpoint().With("agent_id", canon.String(upper)), s.key)); err != nil {
			t.Error(err)
		}
		list, err := s.States(context.Background(), s.owner(), upper, aaif.Place{}, 0)
		if k, err2 := s.Agent(context.Background(), s.owner(), upper, 0); err != nil || err2 != nil || len(list) != 1 || k.Revision != 2 {
			t.Errorf("got %+v, %+v, %v, %v", list, k, err, err2)
		}
	})
	t.Run("AAIF-8.2-4 the log says whose token let it in", func(t *testing.T) {
		s := sending(t, open(t))
		if _, err := s.receive(s.ready()); err != nil {
			t.Fatal(err)
		}
		if log := s.log(audit.Receive); len(log) != 1 || log[0].Producer != s.vault.AuditMark(s.owner(), "elsewhere") || log[0].Token != "jti-1" {
			t.Errorf("logged %+v", log)
		}
	})
}
