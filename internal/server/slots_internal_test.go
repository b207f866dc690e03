package server

import (
	"bufio"
	"net"
	"net/http"
	"testing"
	"time"
)

func TestRoom(t *testing.T) {
	o := newSlotPool(4, 2)
	enter := func(from string, want bool) func() {
		t.Helper()
		leave, ok := o.enter(from)
		if ok != want {
			t.Errorf("%s: %v", from, ok)
		}
		return leave
	}
	first := enter("192.0.2.7:1", true)
	enter("192.0.2.7:2", true)
	enter("[::ffff:192.0.2.7]:3", false) // the same by another name
	enter("[2001:db8:1:2::1]:1", true)
	first()
	first() // gives back one slot, however often
	enter("192.0.2.7:4", true)
	enter("192.0.2.7:5", false)
	enter("[2001:db8:1:2:ffff::]:1", true) // of the same network, which has two
	enter("[2001:db8:1:3::1]:1", false)    // all are taken
	if len(o.by) != 2 {
		t.Errorf("%v", o.by)
	}
}

func TestRoomOfThisMachine(t *testing.T) {
	for _, from := range []string{"127.0.0.1:1", "127.8.9.1:1", "[::1]:1", "[::ffff:127.0.0.1]:1", "@", ""} {
		o := newSlotPool(3, 1)
		for i := range 4 {
			leave, ok := o.enter(from)
			if ok != (i < 3) {
				t.Errorf("%q: slot %d is given: %v", from, i, ok)
			}
			if ok {
				defer leave()
			}
		}
	}
}

// caught is a connection that says it comes from elsewhere.
type caught struct {
	net.Conn
	from net.Addr
}

func (c caught) RemoteAddr() net.Addr { return c.from }

// callers are connections that arrive one after another.
type callers chan net.Conn

func (c callers) Accept() (net.Conn, error) {
	if next, ok := <-c; ok {
		return next, nil
	}
	return nil, net.ErrClosed
}

func (c callers) Close() error   { return nil }
func (c callers) Addr() net.Addr { return &net.TCPAddr{} }

func TestConnectionsOfOneAddress(t *testing.T) {
	arriving, turned := make(callers), 0
	b := limitConnections(arriving, newSlotPool(10, 2), true, func() { turned++ })
	accepted := make(chan net.Conn, 10)
	go func() {
		defer close(accepted)
		for {
			c, err := b.Accept()
			if err != nil {
				return
			}
			b.trackState(c, http.StateActive)
			accepted <- c
		}
	}()
	call := func(ip string) net.Conn {
		here, there := net.Pipe()
		if err := here.SetDeadline(time.Now().Add(10 * time.Second)); err != nil {
			t.Fatal(err)
		}
		arriving <- caught{there, &net.TCPAddr{IP: net.ParseIP(ip), Port: 1}}
		return here
	}
	call("192.0.2.7")
	call("192.0.2.7")
	got, err := http.ReadResponse(bufio.NewReader(call("192.0.2.7")), nil)
	if err != nil || got.StatusCode != http.StatusServiceUnavailable || got.Header.Get("Retry-After") == "" {
		t.Fatalf("%+v %v", got, err)
	}
	call("192.0.2.8")
	_ = (<-accepted).Close()
	call("192.0.2.7")
	close(arriving)
	n := 0
	for range accepted {
		n++
	}
	if n != 3 || turned != 1 {
		t.Errorf("%d connections were let in after the first, %d turned away", n, turned)
	}
}

// TestRoomOfIdleConnections requires that the connection which waited for the longest
// makes room: of the same network where that has all it may, otherwise of the one with
// the most, and never one with a request.
func TestRoomOfIdleConnections(t *testing.T) {
	arriving := make(callers, 1)
	b := limitConnections(arriving, newSlotPool(5, 3), true, func() {})
	call := func(ip string) net.Conn {
		t.Helper()
		_, there := net.Pipe()
		arriving <- caught{there, &net.TCPAddr{IP: net.ParseIP(ip), Port: 1}}
		c, err := b.Accept()
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	closed := func(c net.Conn) bool { _, waits := b.idle[c.(*limitedConn)]; return !waits }
	busy, first, second, alone := call("192.0.2.7"), call("192.0.2.7"), call("192.0.2.7"), call("192.0.2.8")
	b.trackState(busy, http.StateActive)
	third := call("192.0.2.7")
	if !closed(first) || closed(second) || closed(alone) {
		t.Error("of a network that has all it may, its own first does not make room")
	}
	call("192.0.2.9")
	b.trackState(alone, http.StateActive)
	b.trackState(alone, http.StateIdle)
	call("192.0.2.10")
	if !closed(second) || closed(third) || closed(alone) {
		t.Error("of several networks, the first of the one with the most does not make room")
	}
	if b.room.by["192.0.2.7"] != 2 {
		t.Errorf("%d connections of the first network are open, want the one with a request and the third", b.room.by["192.0.2.7"])
	}
	used, fresh := call("192.0.2.11"), call("192.0.2.11")
	b.trackState(used, http.StateActive)
	b.trackState(used, http.StateIdle)
	call("192.0.2.11")
	if call("192.0.2.11"); !closed(fresh) || closed(used) {
		t.Error("a connection that had a request makes room before one that had none")
	}
}
