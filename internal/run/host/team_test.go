package host_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/run"
	"github.com/satchel-memory/satchel/internal/run/faketool"
	"github.com/satchel-memory/satchel/internal/run/host"
	"github.com/satchel-memory/satchel/internal/run/model"
)

func TestPipelines(t *testing.T) {
	line := func(t *testing.T, all map[string]voice, subagents string) *crew {
		c := gather(t, all)
		for _, name := range []string{"a", "b", "c"} {
			c.agent(name)
		}
		c.agent("lead", orchestration(`"role":"orchestrator"`, subagents, `"pipeline":["a","b","c"]`))
		return c
	}
	echoes := map[string]voice{"a": echo("-a"), "b": echo("-b"), "c": echo("-c")}
	t.Run("AAIF-4.3-4 one after another", func(t *testing.T) {
		c := line(t, echoes, subs("a", "b", "c"))
		if r := c.runs(canon.String("x")); r.Output != "x-a-b-c" || strings.Join(c.who(), "") != "abc" {
			t.Errorf("got %s %q %+v by %v\n%s", r.Status, r.Output, r.Err, c.who(), graph(r))
		}
	})
	t.Run("AAIF-4.3-6 a step that is not taken", func(t *testing.T) {
		c := line(t, echoes, subs("a", `b|"when":{"lang":"never"}`, "c"))
		r := c.runs(canon.String("x"))
		skipped := ""
		for _, e := range c.events() {
			if e.Kind == run.Skipped {
				skipped += e.In
			}
		}
		if r.Output != "x-a-c" || skipped != "b" || strings.Join(c.who(), "") != "ac" {
			t.Errorf("got %s %q %+v by %v, skipped %q", r.Status, r.Output, r.Err, c.who(), skipped)
		}
	})
	t.Run("AAIF-4.3-8 a step that fails", func(t *testing.T) {
		c := line(t, map[string]voice{"b": broken}, subs("a", "b", "c"))
		if r := c.runs(canon.String("x")); r.Err == nil || r.Err.Step != "b" || len(c.of("c")) != 0 || len(c.of("b")) == 0 {
			t.Errorf("got %s %q %+v by %v", r.Status, r.Output, r.Err, c.who())
		}
	})
}

// three is a swarm of three workers under a lead.
func three(t *testing.T, all map[string]voice, members ...string) *crew {
	c := gather(t, all)
	for _, name := range []string{"w1", "w2", "w3", "other"} {
		c.agent(name)
	}
	c.agent("syn", orchestration(`"role":"synthesizer"`))
	c.agent("judge", orchestration(`"role":"evaluator"`))
	c.agent("lead", orchestration(append([]string{`"role":"orchestrator"`, `"parallel_execution":true`}, members...)...))
	return c
}

func TestSwarms(t *testing.T) {
	workers := subs("w1", "w2", "w3")
	say := func(a, b, c string) map[string]voice {
		return map[string]voice{"w1": text(a), "w2": text(b), "w3": text(c)}
	}
	t.Run("AAIF-4.3-9 side by side", func(t *testing.T) {
		pause := 400 * time.Millisecond
		c := three(t, map[string]voice{"w1": after(pause, text("one")), "w2": after(pause, text("two")), "w3": after(pause, text("three")), "lead": text("merged")}, workers)
		r := c.runs(canon.String("x"))
		asked := c.of("lead")
		if r.Output != "merged" || c.top != 3 || len(asked) != 1 {
			t.Fatalf("got %s %q %+v, %d at once, by %v\n%s", r.Status, r.Output, r.Err, c.top, c.who(), graph(r))
		}
		for _, out := range []string{"one", "two", "three", "untrusted-data"} {
			if !strings.Contains(asked[0].last, out) {
				t.Errorf("the merging model does not read %s: %s", out, asked[0].last)
			}
		}
	})
	t.Run("AAIF-4.3-7 a synthesizer merges", func(t *testing.T) {
		c := three(t, map[string]voice{"syn": text("whole")}, subs("w1", "w2", "syn"))
		if r := c.runs(canon.String("x")); r.Output != "whole" || len(c.of("lead")) != 0 || !strings.Contains(c.of("syn")[0].last, "w2") {
			t.Errorf("got %s %q %+v by %v", r.Status, r.Output, r.Err, c.who())
		}
	})
	t.Run("AAIF-4.3-11 most votes win", func(t *testing.T) {
		c := three(t, say("A", " a ", "B"), workers, `"consensus":{"strategy":"majority_vote","min_votes":2}`)
		if r := c.runs(canon.String("x")); !strings.EqualFold(strings.TrimSpace(r.Output), "a") {
			t.Errorf("got %s %q %+v", r.Status, r.Output, r.Err)
		}
		c = three(t, say("A", "B", "C"), workers, `"consensus":{"strategy":"majority_vote","min_votes":2}`)
		if r := c.runs(canon.String("x")); r.Err == nil || r.Err.Code != "CONSENSUS_NOT_REACHED" {
			t.Errorf("got %s %q %+v", r.Status, r.Output, r.Err)
		}
		all := say("A", "B", "C")
		all["other"] = text("w2")
		c = three(t, all, subs("w1", "w2", "w3", "other"), `"consensus":{"strategy":"majority_vote","min_votes":2,"referee_agent":"other"}`)
		if r := c.runs(canon.String("x")); r.Output != "B" {
			t.Errorf("got %s %q %+v by %v", r.Status, r.Output, r.Err, c.who())
		}
	})
	t.Run("AAIF-4.3-12 the best is taken", func(t *testing.T) {
		all := say("one", "two", "three")
		all["judge"] = func(_ context.Context, last string, _ model.Request) (model.Answer, error) {
			for output, score := range map[string]string{"one": "0.2", "two": ".9", "three": "0.5"} {
				if strings.Contains(last, `"`+output+`"`) {
					return model.Answer{Text: score}, nil
				}
			}
			return model.Answer{Text: "?"}, nil
		}
		c := three(t, all, subs("w1", "w2", "w3", `judge|"role":"evaluator"`), `"consensus":{"strategy":"best_of_n"}`)
		if r := c.runs(canon.String("x")); r.Output != "two" {
			t.Errorf("got %s %q %+v by %v", r.Status, r.Output, r.Err, c.who())
		}
	})
	t.Run("AAIF-4.3-13 a referee decides", func(t *testing.T) {
		all := say("one", "two", "three")
		all["other"] = text("w3")
		c := three(t, all, subs("w1", "w2", "w3", "other"), `"consensus":{"strategy":"referee","referee_agent":"other"}`)
		if r := c.runs(canon.String("x")); r.Output != "three" {
			t.Errorf("got %s %q %+v by %v", r.Status, r.Output, r.Err, c.who())
		}
	})
	t.Run("AAIF-4.3-14 the first success ends the others", func(t *testing.T) {
		ms := time.Millisecond
		c := three(t, map[string]voice{"w1": after(10*ms, broken), "w3": after(10*time.Second, text("three"))}, workers, `"consensus":{"strategy":"first_success"}`)
		c.all["w2"] = func(ctx context.Context, last string, q model.Request) (model.Answer, error) {
			c.until(func(r run.Run) bool { return r.Of("w1") != nil && r.Of("w1").Status.Ended() })
			return after(40*ms, text("two"))(ctx, last, q)
		}
		began := time.Now()
		r := c.runs(canon.String("x"))
		if took := time.Since(began); r.Output != "two" || !c.ended["w3"] || took > 5*time.Second {
			t.Errorf("got %s %q %+v after %s, given up: %v", r.Status, r.Output, r.Err, took, c.ended)
		}
		const want = ". lead completed\nw1 w1 MODEL_BAD_REQUEST at model\nw2 w2 completed\nw3 w3 cancelled\n"
		if got := graph(r); got != want {
			t.Errorf("got\n%s", got)
		}
	})
	t.Run("AAIF-4.3-14 a call under way is not repeated", func(t *testing.T) {
		c := gather(t, map[string]voice{"w1": calling("one", "pay"), "w2": after(150*time.Millisecond, text("two"))})
		c.tools.SetFault("pay", faketool.Fault{Kind: faketool.HangAfter})
		c.agent("w1", "tools:pay")
		c.agent("w2")
		c.agent("lead", orchestration(`"role":"orchestrator"`, `"parallel_execution":true`, subs("w1", "w2"), `"consensus":{"strategy":"first_success"}`))
		r := c.runs(canon.String("x"))
		recorded := ""
		for _, e := range c.events() {
			if e.In == "w1" && e.Kind == run.Returned {
				recorded += e.Code
			}
		}
		if r.Output != "two" || c.tools.Counts()["pay"].Calls != 1 || recorded != string(aaif.OutcomeUnknown) {
			t.Errorf("got %s %q %+v, %+v, recorded %q\n%s", r.Status, r.Output, r.Err, c.tools.Counts(), recorded, graph(r))
		}
	})
}

func TestRouters(t *testing.T) {
	when := func(name, kind string) string {
		return name + `|"when":{"lang":"jsonpath","expr":"$.task[?(@.type=='` + kind + `')]"}`
	}
	routed := func(t *testing.T, kind string, members ...string) (*crew, run.Run) {
		c := gather(t, nil)
		for _, name := range []string{"invoice", "billing", "fall"} {
			c.agent(name)
		}
		c.agent("lead", orchestration(append([]string{`"role":"router"`}, members...)...))
		v, err := aaif.FromJSON([]byte(`{"task":[{"type":"`+kind+`"}]}`), aaif.ReadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return c, c.runs(v)
	}
	t.Run("AAIF-4.3-15 the specialist that matches", func(t *testing.T) {
		c, r := routed(t, "invoice", subs(when("billing", "bill"), when("invoice", "invoice")))
		if r.Output != "invoice" || strings.Join(c.who(), " ") != "invoice" {
			t.Errorf("got %s %q %+v by %v", r.Status, r.Output, r.Err, c.who())
		}
	})
	t.Run("AAIF-4.3-15 nobody matches", func(t *testing.T) {
		c, r := routed(t, "letter", subs(when("billing", "bill"), when("invoice", "invoice")))
		if r.Err == nil || r.Err.Code != "ROUTE_NO_MATCH" || len(c.who()) != 0 {
			t.Errorf("got %s %q %+v by %v", r.Status, r.Output, r.Err, c.who())
		}
	})
	t.Run("AAIF-4.3-15 somebody falls in", func(t *testing.T) {
		c, r := routed(t, "letter", subs(when("billing", "bill"), `fall|"role":"fallback"`))
		if r.Output != "fall" || strings.Join(c.who(), " ") != "fall" {
			t.Errorf("got %s %q %+v by %v", r.Status, r.Output, r.Err, c.who())
		}
	})
	t.Run("AAIF-4.3-15 all that match", func(t *testing.T) {
		c, r := routed(t, "bill", `"parallel_execution":true`, subs(when("billing", "bill"), when("invoice", "bill")))
		if len(c.of("billing")) != 1 || len(c.of("invoice")) != 1 || r.Status != aaif.Completed {
			t.Errorf("got %s %q %+v by %v", r.Status, r.Output, r.Err, c.who())
		}
	})
	t.Run("AAIF-5-14 a condition in words is told of once", func(t *testing.T) {
		c, r := routed(t, "bill", subs(`billing|"when":"bills"`))
		if found := c.noted("portability.string_condition"); r.Output != "billing" || len(found) != 1 || !strings.Contains(found[0], "/agent/orchestration/subagents/0/when") {
			t.Errorf("got %s %q %+v: %q", r.Status, r.Output, r.Err, found)
		}
	})
}

func TestHandoffs(t *testing.T) {
	intent := `{"condition":{"lang":"cel","expr":"output.intent == 'billing'"},"target_agent":"billing"}`
	handing := func(t *testing.T, all map[string]voice, handoff string) (*crew, run.Run) {
		c := gather(t, all)
		c.agent("billing")
		c.agent("lead", orchestration(subs("billing"), `"handoff":[`+handoff+`]`))
		return c, c.runs(canon.String("I was charged twice."))
	}
	says := map[string]voice{"lead": text(`{"intent":"billing"}`), "billing": text("Paid back.")}
	t.Run("AAIF-4.3-18 a satisfied condition hands over", func(t *testing.T) {
		c, r := handing(t, says, intent)
		handed := 0
		for _, e := range c.events() {
			if e.Kind == run.Handed {
				handed++
			}
		}
		if r.Output != "Paid back." || strings.Join(c.who(), " ") != "lead billing" || handed != 1 || r.Iteration != 2 {
			t.Errorf("got %s %q %+v by %v, handed over %d times", r.Status, r.Output, r.Err, c.who(), handed)
		}
	})
	t.Run("AAIF-4.3-18 another one does not", func(t *testing.T) {
		c, r := handing(t, map[string]voice{"lead": text(`{"intent":"sales"}`)}, intent)
		if r.Output != `{"intent":"sales"}` || strings.Join(c.who(), " ") != "lead" {
			t.Errorf("got %s %q %+v by %v", r.Status, r.Output, r.Err, c.who())
		}
	})
	t.Run("AAIF-4.3-19 with the conversation, or without", func(t *testing.T) {
		c, _ := handing(t, says, intent)
		if got := c.of("billing")[0].q.Messages; len(got) != 3 || got[0].Content != "I was charged twice." || got[1].Content != `{"intent":"billing"}` {
			t.Errorf("got %+v", got)
		}
		c, _ = handing(t, says, strings.Replace(intent, "}", `},"pass_context":false`, 1))
		if got := c.of("billing")[0].q.Messages; len(got) != 1 || got[0].Content != "I was charged twice." {
			t.Errorf("got %+v", got)
		}
	})
	t.Run("AAIF-4.3-24 to and fro", func(t *testing.T) {
		c := gather(t, nil)
		always := func(to string) string {
			return `"handoff":[{"condition":{"lang":"always"},"target_agent":"` + to + `"}]`
		}
		c.agent("billing", orchestration(`"max_iterations":9`, always(agentID)))
		c.agent("lead", orchestration(`"max_iterations":4`, always(idOf("billing"))))
		r := c.runs(canon.String("x"))
		if r.Err == nil || r.Err.Code != string(aaif.MaxIterations) || strings.Join(c.who(), " ") != "lead billing lead billing" || r.Iteration != 4 {
			t.Errorf("got %s %q %+v by %v", r.Status, r.Output, r.Err, c.who())
		}
	})
}

func TestNested(t *testing.T) {
	t.Run("AAIF-4.3-22 a swarm in a pipeline, with a handoff", func(t *testing.T) {
		c := gather(t, map[string]voice{"planner": text("plan"), "w2": text(`{"intent":"hard"}`), "expert": text("solved"), "writer": echo("!"), "swarm": text("merged")})
		for _, name := range []string{"planner", "w1", "w3", "writer", "expert"} {
			c.agent(name)
		}
		c.agent("w2", orchestration(`"handoff":[{"condition":{"lang":"cel","expr":"output.intent == 'hard'"},"target_agent":"`+idOf("expert")+`"}]`))
		c.agent("swarm", orchestration(`"role":"orchestrator"`, `"parallel_execution":true`, subs("w1", "w2", "w3")))
		c.agent("lead", orchestration(`"role":"orchestrator"`, subs("planner", "swarm", "writer"), `"pipeline":["planner","swarm","writer"]`))
		r := c.runs(canon.String("x"))
		const want = `. lead completed
planner planner completed
swarm swarm completed
swarm/w1 w1 completed
swarm/w2 w2 expert completed
swarm/w3 w3 completed
swarm/:merge swarm completed
writer writer completed
`
		if got := graph(r); r.Output != "merged!" || got != want {
			t.Errorf("got %s %q %+v\n%s", r.Status, r.Output, r.Err, got)
		}
		if !strings.Contains(c.of("swarm")[0].last, "solved") {
			t.Errorf("merged is %s", c.of("swarm")[0].last)
		}
	})
	t.Run("AAIF-4.3-25 a circle ends", func(t *testing.T) {
		c := gather(t, nil)
		c.agent("a", orchestration(`"role":"orchestrator"`, subs("b")))
		c.agent("b", orchestration(`"role":"orchestrator"`, subs("a")))
		c.agent("a", orchestration(`"role":"orchestrator"`, subs("b")), `"description":"Again."`)
		c.agent("lead", orchestration(`"role":"orchestrator"`, subs("a"), `"pipeline":["a"]`))
		r := c.runs(canon.String("x"))
		if !r.Status.Ended() || !strings.Contains(graph(r), "SUBAGENT_LIMIT_EXCEEDED") || len(r.Threads) > 20 {
			t.Errorf("got %s %q %+v\n%s", r.Status, r.Output, r.Err, graph(r))
		}
	})
	t.Run("AAIF-4.3-1 every role takes its part", func(t *testing.T) {
		c := three(t, map[string]voice{"judge": text("fine"), "syn": text("whole")}, subs(`w1|"role":"worker"`, `w2|"role":"specialist"`, `judge|"role":"evaluator"`, "syn"))
		r := c.runs(canon.String("x"))
		const want = `. lead completed
w1 w1 completed
w2 w2 completed
judge:judge judge completed
merge:syn syn completed
`
		if got := graph(r); r.Output != "whole" || got != want {
			t.Errorf("got %s %q %+v\n%s", r.Status, r.Output, r.Err, got)
		}
	})
	t.Run("AAIF-4.3-2 somebody is missing", func(t *testing.T) {
		c := gather(t, nil)
		c.agent("lead", orchestration(`"role":"orchestrator"`, subs("w1"), `"pipeline":["w1"]`))
		_, err := c.Host.Start(c.Ctx, c.Me(), host.Start{RunID: runID, Agent: agentID, Input: canon.String("x")})
		if aaif.CodeOf(err) != aaif.SubagentUnresolved || len(c.who()) != 0 {
			t.Errorf("got %v", err)
		}
	})
}
