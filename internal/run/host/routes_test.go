package host_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/route"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/run"
	"github.com/satchel-memory/satchel/internal/run/fakemodel"
	"github.com/satchel-memory/satchel/internal/run/host"
	"github.com/satchel-memory/satchel/internal/run/model"
	"github.com/satchel-memory/satchel/internal/run/tool"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
)

// TestRoutesOfRuns looks for what a run says of the routes that it takes.
func TestRoutesOfRuns(t *testing.T) {
	t.Parallel() // part of it is waiting
	primary, spare := route.Target{Provider: "openai", Model: "m"}, route.Target{Provider: "groq", Model: "m"}
	ran := func(t *testing.T, region string, known bool, models string, members ...string) (p *place, second *fakemodel.Handler, r run.Run) {
		p = open(t, vaulttest.Open(t), model.Step{Status: 503, Message: "down", Times: 10})
		second, at := fakemodel.Start(t, script(model.Step{Answer: "Done."})...)
		p.set(func(s *host.Settings) {
			s.Models.Providers = append(s.Models.Providers, route.Provider{Name: "groq", BaseURL: at + "/v1", Regions: []string{region}})
			if known {
				s.Models.Substitutes = map[route.Target]route.Target{primary: spare}
			}
		})
		p.define(models, "", append(members, `"runtime":{"max_retries":1,"retry_backoff":"fixed"}`)...)
		p.start()
		return p, second, p.goOn()
	}
	t.Run("AAIF-3-1 another stands in", func(t *testing.T) {
		p, second, r := ran(t, "EU", true, usual)
		if r.Output != "Done." || len(p.asked()) != 1 || len(second.Requests()) != 1 ||
			!slices.Equal(p.noted("route.substituted"), []string{"groq/m stands in for openai/m"}) || !slices.Equal(p.noted("route.skipped"), []string{"openai/m: unavailable"}) {
			t.Errorf("got %s %q, %+v; %d and %d requests; %q, %q", r.Status, r.Output, r.Err, len(p.asked()), len(second.Requests()), p.noted("route.substituted"), p.noted("route.skipped"))
		}
	})
	t.Run("AAIF-4.9-4 a fallback within the region", func(t *testing.T) {
		p := open(t, vaulttest.Open(t), script(model.Step{Answer: "Elsewhere."})...)
		second, at := fakemodel.Start(t, script(model.Step{Answer: "Done."})...)
		p.set(func(s *host.Settings) {
			s.Models.Providers[0].Regions = []string{"US"}
			s.Models.Providers = append(s.Models.Providers, route.Provider{Name: "groq", BaseURL: at + "/v1", Regions: []string{"EU"}})
		})
		p.define(`{"provider":"openai","preferred":"m","fallbacks":[{"provider":"groq","model":"m"}]}`, "", `"compliance":{"data_residency":"EU"}`)
		p.start()
		r := p.goOn()
		if r.Output != "Done." || len(p.asked()) != 0 || len(second.Requests()) != 1 || !slices.Equal(p.noted("route.skipped"), []string{"openai/m: residency"}) {
			t.Errorf("got %s %q, %+v; %d and %d requests; %q", r.Status, r.Output, r.Err, len(p.asked()), len(second.Requests()), p.noted("route.skipped"))
		}
	})
	t.Run("AAIF-3-2 nobody stands in from elsewhere", func(t *testing.T) {
		p, second, r := ran(t, "US", true, usual, `"compliance":{"data_residency":"EU"}`)
		if r.Status != aaif.Failed || len(second.Requests()) != 0 || !slices.Contains(p.noted("route.skipped"), "groq/m: residency") {
			t.Errorf("got %s, %+v; %d requests; %q", r.Status, r.Err, len(second.Requests()), p.noted("route.skipped"))
		}
	})
	t.Run("AAIF-3-1 only fallbacks without a map", func(t *testing.T) {
		_, second, r := ran(t, "EU", false, usual)
		if r.Status != aaif.Failed || r.Err.Code != "MODEL_UNAVAILABLE" || len(second.Requests()) != 0 {
			t.Errorf("got %s, %+v; %d requests", r.Status, r.Err, len(second.Requests()))
		}
		p, second, r := ran(t, "EU", false, `{"provider":"openai","preferred":"m","fallbacks":[{"provider":"groq","model":"m"}]}`)
		if r.Output != "Done." || len(second.Requests()) != 1 || len(p.noted("route.substituted")) != 0 {
			t.Errorf("got %s %q, %+v; %d requests", r.Status, r.Output, r.Err, len(second.Requests()))
		}
	})
	t.Run("AAIF-4.2-19 a provider of its own", func(t *testing.T) {
		p := open(t, vaulttest.Open(t), script(model.Step{Answer: "Done."})...)
		at := p.options.Settings.Models.Providers[0].BaseURL
		p.set(func(s *host.Settings) { s.Models.Providers, s.Models.Egress = nil, []string{"127.0.0.1"} })
		p.define(`{"provider":"custom","provider_id":"mine","base_url":"`+at+`","preferred":"own-model"}`, "")
		p.start()
		if r := p.goOn(); r.Output != "Done." {
			t.Fatalf("got %s, %+v", r.Status, r.Err)
		}
		sent := p.model.Requests()
		if len(sent) != 1 || sent[0].Path != "/v1/chat/completions" || sent[0].Body.Get("model").Text() != "own-model" {
			t.Errorf("sent %+v", sent)
		}
	})
	t.Run("AAIF-4.2-19 without an address", func(t *testing.T) {
		p := open(t, vaulttest.Open(t), script(model.Step{Answer: "Done."})...)
		p.define(`{"provider":"custom","provider_id":"mine","preferred":"own-model"}`, "")
		if reasons := p.plan(run.Limits{}).Reasons; aaif.CodeOf(reasons) != "PROVIDER_UNCONFIGURED" {
			t.Errorf("the plan says %v", reasons)
		}
		if code := p.refused(canon.String("x")); code != "PROVIDER_UNCONFIGURED" || len(p.asked()) != 0 {
			t.Errorf("%s after %d requests", code, len(p.asked()))
		}
	})
}

// TestOffered looks at the tools that models are offered.
func TestOffered(t *testing.T) {
	names := func(p *place) (all []string) {
		for _, one := range p.model.Requests()[0].Body.Get("tools").Items() {
			all = append(all, one.Get("function").Get("name").Text())
		}
		slices.Sort(all)
		return all
	}
	of := func(endpoint string) string {
		return `{"name":"acc","description":"Accounts.","protocol":"mcp","endpoint":"` + endpoint + `"}`
	}
	open := func(t *testing.T) *place {
		p := open(t, vaulttest.Open(t), script(model.Step{Answer: "Done."})...)
		p.set(func(s *host.Settings) {
			s.Tools.Servers = []tool.Server{{Name: "accounting", URL: p.toolsAt + "/mcp", Capabilities: map[string][]string{"invoices": {"read"}}}}
		})
		return p
	}
	for name, c := range map[string]struct {
		capability bool
		want       int
	}{"at an address": {false, 3}, "of a server of the operator": {true, 1}} {
		t.Run("AAIF-4.4-6 "+name, func(t *testing.T) {
			p := open(t)
			endpoint := p.toolsAt + "/mcp"
			if c.capability {
				endpoint = "mcp://accounting/invoices"
			}
			p.define(usual, of(endpoint))
			p.start()
			if r := p.goOn(); r.Output != "Done." {
				t.Fatalf("got %s, %+v", r.Status, r.Err)
			}
			if all := names(p); len(all) != c.want || !strings.HasSuffix(all[min(1, len(all)-1)], "read") {
				t.Errorf("offered are %q", all)
			}
		})
	}
	t.Run("AAIF-4.4-6 of an unknown server", func(t *testing.T) {
		p := open(t)
		p.define(usual, of("mcp://nobody/invoices"))
		p.start()
		if r := p.goOn(); r.Output != "Done." || len(names(p)) != 0 || !strings.Contains(fmt.Sprint(p.noted("feature.disabled")), "MCP_SERVER_UNKNOWN") {
			t.Errorf("got %s, %+v, %q, %q", r.Status, r.Err, names(p), p.noted("feature.disabled"))
		}
	})
	t.Run("AAIF-4.4-20 a secret that is not there is told before the first turn", func(t *testing.T) {
		p := open(t)
		p.set(func(s *host.Settings) {
			s.Tools.Secrets = []tool.Secret{{Env: "NOBODYS", Hosts: []string{"*"}}}
			s.Env = func(string) (string, bool) { return "", false }
		})
		p.define(usual, `{"name":"acc","description":"Accounts.","protocol":"http","endpoint":"`+p.toolsAt+`/call/read","auth":{"type":"bearer","env_var":"NOBODYS"}}`)
		p.start()
		if r := p.goOn(); r.Output != "Done." || fmt.Sprint(p.noted("tool.warning")) != "[acc: TOOL_SECRET_UNRESOLVED: the variable NOBODYS is not set]" {
			t.Errorf("got %s, %+v, %q", r.Status, r.Err, p.noted("tool.warning"))
		}
	})
	t.Run("AAIF-7-6 what is not there is off", func(t *testing.T) {
		p := open(t)
		p.define(usual, "", `"required_capabilities":["memory.vector"]`)
		p.start()
		r := p.goOn()
		if r.Output != "Done." || len(p.asked()) != 1 || !strings.Contains(fmt.Sprint(p.noted("feature.disabled")), "memory.vector") {
			t.Errorf("got %s, %+v, %q", r.Status, r.Err, p.noted("feature.disabled"))
		}
	})
}

// TestSameRuns compares runs of the same definition in several forms.
func TestSameRuns(t *testing.T) {
	ran := func(t *testing.T, form func(canon.Value) []byte) (all []string) {
		p := open(t, vaulttest.Open(t), script(asks("look", "book"), asks("pay"), model.Step{Answer: "Done."})...)
		p.toolsAt = "http://127.0.0.1:1" // the same text in every run
		var tools []string
		for _, name := range []string{"look", "book", "pay"} {
			tools = append(tools, `{"name":"`+name+`","description":"Does it.","protocol":"http","endpoint":"http://127.0.0.1:1/`+name+`","parameters_schema":{"type":"object"}}`)
		}
		d, err := aaif.FromJSON([]byte(definition(usual, strings.Join(tools, ","), oversight[:len(oversight)-1]+`,"audit_log":true}`, `"constraints":["Be kind"]`)), aaif.ReadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		p.takeIn(form(d))
		p.start()
		r := p.goOn()
		if r.Status != aaif.AwaitingApproval {
			t.Fatalf("got %s, %+v", r.Status, r.Err)
		}
		if _, err := p.Approve(p.Ctx, p.Me(), runID, "", r.Calls[0].Digest); err != nil {
			t.Fatal(err)
		}
		if r = p.goOn(); r.Output != "Done." {
			t.Fatalf("got %s, %+v", r.Status, r.Err)
		}
		all = append(p.asked(), r.Output)
		for _, e := range p.logged() {
			all = append(all, fmt.Sprint(e.Act, e.Records, e.Reason, e.Result, e.Checksum))
		}
		return all
	}
	plain := ran(t, func(d canon.Value) []byte { return d.Append(nil) })
	if len(plain) < 3+1+8 {
		t.Errorf("%d lines", len(plain))
	}
	t.Run("AAIF-9-9 CBOR", func(t *testing.T) {
		same(t, plain, ran(t, func(d canon.Value) []byte {
			raw, err := aaif.ToCBOR(d)
			if err != nil {
				t.Fatal(err)
			}
			return raw
		}))
	})
	t.Run("AAIF-U.W-2 members that nobody knows", func(t *testing.T) {
		same(t, plain, ran(t, func(d canon.Value) []byte {
			other := canon.Object(canon.Member{Name: "provider", Value: canon.String("elsewhere")}, canon.Member{Name: "safety_level", Value: canon.String("minimal")},
				canon.Member{Name: "constraints", Value: canon.Array()})
			return d.With("x-agent", other).With("x-acme-route", other).With("x-compliance", other).Append(nil)
		}))
	})
}

// TestExtensions runs the example of a definition with extension keys.
func TestExtensions(t *testing.T) {
	raw, err := os.ReadFile("../../../aaif/testdata/extension-keys.json")
	if err != nil {
		t.Fatal(err)
	}
	t.Run("AAIF-U.W-1 it is valid", func(t *testing.T) {
		d, err := aaif.Read(raw, aaif.ReadOptions{})
		v, failed := aaif.NewValidator(nil)
		if err != nil || failed != nil {
			t.Fatal(err, failed)
		}
		if found := v.Lint(d); len(found) > 0 {
			t.Errorf("found %+v", found)
		}
	})
	t.Run("AAIF-U.W-1 it runs, and nobody is told of them", func(t *testing.T) {
		p := open(t, vaulttest.Open(t), script(asks("look"), model.Step{Answer: "Done."})...)
		p.takeIn(raw)
		p.start()
		r := p.goOn()
		if r.Status != aaif.Completed || r.Output != "Done." || len(p.asked()) != 2 {
			t.Fatalf("got %s %q, %+v", r.Status, r.Output, r.Err)
		}
		for _, text := range []string{"Do nothing.", "elsewhere", "agent.schema.json", "äöü", "deep"} {
			if strings.Contains(p.asked()[0], text) {
				t.Errorf("the model is told of %s: %s", text, p.asked()[0])
			}
		}
		sent := p.model.Requests()[0].Body
		if at, ok := sent.At("/x-acme/_comment"); !ok || at.Text() == "" || sent.Get("model").Text() != "m" {
			t.Errorf("sent %s", sent.Append(nil))
		}
	})
}

func same(t *testing.T, one, other []string) {
	t.Helper()
	for i := range max(len(one), len(other)) {
		if i >= len(one) || i >= len(other) || one[i] != other[i] {
			t.Fatalf("line %d of %d and %d differs:\n%q\n%q", i, len(one), len(other), one[min(i, len(one)-1)], other[min(i, len(other)-1)])
		}
	}
}

// TestFromCheckpoint goes on from checkpoints of other platforms.
func TestFromCheckpoint(t *testing.T) {
	at := time.Date(2026, 6, 1, 11, 0, 0, 0, time.UTC)
	state := func(edit func(*aaif.State)) canon.Value {
		s := aaif.State{Standard: "SC-006", ID: stateID, AgentID: agentID, RunID: runID, AgentVersion: "1.0.0", Status: aaif.Paused, CheckpointAt: at,
			Conversation: []aaif.Message{{Role: "system", Content: "old"}, {Role: "user", Content: "Book."}}}
		edit(&s)
		return s.Document()
	}
	from := func(p *place, s canon.Value) run.Run {
		p.T.Helper()
		if _, err := p.Host.Start(p.Ctx, p.Me(), host.Start{RunID: runID, Agent: agentID, State: s}); err != nil {
			p.T.Fatal(err)
		}
		return p.goOn()
	}
	t.Run("AAIF-8.1-11 a smaller window", func(t *testing.T) {
		p := open(t, vaulttest.Open(t), model.Step{Answer: "Done."})
		p.set(func(s *host.Settings) {
			s.Models.Models = []route.Model{{Target: route.Target{Provider: "openai", Model: "m"}, Context: 1000}}
		})
		p.take()
		r := from(p, state(func(s *aaif.State) {
			for i := range 20 {
				id := fmt.Sprint("call", i)
				s.Conversation = append(s.Conversation, aaif.Message{Role: "user", Content: fmt.Sprintf("turn-%02d ", i) + strings.Repeat("word ", 100)})
				s.Conversation = append(s.Conversation, aaif.CallMessages("", []aaif.Call{{ID: id, Tool: "look", Arguments: canon.Object()}}, at)...)
				s.Conversation = append(s.Conversation, aaif.Message{Role: "tool", Tool: "look", CallID: id, Content: strings.Repeat("fact ", 100)})
			}
		}))
		if r.Output != "Done." {
			t.Fatalf("got %s, %+v", r.Status, r.Err)
		}
		body := p.asked()[0]
		if !strings.Contains(body, "turn-19") || strings.Contains(body, "turn-00") || !strings.Contains(body, "Be exact.") || size(p) > 4*1000 {
			t.Errorf("%d bytes: %s", len(body), body)
		}
		// Calls without results, and results without calls, the model's server refuses.
		kept := strings.Count(body, `"role":"tool"`) + strings.Count(body, `"role":"user"`) + strings.Count(body, `"role":"assistant"`)
		if noted := p.noted("conversation.cut"); len(noted) != 1 || !strings.Contains(noted[0], fmt.Sprintf("the %d oldest", 1+60-kept)) {
			t.Errorf("%d are kept; noted %q", kept, noted)
		}
	})
	t.Run("AAIF-8.1-18 a condition sees variables", func(t *testing.T) {
		for a, want := range map[int64]aaif.RunStatus{1: aaif.AwaitingApproval, 2: aaif.Completed} {
			p := open(t, vaulttest.Open(t), model.Step{Last: "Book.", Calls: []model.ScriptCall{{ID: "c", Tool: "pay", Arguments: []byte(`{"n":1}`)}}}, model.Step{Answer: "Done."})
			p.take(`"compliance":{"human_in_the_loop":{"enabled":true,"trigger":{"lang":"cel","expr":"variables.k.a == 1"}}}`)
			r := from(p, state(func(s *aaif.State) {
				s.Variables = canon.Object(canon.Member{Name: "k", Value: canon.Object(canon.Member{Name: "a", Value: canon.Int(a)})})
			}))
			if r.Status != want {
				t.Errorf("with %d: %s, %+v", a, r.Status, r.Err)
			}
		}
	})
}

// size returns the bytes of the texts of a request.
func size(p *place) (n int) {
	for _, m := range p.model.Requests()[0].Body.Get("messages").Items() {
		n += len(m.Get("content").Text())
	}
	return n
}

// TestFailures holds the errors of runs to the schema of states.
func TestFailures(t *testing.T) {
	for code, c := range map[string]struct {
		steps   []model.Step
		members []string
		change  func(*place, *run.Run)
	}{
		"MODEL_UNAVAILABLE":       {steps: []model.Step{{Status: 503, Message: "down", Times: 10}}, members: []string{`"runtime":{"max_retries":0}`}},
		"MODEL_BAD_REQUEST":       {steps: []model.Step{{Status: 400, Message: "no", Times: 10}}},
		"OUTPUT_SCHEMA_VIOLATION": {steps: []model.Step{{Answer: "no"}}, members: []string{`"io":{"output_schema":{"type":"number"}}`}},
		"CANCELLED": {steps: []model.Step{asks("pay")}, members: []string{oversight}, change: func(p *place, r *run.Run) {
			var err error
			if *r, err = p.Cancel(p.Ctx, p.Me(), runID); err != nil {
				p.T.Error(err)
			}
		}},
		"MAX_ITERATIONS_EXCEEDED": {steps: []model.Step{{Times: 1000, Calls: []model.ScriptCall{{Tool: "look", Arguments: []byte(`{}`)}}}}, members: []string{`"orchestration":{"max_iterations":2}`}},
	} {
		t.Run("AAIF-4.6-10 "+code, func(t *testing.T) {
			p := open(t, vaulttest.Open(t), c.steps...)
			p.take(c.members...)
			p.start()
			r := p.goOn()
			if c.change != nil {
				c.change(p, &r)
			}
			if r.Status != aaif.Failed || r.Err == nil || r.Err.Code != code {
				t.Fatalf("got %s, %+v", r.Status, r.Err)
			}
			wellFormed(t, r)
		})
	}
}

func wellFormed(t *testing.T, r run.Run) {
	t.Helper()
	doc := r.Capture(run.CaptureOptions{StateID: stateID, At: time.Now().UTC(), Version: "1.0.0", Platform: "a.example"})
	raw := doc.Append(nil)
	if _, err := aaif.Read(raw, aaif.ReadOptions{}); err != nil {
		t.Error(err)
	}
	e := doc.Get("error")
	for _, name := range []string{"code", "message", "step", "occurred_at", "retries_remaining"} {
		if e.Get(name).Type() == canon.TypeUndefined {
			t.Errorf("it lacks %s: %s", name, e.Append(nil))
		}
	}
	if e.Has("stack_trace") {
		t.Errorf("it leaves with its stack: %s", e.Append(nil))
	}
}
