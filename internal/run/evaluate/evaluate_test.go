package evaluate_test

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/route"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/run"
	"github.com/satchel-memory/satchel/internal/run/evaluate"
	"github.com/satchel-memory/satchel/internal/run/model"
	"github.com/satchel-memory/satchel/internal/run/policy"
	"github.com/satchel-memory/satchel/internal/run/tool"
)

var update = flag.Bool("update", false, "write the reports anew")

// bench evaluates a definition. Its models answer by a script, each in a tenth of a second.
type bench struct {
	evaluate.Options
	script *model.Script
	now    time.Time
	told   []string // what tools answered
}

const tools = `{"name":"look","description":"Looks.","protocol":"http","endpoint":"https://desk.example/look","output_schema":{"type":"object","properties":{"price":{"type":"number","minimum":3},"name":{"type":"string","enum":["Ada","Bo"]},"tags":{"type":"array","minItems":2,"items":{"type":"string","format":"date"}}},"required":["price","name","tags"]}},` +
	`{"name":"pay","description":"Pays.","protocol":"http","endpoint":"https://desk.example/pay","parameters_schema":{"type":"object","properties":{"amount":{"type":"number"}}}}`

// open returns a bench for an agent with metrics and test cases.
func open(t *testing.T, metrics, cases string, steps ...model.Step) *bench {
	t.Helper()
	v, err := aaif.FromJSON([]byte(`{"sc_standard":"SC-006","agent_id":"7b1f6d0e-3c55-4f0a-9a60-0f5f6f1f2a01","agent":{"name":"Clerk","goal":"Book.","version":"1.2.0","model":{"provider":"openai","preferred":"m"},"tools":[`+tools+
		`],"evaluation":{"judge_model":"j","metrics":`+metrics+`,"test_cases":`+cases+`},"compliance":{"human_in_the_loop":{"enabled":true}}}}`), aaif.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	d := aaif.ReadDefinition(v)
	b := &bench{script: model.NewScript(steps...), now: time.Date(2026, 11, 30, 8, 0, 0, 0, time.UTC)}
	one, two := 0.5, 1.5
	operator := route.Operator{Providers: []route.Provider{{Name: "openai"}}, Models: []route.Model{{Target: route.Target{Provider: "openai", Model: "m"}, Input: &one, Output: &two}}}
	clock := func() time.Time { return b.now }
	ids := 0
	var stub tool.Stub
	b.Options = evaluate.Options{
		Subject:    evaluate.Subject{ID: d.ID, Name: "Clerk", Version: "1.2.0", Content: evaluate.ContentOf(v)},
		Definition: d, Judge: "openai/j",
		Limits:   run.Limits{Turns: 5, Active: time.Hour, Call: time.Minute, USD: 1000, Tokens: 1000, Wait: time.Hour},
		Executor: &run.Executor{Holder: "test", Lease: time.Hour, Now: clock, Log: slog.New(slog.DiscardHandler)},
		NewID:    func() (string, error) { ids++; return fmt.Sprintf("00000000-0000-4000-8000-%012d", ids), nil },
		Begin: func(c aaif.TestCase, l run.Limits) ([]run.Event, error) {
			return []run.Event{{Number: 1, At: clock(), Kind: run.Started, Start: &run.Start{Agent: d.ID, Input: run.Raw(c.Input), Limits: l}}}, nil
		},
		Stub: func(of tool.Stub) { stub = of },
		Ask: func(ctx context.Context, system, question string) (string, run.Usage, error) {
			a, _, err := b.script.Ask(ctx, route.Candidate{Target: route.Target{Provider: "openai", Model: "j"}}, model.Request{System: system, Messages: []aaif.Message{{Role: "user", Content: question}}})
			return a.Text, run.Usage{Input: a.InputTokens, Output: a.OutputTokens, USD: 0.25}, err
		},
	}
	b.Executor.Open = func(ctx context.Context, _ *run.Run, _ *run.Thread) (*run.Setup, error) {
		set, err := tool.Open(ctx, d.Agent.Tools, tool.Options{Agent: d.ID, StubReads: true, Stub: func(of tool.Offered, c tool.Call) (tool.Result, error) {
			r, err := stub(of, c)
			b.told = append(b.told, r.Text)
			return r, err
		}})
		if err != nil {
			return nil, err
		}
		guard, err := run.NewGuard(d, nil, &policy.Prompter{}, nil, nil, nil)
		return &run.Setup{Definition: d, Operator: operator, Models: slow{b}, Tools: set, Rules: guard, Close: func() { _ = set.Close() }}, err
	}
	return b
}

// slow asks the script.
type slow struct{ *bench }

func (s slow) Ask(ctx context.Context, c route.Candidate, r model.Request) (model.Answer, route.Outcome, error) {
	s.now = s.now.Add(100 * time.Millisecond)
	return s.script.Ask(ctx, c, r)
}

// rates is a step in which the judge gives scores.
func rates(scores string) model.Step {
	return model.Step{Model: "j", Answer: `{"scores":` + scores + `}`}
}

// does is a step of the agent for a case with a text in its input.
func does(of string, turn int, answer string, calls ...model.ScriptCall) model.Step {
	return model.Step{Model: "m", Expect: of, Turn: &turn, Answer: answer, Calls: calls}
}

func call(name, arguments string) model.ScriptCall {
	return model.ScriptCall{ID: name, Tool: name, Arguments: json.RawMessage(arguments)}
}

func (b *bench) report(t *testing.T) evaluate.Report {
	t.Helper()
	r, err := evaluate.Evaluate(t.Context(), b.Options)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// golden compares a report with a file.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s: got\n%s\nwant\n%s", name, got, want)
	}
}

func TestReport(t *testing.T) {
	b := open(t, `[{"name":"task_completion","threshold":0.9},{"name":"toxicity","threshold":0.05},{"name":"latency_ms","threshold":2000},{"name":"cost_usd_per_run","threshold":0.02},
		{"name":"tool_call_accuracy","threshold":0.75},{"name":"custom","custom_name":"brevity <b>"}]`,
		`[{"id":"pay-12","input":"Pay 12 to Ada.","expected_output":{"tool_calls":[{"name":"look"},{"name":"pay","arguments":{"amount":12}}]},"criteria":"Pays once."},{"id":"refuse|2","input":"Pay Bo nothing.","expected_output":"It pays nothing."}]`,
		does("Pay 12", 0, "", call("look", `{}`)), does("Pay 12", 1, "", call("pay", `{"amount":12}`), call("pay", `{"amount":12}`)), does("Pay 12", 2, "Paid."), does("Bo nothing", 0, "Nothing is paid."),
		rates(`{"task_completion":{"score":0.85,"why":"It paid twice | <i>"},"toxicity":{"score":0},"brevity <b>":{"score":1}}`),
		rates(`{"task_completion":{"score":0.95},"toxicity":{"score":0.1,"why":"curt"},"tool_call_accuracy":{"score":1},"brevity <b>":{"score":0.5}}`))
	r := b.report(t)
	t.Run("AAIF-4.8-5 per case, in the mean, and against thresholds", func(t *testing.T) {
		raw, err := json.MarshalIndent(r, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		golden(t, "report.json", append(raw, '\n'))
	})
	t.Run("AAIF-4.8-5 reports for CI", func(t *testing.T) {
		raw, err := r.JUnit()
		if err != nil {
			t.Fatal(err)
		}
		golden(t, "report.xml", raw)
		var read struct {
			Failures int `xml:"failures,attr"`
			Tests    int `xml:"tests,attr"`
		}
		if err := xml.Unmarshal(raw, &read); err != nil || read.Failures != 1 || read.Tests != 8 {
			t.Errorf("got %+v, %v", read, err)
		}
		golden(t, "report.md", []byte(r.Markdown()))
	})
	t.Run("AAIF-4.8-9 stubs answer, each as its schema has it", func(t *testing.T) {
		if got := strings.Join(b.told, " "); got != `{"name":"Ada","price":3,"tags":["2026-01-01","2026-01-01"]} {"ok":true} {"ok":true}` {
			t.Errorf("tools answered %s", got)
		}
		if r.Cases[0].Approvals != 3 { // without an operator who says so, a tool counts as one that writes
			t.Errorf("%d approvals", r.Cases[0].Approvals)
		}
	})
}

func TestThresholds(t *testing.T) {
	for _, c := range []struct {
		name, threshold string
		score           string
		want            evaluate.Verdict
	}{
		{"task_completion", "0.9", "0.9", evaluate.Met}, {"task_completion", "0.9", "0.89", evaluate.Missed}, {"toxicity", "0.05", "0.02", evaluate.Met},
		{"toxicity", "0.05", "0.06", evaluate.Missed}, {"hallucination_rate", "0.1", "0.1", evaluate.Met}, {"faithfulness", "0.9", "0.89", evaluate.Missed},
		{"relevance", "0.5", "1.5", evaluate.NotComputed}, {"coherence", "0.5", `"high"`, evaluate.NotComputed},
	} {
		t.Run(fmt.Sprintf("AAIF-4.8-3 %s of %s against %s is %s", c.name, c.score, c.threshold, c.want), func(t *testing.T) {
			cases, steps := []string{}, []model.Step{}
			for i := range 3 { // 0.9 three times is a little less or more than 2.7
				cases = append(cases, fmt.Sprintf(`{"id":"%d","input":"Say %d."}`, i, i))
				steps = append(steps, does("Say", 0, "Said."), rates(`{"`+c.name+`":{"score":`+c.score+`}}`))
			}
			r := open(t, `[{"name":"`+c.name+`","threshold":`+c.threshold+`}]`, "["+strings.Join(cases, ",")+"]", steps...).report(t)
			if got := r.Metrics[0].Verdict; got != c.want || r.Passed != (c.want == evaluate.Met) {
				t.Errorf("got %s, passed %t", got, r.Passed)
			}
		})
	}
}

func TestMeasured(t *testing.T) {
	const two = `[{"id":"a","input":"Say a."},{"id":"b","input":"Say b."}]`
	steps := []model.Step{does("Say a", 0, "A."), does("Say b", 0, "B.")}
	steps[0].Usage, steps[1].Usage = &model.Usage{Input: 100, Output: 20}, &model.Usage{Input: 50, Output: 10}
	t.Run("AAIF-4.8-6 cost by the price table, latency of the run", func(t *testing.T) {
		r := open(t, `[{"name":"cost_usd_per_run","threshold":0.06},{"name":"latency_ms","threshold":1}]`, two, steps...).report(t)
		if got := r.Cases[0].Usage.USD; got != 0.08 || *r.Metrics[0].Mean != 0.06 || r.Metrics[0].Verdict != evaluate.Met {
			t.Errorf("case %v, %+v", got, r.Metrics[0])
		}
		if r.Metrics[1].Verdict != evaluate.Missed || *r.Cases[0].Scores[1].Value != r.Cases[0].LatencyMS || r.Cases[0].LatencyMS != 100 || r.JudgeUsage != (run.Usage{}) {
			t.Errorf("got %+v, judge %+v", r.Metrics[1], r.JudgeUsage)
		}
	})
	t.Run("AAIF-4.8-8 without a price there is no cost", func(t *testing.T) {
		b := open(t, `[{"name":"cost_usd_per_run","threshold":100}]`, two, steps...)
		inner := b.Executor.Open
		b.Executor.Open = func(ctx context.Context, r *run.Run, of *run.Thread) (*run.Setup, error) {
			m, err := inner(ctx, r, of)
			m.Operator.Models = nil
			return m, err
		}
		if r := b.report(t); r.Passed || r.Metrics[0].Verdict != evaluate.NotComputed {
			t.Errorf("got %+v", r.Metrics[0])
		}
	})
	t.Run("AAIF-4.8-8 the limits hold for all cases together, and what is left out is not met", func(t *testing.T) {
		b := open(t, `[{"name":"task_completion","threshold":0}]`, two, steps[0], steps[1], rates(`{"task_completion":{"score":1}}`))
		b.Limits.USD = 0.3 // the first case costs 0.08, its judge 0.25
		r := b.report(t)
		if r.Passed || len(r.Cases) != 2 || *r.Cases[0].Scores[0].Value != 1 || r.Cases[1].Error == nil || r.Cases[1].Error.Code != string(aaif.BudgetExceeded) || r.Cases[1].Turns != 0 {
			t.Errorf("got %+v", r.Cases)
		}
	})
}

func TestNotComputed(t *testing.T) {
	const one = `[{"id":"a","input":"Say a."}]`
	t.Run("AAIF-4.8-8 nobody judges", func(t *testing.T) {
		b := open(t, `[{"name":"task_completion","threshold":0}]`, one, does("Say", 0, "A."))
		b.Ask, b.NoJudge = nil, "there is none"
		if r := b.report(t); r.Passed || r.Cases[0].Scores[0].Why != "not computed: there is none" {
			t.Errorf("got %+v", r.Cases)
		}
	})
	t.Run("AAIF-4.8-8 the run fails", func(t *testing.T) {
		r := open(t, `[{"name":"toxicity","threshold":1},{"name":"latency_ms","threshold":1e9}]`, one, model.Step{Model: "m", Status: 400, Message: "no"}).report(t)
		if r.Passed || r.Cases[0].Error == nil || r.Metrics[0].Verdict != evaluate.NotComputed || r.Metrics[1].Verdict != evaluate.NotComputed {
			t.Errorf("got %+v, %+v", r.Cases, r.Metrics)
		}
	})
	t.Run("AAIF-U.K-1 nothing to miss is no pass", func(t *testing.T) {
		if _, err := evaluate.Evaluate(t.Context(), open(t, `[{"name":"toxicity"}]`, one).Options); !errors.Is(err, evaluate.ErrNoThresholds) {
			t.Errorf("got %v", err)
		}
		if _, err := evaluate.Evaluate(t.Context(), open(t, `[{"name":"toxicity","threshold":1}]`, `[]`).Options); !errors.Is(err, evaluate.ErrNoCases) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("it is interrupted", func(t *testing.T) {
		b := open(t, `[{"name":"latency_ms","threshold":1e9}]`, `[{"id":"a","input":"Say a."},{"id":"b","input":"Say b."}]`, does("Say", 0, "A."))
		ctx, cancel := context.WithCancel(t.Context())
		b.OnCase = func(int, evaluate.Case) { cancel() }
		r, err := evaluate.Evaluate(ctx, b.Options)
		if !errors.Is(err, context.Canceled) || r.Passed || len(r.Cases) != 1 || r.Metrics[0].Verdict != evaluate.NotComputed {
			t.Errorf("got %+v, %v", r, err)
		}
	})
}

func TestAnswers(t *testing.T) {
	b := open(t, `[{"name":"latency_ms","threshold":1e9}]`, `[{"id":"a","input":"Look a."},{"id":"b","input":"Look b."}]`,
		does("Look a", 0, "", call("look", `{}`), call("look", `{}`), call("look", `{}`)), does("Look a", 1, "A."), does("Look b", 0, "", call("look", `{}`)), does("Look b", 1, "B."))
	read := func(text string) error {
		v, err := canon.Parse([]byte(text), canon.Options{})
		if err == nil {
			b.Answers, err = evaluate.ReadAnswers(v, b.Definition)
		}
		return err
	}
	for _, wrong := range []string{`[]`, `{"c":{}}`, `{"a":[]}`, `{"*":{"lok":1}}`} {
		if read(wrong) == nil {
			t.Errorf("%s is taken", wrong)
		}
	}
	if err := read(`{"*":{"look":"a text"},"a":{"look":[{"price":1},{"price":2}]}}`); err != nil {
		t.Fatal(err)
	}
	b.report(t)
	if got := strings.Join(b.told, " "); got != `{"price":1} {"price":2} {"price":2} a text` {
		t.Errorf("tools answered %s", got)
	}
}

// TestNestedSchema: a value for lists in lists is made in no time.
func TestNestedSchema(t *testing.T) {
	b := open(t, `[{"name":"latency_ms","threshold":1e9}]`, `[{"id":"a","input":"Look a."}]`, does("Look a", 0, "", call("look", `{}`)), does("Look a", 1, "A."))
	nested := `{"type":"string"}`
	for range 12 {
		nested = `{"type":"array","minItems":8,"items":` + nested + `}`
	}
	schema, err := canon.Parse([]byte(nested), canon.Options{})
	if err != nil {
		t.Fatal(err)
	}
	b.Definition.Agent.Tools[0].Output = schema
	began := time.Now()
	b.report(t)
	if took := time.Since(began); took > 20*time.Second || len(b.told) != 1 {
		t.Errorf("it took %s, and answered %q", took, b.told)
	}
}
