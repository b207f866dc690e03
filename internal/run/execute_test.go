package run_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/run"
	"github.com/satchel-memory/satchel/internal/run/model"
	"github.com/satchel-memory/satchel/internal/run/tool"
)

func TestRun(t *testing.T) {
	h := open(t, calls("look", "pay"), calls("pay"), says("Done."))
	h.start(run.Start{})
	r := h.goOn()
	if r.Status != aaif.Completed || r.Output != "Done." || r.Iteration != 3 || r.Usage.Tokens() != 45 || h.bench.calls["pay"] != 2 || h.bench.calls["look"] != 1 {
		t.Errorf("got %+v, calls %v", r, h.bench.calls)
	}
	if len(h.bench.keys) != 3 {
		t.Errorf("calls share idempotency keys: %v", h.bench.keys)
	}
	const want = "started resumed model_asked model_answered call_allowed call_sent call_returned call_allowed call_sent call_returned " +
		"model_asked model_answered call_allowed call_sent call_returned model_asked model_answered completed"
	if got := h.kinds(); got != want {
		t.Errorf("got %s", got)
	}
	last := h.models.asked[2].Messages
	if last[len(last)-1].CallID == last[len(last)-3].CallID {
		t.Error("two calls of a run have the same id")
	}
}

// TestKilled kills the program at each of its writes, before and after it is there, and lets
// another one go on.
func TestKilled(t *testing.T) {
	script := []model.Answer{calls("look", "pay"), calls("book"), calls("pay"), says("Done.")}
	whole := open(t, script...)
	whole.start(run.Start{})
	want := whole.goOn()
	writes := whole.journal.writes
	unknown := 0
	for at := 1; at <= writes; at++ {
		for _, after := range []bool{false, true} {
			t.Run(fmt.Sprintf("AAIF-8-1 write %d %t", at, after), func(t *testing.T) {
				h := open(t, script...)
				h.start(run.Start{})
				h.journal.breaks = func(n int) (bool, bool) { return n == at && !after, n == at && after }
				if _, err := h.executor("a").Continue(t.Context(), runID, run.ContinueOptions{}); !errors.Is(err, errKilled) {
					t.Fatalf("got %v", err)
				}
				answered := strings.Count(h.kinds(), "model_answered")
				asked := len(h.models.asked)
				r := h.goOn()
				if r.Status != aaif.Completed || r.Output != want.Output || r.Iteration != want.Iteration {
					t.Errorf("got %s %q after %d turns", r.Status, r.Output, r.Iteration)
				}
				if more := len(h.models.asked) - asked; more != want.Iteration-answered {
					t.Errorf("AAIF-8-1: %d turns asked again", more-(want.Iteration-answered))
				}
				for key, n := range h.bench.keys {
					if strings.HasPrefix(key, "pay ") && n > 1 {
						t.Errorf("AAIF-4.6-6: %s was called %d times", key, n)
					}
				}
				if h.bench.calls["book"] == 2 && len(h.bench.effects) > 4 {
					t.Error("an idempotent call went out with two keys")
				}
				unknown += strings.Count(conversationOf(r), string(aaif.OutcomeUnknown))
			})
		}
	}
	if unknown == 0 {
		t.Error("no call ever had an unknown outcome")
	}
}

func conversationOf(r run.Run) string {
	var b strings.Builder
	for _, m := range r.Messages {
		b.WriteString(m.Content + "\n")
	}
	return b.String()
}

func TestBounds(t *testing.T) {
	t.Run("AAIF-4.3-23 exactly as many turns as are allowed", func(t *testing.T) {
		h := open(t, calls("look"))
		h.def.Agent.Orchestration.MaxIterations = 3
		h.start(run.Start{})
		if r := h.goOn(); r.Err == nil || r.Err.Code != string(aaif.MaxIterations) || len(h.models.asked) != 3 || h.bench.calls["look"] != 3 {
			t.Errorf("got %+v after %d turns", r.Err, len(h.models.asked))
		}
	})
	t.Run("AAIF-4.3-23 ten by default", func(t *testing.T) {
		h := open(t, calls("look"))
		h.start(run.Start{})
		if h.goOn(); len(h.models.asked) != 10 {
			t.Errorf("%d turns", len(h.models.asked))
		}
	})
	t.Run("AAIF-4.6-2 waiting takes no time", func(t *testing.T) {
		h := open(t, calls("askpay"), says("Done."))
		h.def.Agent.Runtime.Timeout = 2
		h.start(run.Start{})
		r := h.goOn()
		h.now = h.now.Add(5 * time.Second)
		if _, err := h.executor("b").Approve(t.Context(), runID, "", r.Calls[0].Digest, "ann"); err != nil {
			t.Fatal(err)
		}
		h.now = h.now.Add(5 * time.Second)
		if r := h.goOn(); r.Status != aaif.Completed || r.Active > 2*time.Second {
			t.Errorf("got %s, %s, %+v", r.Status, r.Active, r.Err)
		}
	})
	t.Run("AAIF-4.6-1 the time is up", func(t *testing.T) {
		h := open(t, calls("look"), says("Done."))
		h.def.Agent.Runtime.Timeout = 1
		h.bench.hook = func(tool.Call) { h.now = h.now.Add(2 * time.Second) }
		h.start(run.Start{})
		if r := h.goOn(); r.Err == nil || r.Err.Code != string(aaif.RunTimeout) || len(h.models.asked) != 1 {
			t.Errorf("got %+v", r.Err)
		}
	})
	t.Run("AAIF-4.6-1 what is under way ends", func(t *testing.T) {
		h := open(t, says("never"))
		h.def.Agent.Runtime.Timeout = 1
		h.start(run.Start{Limits: run.Limits{Turns: 1, Active: 30 * time.Millisecond, Call: time.Second, USD: 1, Tokens: 1, Wait: 1}})
		h.models.script = nil
		began := time.Now()
		x := h.executor("a")
		x.Open = func(context.Context, *run.Run, *run.Thread) (*run.Setup, error) {
			return &run.Setup{Definition: h.def, Operator: h.route, Models: silentModel{}, Tools: h.bench, Rules: h.rules, Close: func() {}}, nil
		}
		r, err := x.Continue(t.Context(), runID, run.ContinueOptions{})
		if err != nil || r.Err == nil || r.Err.Code != string(aaif.RunTimeout) || time.Since(began) > 5*time.Second {
			t.Errorf("got %+v, %v", r.Err, err)
		}
	})
	t.Run("money", func(t *testing.T) {
		h := open(t, calls("look"))
		dear := 100.0
		h.route.Models = append(h.route.Models, routeModel(dear))
		h.start(run.Start{})
		if r := h.goOn(); r.Err == nil || r.Err.Code != string(aaif.BudgetExceeded) || len(h.models.asked) != 1 || r.Usage.USD != 1.5 {
			t.Errorf("got %+v, %+v", r.Err, r.Usage)
		}
	})
	t.Run("money that a turn has cost stops its calls", func(t *testing.T) {
		h := open(t, calls("look"))
		h.route.Models = append(h.route.Models, routeModel(100))
		h.start(run.Start{})
		if r := h.goOn(); r.Err == nil || r.Err.Code != string(aaif.BudgetExceeded) || h.bench.calls["look"] != 0 {
			t.Errorf("got %+v, %v", r.Err, h.bench.calls)
		}
	})
	t.Run("a model that says nothing of its tokens", func(t *testing.T) {
		quiet := calls("look")
		quiet.InputTokens, quiet.OutputTokens = 0, -5
		h := open(t, quiet)
		l := run.DefaultLimits()
		l.Tokens = 20
		h.start(run.Start{Limits: l})
		if r := h.goOn(); r.Err == nil || r.Err.Code != string(aaif.BudgetExceeded) {
			t.Errorf("got %+v, %+v", r.Err, r.Usage)
		}
	})
	t.Run("a thousand calls at once", func(t *testing.T) {
		names := make([]string, 1000)
		for i := range names {
			names[i] = "look"
		}
		h := open(t, calls(names...), says("Done."))
		h.start(run.Start{})
		if r := h.goOn(); r.Output != "Done." || h.bench.calls["look"] != 64 {
			t.Errorf("got %q after %d calls", r.Output, h.bench.calls["look"])
		}
	})
	t.Run("tokens of a model without a price", func(t *testing.T) {
		h := open(t, calls("look"))
		l := run.DefaultLimits()
		l.Tokens = 40
		h.start(run.Start{Limits: l})
		if r := h.goOn(); r.Err == nil || r.Err.Code != string(aaif.BudgetExceeded) || len(h.models.asked) != 3 {
			t.Errorf("got %+v after %d turns", r.Err, len(h.models.asked))
		}
	})
}

func TestApproval(t *testing.T) {
	waiting := func(t *testing.T, script ...model.Answer) (*house, run.Call) {
		h := open(t, script...)
		h.start(run.Start{})
		r := h.goOn()
		if r.Status != aaif.AwaitingApproval || len(h.bench.calls) != 0 || len(r.Calls) == 0 || r.Calls[0].Stage != run.Asking {
			t.Fatalf("got %s, %v", r.Status, h.bench.calls)
		}
		return h, r.Calls[0]
	}
	t.Run("AAIF-4.9-12 approved", func(t *testing.T) {
		h, c := waiting(t, calls("askpay"), says("Done."))
		if again := h.goOn(); again.Status != aaif.AwaitingApproval {
			t.Errorf("goes on by itself: %s", again.Status)
		}
		if _, err := h.executor("b").Approve(t.Context(), runID, c.ID, c.Digest, "ann"); err != nil {
			t.Fatal(err)
		}
		if r := h.goOn(); r.Status != aaif.Completed || h.bench.calls["askpay"] != 1 {
			t.Errorf("got %s, %v", r.Status, h.bench.calls)
		}
		if _, err := h.executor("b").Approve(t.Context(), runID, c.ID, c.Digest, "ann"); err == nil {
			t.Error("approved twice")
		}
	})
	t.Run("AAIF-4.9-12 rejected", func(t *testing.T) {
		h, c := waiting(t, calls("askpay"), says("I could not."))
		if _, err := h.executor("b").Reject(t.Context(), runID, c.ID, "ann", "too dear"); err != nil {
			t.Fatal(err)
		}
		r := h.goOn()
		if r.Output != "I could not." || len(h.bench.calls) != 0 || !strings.Contains(conversationOf(r), "too dear") {
			t.Errorf("got %q, %v", r.Output, h.bench.calls)
		}
	})
	t.Run("AAIF-4.9-18 another call than was approved", func(t *testing.T) {
		h, c := waiting(t, calls("askpay"), says("Done."))
		_, err := h.executor("b").Approve(t.Context(), runID, c.ID, strings.Repeat("0", 64), "ann")
		if aaif.CodeOf(err) != aaif.ApprovalMismatch {
			t.Errorf("got %v", err)
		}
	})
	t.Run("AAIF-4.9-16 nobody answers", func(t *testing.T) {
		h, c := waiting(t, calls("askpay"), says("I gave up."))
		h.now = c.Until.Add(time.Hour)
		if _, err := h.executor("b").Approve(t.Context(), runID, c.ID, c.Digest, "ann"); aaif.CodeOf(err) != aaif.ApprovalTimeout {
			t.Errorf("too late: %v", err)
		}
		r := h.goOn()
		if r.Output != "I gave up." || len(h.bench.calls) != 0 || strings.Count(h.kinds(), "rejected") != 1 || !strings.Contains(conversationOf(r), string(aaif.ApprovalTimeout)) {
			t.Errorf("got %q: %s", r.Output, h.kinds())
		}
	})
	t.Run("AAIF-4.9-12 each of several", func(t *testing.T) {
		h, c := waiting(t, calls("askpay", "askpay"), says("Done."))
		for range 2 {
			if _, err := h.executor("b").Approve(t.Context(), runID, c.ID, c.Digest, "ann"); err != nil {
				t.Fatal(err)
			}
			if r := h.goOn(); len(r.Calls) > 0 {
				c = r.Calls[0]
			}
		}
		if h.bench.calls["askpay"] != 2 || !strings.HasSuffix(h.kinds(), "completed") {
			t.Errorf("got %v: %s", h.bench.calls, h.kinds())
		}
	})
}

func TestTakenOver(t *testing.T) {
	h := open(t, calls("pay"), says("Done."))
	h.start(run.Start{})
	first := h.executor("a")
	var taken run.Run
	h.bench.hook = func(tool.Call) { // another program takes the run over while the call is under way
		h.bench.hook = nil
		var err error
		if taken, err = h.executor("b").Cancel(t.Context(), runID, "ann"); err != nil {
			t.Error(err)
		}
	}
	_, err := first.Continue(t.Context(), runID, run.ContinueOptions{})
	if !errors.Is(err, run.ErrFenced) {
		t.Errorf("AAIF-8.2-7: the first goes on: %v", err)
	}
	if taken.Err == nil || taken.Err.Code != string(aaif.Cancelled) || !strings.Contains(taken.Err.Message, "a call of pay was under way") || !strings.HasSuffix(h.kinds(), "failed") || len(h.models.asked) != 1 {
		t.Errorf("got %+v: %s", taken.Err, h.kinds())
	}
	if _, err := first.Continue(t.Context(), runID, run.ContinueOptions{}); err != nil {
		t.Error(err)
	}
}

func TestLeaving(t *testing.T) {
	h := open(t, calls("askpay"), says("Done."))
	h.start(run.Start{})
	h.goOn()
	x := h.executor("a")
	if r, err := x.Leave(t.Context(), runID, "ann", "desk.example"); err != nil || r.Status != aaif.Migrating {
		t.Fatalf("got %s, %v", r.Status, err)
	}
	if r := h.goOn(); r.Status != aaif.Migrating || len(h.models.asked) != 1 {
		t.Errorf("AAIF-8.2-1: it goes on: %s", r.Status)
	}
	if r, err := x.Left(t.Context(), runID, "desk.example"); err != nil || !r.Status.Ended() {
		t.Errorf("got %s, %v", r.Status, err)
	}
	if _, err := x.Pause(t.Context(), runID, "ann", ""); aaif.CodeOf(err) != aaif.StateTransition {
		t.Errorf("AAIF-8.1-6: got %v", err)
	}
}

func TestCallsThatFail(t *testing.T) {
	for name, c := range map[string]struct {
		answer model.Answer
		fails  error
		want   string
		calls  int
	}{
		"AAIF-4.4-28 arguments":         {answer: wrongly("pay"), want: "TOOL_ARGS_INVALID"},
		"AAIF-12-2 no such tool":        {answer: calls("steal"), want: "TOOL_UNBOUND"},
		"AAIF-4.6-6 the answer is lost": {answer: calls("pay"), fails: &tool.Error{Code: tool.OutcomeUnknown, Outcome: tool.Unknown}, want: string(aaif.OutcomeUnknown), calls: 1},
		"AAIF-4.4-26 a write is late":   {answer: calls("pay"), fails: &tool.Error{Code: tool.Timeout, Outcome: tool.Unknown}, want: `{"error":"TOOL_TIMEOUT","message":"no answer came within the time that a call may take: the call may have taken effect`, calls: 1},
		"AAIF-4.4-26 the time is up":    {answer: calls("look"), fails: &tool.Error{Code: tool.Timeout, Outcome: tool.Unknown, Text: "x"}, want: "TOOL_TIMEOUT"},
		"AAIF-4.4-26 not sent":          {answer: calls("pay"), fails: &tool.Error{Code: tool.Unreachable, Outcome: tool.NotSent, Text: "x"}, want: "TOOL_UNREACHABLE", calls: 1},
	} {
		t.Run(name, func(t *testing.T) {
			h := open(t, c.answer, says("Done."))
			h.bench.fails = map[string]error{"pay": c.fails, "look": c.fails}
			if c.fails == nil {
				h.bench.fails = nil
			}
			h.start(run.Start{})
			r := h.goOn()
			if r.Output != "Done." || !strings.Contains(conversationOf(r), c.want) || h.bench.calls["pay"] != c.calls {
				t.Errorf("got %v\n%s", h.bench.calls, conversationOf(r))
			}
		})
	}
}

// TestCopied: a store was put back to an earlier state, or copied. Whatever had not returned
// may have happened since.
func TestCopied(t *testing.T) {
	h := open(t, calls("askpay", "pay", "look", "book"), says("Done."))
	h.start(run.Start{})
	if r := h.goOn(); r.Status != aaif.AwaitingApproval {
		t.Fatalf("got %s", r.Status)
	}
	h.journal.runs[runID].copied = true
	x := h.executor("b")
	if _, err := x.Continue(t.Context(), runID, run.ContinueOptions{}); !errors.Is(err, run.ErrCopied) {
		t.Fatalf("it goes on by itself: %v", err)
	}
	r, err := x.Continue(t.Context(), runID, run.ContinueOptions{Resumes: true})
	if err != nil || r.Status != aaif.Completed {
		t.Fatalf("got %s, %v", r.Status, err)
	}
	if h.bench.calls["askpay"] != 0 || h.bench.calls["pay"] != 0 || h.bench.calls["look"] != 1 || h.bench.calls["book"] != 1 || strings.Count(conversationOf(r), "timed_out") != 2 {
		t.Errorf("got %v\n%s", h.bench.calls, conversationOf(r))
	}
}

// TestWithheld: an answer that may leave only if a person agrees.
func TestWithheld(t *testing.T) {
	held := func(t *testing.T) (*house, run.Call) {
		h := open(t, says("banana"))
		h.rules.output = func(string) (run.Answer, error) {
			return run.Answer{Text: "[removed]", Ask: true, Why: "it names a fruit"}, nil
		}
		h.start(run.Start{})
		r := h.goOn()
		if r.Status != aaif.AwaitingApproval || !r.Calls[0].IsOutput() {
			t.Fatalf("got %s", r.Status)
		}
		return h, r.Calls[0]
	}
	t.Run("AAIF-4.9-2 a person agrees", func(t *testing.T) {
		h, _ := held(t)
		if r := approveAll(h); r.Status != aaif.Completed || r.Output != "[removed]" || len(h.models.asked) != 1 {
			t.Errorf("got %s %q", r.Status, r.Output)
		}
	})
	t.Run("AAIF-4.9-2 a person does not", func(t *testing.T) {
		h, c := held(t)
		if r, err := h.executor("b").Reject(t.Context(), runID, c.ID, "ann", ""); err != nil || r.Err == nil || r.Err.Code != "CONSTRAINT_VIOLATION" {
			t.Errorf("got %+v, %v", r.Err, err)
		}
	})
	t.Run("AAIF-4.9-16 nobody answers", func(t *testing.T) {
		h, c := held(t)
		h.now = c.Until
		if r := h.goOn(); r.Err == nil || r.Err.Code != string(aaif.ApprovalTimeout) {
			t.Errorf("got %+v", r.Err)
		}
	})
}

// TestRepeated: an answer that is lost is asked for again only where that does no harm.
func TestRepeated(t *testing.T) {
	for name, want := range map[string]int{"pay": 1, "look": 3, "book": 3} {
		t.Run("AAIF-4.6-6 "+name, func(t *testing.T) {
			h := open(t, calls(name), says("Done."))
			h.bench.fails = map[string]error{name: &tool.Error{Code: tool.OutcomeUnknown, Outcome: tool.Unknown}}
			h.start(run.Start{})
			if r := h.goOn(); h.bench.calls[name] != want || len(h.bench.keys) != 1 || !strings.Contains(conversationOf(r), string(aaif.OutcomeUnknown)) {
				t.Errorf("got %v with %d keys", h.bench.calls, len(h.bench.keys))
			}
		})
	}
}

func wrongly(name string) model.Answer {
	a := calls(name)
	a.Calls[0].Arguments = canon.Object(canon.Member{Name: "wrong", Value: canon.Bool(true)})
	return a
}
