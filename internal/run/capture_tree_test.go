package run_test

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/condition"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/run"
	"github.com/satchel-memory/satchel/internal/run/model"
	"github.com/satchel-memory/satchel/internal/run/topology"
)

// office is a house in which several agents work: a definition and a script for each, by
// their names. The first is the run's own agent.
type office struct {
	*house
	mu     sync.Mutex
	names  []string
	defs   map[string]aaif.Definition // by name
	models map[string]*turns
}

// openOffice opens an office. agents are names with the member orchestration.
func openOffice(t *testing.T, scripts map[string][]model.Answer, agents ...[2]string) *office {
	t.Helper()
	o := &office{house: open(t), defs: map[string]aaif.Definition{}, models: map[string]*turns{}}
	for _, one := range agents {
		raw := fmt.Sprintf(`{"sc_standard":"SC-006","agent_id":%q,"agent":{"name":%q,"goal":"Work.","version":"1.0.0","model":{"provider":"openai","preferred":%q},"orchestration":%s}}`, idOf(one[0]), one[0], one[0], one[1])
		v, err := aaif.FromJSON([]byte(raw), aaif.ReadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		o.names = append(o.names, one[0])
		o.defs[one[0]], o.models[one[0]] = aaif.ReadDefinition(v), &turns{script: scripts[one[0]]}
	}
	return o
}

// idOf returns the agent_id of an agent by its name.
func idOf(name string) string { return fmt.Sprintf("7b1f6d0e-3c55-4f0a-9a60-%012x", name) }

// team returns the member orchestration with subagents, whose refs are their ids.
func team(more string, names ...string) string {
	var all []string
	for _, name := range names {
		all = append(all, fmt.Sprintf(`{"ref":%q,"alias":%q}`, idOf(name), name))
	}
	return `{"subagents":[` + strings.Join(all, ",") + `]` + more + `}`
}

func (o *office) of(w run.Worker) (aaif.Definition, error) {
	for _, d := range o.defs {
		if d.ID == w.Agent {
			return d, nil
		}
	}
	return aaif.Definition{}, fmt.Errorf("no agent %s", w.Agent)
}

func (o *office) teamOf(d aaif.Definition) *topology.Team {
	team, err := topology.New(condition.NewCompiler(condition.Options{}), d, func(name string) (aaif.Definition, bool) { d, ok := o.defs[name]; return d, ok })
	if err != nil {
		panic(err)
	}
	return team
}

// begins returns the start of the run.
func (o *office) begins(state canon.Value) run.Start {
	lead := o.defs[o.names[0]]
	s := run.Start{Agent: lead.ID, Revision: 1, Limits: run.DefaultLimits().Of(lead.Agent), Input: []byte(`"go"`), Leads: o.teamOf(lead) != nil}
	for _, name := range o.names[1:] {
		d := o.defs[name]
		s.Agents = append(s.Agents, run.Pin{Ref: d.ID, Agent: d.ID, Revision: 1, Leads: o.teamOf(d) != nil, Limits: run.DefaultLimits().Of(d.Agent)})
	}
	if state.Type() != canon.TypeUndefined {
		s.State, s.Input = run.Raw(state), run.Raw(run.InputOf(state))
	}
	return s
}

// goOn executes the run and approves whatever is asked.
func (o *office) goOn() run.Run {
	o.t.Helper()
	x := &run.Executor{
		Journal: o.journal, Holder: "a", Lease: time.Minute, Log: slog.New(slog.DiscardHandler),
		Now: func() time.Time {
			o.mu.Lock()
			defer o.mu.Unlock()
			o.now = o.now.Add(time.Millisecond)
			return o.now
		},
		Sleep: func(context.Context, time.Duration) error { return nil },
		Open: func(_ context.Context, _ *run.Run, t *run.Thread) (*run.Setup, error) {
			d, err := o.of(t.Worker())
			m := &run.Setup{Definition: d, Operator: o.route, Models: o.models[d.Agent.Name], Tools: o.bench, Rules: o.rules, Close: func() {}}
			if err == nil && (!t.Start.Own || len(t.Agents) > 1) {
				m.Team = o.teamOf(d)
				m.Handoffs, err = topology.NewHandoffs(condition.NewCompiler(condition.Options{}), d)
			}
			return m, err
		},
	}
	for {
		r, err := x.Continue(o.t.Context(), runID, run.ContinueOptions{})
		if err != nil {
			o.t.Fatal(err)
		}
		if r.Status != aaif.AwaitingApproval {
			return r
		}
		for t, c := range r.Asking() {
			if _, err := x.Approve(o.t.Context(), runID, c.ID, c.Digest, "ann"); err != nil {
				o.t.Fatalf("%s: %v", t.In, err)
			}
		}
	}
}

// starts starts the run, from a checkpoint if there is one.
func (o *office) starts(state canon.Value, kept map[string]canon.Value) error {
	o.t.Helper()
	s := o.begins(state)
	first := run.Event{Number: 1, At: o.now, Kind: run.Started, Start: &s}
	r, err := run.Fold(runID, []run.Event{first})
	if err != nil {
		return err
	}
	var more []run.Event
	if state.Type() != canon.TypeUndefined {
		if more, err = r.Restored(run.RestoreOptions{At: o.now, Definition: o.of, State: func(id string) (canon.Value, bool) { v, ok := kept[id]; return v, ok }}); err != nil {
			return err
		}
		s.State = run.Raw(run.WithoutSubagents(state))
	}
	if err := o.journal.Start(o.t.Context(), runID, first); err != nil {
		o.t.Fatal(err)
	}
	for _, e := range more {
		raw, err := e.Encode()
		if err != nil {
			o.t.Fatal(err)
		}
		o.journal.runs[runID].events = append(o.journal.runs[runID].events, raw)
	}
	return nil
}

const stateID = "d7e8f9a0-1234-4000-8000-000000000001"

func (o *office) capture(r *run.Run) canon.Value {
	return r.Capture(run.CaptureOptions{StateID: stateID, At: r.Last, Version: "1.0.0", Platform: "a.example",
		Definition: func(w run.Worker) (aaif.Definition, bool) { d, err := o.of(w); return d, err == nil }})
}

// workshop is a pipeline whose second step is a swarm, in which an agent hands over.
func workshop(t *testing.T) *office {
	return openOffice(t, map[string][]model.Answer{
		"lead": {says("never asked")},
		"a":    {calls("pay"), says("A")},
		"team": {says("merged")},
		"b":    {calls("look", "askpay"), says(`{"intent":"boss"}`)},
		"boss": {calls("pay"), says("B")},
		"c":    {calls("book"), calls("pay"), says("C")},
		"d":    {calls("pay"), says("D")},
	}, [2]string{"lead", `{"subagents":[{"ref":"` + idOf("a") + `","alias":"a"},{"ref":"` + idOf("team") + `","alias":"team"},{"ref":"` + idOf("d") + `","alias":"no","when":{"lang":"never"}},{"ref":"` + idOf("d") + `","alias":"d"}],"pipeline":["a","team","no","d"]}`},
		[2]string{"a", `{}`}, [2]string{"team", team(`,"parallel_execution":true`, "b", "c")},
		[2]string{"b", `{"handoff":[{"condition":{"lang":"cel","expr":"intent == 'boss'"},"target_agent":"` + idOf("boss") + `"}]}`},
		[2]string{"boss", `{}`}, [2]string{"c", `{}`}, [2]string{"d", `{}`})
}

// holds returns the checkpoints in a checkpoint: it, and those of subagents, by state_id.
func holds(t *testing.T, state canon.Value) map[string]canon.Value {
	t.Helper()
	all := map[string]canon.Value{state.Get("state_id").Text(): state}
	for _, step := range state.Get("x-satchel").Get("subagents").Items() {
		if below := step.Get("state"); below.Type() != canon.TypeUndefined {
			maps.Copy(all, holds(t, below))
		}
	}
	return all
}

// TestTreeCarriedOn captures a tree of agents after each of its events and goes on in an empty
// journal: it ends as it would have, and no write is made twice.
func TestTreeCarriedOn(t *testing.T) {
	whole := workshop(t)
	if err := whole.starts(canon.Value{}, nil); err != nil {
		t.Fatal(err)
	}
	if r := whole.goOn(); r.Output != "D" {
		t.Fatalf("it ends %s with %q: %+v; %s", r.Status, r.Output, r.Err, whole.kinds())
	}
	events, err := whole.journal.Events(t.Context(), runID, 0)
	if err != nil {
		t.Fatal(err)
	}
	v, err := aaif.NewValidator(nil)
	if err != nil {
		t.Fatal(err)
	}
	for n := range events {
		r, err := run.Fold(runID, events[:n+1])
		if err != nil || r.Status.Ended() {
			continue
		}
		t.Run(fmt.Sprintf("AAIF-8.1-17 after event %d", n+1), func(t *testing.T) {
			o := workshop(t)
			state := whole.capture(&r)
			for id, one := range holds(t, state) {
				if err := aaif.VerifyChecksum(one); err != nil {
					t.Errorf("%s: %v", id, err)
				}
				if found := v.CheckState(aaif.Document{Kind: aaif.StateKind, Value: one}); len(found) > 0 {
					t.Errorf("%s: %v in %s", id, found[0], one.AppendCanonical(nil))
				}
			}
			if err := o.starts(state, nil); err != nil {
				t.Fatal(err)
			}
			got := o.goOn()
			if got.Output != "D" {
				t.Errorf("it ends %s with %q: %+v; %s", got.Status, got.Output, got.Err, o.kinds())
			}
			for _, e := range events[:n+1] {
				if e.Kind != run.Sent {
					continue
				}
				at := r.Of(e.In)
				name, key := "", ""
				for _, m := range at.Messages {
					if c, ok := m.Call(); ok && c.ID == e.Call {
						name, key = c.Tool, r.Key(run.Call{Call: c})
					}
				}
				if (name == "pay" || name == "askpay") && o.bench.keys[name+" "+key] > 0 {
					t.Errorf("%s is called again in %s", name, e.In)
				}
			}
			if pays := o.bench.calls["pay"]; pays > 4 {
				t.Errorf("pay is called %d times", pays)
			}
		})
	}
}

// TestLargeTree moves a tree whose subagent has a long conversation: no checkpoint in the
// checkpoint is too large to be kept.
func TestLargeTree(t *testing.T) {
	long := calls("pay", "askpay")
	long.Text = strings.Repeat("x", 5<<20)
	fresh := func() *office {
		return openOffice(t, map[string][]model.Answer{"lead": {says("all")}, "a": {long, says("A")}}, [2]string{"lead", team("", "a")}, [2]string{"a", `{}`})
	}
	here, there := fresh(), fresh()
	if err := here.starts(canon.Value{}, nil); err != nil {
		t.Fatal(err)
	}
	here.goOn()
	events, err := here.journal.Events(t.Context(), runID, 0)
	if err != nil {
		t.Fatal(err)
	}
	r, err := run.Fold(runID, events[:slices.IndexFunc(events, func(e run.Event) bool { return e.Kind == run.Approved })])
	if err != nil {
		t.Fatal(err)
	}
	state := here.capture(&r)
	if n := len(holds(t, state)); n != 2 {
		t.Fatalf("AAIF-8.1-17: the checkpoint holds %d documents, want that of the subagent, too", n)
	}
	if err := there.starts(state, nil); err != nil {
		t.Fatal(err)
	}
	if got := there.goOn(); got.Output != "all" || there.bench.calls["pay"] != 0 || there.bench.calls["askpay"] != 1 {
		t.Errorf("AAIF-8.1-16: it ends %s %q %+v, %v", got.Status, got.Output, got.Err, there.bench.calls)
	}
}

// TestCapturedSwarm looks at the checkpoint of a swarm of which one subagent is done and two
// work.
func TestCapturedSwarm(t *testing.T) {
	o := openOffice(t, map[string][]model.Answer{"lead": {says("all")}, "a": {says("A")}, "b": {calls("askpay"), says("B")}, "c": {calls("look", "askpay"), says("C")}},
		[2]string{"lead", team(`,"parallel_execution":true`, "a", "b", "c")}, [2]string{"a", `{}`}, [2]string{"b", `{}`}, [2]string{"c", `{}`})
	if err := o.starts(canon.Value{}, nil); err != nil {
		t.Fatal(err)
	}
	o.goOn()
	events, err := o.journal.Events(t.Context(), runID, 0)
	if err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(events, func(e run.Event) bool { return e.Kind == run.Approved })
	r, err := run.Fold(runID, events[:at])
	if err != nil {
		t.Fatal(err)
	}
	state := o.capture(&r)
	s := aaif.ReadState(state)
	all := holds(t, state)
	t.Run("AAIF-8.1-17 three summaries and two documents that they name", func(t *testing.T) {
		if len(s.Subagents) != 3 || len(all) != 3 {
			t.Fatalf("%d summaries and %d documents", len(s.Subagents), len(all)-1)
		}
		for i, want := range []string{"a completed", "b paused", "c paused"} {
			one := s.Subagents[i]
			if got := one.Alias + " " + one.Status; got != want || one.AgentID != idOf(one.Alias) || (one.StateID == "") != (want == "a completed") {
				t.Errorf("summary %d is %+v, want %s", i, one, want)
			}
			if one.StateID == "" {
				if one.Output.Text() != "A" {
					t.Errorf("the output of a is %s", one.Output.AppendCanonical(nil))
				}
				continue
			}
			below := aaif.ReadState(all[one.StateID])
			if below.ID != one.StateID || below.AgentID != one.AgentID || below.RunID != runID || below.AgentVersion != "1.0.0" || below.Status != aaif.AwaitingApproval || below.Approval == nil {
				t.Errorf("the document of %s is %+v", one.Alias, below)
			}
		}
	})
	t.Run("AAIF-8.1-17 documents that came by themselves", func(t *testing.T) {
		foreign := state.Without("x-satchel")
		fresh := func() *office {
			return openOffice(t, map[string][]model.Answer{"lead": {says("all")}, "a": {says("again")}, "b": {calls("askpay"), says("B")}, "c": {calls("look", "askpay"), says("C")}},
				[2]string{"lead", team(`,"parallel_execution":true`, "a", "b", "c")}, [2]string{"a", `{}`}, [2]string{"b", `{}`}, [2]string{"c", `{}`})
		}
		if err := fresh().starts(foreign, nil); aaif.CodeOf(err) != aaif.Unresolved {
			t.Errorf("without the documents: %v", err)
		}
		other := maps.Clone(all)
		other[s.Subagents[1].StateID] = all[s.Subagents[2].StateID]
		if err := fresh().starts(foreign, other); aaif.CodeOf(err) != aaif.AgentUnknown {
			t.Errorf("with that of another agent: %v", err)
		}
		for id := range all {
			all[id] = all[id].Without("x-satchel")
		}
		g := fresh()
		if err := g.starts(foreign, all); err != nil {
			t.Fatal(err)
		}
		if got := g.goOn(); got.Output != "all" || len(g.models["a"].asked) != 0 || g.bench.calls["askpay"] != 2 || g.bench.calls["look"] != 0 {
			t.Errorf("it ends %s with %q: %+v; the calls are %v", got.Status, got.Output, got.Err, g.bench.calls)
		}
		merge := g.models["lead"].asked[0].Messages
		if text := merge[len(merge)-1].Content; !strings.Contains(text, `"a":"A"`) || !strings.Contains(text, `"c":"C"`) {
			t.Errorf("the merge reads %s", text)
		}
	})
}

// TestRestoredPipeline restores pipelines by the members of the format.
func TestRestoredPipeline(t *testing.T) {
	open := func() *office {
		return openOffice(t, map[string][]model.Answer{"a": {says("never")}, "b": {says("B")}, "c": {says("C")}},
			[2]string{"lead", team(`,"pipeline":["a","b","c"]`, "a", "b", "c")}, [2]string{"a", `{}`}, [2]string{"b", `{}`}, [2]string{"c", `{}`})
	}
	state := func(more string) canon.Value {
		v, err := aaif.FromJSON([]byte(`{"sc_standard":"SC-006","state_id":"`+stateID+`","agent_id":"`+idOf("lead")+`","run_id":"`+runID+`","checkpoint_at":"2026-06-01T12:00:00Z","status":"paused","iteration":1,`+
			`"conversation":[{"role":"user","content":"go"},{"role":"assistant","content":"said by a"}]`+more+`}`), aaif.ReadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	const inB = `,"pipeline_position":{"completed_steps":["a"],"current_step":"b","remaining_steps":["c"]}`
	for name, c := range map[string]struct{ more, reads string }{
		"AAIF-8.2-5 what is done is not called again":                    {inB + `,"subagent_states":[{"alias":"a","agent_id":"` + idOf("a") + `","status":"completed","output":"A"}]`, "A"},
		"AAIF-8.2-5 an output that is an object":                         {inB + `,"subagent_states":[{"alias":"a","agent_id":"` + idOf("a") + `","status":"completed","output":{"n":1}},{"alias":"b","agent_id":"` + idOf("b") + `","status":"pending"}]`, `{"n":1}`},
		"AAIF-8.2-5 the output of the latest step is what was said last": {inB, "said by a"},
	} {
		t.Run(name, func(t *testing.T) {
			o := open()
			if err := o.starts(state(c.more), nil); err != nil {
				t.Fatal(err)
			}
			r := o.goOn()
			if r.Output != "C" || len(o.models["a"].asked) != 0 || len(o.models["b"].asked) != 1 || len(o.models["c"].asked) != 1 {
				t.Fatalf("it ends %s with %q: %+v; %s", r.Status, r.Output, r.Err, o.kinds())
			}
			if got := o.models["b"].asked[0].Messages[0].Content; got != c.reads {
				t.Errorf("b reads %q, want %q", got, c.reads)
			}
		})
	}
	for name, more := range map[string]string{
		"AAIF-8.2-5 a place in another pipeline": `,"pipeline_position":{"completed_steps":["a"],"current_step":"c","remaining_steps":["b"]}`,
		"AAIF-8.2-5 a shorter pipeline":          `,"pipeline_position":{"completed_steps":["a"],"current_step":"b"}`,
	} {
		t.Run(name, func(t *testing.T) {
			if err := open().starts(state(more), nil); aaif.CodeOf(err) != aaif.WrongState {
				t.Errorf("got %v", err)
			}
		})
	}
	t.Run("AAIF-8.1-3 another version of the agent", func(t *testing.T) {
		o := open()
		d := o.defs["lead"]
		d.Agent.Compliance.Safety = aaif.Strict
		if err := o.starts(state(`,"agent_version":"2.0.0"`), nil); err != nil {
			t.Errorf("at the level standard: %v", err)
		}
		o.defs["lead"] = d
		if err := o.starts(state(`,"agent_version":"2.0.0"`), nil); aaif.CodeOf(err) != aaif.VersionUnsupported {
			t.Errorf("at the level strict: %v", err)
		}
	})
}
