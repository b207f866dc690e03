package host_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/agents"
	"github.com/satchel-memory/satchel/internal/racing"
	"github.com/satchel-memory/satchel/internal/run"
	"github.com/satchel-memory/satchel/internal/run/host"
	"github.com/satchel-memory/satchel/internal/run/model"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
)

// paying calls pay a number of times, one after another, and then says something. At the turn
// in which it has so many results it waits until it is let go.
func paying(say string, times, waits int, free *atomic.Bool) voice {
	return func(ctx context.Context, _ string, q model.Request) (model.Answer, error) {
		results := 0
		for _, m := range q.Messages {
			if m.Role == "tool" {
				results++
			}
		}
		if results == waits && !free.Load() {
			<-ctx.Done()
			return model.Answer{}, ctx.Err()
		}
		if results == times {
			return model.Answer{Text: say}, nil
		}
		return model.Answer{Calls: []aaif.Call{{ID: "c", Tool: "pay", Arguments: canon.Object(canon.Member{Name: "n", Value: canon.Int(int64(results))})}}}, nil
	}
}

// swarmOf takes in a swarm of three, of which two pay.
func swarmOf(t *testing.T, h *vaulttest.House, v *voices) *crew {
	t.Helper()
	c := gatherIn(t, h, v)
	c.agent("w1")
	c.agent("w2", "tools:pay")
	c.agent("w3", "tools:pay")
	c.agent("lead", orchestration(`"role":"orchestrator"`, `"parallel_execution":true`, subs("w1", "w2", "w3")))
	return c
}

// TestMovedSwarm moves a swarm of which one subagent is done and two work to an empty store,
// where it ends. Every write is made once.
func TestMovedSwarm(t *testing.T) {
	racing.Skip(t)
	t.Parallel()
	vaulttest.OnEach(t, func(t *testing.T, house vaulttest.Opener) {
		t.Parallel()
		var free atomic.Bool
		v := &voices{all: map[string]voice{"w1": text("one"), "w2": paying("two", 1, 1, &free), "w3": paying("three", 2, 1, &free), "lead": text("merged")}, ended: map[string]bool{}}
		here, there := swarmOf(t, house(t), v), swarmOf(t, house(t), v)
		if _, err := here.Host.Start(here.Ctx, here.Me(), host.Start{RunID: runID, Agent: agentID, Input: canon.String("Write to ann.smith@example.org.")}); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() {
			_, err := here.Continue(here.Ctx, here.Me(), runID, run.ContinueOptions{})
			ended <- err
		}()
		done := func(in string) bool { r := here.get(); t := r.Of(in); return t != nil && t.Status.Ended() }
		for began := time.Now(); len(v.of("w2")) < 2 || len(v.of("w3")) < 2 || !done("w1"); time.Sleep(5 * time.Millisecond) {
			if time.Since(began) > time.Minute {
				t.Fatalf("it does not get there: %v", v.who())
			}
		}
		const id = "d7e8f9a0-1234-4000-8000-000000000001"
		state, err := here.Host.Leave(here.Ctx, here.Me(), runID, id, "b.example")
		if err != nil {
			t.Fatal(err)
		}
		if err := <-ended; err == nil {
			t.Error("AAIF-8.2-1: it goes on here as if nothing had happened")
		}
		t.Run("AAIF-8.1-17 three summaries and two documents", func(t *testing.T) {
			var all []string
			for _, s := range aaif.ReadState(state).Subagents {
				all = append(all, s.Alias+" "+s.Status)
			}
			if slices.Sort(all); !slices.Equal(all, []string{"w1 completed", "w2 running", "w3 running"}) {
				t.Errorf("the summaries are %q", all)
			}
			if n := strings.Count(string(state.AppendCanonical(nil)), `"checksum"`); n != 3 {
				t.Errorf("there are %d documents, want the run's and two", n)
			}
		})
		if found := judge(t).CheckState(aaif.Document{Kind: aaif.StateKind, Value: state}); len(found) > 0 {
			t.Errorf("the checkpoint: %v", found)
		}
		masked, _, err := agents.ByPolicy(state, aaif.PIIAnonymize)
		if err != nil {
			t.Fatal(err)
		}
		if text := string(masked.AppendCanonical(nil)); strings.Contains(text, "ann.smith") {
			t.Errorf("AAIF-12-10: an address is left in the checkpoints of subagents: %s", text)
		}
		free.Store(true)
		asked := len(v.who())
		if _, err := there.Host.Start(there.Ctx, there.Me(), host.Start{RunID: runID, Agent: agentID, State: masked}); err != nil {
			t.Fatalf("AAIF-8.2-5: %v", err)
		}
		if _, err := here.Host.Left(here.Ctx, here.Me(), runID, "b.example"); err != nil {
			t.Fatal(err)
		}
		r := there.goOn()
		if r.Status != aaif.Completed || r.Output != "merged" {
			t.Fatalf("AAIF-8.2-5: it ends %s with %q: %+v\n%s", r.Status, r.Output, r.Err, graph(r))
		}
		after := v.who()[asked:]
		slices.Sort(after)
		if got := strings.Join(after, " "); got != "lead w2 w3 w3" {
			t.Errorf("AAIF-8.2-5: the models of %s are asked there", got)
		}
		for _, out := range []string{"one", "two", "three"} {
			if last := v.of("lead")[0].last; !strings.Contains(last, out) {
				t.Errorf("AAIF-4.3-9: the merge does not read %s: %s", out, last)
			}
		}
		writes := map[string]int{}
		for _, c := range []*crew{here, there} {
			for key, n := range c.tools.Counts()["pay"].Keys {
				writes[key] += n
			}
		}
		for key, n := range writes {
			if n != 1 {
				t.Errorf("AAIF-8.2-6: the write %s is made %d times", key, n)
			}
		}
		if len(writes) != 3 || there.tools.Counts()["pay"].Writes != 1 {
			t.Errorf("AAIF-8.2-6: %d writes in all, %d of them there", len(writes), there.tools.Counts()["pay"].Writes)
		}
		if _, err := here.Continue(here.Ctx, here.Me(), runID, run.ContinueOptions{}); err != nil && !errors.Is(err, run.ErrFenced) {
			t.Error(err)
		}
		if got := here.get(); got.Status != aaif.Completed || got.Platform != "b.example" {
			t.Errorf("AAIF-8.2-7: here it is %s at %q", got.Status, got.Platform)
		}
	})
}

// TestMovedMemory moves a run whose subagent has noted something: its note is in its own
// checkpoint, and it remembers there.
func TestMovedMemory(t *testing.T) {
	racing.Skip(t)
	t.Parallel()
	var free atomic.Bool
	noting := func(ctx context.Context, last string, q model.Request) (model.Answer, error) {
		switch noted := slices.ContainsFunc(q.Messages, func(m aaif.Message) bool { return m.Role == "tool" }); {
		case !noted:
			return model.Answer{Calls: []aaif.Call{{ID: "n", Tool: "satchel_memory_write", Arguments: canon.Object(canon.Member{Name: "scope", Value: canon.String("task")},
				canon.Member{Name: "key", Value: canon.String("step")}, canon.Member{Name: "content", Value: canon.String("Half is done.")})}}}, nil
		case !free.Load():
			<-ctx.Done()
			return model.Answer{}, ctx.Err()
		}
		return model.Answer{Text: fmt.Sprint("I know: ", strings.Contains(fmt.Sprintf("%+v", q), "step: Half is done."))}, nil
	}
	v := &voices{all: map[string]voice{"w2": noting}, ended: map[string]bool{}}
	var two []*crew
	for range 2 {
		c := gatherIn(t, vaulttest.Open(t), v)
		c.agent("w2", `"memory":[{"scope":"task","key":"step","content":""}]`)
		c.agent("lead", orchestration(`"role":"orchestrator"`, subs("w2"), `"pipeline":["w2"]`))
		two = append(two, c)
	}
	here, there := two[0], two[1]
	if _, err := here.Host.Start(here.Ctx, here.Me(), host.Start{RunID: runID, Agent: agentID, Input: canon.String("x")}); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() {
		_, err := here.Continue(here.Ctx, here.Me(), runID, run.ContinueOptions{})
		ended <- err
	}()
	for began := time.Now(); len(v.of("w2")) < 2; time.Sleep(5 * time.Millisecond) {
		if time.Since(began) > time.Minute {
			t.Fatalf("it does not get there: %v", v.who())
		}
	}
	state, err := here.Host.Leave(here.Ctx, here.Me(), runID, "d7e8f9a0-1234-4000-8000-000000000001", "b.example")
	<-ended
	if err != nil {
		t.Fatal(err)
	}
	below := aaif.ReadState(state).Below()
	if len(below) != 1 || len(below[0].Memory) != 1 || below[0].Memory[0].Content != "Half is done." || below[0].Memory[0].Scope != aaif.TaskScope {
		t.Fatalf("AAIF-8.1-13: the checkpoints of subagents are %+v", below)
	}
	if p := aaif.ReadState(state).Position; p.Current != "w2" || p.Subagent != "w2" {
		t.Errorf("AAIF-8.1-9: the place is %+v", p)
	}
	free.Store(true)
	if _, err := there.Host.Start(there.Ctx, there.Me(), host.Start{RunID: runID, Agent: agentID, State: state}); err != nil {
		t.Fatal(err)
	}
	if r := there.goOn(); r.Output != "I know: true" {
		t.Errorf("AAIF-8.1-13: it ends %s with %q: %+v", r.Status, r.Output, r.Err)
	}
}

// TestOtherVersion goes on from a checkpoint of another version of the agent: the run says so,
// and does not begin where another major version is not to be trusted.
func TestOtherVersion(t *testing.T) {
	racing.Skip(t)
	t.Parallel()
	const id = "d7e8f9a0-1234-4000-8000-000000000001"
	for _, c := range []struct {
		version, safety string
		refused, noted  bool
	}{{"1.0.0", "strict", false, false}, {"1.7.0", "strict", false, true}, {"2.0.0", "standard", false, true}, {"2.0.0", "strict", true, false}, {"2.0.0", "regulated", true, false}} {
		t.Run("AAIF-8.1-3 of version "+c.version+" at the level "+c.safety, func(t *testing.T) {
			w := gather(t, map[string]voice{"lead": text("done")})
			w.define(`{"provider":"openai","preferred":"lead"}`, "", `"compliance":{"safety_level":"`+c.safety+`"}`)
			state := w.parsed(`{"sc_standard":"SC-006","state_id":"` + id + `","agent_id":"` + agentID + `","run_id":"` + runID + `","agent_version":"` + c.version + `","checkpoint_at":"2026-06-01T12:00:00Z","status":"paused","conversation":[{"role":"user","content":"x"}]}`)
			_, err := w.Host.Start(w.Ctx, w.Me(), host.Start{RunID: runID, Agent: agentID, State: aaif.WithChecksum(state)})
			if c.refused != (aaif.CodeOf(err) == aaif.VersionUnsupported) {
				t.Fatalf("got %v", err)
			}
			if c.refused {
				return
			}
			if r := w.goOn(); r.Output != "done" || c.noted != (len(w.noted("state.version")) == 1) {
				t.Errorf("it ends %s with %q: %+v; it notes %q", r.Status, r.Output, r.Err, w.noted("state.version"))
			}
		})
	}
}

// TestNobodyToLead runs an agent whose only subagent merges: there is nothing to merge, and it
// works alone.
func TestNobodyToLead(t *testing.T) {
	racing.Skip(t)
	t.Parallel()
	c := gather(t, map[string]voice{"lead": text("alone")})
	c.agent("syn", orchestration(`"role":"synthesizer"`))
	c.agent("lead", orchestration(`"role":"orchestrator"`, `"parallel_execution":true`, subs("syn")))
	if r := c.runs(canon.String("x")); r.Output != "alone" || len(c.of("syn")) != 0 {
		t.Errorf("AAIF-4.3-7: it ends %s with %q, by %v: %+v", r.Status, r.Output, c.who(), r.Err)
	}
}

// get returns the run as it stands.
func (c *crew) get() run.Run {
	c.T.Helper()
	r, _, err := c.Get(c.Ctx, c.Me(), runID)
	if err != nil {
		c.T.Fatal(err)
	}
	return r
}

// judge returns what checks documents.
func judge(t *testing.T) *aaif.Validator {
	t.Helper()
	v, err := aaif.NewValidator(nil)
	if err != nil {
		t.Fatal(err)
	}
	return v
}
