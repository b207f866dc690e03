package server

import (
	"io"
	"net"
	"sync/atomic"
	"time"
)

// bounded is a listener with at most so many connections open, in all and from one
// address. Further ones are told so and closed, rather than left to wait: whoever
// waits cannot know why.
type bounded struct {
	net.Listener
	room    *room
	leaving atomic.Int64 // refused and not yet closed
	plain   bool         // connections begin with HTTP, so that a refusal can be read
	turned  func()       // called for each connection that was refused
}

// busy is what is said to a connection too many.
const busy = "HTTP/1.1 503 Service Unavailable\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: 45\r\n" +
	"Retry-After: 5\r\nConnection: close\r\n\r\n" + "too many connections are open; come back soon"

// Accept returns the next connection there is room for.
func (b *bounded) Accept() (net.Conn, error) {
	for {
		c, err := b.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if leave, ok := b.room.enter(c.RemoteAddr().String()); ok {
			return &counted{Conn: c, release: leave}, nil
		}
		b.turned()
		b.refuse(c)
	}
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
		_, _ = io.WriteString(c, busy)
		_ = closeWrite(c)
		_, _ = io.Copy(io.Discard, io.LimitReader(c, 64<<10)) // closing with something unread would take the answer back
		_ = c.Close()
	}()
}

// counted is a connection that gives its place back when it is closed.
type counted struct {
	net.Conn
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
