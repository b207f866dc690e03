//go:build unix

package host_test

import (
	"reflect"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/racing"
	"github.com/satchel-memory/satchel/internal/run"
	"github.com/satchel-memory/satchel/internal/run/faketool"
	"github.com/satchel-memory/satchel/internal/run/host"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
)

// TestSteered cancels, pauses and sends away runs that another process executes, while a tool
// of theirs does not answer. That process lets the calls go within a third of its lease, and
// begins nothing more.
func TestSteered(t *testing.T) {
	racing.Skip(t)
	t.Parallel()
	const lease, slack = 3 * time.Second, 2 * time.Second // slack: of a machine that is busy
	vaulttest.OnEach(t, func(t *testing.T, house vaulttest.Opener) {
		t.Parallel()
		w := openWorld(t, house(t), lease, turns())
		w.tools.SetFault("pay", faketool.Fault{Kind: faketool.HangAfter})
		w.serve("p1", nil)
		ids := []string{w.begin(mixed), w.begin(mixed), w.begin(mixed)}
		w.until("all of them wait for pay", func() bool { return w.tools.Counts()["pay"].Writes == len(ids) })
		var state canon.Value
		steer := []func() error{
			func() error { _, err := w.Cancel(w.Ctx, w.Me(), ids[0]); return err },
			func() error { _, err := w.Pause(w.Ctx, w.Me(), ids[1], "lunch"); return err },
			func() (err error) { state, err = w.Leave(w.Ctx, w.Me(), ids[2], stateID, "b.example"); return err },
		}
		at := make([]time.Time, len(ids))
		for i, do := range steer {
			if err := do(); err != nil {
				t.Fatal(err)
			}
			at[i] = time.Now()
		}
		before, requests := w.journalsOf(ids), len(w.requests("p1"))
		for i, id := range ids {
			key := w.keyOf(id, payCall)
			var left time.Time
			w.until("the call is let go", func() bool {
				w.mu.Lock()
				defer w.mu.Unlock()
				left = w.left[key]
				return !left.IsZero()
			})
			if took := left.Sub(at[i]); took > lease/3+slack {
				t.Errorf("call %d is let go after %v", i, took)
			}
		}
		time.Sleep(lease)
		if after := w.journalsOf(ids); !reflect.DeepEqual(before, after) || len(w.requests("p1")) != requests {
			t.Errorf("something goes on: %+v", w.requests("p1")[requests:])
		}
		if r := w.get(ids[0]); r.Status != aaif.Failed || r.Err.Code != string(aaif.Cancelled) {
			t.Errorf("cancelled: %s, %+v", r.Status, r.Err)
		}
		if r := w.get(ids[2]); r.Status != aaif.Migrating || r.Platform != "b.example" {
			t.Errorf("sent away: %s", r.Status)
		}
		if p := aaif.ReadState(state).Pending; len(p) != 1 || p[0].Tool != "pay" || p[0].Status != aaif.CallInFlight {
			t.Errorf("AAIF-8.1-16: pending are %+v", p)
		}
		w.tools.SetFault("pay", faketool.Fault{})
		if r := w.get(ids[1]); r.Status != aaif.Paused {
			t.Errorf("paused: %s", r.Status)
		}
		r, err := w.Continue(w.Ctx, w.Me(), ids[1], run.ContinueOptions{Resumes: true})
		if err != nil || r.Output != "Done, as far as anybody knows." || w.tools.Counts()["pay"].Keys[w.keyOf(ids[1], payCall)] != 1 {
			t.Errorf("resumed: %s %q, %v", r.Status, r.Output, err)
		}
	})
}

// journalsOf returns all events of runs.
func (w *world) journalsOf(ids []string) (all [][]run.Event) {
	w.T.Helper()
	for _, id := range ids {
		events, err := w.Events(w.Ctx, w.Me(), id, 0)
		if err != nil {
			w.T.Fatal(err)
		}
		all = append(all, events)
	}
	return all
}

// TestCarried carries a run that waits for an approval to another store, as a document. There
// it is approved; its server is killed right after the call has taken effect, and started
// again. The call has one effect in all. The run does not go on where it was, also while nobody
// has told that place that it has arrived.
func TestCarried(t *testing.T) {
	racing.Skip(t)
	t.Parallel()
	vaulttest.OnEach(t, func(t *testing.T, house vaulttest.Opener) {
		t.Parallel()
		a := openWorld(t, vaulttest.Open(t), time.Second, turns(), oversight)
		b := openWorld(t, house(t), time.Second, turns(), oversight)
		id := a.begin(mixed)
		if r, err := a.Continue(a.Ctx, a.Me(), id, run.ContinueOptions{}); err != nil || r.Status != aaif.AwaitingApproval {
			t.Fatalf("got %s, %+v, %v", r.Status, r.Err, err)
		}
		left, err := a.Leave(a.Ctx, a.Me(), id, stateID, "b.example")
		if err != nil {
			t.Fatal(err)
		}
		state, err := aaif.FromJSON(left.Append(nil), aaif.ReadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := b.Host.Start(b.Ctx, b.Me(), host.Start{RunID: id, Agent: mixed, State: state}); err != nil {
			t.Fatal(err)
		}
		a.serve("a", nil) // it was killed before anybody told it that the run has arrived
		b.serve("b", nil)
		killed := make(chan struct{})
		b.on(func(m moment, s seen) bool {
			if m == done && s.what == "pay" && b.kill(s.who) {
				close(killed)
			}
			return false
		})
		b.approve(id)
		<-killed
		b.on(nil)
		b.serve("b again", nil)
		b.approve(id) // the second and the third call of pay
		b.approve(id)
		b.until("the run has ended", func() bool { return b.get(id).Status.Ended() })
		r := b.get(id)
		if r.Status != aaif.Completed || r.Iteration != wholeTurns || r.Output != "Done, as far as anybody knows." {
			t.Errorf("got %s after %d turns: %q, %+v", r.Status, r.Iteration, r.Output, r.Err)
		}
		first := b.keyOf(id, payCall)
		pay, there := b.tools.Counts()["pay"], a.tools.Counts()["pay"]
		if there.Calls != 0 || pay.Calls != 3 || pay.Keys[first] != 1 {
			t.Errorf("AAIF-8.2-7: pay was called %+v here and %+v there", there, pay)
		}
		if all := a.requests("a"); len(all) != 0 || !a.is(id, aaif.Migrating) {
			t.Errorf("AAIF-8.2-7: it goes on where it was: %s, %+v", a.get(id).Status, all)
		}
		if _, err := a.Host.Left(a.Ctx, a.Me(), id, "b.example"); err != nil {
			t.Fatal(err)
		}
		gone, err := a.Continue(a.Ctx, a.Me(), id, run.ContinueOptions{Resumes: true})
		if err != nil || gone.Platform != "b.example" {
			t.Errorf("AAIF-8.2-7: it goes on where it was: %s, %v", gone.Status, err)
		}
		if _, err := a.Approve(a.Ctx, a.Me(), id, "", r.Start.Digest); err == nil || len(a.requests("a")) != 0 {
			t.Errorf("AAIF-8.2-7: approved where it was, %+v", a.requests("a"))
		}
	})
}

// approve approves the next call of a run that waits for it.
func (w *world) approve(id string) {
	w.T.Helper()
	w.until("it waits for an approval", func() bool { return w.is(id, aaif.AwaitingApproval) })
	// Nobody holds it: whoever brought it there gave it up with the same write.
	r := w.get(id)
	if _, err := w.Approve(w.Ctx, w.Me(), id, "", r.Calls[0].Digest); err != nil {
		w.T.Fatal(err)
	}
}
