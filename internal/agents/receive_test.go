package agents_test

import (
	"context"
	"fmt"
	"math/rand"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/agents"
	"github.com/satchel-memory/satchel/internal/audit"
	"github.com/satchel-memory/satchel/internal/vault/trust"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
)

const stateID = "7a1d8f10-93a1-4c0f-8f54-0d5d0f3b0001"

// source is a platform that sends states, and whom the owner of a house trusts.
type source struct {
	*house
	key keys.Private
	n   int // tokens issued
}

func sending(t testing.TB, h *house) *source {
	t.Helper()
	s := &source{house: h, key: seeded(t, 20)}
	if err := trust.New(h.vault).TrustProducer(context.Background(), h.owner(), "elsewhere", []aimem.Key{aimem.PublicKey(s.key)}); err != nil {
		t.Fatal(err)
	}
	h.taken(definition())
	return s
}

// checkpoint is a state of the agent, with members as given.
func (s *source) checkpoint(members ...string) canon.Value {
	all := append([]string{`"sc_standard":"SC-006"`, `"sc_version":"3.0.0"`, `"state_id":"` + stateID + `"`, `"agent_id":"` + agentID + `"`,
		`"run_id":"9b2d8f10-93a1-4c0f-8f54-0d5d0f3b0002"`, `"checkpoint_at":"2026-06-04T09:59:00Z"`, `"status":"migrating"`, `"iteration":2`,
		`"conversation":[{"role":"user","content":"hello"}]`, `"provenance":{"source_platform":"elsewhere"}`}, members...)
	return value(s.t, "{"+strings.Join(all, ",")+"}")
}

// sealed is a state with a token of the source's, which change may change, signed by
// key.
func (s *source) sealed(state canon.Value, key keys.Private, change ...func(*aaif.Token)) canon.Value {
	s.t.Helper()
	s.n++
	token := aaif.Token{ID: fmt.Sprint("jti-", s.n), Issuer: "elsewhere", Audience: "here", IssuedAt: s.now, Expires: s.now.Add(10 * time.Minute),
		Principal: aaif.Principal([]byte("sixteen bytes of salt"), string(s.house.key.DID()))}.For(state)
	for _, c := range change {
		c(&token)
	}
	raw, err := aaif.IssueToken(token, key, "k")
	if err != nil {
		s.t.Fatal(err)
	}
	return aaif.WithToken(state, raw)
}

func (s *source) ready(members ...string) canon.Value {
	s.t.Helper()
	return s.sealed(s.checkpoint(members...), s.key)
}

func (s *source) receive(v canon.Value) (aaif.KeptState, error) {
	return s.Receive(context.Background(), s.owner(), v)
}

// turnsAway expects a state to be refused with a code, nothing to be kept, and the token
// to be good still.
func (s *source) turnsAway(v canon.Value, want aaif.Code) {
	s.t.Helper()
	before := s.kept()
	_, err := s.receive(v)
	if aaif.CodeOf(err) != want {
		s.t.Errorf("got %v, want %s", err, want)
	}
	if after := s.kept(); after != before {
		s.t.Errorf("%d are kept, %d were", after, before)
	}
	if _, err := s.receive(v); aaif.CodeOf(err) != want {
		s.t.Errorf("again: got %v, want %s", err, want)
	}
}

func TestReceive(t *testing.T) {
	t.Run("AAIF-8.2-3 AAIF-8.2-4 a state lands and is read back as it came", func(t *testing.T) {
		s := sending(t, open(t))
		v := s.ready()
		l, err := s.receive(v)
		if err != nil || l.StateID != stateID || l.AgentID != agentID || l.Status != aaif.Migrating || l.Source != "elsewhere" || !l.Received.Equal(start) {
			t.Fatalf("got %+v, %v", l, err)
		}
		back, err := s.State(context.Background(), s.owner(), stateID)
		if err != nil || text(back.Document) != text(v) {
			t.Errorf("got %+v, %v", back, err)
		}
		list, err := s.States(context.Background(), s.owner(), agentID, aaif.Place{}, 0)
		if err != nil || len(list) != 1 || !list[0].CheckpointAt.Equal(start.Add(-time.Minute)) {
			t.Errorf("listed %+v, %v", list, err)
		}
		if log := s.log(audit.Receive); len(log) != 1 || log[0].Agent != s.vault.AuditMark(s.owner(), agentID) {
			t.Errorf("logged %+v", log)
		}
	})
	t.Run("AAIF-8.2-4 checksum, token, agent, in this order", func(t *testing.T) {
		h := open(t)
		s := sending(t, h)
		const other = "5f0c7a52-0c5d-4d5a-9a68-2f0c6a1fffff"
		v := s.checkpoint().With("agent_id", canon.String(other))
		unknown := s.sealed(v, s.key)
		s.turnsAway(unknown, aaif.AgentUnknown)
		stranger := s.sealed(v, seeded(t, 21))
		s.turnsAway(stranger, aaif.TokenInvalid)
		s.turnsAway(stranger.With("iteration", canon.Int(3)), aaif.ChecksumMismatch)
		h.taken(strings.Replace(definition(), agentID, other, 1))
		if _, err := s.receive(unknown); err != nil {
			t.Errorf("once the agent is known: %v", err)
		}
	})
	t.Run("AAIF-12-14 a state of which anything was changed is refused", func(t *testing.T) {
		s := sending(t, open(t))
		raw := text(s.ready())
		random := rand.New(rand.NewSource(2))
		for range 50 {
			b := []byte(raw)
			b[random.Intn(len(b))] ^= 1 << random.Intn(7)
			v, err := aaif.FromJSON(b, aaif.ReadOptions{})
			if err != nil || text(v) == raw {
				continue
			}
			if _, err := s.receive(v); err == nil {
				t.Errorf("taken in: %s", b)
			}
		}
		if list, err := s.States(context.Background(), s.owner(), "", aaif.Place{}, 0); err != nil || len(list) > 0 {
			t.Errorf("%d are kept, %v", len(list), err)
		}
	})
	t.Run("AAIF-12-15 who edits a state cannot make up for it with another checksum", func(t *testing.T) {
		s := sending(t, open(t))
		s.turnsAway(aaif.WithChecksum(s.ready().With("iteration", canon.Int(3))), aaif.TokenBinding)
	})
	t.Run("AAIF-8.1-1 what is against the schema is refused", func(t *testing.T) {
		s := sending(t, open(t))
		s.turnsAway(s.sealed(s.checkpoint().With("status", canon.String("asleep")), s.key), aaif.SchemaViolation)
		s.turnsAway(value(t, definition()), aaif.UnknownType)
		small := sending(t, open(t, func(o *agents.Options) { o.Limits.State = 500 }))
		small.turnsAway(small.ready(), aaif.TooLarge)
	})
	t.Run("AAIF-12-3 inline secrets are refused", func(t *testing.T) {
		s := sending(t, open(t))
		v := s.checkpoint().With("variables", value(t, `{"key":"ghp_16C7e42F292c6912E7710c838347Ae178B4a"}`))
		s.turnsAway(s.sealed(v, s.key), aaif.InlineSecret)
	})
	t.Run("AAIF-8.2-1 a run that did not stand still is warned of", func(t *testing.T) {
		s := sending(t, open(t))
		l, err := s.receive(s.sealed(s.checkpoint().With("status", canon.String("running")), s.key))
		if err != nil || !strings.Contains(strings.Join(l.Warnings, ""), "AAIF-8.2-1") {
			t.Errorf("got %+v, %v", l, err)
		}
	})
}

func TestToken(t *testing.T) {
	t.Run("AAIF-8.2-8 second use is TOKEN_REPLAYED", func(t *testing.T) {
		s := sending(t, open(t))
		v := s.ready()
		if _, err := s.receive(v); err != nil {
			t.Fatal(err)
		}
		s.turnsAway(v, aaif.TokenReplayed)
		if log := s.log(audit.Refuse); len(log) != 1 || log[0].Reason != "TOKEN_REPLAYED" || log[0].Count != 2 {
			t.Errorf("logged %+v", log)
		}
		raw := v.Get("provenance").Get("migration_token").Text()
		if err := s.Admit(context.Background(), s.owner(), raw, aaif.Binding{StateID: stateID}); aaif.CodeOf(err) != aaif.TokenReplayed {
			t.Errorf("admitted: %v", err)
		}
	})
	t.Run("AAIF-8.2-8 a token is for one state and one platform", func(t *testing.T) {
		s := sending(t, open(t))
		x, y := s.checkpoint(), s.checkpoint().With("state_id", canon.String("7a1d8f10-93a1-4c0f-8f54-0d5d0f3b0009"))
		raw := s.sealed(x, s.key).Get("provenance").Get("migration_token").Text()
		s.turnsAway(aaif.WithToken(y, raw), aaif.TokenBinding)
		s.turnsAway(s.sealed(x, s.key, func(t *aaif.Token) { t.Audience = "there" }), aaif.TokenAudience)
		none := sending(t, open(t, func(o *agents.Options) { o.Platform = "" }))
		none.turnsAway(none.ready(), aaif.TokenAudience)
	})
	t.Run("AAIF-12-13 the token has to be of a trusted key, and in time", func(t *testing.T) {
		s := sending(t, open(t))
		s.turnsAway(s.sealed(s.checkpoint(), seeded(t, 21)), aaif.TokenInvalid)
		s.turnsAway(s.sealed(s.checkpoint(), s.key, func(t *aaif.Token) { t.Issuer = "nobody" }), aaif.TokenInvalid)
		s.turnsAway(aaif.WithChecksum(s.checkpoint()), aaif.TokenInvalid)
		late := s.ready()
		s.now = s.now.Add(time.Hour)
		s.turnsAway(late, aaif.TokenExpired)
		if _, err := s.receive(s.sealed(s.checkpoint(), s.house.key, func(t *aaif.Token) { t.Issuer = "my other platform" })); err != nil {
			t.Errorf("of the owner's own key: %v", err)
		}
	})
	t.Run("AAIF-8.3-6 a token is admitted before the state, and nothing is spent", func(t *testing.T) {
		s := sending(t, open(t))
		v := s.ready()
		raw, ctx := v.Get("provenance").Get("migration_token").Text(), context.Background()
		b := aaif.Binding{StateID: stateID, AgentID: agentID, RunID: v.Get("run_id").Text()}
		for range 2 {
			if err := s.Admit(ctx, s.owner(), raw, b); err != nil {
				t.Error(err)
			}
		}
		b.RunID = "another"
		if err := s.Admit(ctx, s.owner(), raw, b); aaif.CodeOf(err) != aaif.TokenBinding {
			t.Errorf("got %v", err)
		}
		if _, err := s.receive(v); err != nil {
			t.Error(err)
		}
	})
	t.Run("AAIF-8.2-3 the same state comes again with another token", func(t *testing.T) {
		s := sending(t, open(t))
		first, err := s.receive(s.ready())
		if err != nil {
			t.Fatal(err)
		}
		s.now = s.now.Add(time.Minute)
		second := s.ready()
		again, err := s.receive(second)
		if err != nil || !again.Received.Equal(first.Received) || text(again.Document) != text(first.Document) {
			t.Errorf("got %+v, %v", again, err)
		}
		s.turnsAway(second, aaif.TokenReplayed)
		s.turnsAway(s.sealed(s.checkpoint().With("iteration", canon.Int(3)), s.key), aaif.TokenBinding)
	})
	for name, opening := range stores {
		t.Run("AAIF-8.2-8 of two who use a token at once one lands "+name, func(t *testing.T) {
			s := sending(t, over(t, opening))
			v := s.ready()
			var wg sync.WaitGroup
			errs := make(chan error, 8)
			for range cap(errs) {
				wg.Go(func() {
					_, err := s.receive(v)
					errs <- err
				})
			}
			wg.Wait()
			close(errs)
			landed := 0
			for err := range errs {
				if err == nil {
					landed++
				} else if aaif.CodeOf(err) != aaif.TokenReplayed {
					t.Errorf("got %v", err)
				}
			}
			if landed != 1 {
				t.Errorf("%d landed", landed)
			}
		})
	}
}

func TestPrincipal(t *testing.T) {
	item := func(scope string) string {
		return `"memory_snapshot":[{"scope":"task","key":"a","content":"b"},{"scope":"` + scope + `","key":"k","content":"v"}]`
	}
	theirs := func(t *aaif.Token) { t.Principal = aaif.Principal([]byte("sixteen bytes of salt"), "bob") }
	for _, scope := range []string{"session", "user"} {
		t.Run("AAIF-8.2-9 AAIF-U.Q-1 memory of scope "+scope+" of another person is refused", func(t *testing.T) {
			s := sending(t, open(t))
			s.turnsAway(s.sealed(s.checkpoint(item(scope)), s.key, theirs), aaif.PrincipalMismatch)
			s.turnsAway(s.sealed(s.checkpoint(item(scope)), s.key, func(t *aaif.Token) { t.Principal = "" }), aaif.PrincipalMismatch)
			if _, err := s.receive(s.ready(item(scope))); err != nil {
				t.Errorf("one's own: %v", err)
			}
			bob := sending(t, open(t, func(o *agents.Options) { o.Principal = func(memory.Caller) string { return "bob" } }))
			if _, err := bob.receive(bob.sealed(bob.checkpoint(item(scope)), bob.key, theirs)); err != nil {
				t.Errorf("as bob: %v", err)
			}
		})
	}
	t.Run("AAIF-8.2-9 AAIF-8.1-17 so it is in the checkpoint of a subagent, which is judged as the run's own", func(t *testing.T) {
		below := func(members string) string {
			return `"x-satchel":{"subagents":[{"step":"a","state":{"sc_standard":"SC-006","state_id":"d7e8f9a0-1234-4000-8000-000000000009","agent_id":"` + agentID + `","checkpoint_at":"2026-06-04T09:59:00Z","status":"paused",` + members + `}}]}`
		}
		s := sending(t, open(t))
		s.turnsAway(s.sealed(s.checkpoint(below(item("user"))), s.key, theirs), aaif.PrincipalMismatch)
		s.turnsAway(s.sealed(s.checkpoint(below(`"iteration":-1`)), s.key), aaif.SchemaViolation)
		if _, err := s.receive(s.ready(below(item("user")))); err != nil {
			t.Errorf("one's own: %v", err)
		}
	})
	t.Run("AAIF-8.2-9 memory of a task is nobody's", func(t *testing.T) {
		s := sending(t, open(t))
		if _, err := s.receive(s.sealed(s.checkpoint(item("task")), s.key, theirs)); err != nil {
			t.Error(err)
		}
	})
	t.Run("AAIF-4.9-7 lasting memory of a strict agent needs what hides people", func(t *testing.T) {
		for pii, refused := range map[string]bool{"detect": true, "anonymize": false} {
			h := open(t, running())
			s := sending(t, h)
			raw := definition(`"version":"2.0.0"`, `"compliance":{"safety_level":"strict","pii_handling":"`+pii+`"}`)
			h.taken(text(aaif.Sign(value(t, raw), h.key)))
			if v := s.ready(item("long_term")); refused {
				s.turnsAway(v, aaif.PIIRejected)
			} else if _, err := s.receive(v); err != nil {
				t.Error(err)
			}
		}
	})
}
