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

// limitedListener limits the open connections, in all and from one address. If another
// connection arrives, the listener closes one that has no request. If each has a request,
// it refuses the new connection with an answer and closes it at once: a client that has to
// wait cannot know why.
type limitedListener struct {
	net.Listener
	room      *slotPool
	lingering atomic.Int64 // refused connections that are still open
	plain     bool         // connections begin with HTTP, so that a client can read a refusal
	onRefuse  func()       // called for each refused connection

	mu   sync.Mutex
	idle map[*limitedConn]time.Time // connections without a request, and since when
}

// busyAnswer is the answer to a connection beyond the limit.
const busyAnswer = "HTTP/1.1 503 Service Unavailable\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: 45\r\n" +
	"Retry-After: 5\r\nConnection: close\r\n\r\n" + "too many connections are open; come back soon"

// limitConnections returns l limited to the connections of a slot pool.
func limitConnections(l net.Listener, room *slotPool, plain bool, turned func()) *limitedListener {
	return &limitedListener{Listener: l, room: room, plain: plain, onRefuse: turned, idle: map[*limitedConn]time.Time{}}
}

// Accept returns the next connection that gets a slot.
func (b *limitedListener) Accept() (net.Conn, error) {
	for {
		c, err := b.Listener.Accept()
		if err != nil {
			return nil, err
		}
		from := c.RemoteAddr().String()
		leave, ok := b.room.enter(from)
		if !ok && b.makeRoom(networkOf(from)) {
			leave, ok = b.room.enter(from) // only this goroutine takes slots
		}
		if !ok {
			b.onRefuse()
			b.refuse(c)
			continue
		}
		open := &limitedConn{Conn: c, network: networkOf(from)}
		open.release = func() { b.markBusy(open); leave() }
		b.markIdle(open, false)
		return open, nil
	}
}

// makeRoom closes a connection that has no request, and reports whether it found one. It
// picks from the network that is at its limit, otherwise from the network with the most
// such connections. Connections that never had a request go first: silent ones, and those
// that do not finish a handshake or a request's head. Among equals the oldest goes.
func (b *limitedListener) makeRoom(network string) bool {
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
	var first *limitedConn
	for c := range b.idle {
		if c.network == network && (first == nil || b.evictsBefore(c, first)) {
			first = c
		}
	}
	b.mu.Unlock()
	if first == nil {
		return false
	}
	_ = first.Close() // frees the slot in any case
	return true
}

// evictsBefore reports whether an idle connection is closed before another one.
func (b *limitedListener) evictsBefore(c, other *limitedConn) bool {
	if c.used != other.used {
		return other.used
	}
	return b.idle[c].Before(b.idle[other])
}

// trackState notes whether a connection has a request; net/http calls it.
func (b *limitedListener) trackState(c net.Conn, state http.ConnState) {
	if sealed, ok := c.(*tls.Conn); ok {
		c = sealed.NetConn()
	}
	open, ok := c.(*limitedConn)
	switch {
	case !ok:
	case state == http.StateIdle:
		b.markIdle(open, true)
	case state != http.StateNew:
		b.markBusy(open)
	}
}

// markIdle notes that a connection has no request, or none yet.
func (b *limitedListener) markIdle(c *limitedConn, used bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	c.used = used
	b.idle[c] = time.Now()
}

func (b *limitedListener) markBusy(c *limitedConn) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.idle, c)
}

// maxLingering is how many refused connections get time to read the answer, and lingerTime
// how much.
const (
	maxLingering = 64
	lingerTime   = time.Second
)

// refuse ends a connection without delay: its few bytes fit into the buffer of a new one.
func (b *limitedListener) refuse(c net.Conn) {
	if !b.plain || b.lingering.Load() >= maxLingering { // only Accept's goroutine adds
		_ = c.Close()
		return
	}
	b.lingering.Add(1)
	go func() {
		defer b.lingering.Add(-1)
		_ = c.SetDeadline(time.Now().Add(lingerTime)) // an error here means that the client has gone
		_, _ = io.WriteString(c, busyAnswer)
		_ = closeWrite(c)
		_, _ = io.Copy(io.Discard, io.LimitReader(c, 64<<10)) // closing with unread bytes would discard the answer
		_ = c.Close()
	}()
}

// limitedConn is a connection that frees its slot on Close.
type limitedConn struct {
	net.Conn
	network string
	used    bool // had a request; same lock as [limitedListener.idle]
	release func()
}

// Close closes the connection.
func (c *limitedConn) Close() error {
	c.release()
	return c.Conn.Close()
}

// CloseWrite ends the sending side. net/http needs it, so that the client reads the last
// bytes before the connection is gone.
func (c *limitedConn) CloseWrite() error { return closeWrite(c.Conn) }

func closeWrite(c net.Conn) error {
	if half, ok := c.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}
