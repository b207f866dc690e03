package host_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/agents"
	"github.com/satchel-memory/satchel/internal/run"
	"github.com/satchel-memory/satchel/internal/run/faketool"
	"github.com/satchel-memory/satchel/internal/run/host"
	"github.com/satchel-memory/satchel/internal/run/model"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
)

// TestStatesHeldToPersonal plants addresses wherever a run keeps something: its run began
// elsewhere, its model and its tool name people, and it waits for an approval.
func TestStatesHeldToPersonal(t *testing.T) {
	planted := map[string]string{}
	for _, place := range []string{"conversation", "memory", "variables", "result", "said", "arguments", "approval"} {
		planted[place] = place + ".bob@example.com"
	}
	at := time.Date(2026, 6, 1, 11, 0, 0, 0, time.UTC)
	came := aaif.State{
		Standard: "SC-006", ID: stateID, AgentID: agentID, RunID: runID, AgentVersion: "1.0.0", Status: aaif.Paused, CheckpointAt: at,
		Conversation: []aaif.Message{{Role: "user", Content: "Write to " + planted["conversation"]}},
		Memory:       []aaif.MemoryItem{{Scope: "task", Key: "to", Content: planted["memory"]}},
		Variables:    canon.Object(canon.Member{Name: "to", Value: canon.String(planted["variables"])}),
	}
	call := func(name, text string) model.ScriptCall {
		return model.ScriptCall{ID: "c-" + name, Tool: name, Arguments: fmt.Appendf(nil, `{"to":%q}`, text)}
	}
	waits := func(t *testing.T, word aaif.PII) (*place, canon.Value) {
		p := open(t, vaulttest.Open(t), script(
			model.Step{Answer: "I look for " + planted["said"], Calls: []model.ScriptCall{call("look", planted["arguments"])}},
			model.Step{Calls: []model.ScriptCall{call("pay", planted["approval"])}})...)
		p.tools.SetFault("look", faketool.Fault{Kind: faketool.AnswerAlways, Answer: "found " + planted["result"]})
		p.take(strings.TrimSuffix(oversight, "}") + `,"pii_handling":"` + string(word) + `"}`)
		if _, err := p.Host.Start(p.Ctx, p.Me(), host.Start{RunID: runID, Agent: agentID, State: came.Document()}); err != nil {
			t.Fatal(err)
		}
		if r := p.goOn(); r.Status != aaif.AwaitingApproval {
			t.Fatalf("got %s, %+v", r.Status, r.Err)
		}
		state, err := p.Checkpoint(p.Ctx, p.Me(), runID, "d7e8f9a0-1234-4000-8000-000000000002")
		if err != nil {
			t.Fatal(err)
		}
		return p, state
	}
	holds := func(text string) (places []string) {
		for place, address := range planted {
			if strings.Contains(text, address) {
				places = append(places, place)
			}
		}
		slices.Sort(places)
		return places
	}
	t.Run("AAIF-12-10 detect shows that all of it is there", func(t *testing.T) {
		p, state := waits(t, aaif.PIIDetect)
		left, _, err := agents.ByPolicy(state, aaif.PIIDetect)
		if got := holds(string(left.Append(nil))); err != nil || len(got) != len(planted) || aaif.ReadState(left).Approval == nil {
			t.Errorf("%q: %v", got, err)
		}
		if !p.holds(planted["approval"]) {
			t.Error("the store has it not in plain")
		}
	})
	t.Run("AAIF-12-10 anonymize leaves nothing of it", func(t *testing.T) {
		_, state := waits(t, aaif.PIIAnonymize)
		left, said, err := agents.ByPolicy(state, aaif.PIIAnonymize)
		if got := holds(string(left.Append(nil))); err != nil || len(got) > 0 || strings.Contains(string(left.Append(nil)), "bob@") || said == "" {
			t.Errorf("%q: %q, %v", got, said, err)
		}
		if s := aaif.ReadState(left); s.Approval == nil || len(s.Pending) != 1 || len(s.Memory) != 1 || aaif.VerifyChecksum(left) != nil {
			t.Errorf("it is not whole: %s", left.Append(nil))
		}
	})
	t.Run("AAIF-12-10 encrypt leaves nothing in plain at rest", func(t *testing.T) {
		p, state := waits(t, aaif.PIIEncrypt)
		for place, address := range planted {
			if p.holds(address) {
				t.Errorf("the store has %s in plain", place)
			}
		}
		if got := holds(string(state.Append(nil))); len(got) != len(planted) {
			t.Errorf("its owner reads %q", got)
		}
	})
	t.Run("AAIF-12-10 reject keeps it here", func(t *testing.T) {
		p, state := waits(t, aaif.PIIReject)
		if _, _, err := agents.ByPolicy(state, aaif.PIIReject); aaif.CodeOf(err) != aaif.PIIRejected {
			t.Errorf("it may be written: %v", err)
		}
		if slices.ContainsFunc(p.events(), func(e run.Event) bool { return strings.Contains(e.Text, planted["result"]) }) {
			t.Error("what the tool told of somebody entered the run")
		}
	})
}

// TestCachedForOnePerson: what a tool has answered for one user is no answer for another.
func TestCachedForOnePerson(t *testing.T) {
	p := open(t, vaulttest.Open(t), script(asks("look"), model.Step{Answer: "Done."})...)
	raw := `{"sc_standard":"SC-006","agent_id":"` + agentID + `","agent":{"name":"Clerk","goal":"Book.","version":"1.0.0","model":{"provider":"openai","preferred":"m"},` +
		`"tools":[{"name":"look","description":"Looks.","protocol":"http","endpoint":"` + p.toolsAt + `/call/look","cache_ttl_seconds":300}]}}`
	if _, err := p.agents.Intake(p.Ctx, p.Me(), []byte(raw), aaif.IntakeOptions{}); err != nil {
		t.Fatal(err)
	}
	for i, c := range []struct {
		user  string
		calls int
	}{{"", 1}, {"ann", 2}, {"bob", 3}, {"ann", 3}} {
		id := fmt.Sprintf("%08d-2222-4333-8444-555555555555", i+1)
		if _, err := p.Host.Start(p.Ctx, p.Me(), host.Start{RunID: id, Agent: agentID, Input: canon.String("x"), User: c.user}); err != nil {
			t.Fatal(err)
		}
		r, err := p.Continue(p.Ctx, p.Me(), id, run.ContinueOptions{})
		if err != nil || r.Output != "Done." {
			t.Fatalf("got %s %q %+v, %v", r.Status, r.Output, r.Err, err)
		}
		if got := p.tools.Counts()["look"].Calls; got != c.calls {
			t.Errorf("AAIF-4.4-25: the tool was called %d times after a run of %q, want %d", got, c.user, c.calls)
		}
	}
}

// TestContextHeldToPersonal: what an agent reads as context is held to its policy.
func TestContextHeldToPersonal(t *testing.T) {
	const planted = "context.bob@example.com"
	for word, reads := range map[aaif.PII]bool{aaif.PIIDetect: true, aaif.PIIAnonymize: false, aaif.PIIReject: false} {
		t.Run("AAIF-4.9-7 "+string(word), func(t *testing.T) {
			p := open(t, vaulttest.Open(t), script(model.Step{Answer: "Done."})...)
			p.set(func(s *host.Settings) {
				s.Files = fstest.MapFS{"desk.txt": {Data: []byte("Ask " + planted + " first.")}}
			})
			p.take(`"context":[{"type":"file","value":"desk.txt"}]`, `"compliance":{"pii_handling":"`+string(word)+`"}`)
			p.start()
			if r := p.goOn(); r.Output != "Done." {
				t.Fatalf("got %s %+v", r.Status, r.Err)
			}
			events, err := p.Events(p.Ctx, p.Me(), runID, 0)
			if err != nil {
				t.Fatal(err)
			}
			journal := ""
			for _, e := range events {
				raw, err := e.Encode()
				if err != nil {
					t.Fatal(err)
				}
				journal += string(raw)
			}
			if asked := strings.Join(p.asked(), ""); strings.Contains(asked, planted) != reads || strings.Contains(journal, planted) != reads || (word == aaif.PIIAnonymize) != strings.Contains(asked, "Ask [EMAIL-REDACTED] first.") {
				t.Errorf("the model was asked %s, and the journal has %s", asked, journal)
			}
		})
	}
}
