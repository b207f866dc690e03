package run_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/run"
	"github.com/satchel-memory/satchel/internal/run/model"
)

// TestCarriedOn captures a run at each of its steps and goes on in an empty journal: the
// model is asked the same from there on.
func TestCarriedOn(t *testing.T) {
	script := []model.Answer{calls("look", "askpay"), calls("book"), calls("look"), says("Done.")}
	script[1].Carry = canon.String("signature")
	whole := open(t, script...)
	whole.start(run.Start{})
	approveAll(whole)
	events, err := whole.journal.Events(t.Context(), runID, 0)
	if err != nil {
		t.Fatal(err)
	}
	for n := range events {
		t.Run(fmt.Sprintf("AAIF-8.1-12 after event %d", n+1), func(t *testing.T) {
			r, err := run.Fold(runID, events[:n+1])
			if err != nil {
				t.Fatal(err)
			}
			if r.Status.Ended() {
				return
			}
			state := r.Capture(run.CaptureOptions{StateID: "d7e8f9a0-1234-4000-8000-000000000001", At: r.Last, Version: "1.0.0", Platform: "a.example"})
			if err := aaif.VerifyChecksum(state); err != nil {
				t.Fatal(err)
			}
			h := open(t, script...)
			h.start(run.Start{State: state.AppendCanonical(nil)})
			if got := approveAll(h); got.Output != "Done." || got.Iteration != 4 {
				t.Errorf("got %s %q after %d turns: %s", got.Status, got.Output, got.Iteration, h.kinds())
			}
			sameQuestions(t, whole.models.asked[r.Iteration:], h.models.asked, r)
		})
	}
}

// approveAll executes a run and approves whatever is asked.
func approveAll(h *house) run.Run {
	h.t.Helper()
	for {
		r := h.goOn()
		if r.Status != aaif.AwaitingApproval {
			return r
		}
		if _, err := h.executor("b").Approve(h.t.Context(), runID, "", r.Calls[0].Digest, "ann"); err != nil {
			h.t.Fatal(err)
		}
	}
}

// sameQuestions compares what two models were asked, apart from times. A call under way has
// timed out on the other side unless it may be made again.
func sameQuestions(t *testing.T, want, got []model.Request, r run.Run) {
	t.Helper()
	if len(want) != len(got) {
		t.Errorf("asked %d times, not %d", len(got), len(want))
		return
	}
	timedOut := ""
	for _, c := range r.Calls {
		if c.Stage == run.InFlight && c.Tool == "askpay" {
			timedOut = c.ID
		}
	}
	for i := range want {
		if fmt.Sprint(want[i].Carry) != fmt.Sprint(got[i].Carry) {
			t.Errorf("question %d carries %v, not %v", i, got[i].Carry, want[i].Carry)
		}
		if len(want[i].Messages) != len(got[i].Messages) {
			t.Errorf("question %d has %d messages, not %d", i, len(got[i].Messages), len(want[i].Messages))
			return
		}
		for n, m := range want[i].Messages {
			other := got[i].Messages[n]
			if m.Role == "tool" && m.CallID == timedOut && other.Content == `{"error":"timed_out"}` {
				continue
			}
			if m.Role != other.Role || m.Content != other.Content || m.CallID != other.CallID || m.Tool != other.Tool {
				t.Errorf("question %d, message %d: got %+v, not %+v", i, n, other, m)
			}
		}
	}
}

func TestRestored(t *testing.T) {
	state := func(edit func(s *aaif.State)) []byte {
		n := 9
		s := aaif.State{Standard: "SC-006", ID: "d7e8f9a0-1234-4000-8000-000000000001", AgentID: "7b1f6d0e-3c55-4f0a-9a60-0f5f6f1f2a01", RunID: runID, Status: aaif.Paused,
			Iteration: &n, CheckpointAt: time.Date(2026, 6, 1, 11, 0, 0, 0, time.UTC), Conversation: []aaif.Message{{Role: "system", Content: "old"}, {Role: "user", Content: "Book."}}}
		edit(&s)
		return s.Document().AppendCanonical(nil)
	}
	one := canon.Object(canon.Member{Name: "n", Value: canon.Int(1)})
	t.Run("AAIF-8.1-8 nine of ten turns are used", func(t *testing.T) {
		h := open(t, calls("look"))
		h.start(run.Start{State: state(func(*aaif.State) {})})
		if r := h.goOn(); len(h.models.asked) != 1 || r.Err == nil || r.Err.Code != string(aaif.MaxIterations) {
			t.Errorf("%d turns, %+v", len(h.models.asked), r.Err)
		}
	})
	t.Run("AAIF-8.1-8 all of them", func(t *testing.T) {
		h := open(t, calls("look"))
		h.start(run.Start{State: state(func(s *aaif.State) { *s.Iteration = 10 })})
		if r := h.goOn(); len(h.models.asked) != 0 || r.Err == nil || r.Err.Code != string(aaif.MaxIterations) {
			t.Errorf("%d turns, %+v", len(h.models.asked), r.Err)
		}
	})
	t.Run("AAIF-8.2-6 what was under way", func(t *testing.T) {
		h := open(t, says("Done."))
		h.start(run.Start{State: state(func(s *aaif.State) {
			s.Pending = []aaif.PendingCall{{ID: "a", Tool: "look", Arguments: one, Status: aaif.CallInFlight}, {ID: "b", Tool: "pay", Arguments: one, Status: aaif.CallInFlight}}
		})})
		r := h.goOn()
		if h.bench.calls["look"] != 1 || h.bench.calls["pay"] != 0 || r.Output != "Done." || !strings.Contains(conversationOf(r), `{"error":"timed_out"}`) {
			t.Errorf("got %v\n%s", h.bench.calls, conversationOf(r))
		}
	})
	t.Run("AAIF-8.1-16 what was not sent", func(t *testing.T) {
		h := open(t, says("Done."))
		h.start(run.Start{State: state(func(s *aaif.State) {
			s.Pending = []aaif.PendingCall{{ID: "b", Tool: "pay", Arguments: one, Status: aaif.CallPending}}
		})})
		if h.goOn(); h.bench.calls["pay"] != 1 {
			t.Errorf("got %v", h.bench.calls)
		}
	})
	t.Run("AAIF-4.9-17 the gate holds for it", func(t *testing.T) {
		h := open(t, says("Done."))
		h.start(run.Start{State: state(func(s *aaif.State) {
			s.Pending = []aaif.PendingCall{{ID: "b", Tool: "askbook", Arguments: one, Status: aaif.CallInFlight}}
		})})
		if r := h.goOn(); r.Status != aaif.AwaitingApproval || len(h.bench.calls) != 0 {
			t.Errorf("got %s, %v", r.Status, h.bench.calls)
		}
	})
	t.Run("AAIF-8.1-20 it still waits", func(t *testing.T) {
		waits := state(func(s *aaif.State) {
			s.Status = aaif.AwaitingApproval
			s.Pending = []aaif.PendingCall{{ID: "b", Tool: "askpay", Arguments: one, Status: aaif.CallPending}}
			s.Approval = &aaif.Approval{Trigger: "dear", Action: aaif.Action{Tool: "askpay", Arguments: one}, TimeoutAt: time.Date(2026, 6, 1, 13, 0, 0, 0, time.UTC)}
		})
		h := open(t, says("Done."))
		h.start(run.Start{State: waits})
		r := h.goOn()
		if r.Status != aaif.AwaitingApproval || len(h.bench.calls) != 0 || r.Calls[0].Why != "the checkpoint says: dear" {
			t.Fatalf("got %s, %v", r.Status, h.bench.calls)
		}
		if approveAll(h); h.bench.calls["askpay"] != 1 {
			t.Errorf("got %v", h.bench.calls)
		}
		late := open(t, says("Done."))
		late.now = time.Date(2026, 6, 1, 14, 0, 0, 0, time.UTC)
		late.start(run.Start{State: waits})
		if r := late.goOn(); late.bench.calls["askpay"] != 0 || !strings.Contains(conversationOf(r), string(aaif.ApprovalTimeout)) {
			t.Errorf("too late: %v\n%s", late.bench.calls, conversationOf(r))
		}
	})
	t.Run("AAIF-12-5 what was approved elsewhere is held to the constraints here", func(t *testing.T) {
		h := open(t, says("Done."))
		h.rules.refuses = "askpay"
		h.start(run.Start{State: state(func(s *aaif.State) {
			s.Status = aaif.AwaitingApproval
			s.Pending = []aaif.PendingCall{{ID: "b", Tool: "askpay", Arguments: one, Status: aaif.CallPending}}
			s.Approval = &aaif.Approval{Action: aaif.Action{Tool: "askpay", Arguments: one}, TimeoutAt: time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)}
		})})
		if r := h.goOn(); r.Calls[0].Until.After(h.now.Add(25 * time.Hour)) {
			t.Errorf("it waits until %s", r.Calls[0].Until)
		}
		if r := approveAll(h); h.bench.calls["askpay"] != 0 || !strings.Contains(conversationOf(r), "CONSTRAINT_VIOLATION") {
			t.Errorf("got %v\n%s", h.bench.calls, conversationOf(r))
		}
	})
	t.Run("AAIF-12-5 what reads as well", func(t *testing.T) {
		h := open(t, says("Done."))
		h.rules.refuses = "look"
		h.start(run.Start{State: state(func(s *aaif.State) {
			s.Pending = []aaif.PendingCall{{ID: "b", Tool: "look", Arguments: one, Status: aaif.CallInFlight}}
		})})
		if h.goOn(); h.bench.calls["look"] != 0 {
			t.Errorf("got %v", h.bench.calls)
		}
	})
	t.Run("AAIF-8.1-6 a run that has ended", func(t *testing.T) {
		h := open(t, says("Done."))
		h.start(run.Start{State: state(func(s *aaif.State) { s.Status = aaif.Completed })})
		if _, err := h.executor("a").Continue(t.Context(), runID, run.ContinueOptions{}); aaif.CodeOf(err) != aaif.StateTransition {
			t.Errorf("got %v", err)
		}
	})
	t.Run("AAIF-8.1-18 variables", func(t *testing.T) {
		h := open(t, says("Done."))
		h.start(run.Start{State: state(func(s *aaif.State) { s.Variables = one })})
		if r := h.goOn(); !canon.Equal(r.Variables, one) {
			t.Errorf("got %s", r.Variables.Append(nil))
		}
	})
}
