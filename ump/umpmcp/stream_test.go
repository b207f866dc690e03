package umpmcp_test

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump/umpmcp"
	"github.com/satchel-memory/satchel/ump/umptest"
)

// house is a server over HTTP whose tokens can be revoked, and that cuts off
// requests which take longer than 200 ms.
type house struct {
	*umptest.Vault
	*httptest.Server
	handler *umpmcp.HTTP
	mu      sync.Mutex
	revoked map[string]bool
}

func (h *house) who(r *http.Request) (memory.Caller, error) {
	token := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.revoked[token] {
		return memory.Caller{}, errNobody
	}
	switch token {
	case "mine":
		return memory.Caller{Owner: owner, Role: memory.Owner}, nil
	case "one", "two":
		return memory.Caller{Owner: owner, Role: memory.Agent, Session: "token:" + token}, nil
	case "short":
		c := reader("p")
		c.Grant.Expires = time.Now().Add(700 * time.Millisecond)
		return c, nil
	}
	return memory.Caller{}, errNobody
}

func (h *house) revoke(token string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.revoked[token] = true
}

func build(t *testing.T, o umpmcp.HTTPOptions) *house {
	t.Helper()
	h := &house{Vault: at3(t), revoked: map[string]bool{}}
	o.Who = h.who
	h.handler = umpmcp.NewHTTP(h.Vault, umpmcp.Options{}, o)
	h.Server = httptest.NewUnstartedServer(h.handler)
	h.Config.ReadTimeout, h.Config.WriteTimeout = 200*time.Millisecond, 200*time.Millisecond
	h.Start()
	t.Cleanup(func() {
		_ = h.handler.Close()
		h.CloseClientConnections()
		h.Server.Close()
	})
	return h
}

func (h *house) dial(t *testing.T, token, revision string) *host {
	t.Helper()
	client, options := newHost()
	var err error
	client.ClientSession, err = mcp.NewClient(&mcp.Implementation{Name: "some-host", Version: "1"}, options).
		Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: h.URL, HTTPClient: &http.Client{Transport: withToken(token)}, MaxRetries: -1},
			&mcp.ClientSessionOptions{ProtocolVersion: revision})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	return client
}

// hears reports whether a host is told something within a while.
func hears[T comparable](from chan T, want T) bool {
	select {
	case got := <-from:
		return got == want
	case <-time.After(5 * time.Second):
		return false
	}
}

func TestHTTPStreams(t *testing.T) {
	for _, revision := range revisions()[1:] {
		t.Run("UMP-3.8-4 changes over HTTP, after a long silence, revision "+revision, func(t *testing.T) {
			h := build(t, umpmcp.HTTPOptions{})
			client := h.dial(t, "mine", revision)
			if err := client.Subscribe(t.Context(), &mcp.SubscribeParams{URI: knownAt}); err != nil {
				t.Fatal(err)
			}
			time.Sleep(600 * time.Millisecond)
			revise(t, h.Vault, known, "Use bun.")
			if !hears(client.updated, knownAt) || !hears(client.listed, struct{}{}) {
				t.Error("not told")
			}
			if answer, failed := call(t, client.ClientSession, "ump.recall", map[string]any{"query": "bun"}); failed {
				t.Errorf("%s", answer)
			}
		})
	}
}

// raw opens a stream of a revision and returns its lines.
func (h *house) raw(t *testing.T, token, revision string) (*http.Response, *bufio.Scanner) {
	t.Helper()
	header := http.Header{"Authorization": {"Bearer " + token}, "Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}, "Mcp-Protocol-Version": {revision}}
	method, body := http.MethodGet, ""
	if revision >= "2026-07-28" {
		method = http.MethodPost
		header.Set("Mcp-Method", "subscriptions/listen")
		body = `{"jsonrpc":"2.0","id":"l","method":"subscriptions/listen","params":{"notifications":{"resourcesListChanged":true,"resourceSubscriptions":["` + knownAt + `"]},` +
			`"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`
	} else {
		header.Set("Mcp-Session-Id", h.session(t, token))
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	t.Cleanup(cancel)
	r, err := http.NewRequestWithContext(ctx, method, h.URL, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header = header
	got, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = got.Body.Close() })
	return got, bufio.NewScanner(got.Body)
}

// session begins a session, which listens by the time it is returned.
func (h *house) session(t *testing.T, token string) string {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, h.URL, strings.NewReader(initialize))
	if err != nil {
		t.Fatal(err)
	}
	r.Header = http.Header{"Authorization": {"Bearer " + token}, "Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}}
	got, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	_ = got.Body.Close()
	id := got.Header.Get("Mcp-Session-Id")
	if status, said := post(t, h.Server, token, http.Header{"Mcp-Session-Id": {id}}, `{"jsonrpc":"2.0","method":"notifications/initialized"}`); status != http.StatusAccepted {
		t.Fatalf("%d %s", status, said)
	}
	// Messages are handled in turn: once this is answered, the session listens.
	if status, said := post(t, h.Server, token, http.Header{"Mcp-Session-Id": {id}}, `{"jsonrpc":"2.0","id":2,"method":"ping"}`); status != http.StatusOK {
		t.Fatalf("%d %s", status, said)
	}
	return id
}

// rest returns the lines until the stream ends.
func rest(lines *bufio.Scanner) (all []string) {
	for lines.Scan() {
		if lines.Text() != "" {
			all = append(all, lines.Text())
		}
	}
	return all
}

func TestHTTPStreamLasts(t *testing.T) {
	for _, revision := range []string{"2025-11-25", "2026-07-28"} {
		t.Run("a stream outlives the time a request may take, revision "+revision, func(t *testing.T) {
			h := build(t, umpmcp.HTTPOptions{})
			got, lines := h.raw(t, "one", revision)
			if !lines.Scan() {
				t.Fatal(lines.Err())
			}
			if control := got.Header.Get("Cache-Control"); control != "no-store" {
				t.Error(control)
			}
			time.Sleep(600 * time.Millisecond)
			remember(t, h.Vault, "x", memory.Scope{})
			for lines.Scan() && !strings.Contains(lines.Text(), "list_changed") {
			}
			if lines.Err() != nil || lines.Text() == "" {
				t.Errorf("cut off: %v", lines.Err())
			}
			if listens := strings.Contains(lines.Text(), `"io.modelcontextprotocol/subscriptionId":"l"`); listens != (revision >= "2026-07-28") {
				t.Errorf("of which request: %s", lines.Text())
			}
		})
	}
}

func TestHTTPStreamEnds(t *testing.T) {
	for _, revision := range []string{"2025-11-25", "2026-07-28"} {
		t.Run("UMP-5.2-8 at the next heartbeat after the token is revoked, revision "+revision, func(t *testing.T) {
			h := build(t, umpmcp.HTTPOptions{Heartbeat: 50 * time.Millisecond})
			_, lines := h.raw(t, "one", revision)
			for lines.Scan() && lines.Text() != ": alive" {
			}
			h.revoke("one")
			if all := rest(lines); slices.ContainsFunc(all, func(s string) bool { return s != ": alive" }) || lines.Err() != nil && strings.Contains(lines.Err().Error(), "deadline") {
				t.Errorf("%q, %v", all, lines.Err())
			}
		})
		t.Run("UMP-5.2-8 before the next event after the token is revoked, revision "+revision, func(t *testing.T) {
			h := build(t, umpmcp.HTTPOptions{})
			_, lines := h.raw(t, "one", revision)
			if !lines.Scan() {
				t.Fatal(lines.Err())
			}
			h.revoke("one")
			remember(t, h.Vault, "x", memory.Scope{})
			if all := rest(lines); strings.Contains(strings.Join(all, "\n"), "list_changed") || lines.Err() != nil && strings.Contains(lines.Err().Error(), "deadline") {
				t.Errorf("%q, %v", all, lines.Err())
			}
		})
		t.Run("when the server stops, revision "+revision, func(t *testing.T) {
			h := build(t, umpmcp.HTTPOptions{})
			_, lines := h.raw(t, "one", revision)
			if !lines.Scan() {
				t.Fatal(lines.Err())
			}
			h.handler.CloseStreams()
			if all := rest(lines); strings.Contains(fmt.Sprint(lines.Err()), "deadline") {
				t.Errorf("%q, %v", all, lines.Err())
			}
		})
	}
	t.Run("UMP-3.8-5 when the token expires", func(t *testing.T) {
		h := build(t, umpmcp.HTTPOptions{})
		id := h.session(t, "short")
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, h.URL, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header = http.Header{"Authorization": {"Bearer short"}, "Accept": {"text/event-stream"}, "Mcp-Session-Id": {id}}
		began := time.Now()
		got, err := http.DefaultTransport.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = got.Body.Close() }()
		rest(bufio.NewScanner(got.Body))
		if took := time.Since(began); got.StatusCode != 200 || took < 600*time.Millisecond || took > 20*time.Second {
			t.Errorf("%d, ends after %v", got.StatusCode, took)
		}
	})
}

func TestHTTPSessions(t *testing.T) {
	t.Run("a session is its token's", func(t *testing.T) {
		h := build(t, umpmcp.HTTPOptions{})
		id := h.session(t, "one")
		for token, want := range map[string]int{"one": 200, "two": 403, "mine": 403, "no": 401} {
			if status, said := post(t, h.Server, token, http.Header{"Mcp-Session-Id": {id}}, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`); status != want {
				t.Errorf("%s: %d %.80s", token, status, said)
			}
		}
		h.revoke("one")
		if status, _ := post(t, h.Server, "one", http.Header{"Mcp-Session-Id": {id}}, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`); status != 401 {
			t.Errorf("revoked: %d", status)
		}
	})
	t.Run("a session with a stream is not idle", func(t *testing.T) {
		h := build(t, umpmcp.HTTPOptions{SessionTimeout: 300 * time.Millisecond})
		silent := h.session(t, "mine")
		got, lines := h.raw(t, "mine", "2025-11-25")
		if !lines.Scan() {
			t.Fatal(lines.Err())
		}
		id := got.Request.Header.Get("Mcp-Session-Id")
		time.Sleep(900 * time.Millisecond)
		for session, want := range map[string]int{id: 200, silent: 404} {
			if status, said := post(t, h.Server, "mine", http.Header{"Mcp-Session-Id": {session}}, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`); status != want {
				t.Errorf("%d %.80s, want %d", status, said, want)
			}
		}
		_ = got.Body.Close()
		deadline := time.Now().Add(5 * time.Second)
		for time.Now().Before(deadline) {
			time.Sleep(400 * time.Millisecond)
			if status, _ := post(t, h.Server, "mine", http.Header{"Mcp-Session-Id": {id}}, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`); status == 404 {
				return
			}
		}
		t.Error("does not end without its stream")
	})
	t.Run("a token has so many streams at most", func(t *testing.T) {
		h := build(t, umpmcp.HTTPOptions{MaxStreams: 1})
		if got, _ := h.raw(t, "one", "2026-07-28"); got.StatusCode != 200 {
			t.Fatal(got.Status)
		}
		if got, _ := h.raw(t, "one", "2026-07-28"); got.StatusCode != 429 || got.Header.Get("Retry-After") == "" {
			t.Error(got.Status)
		}
		if got, _ := h.raw(t, "two", "2026-07-28"); got.StatusCode != 200 {
			t.Error(got.Status)
		}
	})
	t.Run("methods", func(t *testing.T) {
		h := build(t, umpmcp.HTTPOptions{})
		for method, want := range map[string]int{"PUT": 405, "GET": 400} {
			r, err := http.NewRequestWithContext(t.Context(), method, h.URL, nil)
			if err != nil {
				t.Fatal(err)
			}
			r.Header = http.Header{"Authorization": {"Bearer mine"}, "Accept": {"text/event-stream"}}
			got, err := http.DefaultTransport.RoundTrip(r)
			if err != nil {
				t.Fatal(err)
			}
			_ = got.Body.Close()
			if got.StatusCode != want || (want == 405) != (got.Header.Get("Allow") == "GET, POST, DELETE") {
				t.Errorf("%s: %s %v", method, got.Status, got.Header)
			}
		}
	})
}
