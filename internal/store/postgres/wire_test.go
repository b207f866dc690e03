package postgres

import (
	"net"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgproto3"
)

// wire stands between a store and its server. It changes statements on their way, and
// cuts connections.
type wire struct {
	server  string
	change  func(statement string) string
	verdict func(statement string) verdict // asked whenever a statement is about to run

	mu    sync.Mutex
	links map[*link]bool
}

// verdict says what becomes of the connection on which a statement is about to run.
type verdict int

const (
	pass   verdict = iota
	before         // cut: the statement does not reach the server
	after          // cut: the answer does not reach the store
)

// link is one connection.
type link struct {
	w       *wire
	client  net.Conn
	server  net.Conn
	named   map[string]string // prepared statements
	swallow atomic.Bool       // the next answer, and then cut
}

// through returns the URL by which a server is reached through a wire.
func (w *wire) through(t testing.TB, to string) string {
	t.Helper()
	u, err := url.Parse(to)
	must(t, err)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	w.server, u.Host, w.links = u.Host, l.Addr().String(), make(map[*link]bool)
	t.Cleanup(func() { _ = l.Close(); w.cut() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go w.serve(c)
		}
	}()
	return u.String()
}

// judge has somebody say what becomes of connections from now on; nil: nobody.
func (w *wire) judge(say func(statement string) verdict) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.verdict = say
}

// cut cuts all connections.
func (w *wire) cut() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for l := range w.links {
		l.cut()
	}
}

func (l *link) cut() {
	_, _ = l.client.Close(), l.server.Close()
}

func (w *wire) serve(client net.Conn) {
	server, err := net.Dial("tcp", w.server)
	if err != nil {
		_ = client.Close()
		return
	}
	l := &link{w: w, client: client, server: server, named: make(map[string]string)}
	w.mu.Lock()
	w.links[l] = true
	w.mu.Unlock()
	defer func() {
		w.mu.Lock()
		delete(w.links, l)
		w.mu.Unlock()
	}()
	go l.answers()
	l.questions()
	if !l.swallow.Load() { // else what answers cuts
		l.cut()
	}
}

// answers brings what the server says to the store.
func (l *link) answers() {
	defer l.cut()
	buf := make([]byte, 1<<16)
	for {
		n, err := l.server.Read(buf)
		if err != nil || l.swallow.Load() {
			return
		}
		if _, err := l.client.Write(buf[:n]); err != nil {
			return
		}
	}
}

// questions brings what the store says to the server.
func (l *link) questions() {
	from := pgproto3.NewBackend(l.client, l.client)
	start, err := from.ReceiveStartupMessage()
	for err == nil {
		var out []byte
		if out, err = start.Encode(nil); err == nil {
			_, err = l.server.Write(out)
		}
		if _, ok := start.(*pgproto3.StartupMessage); ok || err != nil {
			break
		}
		start, err = from.ReceiveStartupMessage()
	}
	for err == nil {
		var m pgproto3.FrontendMessage
		if m, err = from.Receive(); err != nil {
			return
		}
		switch l.ask(m) {
		case before:
			return
		case after:
			l.swallow.Store(true)
		}
		var out []byte
		if out, err = m.Encode(nil); err == nil {
			_, err = l.server.Write(out)
		}
	}
}

// ask changes a message and says what becomes of the connection.
func (l *link) ask(m pgproto3.FrontendMessage) verdict {
	switch m := m.(type) {
	case *pgproto3.Parse:
		if l.w.change != nil {
			m.Query = l.w.change(m.Query)
		}
		l.named[m.Name] = m.Query
	case *pgproto3.Query:
		return l.w.say(m.String)
	case *pgproto3.Bind:
		return l.w.say(l.named[m.PreparedStatement])
	}
	return pass
}

// say asks what becomes of a connection that sends a statement.
func (w *wire) say(statement string) verdict {
	w.mu.Lock()
	judge := w.verdict
	w.mu.Unlock()
	if judge == nil {
		return pass
	}
	return judge(statement)
}

// within waits for something to become so.
func within(t testing.TB, patience time.Duration, what string, so func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !so(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("not within %v: %s", patience, what)
		}
	}
}
