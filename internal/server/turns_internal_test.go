package server

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/satchel-memory/satchel/memory"
)

func TestRoomToExport(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		turns := newOwnerTurns("did:key:home", maxExports)
		enter := func(owner memory.DID, want bool, after time.Duration) func() {
			t.Helper()
			began := time.Now()
			leave, ok := turns.take(t.Context(), owner)
			if took := time.Since(began); ok != want || took != after {
				t.Errorf("%s: %v after %v", owner, ok, took)
			}
			return leave
		}
		first := enter("did:key:ada", true, 0)
		enter("did:key:ada", false, 0) // one at a time
		enter("did:key:bob", true, 0)
		enter("did:key:cleo", true, 0)
		enter("did:key:dora", false, queueTime) // all are taken
		time.AfterFunc(time.Second, first)
		enter("did:key:dora", true, time.Second)
		for range maxExports {
			enter("did:key:home", true, 0) // whoever else exports
		}
		enter("did:key:home", false, 0)
	})
}

// A client that is slow loses its turn when another owner waits, and not before; a client
// whose server works slowly keeps it.
func TestSlowClientsMakeRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		turns := newOwnerTurns("did:key:home", maxExports)
		cut := map[memory.DID]bool{}
		enter := func(owner memory.DID) *pace {
			t.Helper()
			p := &pace{grace: 10 * time.Second, cut: func() { cut[owner] = true }}
			leave, ok := turns.take(context.WithValue(t.Context(), noteKey{}, &note{in: &pace{}, out: p}), owner)
			if !ok {
				t.Fatalf("%s has no turn", owner)
			}
			p.cut = func() { cut[owner] = true; go leave() }
			return p
		}
		pass := func(p *pace, n int, within time.Duration) {
			t.Helper()
			if err := p.begin(); err != nil {
				t.Fatal(err)
			}
			time.Sleep(within)
			p.end(n)
		}
		quick, stalled, working := enter("did:key:quick"), enter("did:key:stalled"), enter("did:key:working")
		pass(quick, 200*fairRate, 100*time.Second) // twice as fast as it has to be
		pass(working, fairRate, time.Second)
		time.Sleep(time.Hour) // of work
		if err := stalled.begin(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Hour)
		if len(cut) > 0 {
			t.Errorf("nobody waits, and %v are cut off", cut)
		}
		enter("did:key:next")
		if len(cut) != 1 || !cut["did:key:stalled"] {
			t.Errorf("cut off are %v", cut)
		}
		if stalled.end(0); stalled.begin() == nil {
			t.Error("who lost the turn goes on")
		}
		pass(working, 0, time.Second)
	})
}

// What a client took quickly at first is no reason to wait for it later.
func TestPastSpeedDoesNotCount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cut := 0
		p := &pace{grace: 10 * time.Second, cut: func() { cut++ }}
		take := func(n int, within time.Duration) {
			t.Helper()
			if err := p.begin(); err != nil {
				t.Fatal(err)
			}
			time.Sleep(within)
			p.end(n)
		}
		take(100_000*fairRate, time.Second)
		take(2048, 5*time.Second)
		if err := p.begin(); err != nil || p.endIfSlow() {
			t.Errorf("it is cut off after five seconds, or %v", err)
		}
		time.Sleep(5 * time.Second)
		p.end(2048)
		if err := p.begin(); err != nil {
			t.Fatal(err)
		}
		if time.Sleep(time.Second); !p.endIfSlow() || cut != 1 {
			t.Errorf("it took 4 kB in eleven seconds, and was cut off %d times", cut)
		}
	})
}

// lateBody is a body that comes at once, an hour late.
type lateBody struct{ io.Reader }

// Read waits.
func (b lateBody) Read(p []byte) (int, error) {
	time.Sleep(time.Hour)
	return b.Reader.Read(p)
}

// A body is ended while the server waits for it, even for its last piece, and no more after
// that.
func TestBodiesEndWhileTheyArrive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cut := 0
		come := func() *bodyReader {
			late := lateBody{iotest.DataErrReader(strings.NewReader("all of it"))}
			return &bodyReader{ReadCloser: io.NopCloser(late), pace: pace{grace: 10 * time.Second, cut: func() { cut++ }}}
		}
		body := come()
		if got, err := io.ReadAll(body); err != nil || string(got) != "all of it" {
			t.Errorf("%q, %v", got, err)
		}
		if body.pace.endIfSlow() || cut > 0 {
			t.Error("a body is ended after it arrived")
		}
		body.ReadCloser = nil
		if n, err := body.Read(make([]byte, 1)); n != 0 || err != io.EOF {
			t.Errorf("after the end come %d bytes, %v", n, err)
		}
		body = come()
		time.AfterFunc(time.Minute, func() {
			if !body.pace.endIfSlow() {
				t.Error("a body that does not come is not ended")
			}
		})
		if _, err := io.ReadAll(body); !errors.Is(err, os.ErrDeadlineExceeded) || cut != 1 {
			t.Errorf("ended %d times: %v", cut, err)
		}
	})
}
