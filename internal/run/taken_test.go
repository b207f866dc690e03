package run_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/route"
	"github.com/satchel-memory/satchel/internal/run"
	"github.com/satchel-memory/satchel/internal/run/model"
)

// TestAdopted: a run of a copied store is resumed, and whoever resumes it gets no further
// than taking hold of it. That it is a copy is still known: a call that was about to be made
// when the copy was taken is not made.
func TestAdopted(t *testing.T) {
	resume := run.ContinueOptions{Resumes: true}
	for name, first := range map[string]func(*testing.T, *run.Executor){
		"what the run works with does not open": func(t *testing.T, x *run.Executor) {
			open := x.Open
			x.Open = func(context.Context, *run.Run, *run.Thread) (*run.Setup, error) {
				return nil, errors.New("no such folder")
			}
			if _, err := x.Continue(t.Context(), runID, resume); err == nil {
				t.Error("it opens")
			}
			x.Open = open
		},
		"it is paused": func(t *testing.T, x *run.Executor) {
			if r, err := x.Pause(t.Context(), runID, "ann", "lunch"); err != nil || r.Status != aaif.Paused {
				t.Errorf("got %s, %v", r.Status, err)
			}
		},
	} {
		t.Run("AAIF-8.2-6 "+name, func(t *testing.T) {
			h := open(t, calls("pay"), says("Done."))
			h.start(run.Start{})
			h.journal.breaks = func(write int) (bool, bool) { return false, write == 4 } // the call is allowed
			if _, err := h.executor("a").Continue(t.Context(), runID, run.ContinueOptions{}); !errors.Is(err, errKilled) || !strings.HasSuffix(h.kinds(), "call_allowed") {
				t.Fatalf("%v, %s", err, h.kinds())
			}
			h.journal.breaks, h.journal.runs[runID].copied = nil, true
			x := h.executor("b")
			heard := h.journal.heard()
			x.OnEvent = func(_ string, e run.Event) {
				if heard++; e.Number != heard {
					t.Errorf("event %d is heard as number %d", heard, e.Number)
				}
			}
			first(t, x)
			r, err := x.Continue(t.Context(), runID, resume)
			if err != nil || r.Status != aaif.Completed || heard != r.Events || h.bench.calls["pay"] != 0 || !strings.Contains(conversationOf(r), "timed_out") {
				t.Errorf("got %s, %v, %v\n%s", r.Status, err, h.bench.calls, conversationOf(r))
			}
		})
	}
	t.Run("AAIF-4.9-2 an answer that waits for a person still does", func(t *testing.T) {
		h := open(t, says("banana"))
		h.rules.output = func(string) (run.Answer, error) { return run.Answer{Text: "[removed]", Ask: true}, nil }
		h.start(run.Start{})
		h.goOn()
		h.journal.runs[runID].copied = true
		r, err := h.executor("b").Continue(t.Context(), runID, resume)
		if err != nil || r.Status != aaif.AwaitingApproval {
			t.Fatalf("got %s, %v", r.Status, err)
		}
		if r := approveAll(h); r.Output != "[removed]" {
			t.Errorf("got %s %q", r.Status, r.Output)
		}
	})
}

// TestStoodStill: a program stands still for longer than its lease before it judges an
// answer, for which it may ask a model. Somebody else has taken the run over, so it does not.
func TestStoodStill(t *testing.T) {
	h := open(t, says("Done."))
	h.rules.output = func(text string) (run.Answer, error) {
		t.Error("the answer is judged")
		return run.Answer{Text: text}, nil
	}
	h.start(run.Start{})
	x := h.executor("a")
	x.OnEvent = func(_ string, e run.Event) {
		if e.Kind != run.Answered {
			return
		}
		h.now = h.now.Add(2 * x.Lease)
		if _, err := h.journal.Hold(t.Context(), runID, run.Hold{Holder: "b", Lease: time.Minute, Force: true}); err != nil {
			t.Error(err)
		}
	}
	if _, err := x.Continue(t.Context(), runID, run.ContinueOptions{}); !errors.Is(err, run.ErrFenced) {
		t.Errorf("it ends with %v", err)
	}
}

// TestAllowedAnew: a call that came with a checkpoint is allowed here, and its answer is lost
// here. The model is told as of any other call.
func TestAllowedAnew(t *testing.T) {
	h := open(t, calls("askpay"), says("Done."))
	h.start(run.Start{})
	waits := h.goOn()
	state := run.Raw(waits.Capture(run.CaptureOptions{StateID: "d7e8f9a0-1234-4000-8000-000000000001", At: h.now, Version: "1.0.0", Platform: "a.example", Release: "1", By: "ann"}))
	b := open(t, calls("askpay"), says("Done."))
	b.start(run.Start{State: state})
	r := b.goOn()
	if r.Status != aaif.AwaitingApproval {
		t.Fatalf("got %s", r.Status)
	}
	x := b.executor("b")
	if _, err := x.Approve(t.Context(), runID, "", r.Calls[0].Digest, "ann"); err != nil {
		t.Fatal(err)
	}
	ctx, kill := context.WithCancel(t.Context())
	x.OnEvent = func(_ string, e run.Event) {
		if e.Kind == run.Sent {
			kill()
		}
	}
	if _, err := x.Continue(ctx, runID, run.ContinueOptions{}); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if r := b.goOn(); !strings.Contains(conversationOf(r), string(aaif.OutcomeUnknown)) || b.bench.calls["askpay"] > 1 {
		t.Errorf("AAIF-8.1-16: got %v\n%s", b.bench.calls, conversationOf(r))
	}
}

// heard returns the number of the run's events.
func (j *journal) heard() int64 {
	j.mu.Lock()
	defer j.mu.Unlock()
	return int64(len(j.runs[runID].events))
}

// TestRenewed: while several runs wait for a model, their leases are renewed together, and a
// run that somebody else has taken over ends.
func TestRenewed(t *testing.T) {
	t.Parallel()
	const runs = 20
	h := open(t, says("Done."))
	x := h.executor("a")
	x.Lease, x.Now = time.Second, time.Now
	var under, arrived sync.WaitGroup
	arrived.Add(runs)
	x.Open = func(context.Context, *run.Run, *run.Thread) (*run.Setup, error) {
		return &run.Setup{Definition: h.def, Operator: h.route, Models: slow{arrived.Done}, Tools: h.bench, Rules: h.rules, Close: func() {}}, nil
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer under.Wait()
	defer cancel()
	ended := make(chan error, runs)
	for i := range runs {
		id := fmt.Sprintf("%08d-2222-4333-8444-555555555555", i)
		s := run.Start{Agent: h.def.ID, Revision: 1, Limits: run.DefaultLimits().Of(h.def.Agent), Input: []byte(`"Book."`)}
		if err := h.journal.Start(ctx, id, run.Event{Number: 1, At: time.Now(), Kind: run.Started, Start: &s}); err != nil {
			t.Fatal(err)
		}
		under.Go(func() {
			_, err := x.Continue(ctx, id, run.ContinueOptions{})
			ended <- err
		})
	}
	arrived.Wait()
	time.Sleep(x.Lease)
	if renewals, _ := h.journal.renewed(); renewals < 2 || renewals > 8 {
		t.Errorf("%d renewals of %d runs", renewals, runs)
	}
	if _, err := h.journal.Hold(ctx, fmt.Sprintf("%08d-2222-4333-8444-555555555555", 3), run.Hold{Holder: "b", Force: true}); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-ended:
		if !errors.Is(err, run.ErrFenced) {
			t.Errorf("it ended with %v", err)
		}
	case <-time.After(10 * time.Second):
		t.Error("the run that was taken over goes on")
	}
	if _, most := h.journal.renewed(); most < runs/2 {
		t.Errorf("one renewal renews %d runs", most)
	}
}

// slow is a model that never answers.
type slow struct{ arrives func() }

func (s slow) Ask(ctx context.Context, _ route.Candidate, _ model.Request) (model.Answer, route.Outcome, error) {
	s.arrives()
	<-ctx.Done()
	return model.Answer{}, route.Outcome{}, ctx.Err()
}
