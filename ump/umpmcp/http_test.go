package umpmcp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump/umpmcp"
	"github.com/satchel-memory/satchel/ump/umptest"
)

// tokens says who holds which token.
func tokens(r *http.Request) (memory.Caller, error) {
	switch r.Header.Get("Authorization") {
	case "Bearer mine":
		return memory.Caller{Owner: owner, Role: memory.Owner}, nil
	case "Bearer theirs":
		return memory.Caller{Owner: "did:example:other", Role: memory.Owner}, nil
	}
	return memory.Caller{}, errNobody
}

var errNobody = &memory.Error{Kind: memory.Unauthorized, Message: "send a token"}

func serveHTTP(t *testing.T, v umpmcp.Backend, h umpmcp.HTTPOptions) *httptest.Server {
	t.Helper()
	h.Who = tokens
	handler := umpmcp.NewHTTP(v, umpmcp.Options{Caller: agent}, h)
	server := httptest.NewServer(handler)
	t.Cleanup(func() {
		server.Close()
		_ = handler.Close()
	})
	return server
}

type withToken string

func (w withToken) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(w))
	return http.DefaultTransport.RoundTrip(r)
}

func dial(t *testing.T, server *httptest.Server, token, revision string) (*mcp.ClientSession, error) {
	t.Helper()
	transport := &mcp.StreamableClientTransport{Endpoint: server.URL, HTTPClient: &http.Client{Transport: withToken(token)}}
	return mcp.NewClient(&mcp.Implementation{Name: "some-host", Version: "1"}, nil).
		Connect(t.Context(), transport, &mcp.ClientSessionOptions{ProtocolVersion: revision})
}

func TestHTTPRevisions(t *testing.T) {
	for _, revision := range []string{"2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"} {
		t.Run("UMP-4.1-9 a stock client over HTTP, revision "+revision, func(t *testing.T) {
			var seen memory.Caller
			v := filled(t)
			v.Before = func(_ context.Context, _ string, c memory.Caller) error { seen = c; return nil }
			client, err := dial(t, serveHTTP(t, v, umpmcp.HTTPOptions{}), "mine", revision)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = client.Close() }()
			listed, err := client.ListTools(t.Context(), nil)
			if err != nil || len(listed.Tools) != 6 {
				t.Fatalf("%v, %v", listed, err)
			}
			found, failed := call(t, client, "ump.recall", map[string]any{"query": "pnpm"})
			if text, refused := ask(t, client, "ump_recall", `{"query":"pnpm"}`); failed || refused || !bytes.Contains(found, []byte("Use pnpm")) || !strings.Contains(text, "Use pnpm") {
				t.Errorf("%s\n%s", found, text)
			}
			if seen.Owner != owner || seen.Role != memory.Agent || seen.Agent != "some-host" || (seen.Session == "") != (revision == "2026-07-28") {
				t.Errorf("caller %+v", seen)
			}
			read, err := client.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "ump://_/urn:ump:caaaaaaaaaaaaaaaaaaaaaaaaa"})
			if err != nil || !strings.Contains(read.Contents[0].Text, "short answers") {
				t.Errorf("%v, %v", read, err)
			}
			if _, err := client.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: "brief"}); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestHTTPStrangers(t *testing.T) {
	server := serveHTTP(t, filled(t), umpmcp.HTTPOptions{})
	t.Run("UMP-3.7-2 no token", func(t *testing.T) {
		for _, revision := range []string{"2025-11-25", "2026-07-28"} {
			if _, err := dial(t, server, "guessed", revision); err == nil {
				t.Errorf("%s: let in", revision)
			}
		}
	})
	t.Run("another owner's session", func(t *testing.T) {
		mine, err := dial(t, server, "mine", "2025-11-25")
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = mine.Close() }()
		status, _ := post(t, server, "theirs", http.Header{"Mcp-Session-Id": {mine.ID()}}, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
		if status != http.StatusForbidden {
			t.Errorf("status %d", status)
		}
	})
	t.Run("another owner sees nothing of mine", func(t *testing.T) {
		theirs, err := dial(t, server, "theirs", "")
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = theirs.Close() }()
		found, _ := call(t, theirs, "ump.recall", map[string]any{"query": "pnpm"})
		if bytes.Contains(found, []byte("pnpm")) {
			t.Errorf("%s", found)
		}
	})
}

// post sends one message and returns the status and the body.
func post(t *testing.T, server *httptest.Server, token string, header http.Header, body string) (int, []byte) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}, "Authorization": {"Bearer " + token}}
	for name, values := range header {
		r.Header[http.CanonicalHeaderKey(name)] = values
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	said, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, said
}

const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"some-host","version":"1"}}}`

func TestHTTPLimits(t *testing.T) {
	t.Run("sessions", func(t *testing.T) {
		server := serveHTTP(t, umptest.New(), umpmcp.HTTPOptions{MaxSessions: 2})
		for i := range 3 {
			status, said := post(t, server, "mine", nil, initialize)
			if want := map[bool]int{true: 200, false: 503}[i < 2]; status != want {
				t.Errorf("session %d: %d %s", i, status, said)
			}
		}
		if status, _ := post(t, server, "mine", http.Header{"Mcp-Protocol-Version": {"2026-07-28"}, "Mcp-Method": {"tools/list"}},
			`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`); status != 200 {
			t.Errorf("a request without session: %d", status)
		}
	})
	t.Run("idle sessions end", func(t *testing.T) {
		server := serveHTTP(t, umptest.New(), umpmcp.HTTPOptions{MaxSessions: 1, SessionTimeout: 50 * time.Millisecond})
		for range 2 {
			deadline := time.Now().Add(5 * time.Second)
			status := 0
			for status != 200 && time.Now().Before(deadline) {
				status, _ = post(t, server, "mine", nil, initialize)
				time.Sleep(10 * time.Millisecond)
			}
			if status != 200 {
				t.Fatalf("status %d", status)
			}
		}
	})
	t.Run("a body too large", func(t *testing.T) {
		server := serveHTTP(t, umptest.New(), umpmcp.HTTPOptions{MaxBody: 1 << 10})
		for _, revision := range []string{"2025-11-25", "2026-07-28"} {
			if status, _ := post(t, server, "mine", http.Header{"Mcp-Protocol-Version": {revision}}, `{"x":"`+strings.Repeat("x", 2<<10)+`"}`); status != http.StatusRequestEntityTooLarge {
				t.Errorf("%s: status %d", revision, status)
			}
		}
	})
	t.Run("GET has no stream", func(t *testing.T) {
		server := serveHTTP(t, umptest.New(), umpmcp.HTTPOptions{})
		answer, err := http.Get(server.URL)
		if err != nil {
			t.Fatal(err)
		}
		_ = answer.Body.Close()
		if answer.StatusCode != http.StatusMethodNotAllowed || answer.Header.Get("Allow") != "POST, DELETE" {
			t.Errorf("%d, Allow %q", answer.StatusCode, answer.Header.Get("Allow"))
		}
	})
	t.Run("an argument of the wrong type is the envelope, not an error of the protocol", func(t *testing.T) {
		client, err := dial(t, serveHTTP(t, umptest.New(), umpmcp.HTTPOptions{}), "mine", "")
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = client.Close() }()
		answer, failed := call(t, client, "ump.recall", json.RawMessage(`{"query":{"a":1}}`))
		if !failed || code(t, answer) != memory.InvalidRecord {
			t.Errorf("%s", answer)
		}
	})
}
