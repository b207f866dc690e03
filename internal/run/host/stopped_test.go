//go:build unix

package host_test

import (
	"context"
	"os"
	"reflect"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/racing"
	"github.com/satchel-memory/satchel/internal/run"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
)

// TestStopped stops a server for longer than its lease, in the middle of six runs, while
// another one takes them over. After it has woken it writes nothing and begins nothing. The
// only requests that come from it are the two that it was about to send: they had passed
// their fences, and carry the same idempotency keys. SATCHEL_LONG makes it a minute.
func TestStopped(t *testing.T) {
	racing.Skip(t)
	t.Parallel()
	lease, stop := 2*time.Second, 4*time.Second
	if os.Getenv("SATCHEL_LONG") != "" {
		lease, stop = 20*time.Second, time.Minute
	}
	vaulttest.OnEach(t, func(t *testing.T, house vaulttest.Opener) {
		t.Parallel()
		w := openWorld(t, house(t), lease, turns())
		s := &stopper{world: w, free: make(chan struct{}), reached: make(chan string, 16)}
		w.onEvent = s.event
		sleeper := w.serve("sleeper", func(o *orders) { o.Tells, o.Continues = true, true })
		s.fill()
		began := time.Now()
		s.freeze(sleeper)
		close(s.free)
		w.on(nil)
		w.serve("other", nil)
		w.until("the other has ended all runs", func() bool {
			for _, id := range s.ids {
				if !w.get(id).Status.Ended() {
					return false
				}
			}
			return true
		})
		time.Sleep(stop - time.Since(began))
		before, requests, lines := s.journalsOf(s.ids), len(w.requests("sleeper")), len(w.lines())
		s.signal(sleeper, syscall.SIGCONT)
		time.Sleep(1500 * time.Millisecond) // it has every chance
		if after := s.journalsOf(s.ids); !reflect.DeepEqual(before, after) {
			t.Error("it wrote after it had woken")
		}
		if n := len(w.lines()); n != lines {
			t.Errorf("it ran %d functions after it had woken", n-lines)
		}
		s.late(w.requests("sleeper")[requests:])
		w.kill("other")
		w.onEvent = nil
		again := w.begin(honouring)
		w.until("the sleeper executes another run", func() bool { return w.get(again).Status.Ended() })
		w.killAll()
		said := w.settled(append(s.ids, again))
		if said.takenOver != len(s.ids) {
			t.Errorf("%d runs were taken over", said.takenOver)
		}
		t.Logf("stopped for %v: %s", stop, said)
	})
}

// stopper brings runs to the moments at which their server is stopped.
type stopper struct {
	*world
	free    chan struct{} // closed once the server is stopped
	reached chan string   // runs at their moments
	ids     []string

	mu   sync.Mutex
	next runEvent // what the server does when the next run is to be stopped
	skip int      // how often before
}

// The calls of the second turn of agent mixed.
const (
	bookCall = "call_2_0"
	payCall  = "c1"
)

// event holds a server at the moment of a run.
func (s *stopper) event(e runEvent) {
	s.mu.Lock()
	is := e.kind == s.next.kind && e.call == s.next.call
	if is && s.skip > 0 {
		s.skip, is = s.skip-1, false
	}
	if is {
		s.next = runEvent{}
	}
	s.mu.Unlock()
	if is {
		s.reached <- e.run
		<-s.free
	}
}

// fill brings one run each to where a request to pay and one to book is about to be sent; to
// where it is written down that pay is called; to where a model has answered; and to where a
// request has arrived, at pay and at the model.
func (s *stopper) fill() {
	s.T.Helper()
	for _, at := range []runEvent{{kind: aboutToSend, call: "WHO_pay"}, {kind: aboutToSend, call: "WHO_book"}, {kind: run.Sent, call: payCall}, {kind: run.Answered}} {
		s.mu.Lock()
		if s.next = at; at.kind == aboutToSend {
			s.skip = 1 // it looks whether there is a secret when it takes hold of the run
		}
		s.mu.Unlock()
		s.ids = append(s.ids, s.begin(mixed))
		s.wait()
	}
	for _, what := range []string{"pay", "model"} {
		s.on(func(m moment, q seen) bool {
			if m == arrived && q.what == what {
				s.reached <- what
				<-s.free
			}
			return false
		})
		s.ids = append(s.ids, s.begin(mixed))
		s.wait()
	}
}

// wait waits until another run is where it is to be.
func (s *stopper) wait() {
	s.T.Helper()
	select {
	case <-s.reached:
	case <-time.After(20 * time.Second):
		close(s.free)
		s.T.Fatal("a run does not come to where it is to be stopped")
	}
}

// freeze stops a server, but in no transaction: others would have to wait for that one, in a
// database until it ends the transaction, and in a file until the server wakes.
func (s *stopper) freeze(c *child) {
	s.T.Helper()
	for range 50 {
		s.stop(c)
		ctx, cancel := context.WithTimeout(s.Ctx, time.Second)
		err := s.Store.Update(ctx, s.Key.DID(), func(w store.Writer) error { return w.Schedule(store.Drive, time.Now()) })
		cancel()
		if err == nil {
			return
		}
		s.signal(c, syscall.SIGCONT)
		time.Sleep(20 * time.Millisecond)
	}
	s.T.Fatal("the server never leaves the store alone")
}

// stop stops a server. When the signal is sent its threads still run, until one of them has
// received it: on a busy machine long enough to begin a transaction.
func (s *stopper) stop(c *child) {
	s.T.Helper()
	s.signal(c, syscall.SIGSTOP)
	for {
		var status syscall.WaitStatus
		if _, err := syscall.Wait4(c.cmd.Process.Pid, &status, syscall.WUNTRACED, nil); err != nil && err != syscall.EINTR {
			s.T.Fatal(err)
		}
		if status.Stopped() {
			return
		}
	}
}

func (s *stopper) signal(c *child, sig syscall.Signal) {
	s.T.Helper()
	if err := c.cmd.Process.Signal(sig); err != nil {
		s.T.Fatal(err)
	}
}

// late checks the requests of the server that has woken: at most those that it was about to
// send when it was stopped.
func (s *stopper) late(all []seen) {
	s.T.Helper()
	may := map[string]string{"pay": s.keyOf(s.ids[0], payCall), "book": s.keyOf(s.ids[1], bookCall)}
	for _, q := range all {
		if may[q.what] != q.key || q.key == "" {
			s.T.Errorf("after it had woken it asked %s with key %q", q.what, q.key)
		}
		delete(may, q.what)
	}
	s.T.Logf("%d of 2 requests that had passed their fences came late", len(all))
}

// keyOf returns the idempotency key of a call.
func (w *world) keyOf(id, call string) string {
	w.T.Helper()
	r := w.get(id)
	for _, m := range r.Messages {
		if c, ok := m.Call(); ok && c.ID == call {
			return r.Key(run.Call{Call: c})
		}
	}
	w.T.Fatalf("run %s has no call %s", id, call)
	return ""
}
