package run_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/condition"
	"github.com/satchel-memory/satchel/internal/run"
	"github.com/satchel-memory/satchel/internal/run/model"
	"github.com/satchel-memory/satchel/internal/run/tool"
	"github.com/satchel-memory/satchel/internal/run/topology"
)

// troupe is a house with agents that work together: each has its own script.
type troupe struct {
	*house
	mu   sync.Mutex
	defs map[string]aaif.Definition
	says map[string]*turns
}

// assemble opens a house with agents by their names. The agent "lead" is that of the run.
func assemble(t *testing.T, agents map[string]string, scripts map[string][]model.Answer) *troupe {
	t.Helper()
	p := &troupe{house: open(t), defs: map[string]aaif.Definition{}, says: map[string]*turns{}}
	for name, orchestration := range agents {
		if orchestration != "" {
			orchestration = `,"orchestration":` + orchestration
		}
		raw := `{"sc_standard":"SC-006","agent_id":"` + name + `","agent":{"name":"` + name + `","goal":"Work.","version":"1.0.0","model":{"provider":"openai","preferred":"m"}` + orchestration + `}}`
		v, err := aaif.FromJSON([]byte(raw), aaif.ReadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		p.defs[name] = aaif.ReadDefinition(v)
		script := scripts[name]
		if script == nil {
			script = []model.Answer{says(name)}
		}
		p.says[name] = &turns{script: script}
	}
	return p
}

func (p *troupe) team(name string) *topology.Team {
	team, err := topology.New(condition.NewCompiler(condition.Options{}), p.defs[name], func(alias string) (aaif.Definition, bool) {
		d, ok := p.defs[alias]
		return d, ok
	})
	if err != nil {
		p.t.Fatal(err)
	}
	return team
}

// start starts the run of the lead.
func (p *troupe) start(l run.Limits) {
	p.t.Helper()
	s := run.Start{Limits: l, Agent: "lead", Revision: 1, Input: []byte(`"x"`), Leads: p.team("lead") != nil}
	for name, d := range p.defs {
		s.Agents = append(s.Agents, run.Pin{Ref: name, Agent: name, Revision: 1, Leads: p.team(name) != nil, Limits: l.Of(d.Agent)})
	}
	slices.SortFunc(s.Agents, func(a, b run.Pin) int { return strings.Compare(a.Ref, b.Ref) })
	if err := p.journal.Start(p.t.Context(), runID, run.Event{Number: 1, At: p.now, Kind: run.Started, Start: &s}); err != nil {
		p.t.Fatal(err)
	}
}

// executor returns a program that executes runs.
func (p *troupe) executor(name string) *run.Executor {
	x := p.house.executor(name)
	x.Now = func() time.Time {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.now = p.now.Add(time.Millisecond)
		return p.now
	}
	x.Open = func(_ context.Context, _ *run.Run, t *run.Thread) (*run.Setup, error) {
		who := t.Worker().Agent
		m := &run.Setup{Definition: p.defs[who], Operator: p.route, Models: p.says[who], Tools: p.bench, Rules: p.rules, Close: func() {}}
		if !t.Start.Own {
			m.Team = p.team(who)
		}
		var err error
		m.Handoffs, err = topology.NewHandoffs(condition.NewCompiler(condition.Options{}), p.defs[who])
		return m, err
	}
	return x
}

func (p *troupe) goOn() run.Run {
	p.t.Helper()
	r, err := p.executor("a").Continue(p.t.Context(), runID, run.ContinueOptions{})
	if err != nil {
		p.t.Fatal(err)
	}
	return r
}

const (
	pipelineOfThree = `{"role":"orchestrator","subagents":[{"ref":"plan","alias":"plan"},{"ref":"crowd","alias":"crowd"},{"ref":"write","alias":"write"}],"pipeline":["plan","crowd","write"]}`
	crowdOfWriters  = `{"role":"orchestrator","parallel_execution":true,"subagents":[{"ref":"w1","alias":"w1"},{"ref":"w2","alias":"w2"},{"ref":"w3","alias":"w3"}]}`
)

// writers is a pipeline with a swarm in it, whose workers write.
func writers(t *testing.T) *troupe {
	return assemble(t, map[string]string{"lead": pipelineOfThree, "plan": "", "crowd": crowdOfWriters, "w1": "", "w2": "", "w3": "", "write": ""}, map[string][]model.Answer{
		"w1": {calls("pay"), says("one")}, "w2": {calls("book"), says("two")}, "w3": {calls("look", "pay"), says("three")}, "write": {calls("pay"), says("Done.")},
	})
}

// TestKilledTeam kills a program that executes a pipeline with a swarm of writers, at each of
// its writes.
func TestKilledTeam(t *testing.T) {
	whole := writers(t)
	whole.start(run.DefaultLimits())
	want := whole.goOn()
	if want.Output != "Done." || whole.bench.calls["pay"] != 3 {
		t.Fatalf("got %s %q %+v, %v", want.Status, want.Output, want.Err, whole.bench.calls)
	}
	if want.Usage.Tokens() != 15*10 {
		t.Errorf("the run has used %+v", want.Usage)
	}
	unknown := 0
	for at := 1; at <= whole.journal.writes; at++ {
		for _, after := range []bool{false, true} {
			t.Run(fmt.Sprintf("AAIF-8-1 write %d %t", at, after), func(t *testing.T) {
				p := writers(t)
				p.start(run.DefaultLimits())
				p.journal.breaks = func(n int) (bool, bool) { return n == at && !after, n == at && after }
				_, err := p.executor("a").Continue(t.Context(), runID, run.ContinueOptions{})
				if err == nil && p.journal.writes < at {
					return // how often a swarm writes depends on who comes first
				}
				if !errors.Is(err, errKilled) {
					t.Fatalf("got %v", err)
				}
				r := p.goOn()
				if r.Status != aaif.Completed || r.Output != want.Output || len(r.Threads) != len(want.Threads) {
					t.Errorf("got %s %q %+v in %d threads", r.Status, r.Output, r.Err, len(r.Threads))
				}
				for key, n := range p.bench.keys {
					if strings.HasPrefix(key, "pay ") && n > 1 {
						t.Errorf("AAIF-4.6-6: %s was called %d times", key, n)
					}
				}
				for th := range r.All() {
					for _, m := range th.Messages {
						unknown += strings.Count(m.Content, string(aaif.OutcomeUnknown))
					}
				}
			})
		}
	}
	if unknown == 0 {
		t.Error("no call ever had an unknown outcome")
	}
}

func TestBoundsOfTeams(t *testing.T) {
	t.Run("AAIF-4.3-24 every subagent has its own turns", func(t *testing.T) {
		p := assemble(t, map[string]string{"lead": `{"role":"orchestrator","subagents":[{"ref":"w1","alias":"w1"},{"ref":"w2","alias":"w2"}],"pipeline":["w1","w2"],"max_iterations":1}`, "w1": `{"max_iterations":3}`, "w2": ""},
			map[string][]model.Answer{"w1": {calls("look"), calls("look"), says("one")}, "w2": {calls("look")}})
		p.start(run.DefaultLimits())
		r := p.goOn()
		if r.Err == nil || r.Err.Code != string(aaif.MaxIterations) || r.Err.Step != "w2" || r.Of("w1").Output != "one" || len(p.says["w2"].asked) != 10 {
			t.Errorf("got %s %+v, %d turns", r.Status, r.Err, len(p.says["w2"].asked))
		}
	})
	t.Run("the tokens are those of the whole tree", func(t *testing.T) {
		p := writers(t)
		l := run.DefaultLimits()
		l.Tokens = 70
		p.start(l)
		if r := p.goOn(); r.Err == nil || r.Err.Code != string(aaif.BudgetExceeded) || r.Usage.Tokens() < 70 {
			t.Errorf("got %s %+v, %+v", r.Status, r.Err, r.Usage)
		}
	})
	t.Run("AAIF-4.6-1 the time is that of the whole tree", func(t *testing.T) {
		p := writers(t)
		l := run.DefaultLimits()
		l.Active = 50 * time.Millisecond
		p.start(l)
		r := p.goOn()
		if r.Err == nil || r.Err.Code != string(aaif.RunTimeout) {
			t.Errorf("got %s %+v after %s", r.Status, r.Err, r.Active)
		}
		for _, th := range r.Threads {
			if !th.Status.Ended() {
				t.Errorf("%s is %s", th.In, th.Status)
			}
		}
	})
	t.Run("a cancelled run ends as a whole", func(t *testing.T) {
		p := writers(t)
		p.start(run.DefaultLimits())
		p.says["w1"].script = []model.Answer{calls("askpay"), says("one")}
		r := p.goOn()
		if r.Status != aaif.AwaitingApproval || r.Of("crowd/w3").Output != "three" || r.Of("crowd").Status != aaif.AwaitingApproval {
			t.Fatalf("got %s %+v", r.Status, r.Err)
		}
		r, err := p.executor("b").Cancel(t.Context(), runID, "ann")
		if err != nil || r.Err.Code != string(aaif.Cancelled) || !r.Of("crowd/w1").Dropped || !r.Of("crowd").Dropped {
			t.Errorf("got %s %+v, %v", r.Status, r.Err, err)
		}
		if r := p.goOn(); r.Status != aaif.Failed || p.bench.calls["askpay"] != 0 {
			t.Errorf("it goes on: %s", r.Status)
		}
	})
}

// TestMerge: what other agents said is data for the model that merges it, also where the policy for
// personal data has changed it.
func TestMerge(t *testing.T) {
	for name, heard := range map[string]func(string) string{
		"AAIF-12-7 as it was said":         nil,
		"AAIF-12-7 AAIF-4.3-26 anonymized": func(text string) string { return strings.ReplaceAll(text, "bob@example.com", "[EMAIL-REDACTED]") },
	} {
		t.Run(name, func(t *testing.T) {
			p := assemble(t, map[string]string{"lead": crowdOfWriters, "w1": "", "w2": "", "w3": ""}, map[string][]model.Answer{"w1": {says("Mail bob@example.com.")}})
			p.rules.heard = heard
			p.start(run.DefaultLimits())
			if r := p.goOn(); r.Output != "lead" || len(p.says["lead"].asked) != 1 {
				t.Fatalf("got %s %q %+v", r.Status, r.Output, r.Err)
			}
			read := p.says["lead"].asked[0].Messages[0].Content
			want := "bob@example.com"
			if heard != nil {
				want = heard(want)
			}
			_, data, framed := strings.Cut(read, `<untrusted-data from="agents"`)
			if !framed || strings.Count(data, want) != 1 || strings.Contains(read, "bob@example.com") != (heard == nil) {
				t.Errorf("the model reads %s", read)
			}
		})
	}
}

// TestLateLead: the time of an agent that leads others is up while they work.
func TestLateLead(t *testing.T) {
	const crowd = `{"role":"orchestrator","parallel_execution":true,"subagents":[{"ref":"w1","alias":"w1"},{"ref":"w2","alias":"w2"}]},"runtime":{"timeout_seconds":60}`
	p := assemble(t, map[string]string{"lead": `{"role":"orchestrator","subagents":[{"ref":"crowd","alias":"crowd"}],"pipeline":["crowd"]}`, "crowd": crowd, "w1": "", "w2": ""},
		map[string][]model.Answer{"w1": {calls("look"), says("one")}, "w2": {calls("pay"), says("two")}})
	paying, late := make(chan struct{}), make(chan struct{})
	p.bench.hook = func(c tool.Call) {
		if c.Name == "pay" {
			close(paying)
			<-late
			time.Sleep(20 * time.Millisecond)
			return
		}
		<-paying
		p.mu.Lock()
		p.now = p.now.Add(2 * time.Minute)
		p.mu.Unlock()
		close(late)
	}
	p.start(run.DefaultLimits())
	r := p.goOn()
	if r.Err == nil || r.Err.Code != string(aaif.RunTimeout) || r.Err.Step != "crowd" || r.Of("crowd").Err.Code != string(aaif.RunTimeout) {
		t.Errorf("AAIF-4.6-1: got %s %+v", r.Status, r.Err)
	}
	w2 := r.Of("crowd/w2")
	if last := w2.Messages[len(w2.Messages)-1]; !w2.Status.Ended() || p.bench.calls["pay"] != 1 || last.Role != "tool" || !strings.Contains(last.Content, string(aaif.OutcomeUnknown)) {
		t.Errorf("AAIF-8-1: what became of the call that was under way is not recorded: %s, %+v", w2.Status, w2.Messages)
	}
	if len(p.says["w2"].asked) != 1 {
		t.Errorf("w2 had %d turns", len(p.says["w2"].asked))
	}
}

// TestDecidedElsewhere: a person decides about a call of one agent through another process, while
// this one lets another agent work.
func TestDecidedElsewhere(t *testing.T) {
	for name, decide := range map[string]func(x *run.Executor, c run.Call) error{
		"AAIF-4.9-18 approved": func(x *run.Executor, c run.Call) error {
			_, err := x.Approve(t.Context(), runID, c.ID, c.Digest, "ann")
			return err
		},
		"AAIF-4.9-17 rejected": func(x *run.Executor, c run.Call) error {
			_, err := x.Reject(t.Context(), runID, c.ID, "ann", "no")
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := assemble(t, map[string]string{"lead": crowdOfWriters, "w1": "", "w2": "", "w3": ""},
				map[string][]model.Answer{"w1": {calls("askpay"), says("one")}, "w2": {calls("pay"), says("two")}})
			free := make(chan struct{})
			p.bench.hook = func(c tool.Call) {
				if c.Name == "pay" {
					<-free
				}
			}
			p.start(run.DefaultLimits())
			var told sync.Map
			ended := make(chan run.Run, 1)
			go func() {
				x := p.executor("a")
				x.OnEvent = func(_ string, e run.Event) { told.Store(e.Number, e.Kind) }
				r, err := x.Continue(t.Context(), runID, run.ContinueOptions{})
				if err != nil {
					t.Error(err)
				}
				ended <- r
			}()
			at := func(is func(run.Event) bool) bool {
				events, err := p.journal.Events(t.Context(), runID, 0)
				return err == nil && slices.ContainsFunc(events, is)
			}
			until := func(what string, is func(run.Event) bool) {
				t.Helper()
				for began := time.Now(); !at(is); time.Sleep(5 * time.Millisecond) {
					if time.Since(began) > 20*time.Second {
						t.Fatalf("in vain it waits for %s: %s", what, p.kinds())
					}
				}
			}
			until("the question", func(e run.Event) bool { return e.Kind == run.AskedFor })
			until("the payment", func(e run.Event) bool { return e.Kind == run.Sent && e.In == "w2" })
			until("w3", func(e run.Event) bool { return e.Kind == run.Completed && e.In == "w3" })
			events, _ := p.journal.Events(t.Context(), runID, 0)
			r, err := run.Fold(runID, events)
			if err != nil {
				t.Fatal(err)
			}
			other := p.executor("b")
			for _, c := range r.Asking() {
				if _, err := other.Approve(t.Context(), runID, c.ID, "another digest", "ann"); aaif.CodeOf(err) != aaif.ApprovalMismatch {
					t.Errorf("AAIF-4.9-18: got %v", err)
				}
				if err := decide(other, c); err != nil {
					t.Fatal(err)
				}
				if err := decide(other, c); aaif.CodeOf(err) != aaif.StateTransition {
					t.Errorf("it is decided twice: %v", err)
				}
			}
			until("what becomes of it", func(e run.Event) bool { return e.Kind == run.Answered && e.In == "w1" && e.Text == "one" })
			close(free)
			got := <-ended
			want := 1
			if strings.HasSuffix(name, "rejected") {
				want = 0
			}
			if got.Output != "lead" || p.bench.calls["askpay"] != want || p.bench.calls["pay"] != 1 {
				t.Errorf("got %s %q %+v, %v", got.Status, got.Output, got.Err, p.bench.calls)
			}
			for n := int64(2); n <= got.Events; n++ {
				if _, ok := told.Load(n); !ok {
					t.Errorf("nobody is told of event %d; %s", n, p.kinds())
				}
			}
		})
	}
}
