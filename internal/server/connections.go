package server

import (
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// bounded is a listener with at most so many connections open, in all and from one
// address. Where a further one arrives, an open connection without a request makes room
// for it; where each has a request, the further one is told so and closed, rather than
// left to wait: whoever waits cannot know why.
type bounded struct {
	net.Listener
	room    *room
	leaving atomic.Int64 // refused and not yet closed
	plain   bool         // connections begin with HTTP, so that a refusal can be read
	turned  func()       // called for each connection that was refused

	mu   sync.Mutex
	idle map[*counted]time.Time // connections without a request, and since when
}

// tooMany is what is said to a connection too many.
const tooMany = "HTTP/1.1 503 Service Unavailable\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: 45\r\n" +
	"Retry-After: 5\r\nConnection: close\r\n\r\n" + "too many connections are open; come back soon"

// bind returns l with as many connections as there is room for.
func bind(l net.Listener, room *room, plain bool, turned func()) *bounded {
	return &bounded{Listener: l, room: room, plain: plain, turned: turned, idle: map[*counted]time.Time{}}
}

// Accept returns the next connection there is room for.
func (b *bounded) Accept() (net.Conn, error) {
	for {
		c, err := b.Listener.Accept()
		if err != nil {
			return nil, err
		}
		from := c.RemoteAddr().String()
		leave, ok := b.room.enter(from)
		if !ok && b.makeRoom(networkOf(from)) {
			leave, ok = b.room.enter(from) // only this goroutine enters
		}
		if !ok {
			b.turned()
			b.refuse(c)
			continue
		}
		open := &counted{Conn: c, network: networkOf(from)}
		open.release = func() { b.busy(open); leave() }
		b.rest(open, false)
		return open, nil
	}
}

// makeRoom closes a connection that has no request, and reports whether there was one: of
// the network that has as many as it may, otherwise of the network with the most of them.
// Connections that never had a request go first: those that say nothing, and those that
// never finish a handshake or the head of a request. Among equals the oldest goes.
func (b *bounded) makeRoom(network string) bool {
	b.mu.Lock()
	idle := map[string]int{}
	for c := range b.idle {
		idle[c.network]++
	}
	if !b.room.full(network) {
		network = ""
		for name, n := range idle {
			if network == "" || n > idle[network] {
				network = name
			}
		}
	}
	var first *counted
	for c := range b.idle {
		if c.network == network && (first == nil || b.goesBefore(c, first)) {
			first = c
		}
	}
	b.mu.Unlock()
	if first == nil {
		return false
	}
	_ = first.Close() // gives its place back in any case
	return true
}

// goesBefore reports whether a connection without a request is closed before another one.
func (b *bounded) goesBefore(c, other *counted) bool {
	if c.used != other.used {
		return other.used
	}
	return b.idle[c].Before(b.idle[other])
}

// changed notes whether a connection has a request, as net/http tells it.
func (b *bounded) changed(c net.Conn, state http.ConnState) {
	if sealed, ok := c.(*tls.Conn); ok {
		c = sealed.NetConn()
	}
	open, ok := c.(*counted)
	switch {
	case !ok:
	case state == http.StateIdle:
		b.rest(open, true)
	case state != http.StateNew:
		b.busy(open)
	}
}

// rest notes that a connection has no request: no more, or none yet.
func (b *bounded) rest(c *counted, used bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	c.used = used
	b.idle[c] = time.Now()
}

func (b *bounded) busy(c *counted) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.idle, c)
}

// lingering is how many refused connections are given time to read why, and
// lingerFor how much.
const (
	lingering = 64
	lingerFor = time.Second
)

// refuse ends a connection without making anybody wait: its few bytes fit into
// the buffer of a new one.
func (b *bounded) refuse(c net.Conn) {
	if !b.plain || b.leaving.Load() >= lingering { // only Accept's goroutine adds
		_ = c.Close()
		return
	}
	b.leaving.Add(1)
	go func() {
		defer b.leaving.Add(-1)
		_ = c.SetDeadline(time.Now().Add(lingerFor)) // errors of these mean that it has gone
		_, _ = io.WriteString(c, tooMany)
		_ = closeWrite(c)
		_, _ = io.Copy(io.Discard, io.LimitReader(c, 64<<10)) // closing with something unread would take the answer back
		_ = c.Close()
	}()
}

// counted is a connection that gives its place back when it is closed.
type counted struct {
	net.Conn
	network string
	used    bool // had a request; guarded as [bounded.idle] is
	release func()
}

// Close closes the connection.
func (c *counted) Close() error {
	c.release()
	return c.Conn.Close()
}

// CloseWrite says that nothing more is sent. net/http wants it, so that its last
// words are read before the connection is gone.
func (c *counted) CloseWrite() error { return closeWrite(c.Conn) }

func closeWrite(c net.Conn) error {
	if half, ok := c.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}
