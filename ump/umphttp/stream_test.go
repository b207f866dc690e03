package umphttp_test

import (
	"bufio"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump/umphttp"
)

// streaming serves f with timeouts shorter than a stream's silence.
func streaming(t *testing.T, f *feed, o umphttp.Options) *httptest.Server {
	t.Helper()
	o.Authenticate = who
	server := httptest.NewUnstartedServer(umphttp.New(f, o))
	server.Config.ReadTimeout, server.Config.WriteTimeout = 100*time.Millisecond, 100*time.Millisecond
	server.Start()
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	return server
}

// subscribe opens a stream and returns its lines.
func subscribe(t *testing.T, server *httptest.Server) *bufio.Scanner {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), "GET", server.URL+"/ump/subscribe", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer owner")
	got, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = got.Body.Close() })
	lines := bufio.NewScanner(got.Body)
	lines.Buffer(nil, 1<<20)
	if !lines.Scan() || lines.Text() != ": ump subscribe open" {
		t.Fatalf("%d %q", got.StatusCode, lines.Text())
	}
	return lines
}

// until reads lines until one begins with prefix.
func until(lines *bufio.Scanner, prefix string) bool {
	for lines.Scan() {
		if strings.HasPrefix(lines.Text(), prefix) {
			return true
		}
	}
	return false
}

func TestStreamOutlivesTimeouts(t *testing.T) {
	f := newFeed()
	lines := subscribe(t, streaming(t, f, umphttp.Options{}))
	time.Sleep(500 * time.Millisecond)
	f.happen(memory.WasErased, "urn:ump:a", memory.Scope{})
	if !until(lines, `data: {"type":"erased","id":"urn:ump:a"}`) {
		t.Errorf("cut off: %v", lines.Err())
	}
}

// TestSlowReader has one client that reads nothing of many megabytes and one
// that reads all: the second must not notice the first, nor the service.
func TestSlowReader(t *testing.T) {
	f := newFeed()
	server := streaming(t, f, umphttp.Options{})
	connection, err := net.Dial("tcp", strings.TrimPrefix(server.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = connection.Close() }()
	if _, err := connection.Write([]byte("GET /ump/subscribe HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer owner\r\n\r\n")); err != nil {
		t.Fatal(err)
	}
	if _, err := http.ReadResponse(bufio.NewReaderSize(connection, 16), nil); err != nil {
		t.Fatal(err)
	}
	lines := subscribe(t, server)
	big := memory.Scope{Project: strings.Repeat("p", 100_000)}
	for range 200 {
		f.happen(memory.WasCreated, "urn:ump:a", big)
	}
	f.happen(memory.WasErased, "urn:ump:last", memory.Scope{})
	if !until(lines, `data: {"type":"erased","id":"urn:ump:last"}`) {
		t.Errorf("held up: %v", lines.Err())
	}
}

// TestCloseEndsStreams stops a server that has a stream open: it need not wait.
func TestCloseEndsStreams(t *testing.T) {
	h := umphttp.New(newFeed(), umphttp.Options{Authenticate: who})
	server := httptest.NewServer(h)
	lines := subscribe(t, server)
	if err := h.Close(); err != nil {
		t.Fatal(err)
	}
	server.Close() // waits for what is under way
	if !until(lines, ": server is stopping") {
		t.Error("the client is not told")
	}
}
