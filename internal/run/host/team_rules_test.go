package host_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/route"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/internal/run"
	"github.com/satchel-memory/satchel/internal/run/faketool"
	"github.com/satchel-memory/satchel/internal/run/host"
	"github.com/satchel-memory/satchel/internal/run/model"
	"github.com/satchel-memory/satchel/internal/run/policy"
	"github.com/satchel-memory/satchel/internal/run/tool"
)

// pair is a lead, whose one subagent is a. Both have members.
func pair(t *testing.T, all map[string]voice, lead, sub []string) *crew {
	c := gather(t, all)
	c.agent("a", sub...)
	c.agent("lead", append([]string{orchestration(`"role":"orchestrator"`, subs("a"), `"pipeline":["a"]`)}, lead...)...)
	return c
}

// asking returns the only call about which people are asked, with its thread.
func asking(t *testing.T, r run.Run) (in string, c run.Call) {
	t.Helper()
	n := 0
	for th, one := range r.Asking() {
		in, c = th.In, one
		n++
	}
	if n != 1 || r.Status != aaif.AwaitingApproval {
		t.Fatalf("%s, %d calls wait, %+v", r.Status, n, r.Err)
	}
	return in, c
}

// naming counts the violations among joined errors, unwrapped no further, that hold a text.
func naming(err error, text string) (n int) {
	if all, ok := err.(interface{ Unwrap() []error }); ok {
		for _, one := range all.Unwrap() {
			n += naming(one, text)
		}
	} else if p, ok := err.(*codec.ParseError); ok && strings.Contains(p.Error(), text) {
		n = 1
	}
	return n
}

func TestRulesOfTeams(t *testing.T) {
	const asks = `"compliance":{"human_in_the_loop":{"enabled":true}}`
	t.Run("AAIF-4.9-17 a subagent's write waits for approval", func(t *testing.T) {
		c := pair(t, map[string]voice{"a": calling("Paid.", "pay")}, []string{asks}, []string{"tools:pay"})
		r := c.runs(canon.String("x"))
		in, call := asking(t, r)
		if in != "a" || call.Tool != "pay" || c.tools.Counts()["pay"].Calls != 0 {
			t.Errorf("%s waits in %q, %+v", call.Tool, in, c.tools.Counts())
		}
		if _, err := c.Approve(c.Ctx, c.Me(), runID, call.ID, call.Digest); err != nil {
			t.Fatal(err)
		}
		if r := c.goOn(); r.Output != "Paid." || c.tools.Counts()["pay"].Writes != 1 {
			t.Errorf("got %s %q %+v, %+v", r.Status, r.Output, r.Err, c.tools.Counts())
		}
	})
	t.Run("AAIF-4.3-26 a lead's judge judges what its subagents say", func(t *testing.T) {
		const held = `"constraints":["Be kind"]`
		strict := []string{held, `"compliance":{"safety_level":"strict"}`, `"evaluation":{"judge_model":"judge"}`}
		for _, c := range []struct{ verdict, status string }{{"false", "completed"}, {"true", "failed"}} {
			crew := pair(t, map[string]voice{"a": text("Go away."), "judge": text(`{"violates":` + c.verdict + `,"why":"rude"}`)}, strict, nil)
			if r := crew.runs(canon.String("x")); string(r.Status) != c.status || len(crew.of("judge")) == 0 {
				t.Errorf("the judge says %s: %s %+v", c.verdict, r.Status, r.Err)
			}
		}
		own := pair(t, map[string]voice{"judge": text(`{"violates":false}`), "mine": text(`{"violates":false}`)}, strict, []string{`"evaluation":{"judge_model":"mine"}`})
		own.runs(canon.String("x"))
		if len(own.of("mine")) == 0 {
			t.Error("the subagent's own judge is not asked")
		}
	})
	t.Run("AAIF-4.3-26 why a subagent cannot run is a violation that names it", func(t *testing.T) {
		c := pair(t, nil, []string{`"constraints":["Be kind"]`, `"compliance":{"safety_level":"strict"}`}, nil)
		reasons := c.plan(run.Limits{}).Reasons
		if n := naming(reasons, "the agent a: "); n != 1 {
			t.Errorf("got %d of %v", n, reasons)
		}
	})
	t.Run("AAIF-4.9-17 a rejected call of a subagent is not made", func(t *testing.T) {
		c := pair(t, map[string]voice{"a": calling("I could not.", "pay")}, []string{asks}, []string{"tools:pay"})
		_, call := asking(t, c.runs(canon.String("x")))
		if _, err := c.Reject(c.Ctx, c.Me(), runID, call.ID, "too dear"); err != nil {
			t.Fatal(err)
		}
		if r := c.goOn(); r.Output != "I could not." || c.tools.Counts()["pay"].Calls != 0 {
			t.Errorf("got %s %q %+v, %+v", r.Status, r.Output, r.Err, c.tools.Counts())
		}
	})
	t.Run("AAIF-4.9-17 the gate covers an agent that a run is handed to", func(t *testing.T) {
		c := gather(t, map[string]voice{"billing": calling("Paid.", "pay")})
		c.agent("billing", "tools:pay")
		c.agent("lead", orchestration(`"handoff":[{"condition":{"lang":"always"},"target_agent":"`+idOf("billing")+`"}]`), asks)
		if in, call := asking(t, c.runs(canon.String("x"))); in != "" || call.Tool != "pay" {
			t.Errorf("%s waits in %q", call.Tool, in)
		}
	})
	t.Run("AAIF-4.9-17 two wait, each is decided by its call", func(t *testing.T) {
		c := gather(t, map[string]voice{"w1": calling("one", "pay"), "w2": calling("two", "book"), "lead": echo("")})
		c.agent("w1", "tools:pay")
		c.agent("w2", "tools:book")
		c.agent("lead", orchestration(`"role":"orchestrator"`, `"parallel_execution":true`, subs("w1", "w2")), asks)
		r := c.runs(canon.String("x"))
		waits := map[string]run.Call{}
		for th, call := range r.Asking() {
			waits[th.In] = call
		}
		if len(waits) != 2 || waits["w1"].ID == waits["w2"].ID || r.Status != aaif.AwaitingApproval {
			t.Fatalf("%s, %+v", r.Status, waits)
		}
		if _, err := c.Reject(c.Ctx, c.Me(), runID, waits["w2"].ID, ""); err != nil {
			t.Fatal(err)
		}
		if r := c.goOn(); r.Status != aaif.AwaitingApproval || r.Of("w2").Output != "two" {
			t.Fatalf("got %s\n%s", r.Status, graph(r))
		}
		if _, err := c.Approve(c.Ctx, c.Me(), runID, waits["w1"].ID, waits["w1"].Digest); err != nil {
			t.Fatal(err)
		}
		if r := c.goOn(); r.Status != aaif.Completed || c.tools.Counts()["pay"].Writes != 1 || c.tools.Counts()["book"].Calls != 0 {
			t.Errorf("got %s %+v, %+v", r.Status, r.Err, c.tools.Counts())
		}
	})
	for _, elsewhere := range []bool{false, true} {
		t.Run(fmt.Sprintf("AAIF-4.9-17 approved while another agent works, by another server: %t", elsewhere), func(t *testing.T) {
			c := gather(t, map[string]voice{"w1": calling("one", "pay"), "lead": text("whole")})
			var decided error
			c.all["w2"] = func(context.Context, string, model.Request) (model.Answer, error) {
				by := c.Host
				if elsewhere {
					by = host.New(c.options)
				}
				c.until(func(r run.Run) bool {
					for _, call := range r.Asking() {
						_, decided = by.Approve(c.Ctx, c.Me(), runID, call.ID, call.Digest)
						return true
					}
					return false
				})
				return model.Answer{Text: "two"}, nil
			}
			c.agent("w1", "tools:pay")
			c.agent("w2")
			c.agent("lead", orchestration(`"role":"orchestrator"`, `"parallel_execution":true`, subs("w1", "w2")), asks)
			if r := c.runs(canon.String("x")); decided != nil || r.Output != "whole" || c.tools.Counts()["pay"].Writes != 1 {
				t.Errorf("got %s %q %+v, decided %v, %+v\n%s", r.Status, r.Output, r.Err, decided, c.tools.Counts(), graph(r))
			}
		})
	}
	t.Run("AAIF-4.3-26 the parent's region holds", func(t *testing.T) {
		c := gather(t, nil)
		c.set(func(s *host.Settings) {
			s.Models.Providers = append([]route.Provider{{Name: "anthropic", BaseURL: "https://us.example", Regions: []string{"US"}}}, s.Models.Providers...)
		})
		c.options.Models = c.voices
		c.all = map[string]voice{"a": after(0, busy)}
		c.Host = host.New(c.options)
		c.agent("a", `"model":{"provider":"openai","preferred":"a","fallbacks":[{"provider":"anthropic","model":"us"}]}`, `"runtime":{"max_retries":0}`, `"compliance":{"data_residency":"global"}`)
		c.agent("lead", orchestration(`"role":"orchestrator"`, subs("a"), `"pipeline":["a"]`), `"compliance":{"data_residency":"EU"}`)
		r := c.runs(canon.String("x"))
		if len(c.of("us")) != 0 || len(c.of("a")) == 0 || r.Err == nil {
			t.Errorf("got %s by %v", r.Status, c.who())
		}
	})
	t.Run("AAIF-4.3-26 nobody in the parent's region can be asked", func(t *testing.T) {
		c := pair(t, nil, []string{`"compliance":{"data_residency":"US"}`}, nil)
		_, err := c.Host.Start(c.Ctx, c.Me(), host.Start{RunID: runID, Agent: agentID, Input: canon.String("x")})
		if err == nil || len(c.who()) != 0 {
			t.Errorf("it starts: %v", err)
		}
	})
	t.Run("AAIF-12-6 the parent's constraints hold", func(t *testing.T) {
		for name, c := range map[string]*crew{
			"a subagent": pair(t, map[string]voice{"a": text("Buy bananas.")}, []string{`"constraints":["Never speak of bananas."]`}, nil),
			"a target": func() *crew {
				c := gather(t, map[string]voice{"a": text("Buy bananas.")})
				c.agent("a")
				c.agent("lead", orchestration(`"handoff":[{"condition":{"lang":"always"},"target_agent":"`+idOf("a")+`"}]`), `"constraints":["Never speak of bananas."]`)
				return c
			}(),
		} {
			rules, err := policy.ReadRules([]byte(`{"Never speak of bananas.":{"forbid_pattern":"(?i)banana","in":"output"}}`))
			if err != nil {
				t.Fatal(err)
			}
			c.options.Settings.Rules = rules
			c.Host = host.New(c.options)
			r := c.runs(canon.String("x"))
			if asked := c.of("a"); len(asked) == 0 || !strings.Contains(asked[0].q.System, "Never speak of bananas.") {
				t.Errorf("%s is not told of the constraint", name)
			}
			if strings.Contains(r.Output, "banana") {
				t.Errorf("%s: got %s %q", name, r.Status, r.Output)
			}
		}
	})
	t.Run("AAIF-4.3-26 personal data is protected as the parent does", func(t *testing.T) {
		c := pair(t, map[string]voice{"a": calling("Done.", "look")}, []string{`"compliance":{"pii_handling":"anonymize"}`}, []string{"tools:look"})
		c.tools.SetFault("look", faketool.Fault{Kind: faketool.AnswerAlways, Answer: `{"mail":"ann@example.org"}`})
		c.runs(canon.String("x"))
		for _, h := range c.of("a") {
			if strings.Contains(h.last, "ann@example.org") {
				t.Errorf("the subagent reads %s", h.last)
			}
		}
		if len(c.of("a")) != 2 {
			t.Errorf("asked %v", c.who())
		}
	})
}

// TestMemoryOfTeams tells what agents see of the memory of others in a run.
func TestMemoryOfTeams(t *testing.T) {
	const remembers = `"memory":[{"scope":"long_term","key":"a","content":"Ann pays late."},{"scope":"long_term","key":"b","content":"Bob pays early."},{"scope":"user","key":"u","content":"She likes tea."}]`
	reads := func(c *crew, who string) string {
		var all strings.Builder
		for _, h := range c.of(who) {
			all.WriteString(h.q.System)
			for _, m := range h.q.Messages {
				all.WriteString(m.Content)
			}
		}
		return all.String()
	}
	t.Run("AAIF-4.3-21 a subagent reads the keys that are passed", func(t *testing.T) {
		c := gather(t, nil)
		c.agent("a")
		c.agent("b")
		c.agent("lead", orchestration(`"role":"orchestrator"`, subs(`a|"pass_memory_keys":["a"]`, "b"), `"pipeline":["a","b"]`), remembers)
		r := c.runs(canon.String("How do they pay?"))
		if got := reads(c, "a"); r.Status != aaif.Completed || !strings.Contains(got, "Ann pays late.") || strings.Contains(got, "Bob pays early.") {
			t.Errorf("got %s %+v, a reads %s", r.Status, r.Err, got)
		}
		if got := reads(c, "b"); strings.Contains(got, "pays late") || strings.Contains(got, "pays early") {
			t.Errorf("b reads %s", got)
		}
	})
	t.Run("AAIF-4.3-20 a handoff passes long_term alone, or nothing", func(t *testing.T) {
		for _, passes := range []bool{true, false} {
			c := gather(t, nil)
			c.agent("a")
			member := ""
			if passes {
				member = `,"pass_memory":true`
			}
			c.agent("lead", orchestration(`"handoff":[{"condition":{"lang":"always"},"target_agent":"`+idOf("a")+`"`+member+`}]`), remembers)
			c.runs(canon.String("How does she pay, and what does she like?"))
			got := reads(c, "a")
			if strings.Contains(got, "She likes tea.") || strings.Contains(got, "Ann pays late.") != passes {
				t.Errorf("passed %t: a reads %s", passes, got)
			}
		}
	})
}

// remoteAgents are agents on another platform.
type remoteAgents struct {
	asked []string
	err   error
}

// Ask implements [host.Remote].
func (r *remoteAgents) Ask(_ context.Context, card, key, message string) (tool.Result, error) {
	r.asked = append(r.asked, card+" "+key+" "+message)
	return tool.Result{Text: "from afar: " + message}, r.err
}

// TestRemoteInTeams gives agents elsewhere tasks, as calls.
func TestRemoteInTeams(t *testing.T) {
	const card = "https://far.example/.well-known/agent-card.json"
	far := func(t *testing.T, r *remoteAgents, members ...string) *crew {
		c := gather(t, nil)
		c.set(func(s *host.Settings) { s.Tools.Agents = []tool.Elsewhere{{Card: card}} })
		c.options.Models, c.options.Remote = c.voices, r
		c.Host = host.New(c.options)
		c.agent("a")
		c.agent("lead", append([]string{orchestration(`"role":"orchestrator"`, `"subagents":[{"ref":"`+card+`","alias":"far"},{"ref":"`+idOf("a")+`","alias":"a"}]`, `"pipeline":["far","a"]`)}, members...)...)
		return c
	}
	t.Run("AAIF-4.3-4 an agent elsewhere is a step", func(t *testing.T) {
		elsewhere := &remoteAgents{}
		c := far(t, elsewhere)
		r := c.runs(canon.String("x"))
		if r.Output != "a" || len(elsewhere.asked) != 1 || !strings.HasPrefix(elsewhere.asked[0], card) || c.of("a")[0].last != "from afar: x" {
			t.Errorf("got %s %q %+v, asked %q", r.Status, r.Output, r.Err, elsewhere.asked)
		}
	})
	t.Run("AAIF-4.6-6 nobody knows whether it got the task", func(t *testing.T) {
		elsewhere := &remoteAgents{err: &tool.Error{Code: tool.OutcomeUnknown, Outcome: tool.Unknown, Text: "the connection broke"}}
		c := far(t, elsewhere)
		r := c.runs(canon.String("x"))
		if r.Err == nil || r.Err.Step != "far" || !strings.Contains(r.Err.Message, string(aaif.OutcomeUnknown)) || len(elsewhere.asked) != 1 || len(c.of("a")) != 0 {
			t.Errorf("got %s %q %+v, asked %q", r.Status, r.Output, r.Err, elsewhere.asked)
		}
	})
	t.Run("AAIF-4.9-17 a person is asked first", func(t *testing.T) {
		elsewhere := &remoteAgents{}
		c := far(t, elsewhere, `"compliance":{"human_in_the_loop":{"enabled":true}}`)
		in, call := asking(t, c.runs(canon.String("x")))
		if in != "far" || len(elsewhere.asked) != 0 {
			t.Errorf("waits in %q, asked %q", in, elsewhere.asked)
		}
		if _, err := c.Approve(c.Ctx, c.Me(), runID, call.ID, call.Digest); err != nil {
			t.Fatal(err)
		}
		if r := c.goOn(); r.Output != "a" || len(elsewhere.asked) != 1 {
			t.Errorf("got %s %q %+v, asked %q", r.Status, r.Output, r.Err, elsewhere.asked)
		}
	})
}

// TestRegionsOfTeams: a subagent is held to the region of the agent that it works for, in runs
// and in evaluations.
func TestRegionsOfTeams(t *testing.T) {
	for region, want := range map[string]aaif.Code{"EU": "", "US": route.ResidencyUnsatisfied} {
		t.Run("AAIF-4.9-6 a subagent's model in "+region, func(t *testing.T) {
			c := gather(t, map[string]voice{"a": text("Done."), "lead": text("whole")})
			c.set(func(s *host.Settings) {
				s.Models.Providers = append(s.Models.Providers, route.Provider{Name: "mistral", BaseURL: "http://127.0.0.1:1/v1", Regions: []string{region}})
			})
			c.agent("a", `"model":{"provider":"mistral","preferred":"a"}`)
			c.agent("lead", orchestration(`"role":"orchestrator"`, subs("a"), `"pipeline":["a"]`), `"compliance":{"data_residency":"EU"}`,
				`"evaluation":{"metrics":[{"name":"latency_ms","threshold":1e9}],"test_cases":[{"id":"one","input":"x"}]}`)
			kept, err := c.agents.Agent(c.Ctx, c.Me(), agentID, 0)
			if err != nil {
				t.Fatal(err)
			}
			_, err = host.Evaluate(c.Ctx, c.Host, c.Me(), host.Evaluation{Agent: kept})
			if aaif.CodeOf(err) != want || want == "" && err != nil || (len(c.heard) == 0) != (want != "") {
				t.Errorf("its evaluation: %v after %d requests", err, len(c.heard))
			}
			c.heard = nil
			_, err = c.Host.Start(c.Ctx, c.Me(), host.Start{RunID: runID, Agent: agentID, Input: canon.String("x")})
			if err == nil {
				if r := c.goOn(); r.Err != nil {
					err = aaif.Violation("aaif", aaif.Code(r.Err.Code), "4.9-6", "", "%s", r.Err.Message)
				}
			}
			if aaif.CodeOf(err) != want || want == "" && err != nil || (len(c.heard) == 0) != (want != "") {
				t.Errorf("its run: %v after %d requests", err, len(c.heard))
			}
		})
	}
}
