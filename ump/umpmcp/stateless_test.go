package umpmcp_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump/umpmcp"
	"github.com/satchel-memory/satchel/ump/umptest"
)

// serving serves a handler until the test ends.
func serving(t *testing.T, h *umpmcp.HTTP) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(func() {
		_ = h.Close()
		server.CloseClientConnections()
		server.Close()
	})
	return server
}

// balanced sends requests to servers in turns.
type balanced struct {
	servers []*httptest.Server
	sent    atomic.Int32
}

func (b *balanced) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.URL.Host = strings.TrimPrefix(b.servers[int(b.sent.Add(1))%len(b.servers)].URL, "http://")
	r.Header.Set("Authorization", "Bearer mine")
	return http.DefaultTransport.RoundTrip(r)
}

// replicas returns servers over one vault that keep no sessions.
func replicas(t *testing.T, v *umptest.Vault, n int) *balanced {
	t.Helper()
	b := &balanced{}
	var named atomic.Int32
	for range n {
		b.servers = append(b.servers, serving(t, umpmcp.NewHTTP(v, umpmcp.Options{}, umpmcp.HTTPOptions{
			Who: tokens, Stateless: true, NewID: func() string { return fmt.Sprint("talk", named.Add(1)) },
		})))
	}
	return b
}

func (b *balanced) dial(t *testing.T, revision string, o *mcp.ClientOptions) *mcp.ClientSession {
	t.Helper()
	client, err := mcp.NewClient(&mcp.Implementation{Name: "some-höst", Version: "1"}, o).
		Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: b.servers[0].URL, HTTPClient: &http.Client{Transport: b}},
			&mcp.ClientSessionOptions{ProtocolVersion: revision})
	if err != nil {
		t.Fatal(err)
	}
	return client
}

func TestReplicas(t *testing.T) {
	for _, revision := range append(revisions(), "2025-03-26") {
		t.Run("any server answers any request, revision "+revision, func(t *testing.T) {
			v := at3(t)
			var seen []memory.Caller
			v.Before = func(_ context.Context, operation string, c memory.Caller) error {
				if operation == "recall" || operation == "remember" {
					seen = append(seen, c)
				}
				return nil
			}
			client := replicas(t, v, 3).dial(t, revision, nil)
			if listed, err := client.ListTools(t.Context(), nil); err != nil || len(listed.Tools) != 7 {
				t.Fatalf("%v, %v", listed, err)
			}
			for i := range 5 {
				text := fmt.Sprint("number ", i)
				if said, failed := call(t, client, "ump.remember", map[string]any{"record": map[string]any{"kind": "semantic", "body": map[string]any{"text": text}}}); failed {
					t.Fatalf("%s", said)
				}
				if found, failed := call(t, client, "ump.recall", map[string]any{"query": text}); failed || !strings.Contains(string(found), text) {
					t.Errorf("%s", found)
				}
			}
			session := ""
			if revision < "2026-07-28" {
				session = "talk1"
			}
			for _, c := range seen {
				if c.Owner != owner || c.Role != memory.Agent || c.Agent != "some-höst" || c.Session != session {
					t.Errorf("caller %+v", c)
				}
			}
			if _, err := client.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: "brief"}); err != nil {
				t.Error(err)
			}
			if err := client.Close(); err != nil {
				t.Errorf("closing: %v", err)
			}
		})
	}
}

func TestStateless(t *testing.T) {
	b := replicas(t, at3(t), 1)
	t.Run("older clients are not told that they will be told", func(t *testing.T) {
		client := b.dial(t, "2025-11-25", nil)
		defer func() { _ = client.Close() }()
		if offered := client.InitializeResult().Capabilities.Resources; offered == nil || offered.Subscribe || offered.ListChanged {
			t.Errorf("offers %+v", offered)
		}
		if err := client.Subscribe(t.Context(), &mcp.SubscribeParams{URI: openAt}); err == nil {
			t.Error("can be watched")
		}
	})
	t.Run("clients of today listen", func(t *testing.T) {
		h, options := newHost()
		h.ClientSession = b.dial(t, "2026-07-28", options)
		defer func() { _ = h.Close() }()
		if err := h.Subscribe(t.Context(), &mcp.SubscribeParams{URI: openAt}); err != nil {
			t.Error(err)
		}
	})
	t.Run("nothing to GET, nothing to DELETE", func(t *testing.T) {
		for _, method := range []string{"GET", "DELETE", "PUT"} {
			r, err := http.NewRequestWithContext(t.Context(), method, b.servers[0].URL, nil)
			if err != nil {
				t.Fatal(err)
			}
			r.Header = http.Header{"Mcp-Session-Id": {"talk1."}, "Accept": {"text/event-stream"}}
			got, err := b.RoundTrip(r)
			if err != nil {
				t.Fatal(err)
			}
			_ = got.Body.Close()
			if got.StatusCode != 405 || got.Header.Get("Allow") != "POST" {
				t.Errorf("%s: %s %v", method, got.Status, got.Header)
			}
		}
	})
}

// TestForgedSession sends ids of sessions that nobody gave.
func TestForgedSession(t *testing.T) {
	v := umptest.New()
	var seen memory.Caller
	v.Before = func(_ context.Context, _ string, c memory.Caller) error { seen = c; return nil }
	server := replicas(t, v, 1).servers[0]
	const recall = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ump_recall","arguments":{"query":"x"}}}`
	for id, want := range map[string][2]string{
		"talk1.c29tZS1ob3N0":                  {"talk1", "some-host"},
		"ABCDEFGHIJKLMNOPQRSTUVWXYZ":          {"ABCDEFGHIJKLMNOPQRSTUVWXYZ", ""}, // of a server that keeps sessions
		"":                                    {"", ""},
		".c29tZS1ob3N0":                       {"", "some-host"},
		"token:t1.c29tZS1ob3N0":               {"", ""},
		"talk1.%%%":                           {"talk1", ""},
		"talk1.c29tZS1ob3N0.x":                {"talk1", ""},
		"talk1.AAECAw":                        {"talk1", ""}, // what cannot be printed
		"talk1.__79":                          {"talk1", ""}, // no UTF-8
		strings.Repeat("x", 65) + ".c29t":     {"", ""},
		"talk1." + strings.Repeat("eHh4", 50): {"", ""},
	} {
		seen = memory.Caller{}
		header := http.Header{"Mcp-Protocol-Version": {"2025-11-25"}}
		if id != "" {
			header.Set("Mcp-Session-Id", id)
		}
		if status, said := post(t, server, "mine", header, recall); status != 200 {
			t.Errorf("%q: %d %s", id, status, said)
		}
		if seen.Session != want[0] || seen.Agent != want[1] || seen.Owner != owner || seen.Role != memory.Agent {
			t.Errorf("%q: %+v", id, seen)
		}
	}
}

// TestOwnersShareAServer bounds what the tokens of one owner take together.
func TestOwnersShareAServer(t *testing.T) {
	who := func(r *http.Request) (memory.Caller, error) {
		name, token, _ := strings.Cut(strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "), "/")
		return memory.Caller{Owner: memory.DID("did:example:" + name), Role: memory.Owner, Session: "token:" + token}, nil
	}
	t.Run("sessions", func(t *testing.T) {
		server := serving(t, umpmcp.NewHTTP(umptest.New(), umpmcp.Options{}, umpmcp.HTTPOptions{Who: who, Owner: "did:example:host", MaxSessions: 20, MaxSessionsEach: 4}))
		begin := func(token string, want int) {
			t.Helper()
			if status, said := post(t, server, token, nil, initialize); status != want {
				t.Errorf("%s: %d %s", token, status, said)
			}
		}
		for _, want := range []int{200, 200, 200, 200, 429} {
			begin("a/1", want) // an owner in person is one of many
		}
		begin("a/2", 200)
		begin("a/3", 429) // a quarter of all
		begin("b/1", 200)
		for i := range 12 {
			begin(fmt.Sprintf("c%d/1", i), 200)
		}
		begin("d/1", 503) // the last tenth is kept
		begin("host/1", 200)
		begin("host/1", 200)
		begin("host/1", 503)
	})
	t.Run("streams", func(t *testing.T) {
		server := serving(t, umpmcp.NewHTTP(at3(t), umpmcp.Options{}, umpmcp.HTTPOptions{Who: who, Owner: "did:example:host", MaxStreams: 1}))
		for _, c := range []struct {
			token string
			want  int
		}{{"a/1", 200}, {"a/1", 429}, {"a/2", 200}, {"a/3", 200}, {"a/4", 200}, {"a/5", 429}, {"b/1", 200},
			{"host/1", 200}, {"host/2", 200}, {"host/3", 200}, {"host/4", 200}, {"host/5", 200}} {
			if got := listenAs(t, server, c.token); got.StatusCode != c.want {
				t.Errorf("%s: %s", c.token, got.Status)
			}
		}
	})
}

// listenAs opens a stream that stays open until the test ends.
func listenAs(t *testing.T, server *httptest.Server, token string) *http.Response {
	t.Helper()
	const body = `{"jsonrpc":"2.0","id":"l","method":"subscriptions/listen","params":{"notifications":{"resourcesListChanged":true},` +
		`"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header = http.Header{"Authorization": {"Bearer " + token}, "Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"},
		"Mcp-Protocol-Version": {"2026-07-28"}, "Mcp-Method": {"subscriptions/listen"}}
	got, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = got.Body.Close() })
	return got
}
