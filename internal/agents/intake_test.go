package agents_test

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/agents"
	"github.com/satchel-memory/satchel/internal/audit"
	"github.com/satchel-memory/satchel/internal/vault/trust"
	"github.com/satchel-memory/satchel/memory"
)

func TestIntake(t *testing.T) {
	ctx := context.Background()
	t.Run("AAIF-7-16 a definition is kept and read back", func(t *testing.T) {
		h := open(t)
		r := h.taken(definition(`"version":"1.2.0"`))
		if r.Kept.AgentID != agentID || r.Kept.Revision != 1 || r.Kept.Version != "1.2.0" || r.Unchanged || len(r.Level) == 0 {
			t.Errorf("got %+v", r)
		}
		k, err := h.Agent(ctx, h.owner(), agentID, 0)
		if err != nil || text(k.Document) != text(value(t, definition(`"version":"1.2.0"`))) || !k.Received.Equal(start) {
			t.Errorf("got %+v, %v", k, err)
		}
	})
	t.Run("AAIF-4.1-1 AAIF-7-16 what is invalid is refused with every violation", func(t *testing.T) {
		err := open(t).refuses(strings.Replace(definition(`"skills":7`), "SC-006", "SC-005", 1), aaif.SchemaViolation)
		if !strings.Contains(fmt.Sprint(err), "/sc_standard") || !strings.Contains(fmt.Sprint(err), "/agent/skills") {
			t.Errorf("got %v", err)
		}
		open(t).refuses(strings.Replace(definition(), `"agent":`, `"status":"running","agent":`, 1), aaif.SchemaViolation)
	})
	t.Run("AAIF-9-1 what is no definition is refused", func(t *testing.T) {
		h := open(t)
		h.refuses(`{"agent":`, aaif.NotJSON)
		h.refuses(`{"agent":{},"agent":{}}`, aaif.DuplicateKey)
		h.refuses(`{"state_id":"x"}`, aaif.UnknownType)
		h.refuses(strings.Replace(definition(), agentID, strings.Repeat("x", 201), 1), aaif.TooLarge)
	})
	t.Run("AAIF-4.1-2 an id that is no UUID is warned of", func(t *testing.T) {
		r := open(t).taken(strings.Replace(definition(), agentID, "a-1", 1))
		if !strings.Contains(strings.Join(r.Warnings, "\n"), "/agent_id") {
			t.Errorf("warned of %q", r.Warnings)
		}
	})
	t.Run("AAIF-4.1-8 deprecated agents are refused unless wanted", func(t *testing.T) {
		h := open(t)
		raw := strings.Replace(definition(), `"agent":`, `"status":"deprecated","agent":`, 1)
		h.refuses(raw, aaif.AgentDeprecated)
		r, err := h.Intake(ctx, h.owner(), []byte(raw), aaif.IntakeOptions{Deprecated: true})
		if err != nil || r.Kept.Status != aaif.Deprecated || !strings.Contains(strings.Join(r.Warnings, ""), "deprecated") {
			t.Errorf("got %+v, %v", r, err)
		}
	})
	t.Run("AAIF-4.1-9 a draft for production is warned of, and refused by policy", func(t *testing.T) {
		raw := strings.Replace(definition(`"runtime":{"environment":"production"}`), `"agent":`, `"status":"draft","agent":`, 1)
		if r := open(t).taken(raw); !strings.Contains(strings.Join(r.Warnings, ""), "AAIF-4.1-9") {
			t.Errorf("warned of %q", r.Warnings)
		}
		open(t, func(o *agents.Options) { o.Active = true }).refuses(raw, aaif.DraftInProduction)
	})
	t.Run("AAIF-5-19 an expression that cannot be read is refused", func(t *testing.T) {
		const trigger = `"events":{"triggers":[{"type":"webhook","filter":{"lang":"cel","expr":%s}}]}`
		open(t).refuses(definition(fmt.Sprintf(trigger, `"input.a =="`)), "CONDITION_PARSE")
		open(t).refuses(definition(fmt.Sprintf(trigger, quoted("1 == 1"+strings.Repeat(" ", 40<<10)))), aaif.TooLarge)
		open(t).taken(definition(fmt.Sprintf(trigger, `"input.a == 1"`)))
	})
	t.Run("a dry run keeps nothing", func(t *testing.T) {
		h := open(t)
		r, err := h.Intake(ctx, h.owner(), []byte(definition()), aaif.IntakeOptions{DryRun: true})
		if err != nil || r.Kept.Revision != 1 || r.Unchanged || h.kept() != 0 || len(h.log(audit.Take)) != 0 {
			t.Errorf("got %+v, %v", r, err)
		}
	})
}

func TestIdentity(t *testing.T) {
	ctx := context.Background()
	t.Run("AAIF-4.1-6 the same definition is kept once", func(t *testing.T) {
		h := open(t)
		h.taken(definition())
		r := h.taken(" " + strings.Replace(definition(), `"sc_standard":"SC-006",`, "", 1)[:1] + `"sc_standard" : "SC-006",` + definition()[len(`{"sc_standard":"SC-006",`):])
		if !r.Unchanged || r.Kept.Revision != 1 || len(h.log(audit.Take)) != 1 {
			t.Errorf("got %+v", r)
		}
	})
	t.Run("AAIF-4.1-6 AAIF-4.1-5 another version is the next revision, and earlier ones stay", func(t *testing.T) {
		h := open(t)
		h.taken(definition(`"version":"1.2.0"`))
		r := h.taken(definition(`"version":"1.3.0"`))
		first, err := h.Agent(ctx, h.owner(), agentID, 1)
		if r.Kept.Revision != 2 || r.Kept.AgentID != agentID || err != nil || first.Version != "1.2.0" {
			t.Errorf("got %+v, %+v, %v", r.Kept, first, err)
		}
		list, err := h.Agents(ctx, h.owner(), "", 0)
		if err != nil || len(list) != 1 || list[0].Version != "1.3.0" || list[0].Document.Has("agent") {
			t.Errorf("listed %+v, %v", list, err)
		}
	})
	t.Run("AAIF-4.1-3 AAIF-4.1-4 the id stays as it came", func(t *testing.T) {
		h := open(t)
		h.taken(definition())
		for range 2 {
			k, err := h.Agent(ctx, h.owner(), agentID, 0)
			if err != nil || k.Document.Get("agent_id").Text() != agentID {
				t.Errorf("got %+v, %v", k, err)
			}
		}
	})
	nameless := strings.Replace(definition(), `"agent_id":"`+agentID+`",`, "", 1)
	form := regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)
	t.Run("AAIF-4.1-2 one without an id is given one, which is written into it", func(t *testing.T) {
		h := open(t)
		r := h.taken(nameless)
		if !form.MatchString(r.Kept.AgentID) || r.Kept.Document.Get("agent_id").Text() != r.Kept.AgentID {
			t.Errorf("got %+v", r.Kept)
		}
		if again := h.taken(nameless); !again.Unchanged || again.Kept.AgentID != r.Kept.AgentID {
			t.Errorf("again: %+v", again)
		}
		if named := h.taken(text(r.Kept.Document)); !named.Unchanged || named.Kept.AgentID != r.Kept.AgentID {
			t.Errorf("with its id: %+v", named)
		}
	})
	t.Run("AAIF-4.1-2 into a signed one no id is written", func(t *testing.T) {
		h := open(t)
		signed := text(aaif.Sign(value(t, nameless), h.key))
		r := h.taken(signed)
		if !form.MatchString(r.Kept.AgentID) || text(r.Kept.Document) != signed || r.Kept.Signer != h.key.DID() {
			t.Errorf("got %+v", r.Kept)
		}
		if again := h.taken(signed); !again.Unchanged || again.Kept.AgentID != r.Kept.AgentID {
			t.Errorf("again: %+v", again)
		}
	})
	for name, opening := range stores {
		t.Run("AAIF-4.1-6 many take the same in at once "+name, func(t *testing.T) {
			h := over(t, opening)
			var wg sync.WaitGroup
			var mu sync.Mutex
			ids, news := map[string]int{}, 0
			for range 8 {
				wg.Go(func() {
					r, err := h.Intake(ctx, h.owner(), []byte(nameless), aaif.IntakeOptions{})
					mu.Lock()
					defer mu.Unlock()
					if err != nil || r.Kept.Revision != 1 {
						t.Errorf("got %+v, %v", r.Kept, err)
					}
					ids[r.Kept.AgentID]++
					if !r.Unchanged {
						news++
					}
				})
			}
			wg.Wait()
			if len(ids) != 1 || news != 1 {
				t.Errorf("%d ids, %d kept", len(ids), news)
			}
		})
	}
}

func TestCallers(t *testing.T) {
	h := open(t)
	h.taken(definition())
	ctx := context.Background()
	for name, c := range map[string]memory.Caller{
		"an assistant":  {Owner: h.key.DID(), Role: memory.Agent, Agent: "claude"},
		"a token":       {Owner: h.key.DID(), Role: memory.Peer, Grant: &memory.Grant{ID: "t", Verbs: memory.Verbs()}, Session: "token:t"},
		"a stranger":    {Owner: h.key.DID(), Role: memory.Stranger},
		"nobody at all": {},
	} {
		for op, call := range map[string]func() error{
			"Intake":  func() error { _, err := h.Intake(ctx, c, []byte("no JSON"), aaif.IntakeOptions{}); return err },
			"Agents":  func() error { _, err := h.Agents(ctx, c, "", 9); return err },
			"Agent":   func() error { _, err := h.Agent(ctx, c, agentID, 0); return err },
			"Admit":   func() error { return h.Admit(ctx, c, "x", aaif.Binding{}) },
			"Receive": func() error { _, err := h.Receive(ctx, c, canon.Value{}); return err },
			"States":  func() error { _, err := h.States(ctx, c, "", aaif.Place{}, 9); return err },
			"State":   func() error { _, err := h.State(ctx, c, "x"); return err },
			"Remove":  func() error { _, err := h.RemoveAgent(ctx, c, agentID); return err },
			"Drop":    func() error { _, err := h.RemoveState(ctx, c, "x"); return err },
		} {
			want := memory.ForbiddenScope
			if c.Owner == "" {
				want = memory.Unauthorized
			}
			if err := call(); memory.KindOf(err) != want {
				t.Errorf("%s of %s: got %v", op, name, err)
			}
		}
	}
}

func TestSignature(t *testing.T) {
	author := seeded(t, 9)
	strict := func(level string) string {
		return strings.Replace(definition(`"compliance":{"safety_level":"`+level+`"}`), `"agent":`, `"provenance":{"authored_by":"acme"},"agent":`, 1)
	}
	trusting := func(t *testing.T, change ...func(*agents.Options)) *house {
		h := open(t, append([]func(*agents.Options){running()}, change...)...)
		if err := trust.New(h.vault).TrustProducer(context.Background(), h.owner(), "acme", []aimem.Key{aimem.PublicKey(author)}); err != nil {
			t.Fatal(err)
		}
		return h
	}
	for level, refused := range map[string]bool{"minimal": false, "standard": false, "strict": true, "regulated": true} {
		t.Run("AAIF-12-17 unsigned at "+level, func(t *testing.T) {
			if h := trusting(t); refused {
				h.refuses(strict(level), aaif.SignatureMissing)
			} else if r := h.taken(strict(level)); !strings.Contains(strings.Join(r.Warnings, ""), "AAIF-12-17") || r.Kept.Signer != "" {
				t.Errorf("got %+v", r)
			}
			trusting(t, func(o *agents.Options) { o.Signed = true }).refuses(strict(level), aaif.SignatureMissing)
		})
		t.Run("AAIF-12-17 of an unknown key at "+level, func(t *testing.T) {
			unknown := seeded(t, 10)
			raw := text(aaif.Sign(aaif.WithSigner(value(t, strict(level)), unknown.DID()), unknown))
			if h := open(t, running()); refused {
				h.refuses(raw, aaif.SignatureUntrusted)
			} else if r := h.taken(raw); r.Kept.Signer != "" || !strings.Contains(strings.Join(r.Warnings, ""), "AAIF-12-17") {
				t.Errorf("got %+v", r)
			}
			trusting(t).refuses(raw, aaif.SignatureUntrusted) // its author signs with another
		})
		t.Run("AAIF-12-16 of a trusted key at "+level, func(t *testing.T) {
			if r := trusting(t).taken(text(aaif.Sign(value(t, strict(level)), author))); r.Kept.Signer != author.DID() {
				t.Errorf("got %+v", r.Kept)
			}
		})
		t.Run("AAIF-12-17 altered at "+level, func(t *testing.T) {
			raw := text(aaif.Sign(value(t, strict(level)), author))
			trusting(t).refuses(strings.Replace(raw, "Assist", "Resist", 1), aaif.SignatureInvalid)
			h := trusting(t)
			own := text(aaif.Sign(aaif.WithSigner(value(t, strict(level)), h.key.DID()), h.key))
			h.refuses(strings.Replace(own, "Assist", "Resist", 1), aaif.SignatureInvalid)
		})
		t.Run("AAIF-12-17 altered after the key that it names signed it, at "+level, func(t *testing.T) {
			unknown := seeded(t, 10)
			raw := text(aaif.Sign(aaif.WithSigner(value(t, strict(level)), unknown.DID()), unknown))
			raw = strings.Replace(raw, "Assist", "Resist", 1)
			trusting(t).refuses(raw, aaif.SignatureInvalid)
			open(t, running()).refuses(raw, aaif.SignatureInvalid) // nobody's key is known
		})
		t.Run("AAIF-12-17 of whom nobody knows a key, at "+level, func(t *testing.T) {
			raw := text(aaif.Sign(value(t, strict(level)), seeded(t, 10)))
			trusting(t).refuses(raw, aaif.SignatureInvalid) // the author's key is known, and did not make it
			if h := open(t, running()); refused {
				h.refuses(raw, aaif.SignatureUntrusted)
			} else if r := h.taken(raw); r.Kept.Signer != "" || !strings.Contains(strings.Join(r.Warnings, ""), "AAIF-12-17") {
				t.Errorf("got %+v", r)
			}
		})
		t.Run("AAIF-12-17 somebody else's signature under the name of a known author, at "+level, func(t *testing.T) {
			raw := text(aaif.Sign(aaif.WithSigner(value(t, strict(level)), author.DID()), seeded(t, 10)))
			trusting(t).refuses(raw, aaif.SignatureInvalid)
			open(t, running()).refuses(raw, aaif.SignatureInvalid)
		})
		t.Run("AAIF-12-17 what is no signature, at "+level, func(t *testing.T) {
			raw := text(aaif.Sign(value(t, strict(level)), author))
			at := strings.Index(raw, `"signature":"`) + len(`"signature":"`)
			open(t, running()).refuses(raw[:at]+raw[at+4:], aaif.SignatureInvalid)
		})
		for name, hint := range map[string]string{"no key": "did:web:acme.example", "a key of another kind": "did:key:z6LSbysY2xFMRpGMhb7tFTLMpeuPRaqaWM1yECx2AtzE3KCc", "not even a name": ""} {
			t.Run("AAIF-12-17 a signer that is "+name+", at "+level, func(t *testing.T) {
				raw := text(aaif.Sign(aaif.WithSigner(value(t, strict(level)), memory.DID(hint)), seeded(t, 10)))
				if h := open(t, running()); refused {
					h.refuses(raw, aaif.SignatureUntrusted)
				} else {
					h.taken(raw)
				}
			})
		}
	}
}
