package host_test

import (
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/route"
	"github.com/satchel-memory/satchel/internal/run"
	"github.com/satchel-memory/satchel/internal/run/evaluate"
	"github.com/satchel-memory/satchel/internal/run/fakemodel"
	"github.com/satchel-memory/satchel/internal/run/host"
	"github.com/satchel-memory/satchel/internal/run/model"
	"github.com/satchel-memory/satchel/internal/run/tool"
	"github.com/satchel-memory/satchel/internal/vault/runstore"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
)

const (
	judged = `"evaluation":{"judge_model":"desk/j","metrics":[{"name":"task_completion","threshold":0.9},{"name":"cost_usd_per_run","threshold":0.05}],"test_cases":[{"id":"a","input":"Look, book and pay.","criteria":"Pays once."}]}`
	fine   = `{"scores":{"task_completion":{"score":0.9}}}`
)

// evaluated evaluates an agent that looks, books and pays. Its judge is another provider, whose
// region and address are given; empty: the provider's own.
func evaluated(t *testing.T, region, address string, o host.Evaluation, member string, steps ...model.Step) (p *place, judge *fakemodel.Handler, r evaluate.Report, err error) {
	t.Helper()
	p = open(t, vaulttest.Open(t), script(asks("look", "book"), asks("pay"), model.Step{Answer: "Done."})...)
	judge, at := fakemodel.Start(t, steps...)
	if address == "" {
		address = at + "/v1"
	}
	price, best, weak := 0.5, 0.9, 0.3
	p.set(func(s *host.Settings) {
		s.Models.Providers = append(s.Models.Providers, route.Provider{Name: "desk", BaseURL: address, Regions: []string{region}})
		s.Models.Models = []route.Model{{Target: route.Target{Provider: "openai", Model: "m"}, Input: &price, Output: &price, Quality: &best}, {Target: route.Target{Provider: "desk", Model: "j"}, Input: &price, Output: &price, Quality: &weak}}
	})
	members := []string{oversight}
	if member != "" {
		members[0] = member
	}
	p.take(append(members, judged)...)
	if o.Agent, err = p.agents.Agent(p.Ctx, p.Me(), agentID, 0); err != nil {
		t.Fatal(err)
	}
	r, err = host.Evaluate(p.Ctx, p.Host, p.Me(), o)
	return p, judge, r, err
}

func TestEvaluate(t *testing.T) {
	p, judge, r, err := evaluated(t, "EU", "", host.Evaluation{}, "", model.Step{Answer: fine})
	if err != nil || !r.Passed || r.Cases[0].Output != "Done." || len(r.Cases[0].Calls) != 3 || r.Cases[0].Approvals != 1 {
		t.Fatalf("got %+v, %v", r, err)
	}
	t.Run("AAIF-4.8-9 no tool is called", func(t *testing.T) {
		if got := p.tools.Counts(); len(got) != 0 {
			t.Errorf("called %v", got)
		}
	})
	t.Run("AAIF-4.8-1 the judge that the definition names is asked", func(t *testing.T) {
		sent := judge.Requests()
		if len(sent) != 1 || sent[0].Body.Get("model").Text() != "j" || r.Judge != "desk/j" {
			t.Fatalf("sent %+v, named %q", sent, r.Judge)
		}
		for _, text := range []string{"task_completion", "Pays once.", "Look, book and pay.", "Done.", "untrusted-data", "pay("} {
			if !strings.Contains(string(sent[0].Body.Append(nil)), text) {
				t.Errorf("the judge does not read %q", text)
			}
		}
		if !strings.Contains(strings.Join(r.Warnings, "\n"), route.JudgeWeaker) {
			t.Errorf("warned of %q", r.Warnings)
		}
	})
	t.Run("AAIF-4.8-6 the cost is that of the agent, by the table", func(t *testing.T) {
		if got := *r.Metrics[1].Mean; got != 0.0225 || r.JudgeUsage.USD != 0.0075 {
			t.Errorf("cost %v, the judge %+v", got, r.JudgeUsage)
		}
	})
	t.Run("AAIF-4.8-6 a judge whose provider tells no tokens is not free", func(t *testing.T) {
		_, _, r, err := evaluated(t, "EU", "", host.Evaluation{}, "", model.Step{Answer: fine, Usage: &model.Usage{}})
		if err != nil || r.JudgeUsage.Input < 100 || r.JudgeUsage.Output < 5 || r.JudgeUsage.USD == 0 {
			t.Errorf("the judge has used %+v, %v", r.JudgeUsage, err)
		}
	})
	t.Run("AAIF-4.8-5 no run of it is kept", func(t *testing.T) {
		if listed, err := p.List(p.Ctx, p.Me(), "", runstore.Place{}, 10); err != nil || len(listed) != 0 {
			t.Errorf("listed %+v, %v", listed, err)
		}
	})
}

func TestEvaluateReads(t *testing.T) {
	p, _, r, err := evaluated(t, "EU", "", host.Evaluation{Reads: true}, "", model.Step{Answer: fine})
	counts := p.tools.Counts()
	if err != nil || !r.Passed || counts["look"].Calls != 1 || counts["book"].Calls != 0 || counts["pay"].Calls != 0 {
		t.Errorf("AAIF-4.8-9: called %v; %+v, %v", counts, r, err)
	}
	t.Run("AAIF-4.8-9 what is not granted is not called either", func(t *testing.T) {
		p.set(func(s *host.Settings) { s.Tools.Grants = []tool.Grant{{Agent: agentID, Tools: []string{"book"}}} })
		kept, err := p.agents.Agent(p.Ctx, p.Me(), agentID, 0)
		if err != nil {
			t.Fatal(err)
		}
		if r, err := host.Evaluate(p.Ctx, p.Host, p.Me(), host.Evaluation{Agent: kept, Reads: true}); err != nil || len(r.Cases[0].Calls) != 3 || p.tools.Counts()["look"].Calls != 1 {
			t.Errorf("called %v; %+v, %v", p.tools.Counts(), r.Cases, err)
		}
	})
}

func TestEvaluateWithoutJudge(t *testing.T) {
	t.Run("AAIF-4.9-6 the judge is outside of the region", func(t *testing.T) {
		p, judge, _, err := evaluated(t, "US", "", host.Evaluation{}, `"compliance":{"data_residency":"EU"}`, model.Step{Answer: fine})
		if aaif.CodeOf(err) != route.ResidencyUnsatisfied || len(judge.Requests()) != 0 || len(p.asked()) != 0 {
			t.Errorf("got %v after %d requests", err, len(p.asked()))
		}
	})
	t.Run("AAIF-4.8-8 the judge cannot be reached", func(t *testing.T) {
		_, _, r, err := evaluated(t, "EU", "http://127.0.0.1:1/v1", host.Evaluation{}, "")
		if err != nil || r.Passed || r.Metrics[0].Verdict != evaluate.NotComputed || r.Metrics[1].Verdict != evaluate.Met {
			t.Errorf("got %+v, %v", r.Metrics, err)
		}
	})
	t.Run("AAIF-4.8-8 the judge says something else", func(t *testing.T) {
		_, _, r, err := evaluated(t, "EU", "", host.Evaluation{}, "", model.Step{Answer: "It is fine: 0.9"})
		if err != nil || r.Passed || r.Metrics[0].Verdict != evaluate.NotComputed {
			t.Errorf("got %+v, %v", r.Metrics, err)
		}
	})
	t.Run("the limits of the owner hold", func(t *testing.T) {
		p, _, r, err := evaluated(t, "EU", "", host.Evaluation{Limits: run.Limits{USD: 0.01}}, "", model.Step{Answer: fine})
		if err != nil || r.Passed || r.Cases[0].Error == nil || r.Cases[0].Error.Code != string(aaif.BudgetExceeded) || len(p.asked()) != 2 {
			t.Errorf("got %+v, %v", r.Cases, err)
		}
	})
}

// TestEvaluateTeam: agents that work for an agent are evaluated with it, and no tool of theirs
// is called.
func TestEvaluateTeam(t *testing.T) {
	fine := text(fine)
	c := gather(t, map[string]voice{"a": calling("A.", "pay"), "b": echo("-b"), "m": fine})
	c.agent("a", "tools:pay", oversight)
	c.agent("b")
	c.agent("lead", orchestration(`"role":"orchestrator"`, subs("a", "b"), `"pipeline":["a","b"]`),
		`"evaluation":{"judge_model":"m","metrics":[{"name":"tool_call_accuracy","threshold":1},{"name":"latency_ms","threshold":1e9}],"test_cases":[{"id":"one","input":"x","expected_output":{"tool_calls":[{"name":"pay"}]}}]}`)
	kept, err := c.agents.Agent(c.Ctx, c.Me(), agentID, 0)
	if err != nil {
		t.Fatal(err)
	}
	r, err := host.Evaluate(c.Ctx, c.Host, c.Me(), host.Evaluation{Agent: kept})
	if err != nil || !r.Passed || r.Cases[0].Output != "A.-b" || r.Cases[0].Approvals != 1 || len(c.tools.Counts()) != 0 {
		t.Errorf("AAIF-4.8-9: called %v; %+v, %v", c.tools.Counts(), r, err)
	}
	if r.Cases[0].Turns != 3 {
		t.Errorf("the agents had 3 turns, and the report says %d", r.Cases[0].Turns)
	}
}
