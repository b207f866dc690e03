package host_test

import (
	"context"
	"runtime"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/run"
	"github.com/satchel-memory/satchel/internal/run/faketool"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
)

// TestNothingLeft counts goroutines after runs that ended, that were cancelled while a tool
// did not answer, and whose caller went away: none stays behind.
func TestNothingLeft(t *testing.T) {
	w := openWorld(t, vaulttest.Open(t), time.Second, turns())
	settled := func() (n int) {
		for range 200 {
			w.server.CloseClientConnections()
			time.Sleep(20 * time.Millisecond)
			now := runtime.NumGoroutine()
			if now == n {
				break
			}
			n = now
		}
		return n
	}
	w.leaves(0) // what stays from then on, such as a pool, is there once
	before := settled()
	w.leaves(2)
	w.leaves(4)
	if after := settled(); after > before {
		stacks := make([]byte, 1<<20)
		t.Errorf("%d goroutines, and %d before\n%s", after, before, stacks[:runtime.Stack(stacks, true)])
	}
}

// leaves executes a run to its end, and one each that is cancelled and that is left alone
// while pay, which was called a number of times so far, does not answer.
func (w *world) leaves(called int) {
	w.T.Helper()
	if _, err := w.Continue(w.Ctx, w.Me(), w.begin(honouring), run.ContinueOptions{}); err != nil {
		w.T.Fatal(err)
	}
	w.tools.SetFault("pay", faketool.Fault{Kind: faketool.HangAfter})
	for _, cancels := range []bool{true, false} {
		called++
		id := w.begin(mixed)
		ctx, stop := context.WithCancel(w.Ctx)
		ended := make(chan error, 1)
		go func() {
			_, err := w.Continue(ctx, w.Me(), id, run.ContinueOptions{})
			ended <- err
		}()
		w.until("it waits for pay", func() bool { return w.tools.Counts()["pay"].Writes == called })
		if !cancels {
			stop()
		} else if _, err := w.Cancel(w.Ctx, w.Me(), id); err != nil {
			w.T.Error(err)
		}
		if err := <-ended; err == nil {
			w.T.Error("it ends as if nothing had happened")
		}
		stop()
	}
}
