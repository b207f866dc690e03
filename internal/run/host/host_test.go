package host_test

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/route"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/agents"
	"github.com/satchel-memory/satchel/internal/run"
	"github.com/satchel-memory/satchel/internal/run/fakemodel"
	"github.com/satchel-memory/satchel/internal/run/faketool"
	"github.com/satchel-memory/satchel/internal/run/host"
	"github.com/satchel-memory/satchel/internal/run/model"
	"github.com/satchel-memory/satchel/internal/run/policy"
	"github.com/satchel-memory/satchel/internal/run/tool"
	"github.com/satchel-memory/satchel/internal/store/postgres/pgtest"
	"github.com/satchel-memory/satchel/internal/vault/runstore"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
)

func TestMain(m *testing.M) {
	faketool.Child()
	server()
	os.Exit(pgtest.Main(m))
}

const (
	agentID = "7b1f6d0e-3c55-4f0a-9a60-0f5f6f1f2a01"
	runID   = "11111111-2222-4333-8444-555555555555"
)

// place is a platform with a model and tools.
type place struct {
	*vaulttest.House
	*host.Host
	agents  *agents.Service
	model   *fakemodel.Handler
	tools   *faketool.Server
	toolsAt string
	options host.Options
}

// noKeys has no key, and says so for no provider.
type noKeys struct{}

func (noKeys) Key(string) (string, error) { return "", nil }

// open opens a platform over a house, whose model answers by a script.
func open(t testing.TB, h *vaulttest.House, steps ...model.Step) *place {
	t.Helper()
	p := &place{House: h, tools: faketool.New()}
	var at string
	p.model, at = fakemodel.Start(t, steps...)
	served := httptest.NewServer(p.tools)
	t.Cleanup(func() { p.tools.Close(); served.Close() })
	p.toolsAt = served.URL
	settings := host.Settings{
		Models: route.Operator{Providers: []route.Provider{{Name: "openai", BaseURL: at + "/v1", Regions: []string{"EU"}}}},
		Keys:   noKeys{},
		Tools: tool.Operator{
			Egress: []string{"127.0.0.1"}, Grants: []tool.Grant{{Agent: agentID, Tools: []string{"*"}}},
			Bindings: []tool.Binding{{Agent: agentID, Tool: "look", Method: "GET"}, {Agent: agentID, Tool: "book", Idempotent: true}},
		},
	}
	var err error
	p.agents, err = agents.New(agents.Options{Vault: h.Vault, Now: func() time.Time { return h.Now }, Random: rand.Reader, Platform: "a.example", Running: settings.Offer()})
	if err != nil {
		t.Fatal(err)
	}
	p.options = host.Options{Vault: h.Vault, Agents: p.agents, Settings: settings, Now: time.Now, Platform: "a.example", Release: "1.0.0", Lease: 3 * time.Second}
	p.Host = host.New(p.options)
	return p
}

// take takes a definition in, with members of the agent set.
func (p *place) take(members ...string) {
	p.T.Helper()
	tools := make([]string, 0, 3)
	for _, name := range []string{"look", "pay", "book"} {
		tools = append(tools, fmt.Sprintf(`{"name":%q,"description":"Does it.","protocol":"http","endpoint":"%s/call/%s","parameters_schema":{"type":"object","properties":{"n":{"type":"number"}}}}`, name, p.toolsAt, name))
	}
	raw := `{"sc_standard":"SC-006","agent_id":"` + agentID + `","agent":{"name":"Clerk","goal":"Book.","version":"1.0.0","instructions":"Be exact.","model":{"provider":"openai","preferred":"m"},"tools":[` +
		strings.Join(tools, ",") + `]` + strings.Join(append([]string{""}, members...), ",") + `}}`
	if _, err := p.agents.Intake(p.Ctx, p.Me(), []byte(raw), aaif.IntakeOptions{}); err != nil {
		p.T.Fatal(err)
	}
}

func (p *place) start() run.Run {
	p.T.Helper()
	r, err := p.Host.Start(p.Ctx, p.Me(), host.Start{RunID: runID, Agent: agentID, Input: canon.String("Book number 1.")})
	if err != nil {
		p.T.Fatal(err)
	}
	return r
}

func (p *place) goOn() run.Run {
	p.T.Helper()
	r, err := p.Continue(p.Ctx, p.Me(), runID, run.ContinueOptions{Resumes: true})
	if err != nil {
		p.T.Fatal(err)
	}
	return r
}

// turn is a step that answers the n-th turn.
func turn(n int, s model.Step) model.Step {
	s.Turn = &n
	return s
}

// asks calls tools in a turn.
func asks(names ...string) model.Step {
	var s model.Step
	for i, name := range names {
		s.Calls = append(s.Calls, model.ScriptCall{ID: fmt.Sprint("c", i), Tool: name, Arguments: json.RawMessage(fmt.Sprintf(`{"n":%d}`, i))})
	}
	return s
}

func script(steps ...model.Step) []model.Step {
	for i := range steps {
		steps[i] = turn(i, steps[i])
	}
	return steps
}

const oversight = `"compliance":{"human_in_the_loop":{"enabled":true,"trigger":{"lang":"cel","expr":"tool.name == 'pay'"}}}`

func TestHost(t *testing.T) {
	vaulttest.OnEach(t, func(t *testing.T, house vaulttest.Opener) {
		p := open(t, house(t), script(asks("look", "book"), asks("pay"), model.Step{Answer: "Done."})...)
		p.take(oversight)
		p.start()
		r := p.goOn()
		if r.Status != aaif.AwaitingApproval || p.tools.Counts()["pay"].Calls != 0 || p.tools.Counts()["book"].Writes != 1 {
			t.Fatalf("got %s, %+v, %v", r.Status, r.Err, p.tools.Counts())
		}
		listed, err := p.List(p.Ctx, p.Me(), "", runstore.Place{}, 10)
		if err != nil || len(listed) != 1 || listed[0].Status != string(aaif.AwaitingApproval) || listed[0].Holder != "" {
			t.Errorf("listed %+v, %v", listed, err)
		}
		if _, err := p.Approve(p.Ctx, p.Me(), runID, "", r.Calls[0].Digest); err != nil {
			t.Fatal(err)
		}
		if r = p.goOn(); r.Status != aaif.Completed || r.Output != "Done." || p.tools.Counts()["pay"].Writes != 1 {
			t.Errorf("got %s %q, %+v, %v", r.Status, r.Output, r.Err, p.tools.Counts())
		}
		again, row, err := p.Get(p.Ctx, p.Me(), runID)
		if err != nil || again.Output != "Done." || row.Status != string(aaif.Completed) || row.Events != again.Events {
			t.Errorf("got %+v, %+v, %v", again, row, err)
		}
		sent := p.model.Requests()
		if len(sent) != 3 || !strings.Contains(string(sent[2].Body.Append(nil)), "untrusted-data") {
			t.Errorf("%d requests; AAIF-12-7: results are not marked as data", len(sent))
		}
	})
}

// TestRunsOfNobodyElse: runs are the owner's alone.
func TestRunsOfNobodyElse(t *testing.T) {
	p := open(t, vaulttest.Open(t), script(model.Step{Answer: "Done."})...)
	p.take()
	p.start()
	for name, c := range map[string]func() error{
		"an assistant starts one": func() error {
			_, err := p.Host.Start(p.Ctx, p.House.Agent(), host.Start{RunID: "21111111-2222-4333-8444-555555555555", Agent: agentID, Input: canon.String("x")})
			return err
		},
		"an assistant goes on": func() error { _, err := p.Continue(p.Ctx, p.House.Agent(), runID, run.ContinueOptions{}); return err },
		"an assistant looks":   func() error { _, _, err := p.Get(p.Ctx, p.House.Agent(), runID); return err },
	} {
		if err := c(); err == nil {
			t.Errorf("%s", name)
		}
	}
	if len(p.model.Requests()) != 0 {
		t.Error("a model was asked")
	}
}

// TestPlan: what a run could do, before it does anything.
func TestPlan(t *testing.T) {
	p := open(t, vaulttest.Open(t))
	p.take(oversight)
	plan := p.plan(run.Limits{Turns: 3})
	if plan.Reasons != nil || len(plan.Tools) != 3 || plan.Limits.Turns != 3 || len(plan.Routes.Order) != 1 {
		t.Fatalf("got %+v", plan)
	}
	for _, one := range plan.Tools {
		if one.Missing != "" || one.Writes != (one.Name != "look") || (one.Asks != "") != (one.Name == "pay") {
			t.Errorf("got %+v", one)
		}
	}
	if len(p.model.Requests()) != 0 || len(p.tools.Counts()) != 0 {
		t.Error("something was called")
	}
}

// TestMoved: a run that waits for approval goes to another store and on from there.
func TestMoved(t *testing.T) {
	vaulttest.OnEach(t, func(t *testing.T, house vaulttest.Opener) {
		steps := script(asks("pay"), model.Step{Answer: "Done."})
		a, b := open(t, house(t), steps...), open(t, house(t), steps...)
		a.take(oversight)
		b.take(oversight)
		a.start()
		if r := a.goOn(); r.Status != aaif.AwaitingApproval {
			t.Fatalf("got %s, %+v", r.Status, r.Err)
		}
		state, err := a.Leave(a.Ctx, a.Me(), runID, "d7e8f9a0-1234-4000-8000-000000000001", "b.example")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := b.Host.Start(b.Ctx, b.Me(), host.Start{RunID: runID, Agent: agentID, State: state}); err != nil {
			t.Fatal(err)
		}
		if _, err := a.Host.Left(a.Ctx, a.Me(), runID, "b.example"); err != nil {
			t.Fatal(err)
		}
		r, err := a.Continue(a.Ctx, a.Me(), runID, run.ContinueOptions{Resumes: true})
		if err != nil || r.Platform != "b.example" {
			t.Errorf("AAIF-8.2-7: %s, %v", r.Platform, err)
		}
		if _, err := a.Approve(a.Ctx, a.Me(), runID, "", policy.Digest("pay", aaif.ReadState(state).Pending[0].Arguments)); aaif.CodeOf(err) != aaif.StateTransition {
			t.Errorf("AAIF-8.2-7: approved where it left: %v", err)
		}
		waits := b.goOn()
		if waits.Status != aaif.AwaitingApproval {
			t.Fatalf("AAIF-8.1-20: got %s, %+v", waits.Status, waits.Err)
		}
		if _, err := b.Approve(b.Ctx, b.Me(), runID, "", waits.Calls[0].Digest); err != nil {
			t.Fatal(err)
		}
		done := b.goOn()
		if done.Output != "Done." || a.tools.Counts()["pay"].Writes != 0 || b.tools.Counts()["pay"].Writes != 1 {
			t.Errorf("got %s %q, %+v", done.Status, done.Output, done.Err)
		}
	})
}
