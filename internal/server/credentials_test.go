package server_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/satchel-memory/satchel/internal/server"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump/umptest"
)

// keeper is a backend that admits tokens by name, writes down who was refused,
// and counts.
type keeper struct {
	*umptest.Vault
	facts map[string]float64

	mu      sync.Mutex
	admits  map[string]memory.Caller
	asked   int
	refused []string
}

var (
	_ server.Admitter = (*keeper)(nil)
	_ server.Refuser  = (*keeper)(nil)
	_ server.Counter  = (*keeper)(nil)
)

// peer is the token of somebody who may read; agent that of the owner's agent.
const (
	peer  = "umpcap.peer.ed25519:x"
	agent = "umpcap.agent.ed25519:x"
	proxy = "umpcap.proxy.ed25519:x" // of the owner, carried by a program
)

func newKeeper(t *testing.T) *keeper {
	t.Helper()
	v := filled(t)
	v.Level = "L3"
	return &keeper{Vault: v, admits: map[string]memory.Caller{
		peer:  {Owner: owner, Role: memory.Peer, Session: "token:peer-1", Grant: &memory.Grant{ID: "peer-1", Verbs: []memory.Verb{memory.ReadVerb}}},
		agent: {Owner: owner, Role: memory.Agent, Session: "token:agent-1"},
		proxy: {Owner: owner, Role: memory.Owner, Session: "token:proxy-1"},
	}}
}

func (k *keeper) Admit(_ context.Context, token string) (memory.Caller, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.asked++
	if token == "umpcap.broken" {
		return memory.Caller{}, errors.New("disk on fire")
	}
	c, ok := k.admits[token]
	if !ok {
		return c, &memory.Error{Kind: memory.Unauthorized, Rule: "UMP-5.2-6", Message: "the token is not one"}
	}
	return c, nil
}

// revoke refuses a token from now on.
func (k *keeper) revoke(token string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.admits, token)
}

func (k *keeper) Refused(_ context.Context, what memory.ErrorKind, route string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.refused = append(k.refused, string(what)+" "+route)
}

func (k *keeper) Metrics(context.Context) map[string]float64 { return k.facts }

// told returns what was refused so far.
func (k *keeper) told() []string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.Clone(k.refused)
}

func bearing(token string) string { return "Authorization: Bearer " + token }

func TestCapabilityTokens(t *testing.T) {
	k := newKeeper(t)
	var seen []memory.Caller
	k.Before = func(_ context.Context, op string, c memory.Caller) error {
		if op == "recall" {
			seen = append(seen, c)
		}
		return nil
	}
	s := start(t, server.Options{Backend: k})
	t.Run("UMP-4.2-7 they travel as bearer tokens, over HTTP and MCP", func(t *testing.T) {
		for bearer, role := range map[string]memory.Role{peer: memory.Peer, agent: memory.Agent, proxy: memory.Owner, token: memory.Owner} {
			seen, k.asked = nil, 0
			if got := s.do(t, "POST", "/ump/recall", `{"query":"x"}`, bearing(bearer)); got.StatusCode != 200 || len(seen) != 1 || seen[0].Role != role {
				t.Errorf("%s: %d %s, seen %+v", bearer, got.StatusCode, got.body, seen)
			}
			if want := map[bool]int{true: 0, false: 1}[bearer == token]; k.asked != want {
				t.Errorf("%s was looked at %d times in one request", bearer, k.asked)
			}
			if got := s.do(t, "POST", "/mcp", initialize, bearing(bearer), "Content-Type: application/json", "Accept: application/json, text/event-stream"); got.StatusCode != 200 {
				t.Errorf("%s at /mcp: %d %s", bearer, got.StatusCode, got.body)
			}
		}
	})
	t.Run("UMP-3.7-2 what is no token is refused, on public routes too", func(t *testing.T) {
		for _, bad := range []string{"umpcap.unknown", "umpcap.", "UMPCAP.peer", peer + " " + peer, strings.Repeat("x", 20<<10)} {
			for path, method := range map[string]string{"/ump/recall": "POST", "/mcp": "POST", "/ump/capabilities": "GET", "/ump/export": "GET", "/ump/subscribe": "GET", "/metrics": "GET"} {
				if got := s.do(t, method, path, `{"query":"x"}`, bearing(bad)); got.StatusCode != 401 || got.code(t) != memory.Unauthorized {
					t.Errorf("%.20s at %s: %d %s", bad, path, got.StatusCode, got.body)
				}
			}
		}
	})
	t.Run("one that is too long is not looked at", func(t *testing.T) {
		k.asked = 0
		if got := s.do(t, "POST", "/ump/recall", `{"query":"x"}`, bearing("umpcap."+strings.Repeat("x", 17<<10))); got.StatusCode != 401 || k.asked != 0 {
			t.Errorf("%d, looked at %d times", got.StatusCode, k.asked)
		}
	})
	t.Run("nowhere but in one header", func(t *testing.T) {
		for _, path := range []string{"/ump/recall?access_token=" + peer, "/ump/recall?token=" + token} {
			if got := s.do(t, "POST", path, `{"query":"x"}`, "Authorization:"); got.StatusCode != 401 {
				t.Errorf("%s: %d", path, got.StatusCode)
			}
		}
		for _, name := range []string{"Cookie", "X-Api-Key", "Proxy-Authorization"} {
			if got := s.do(t, "POST", "/ump/recall", `{"query":"x"}`, "Authorization:", name+": Bearer "+token); got.StatusCode != 401 {
				t.Errorf("%s: %d", name, got.StatusCode)
			}
		}
		twice := "POST /ump/recall HTTP/1.1\r\nHost: localhost\r\nContent-Length: 13\r\nConnection: close\r\n" +
			"Authorization: Bearer " + token + "\r\nAuthorization: Bearer " + token + "\r\n\r\n{\"query\":\"x\"}"
		if got := raw(t, s, twice); len(got) != 1 || got[0].StatusCode != 401 {
			t.Errorf("two headers: %+v", got)
		}
	})
	t.Run("of another owner, whom the backend knows", func(t *testing.T) {
		seen = nil
		k.admits["umpcap.other"] = memory.Caller{Owner: "did:example:other", Role: memory.Owner}
		got := s.do(t, "POST", "/ump/recall", `{"query":"pnpm"}`, bearing("umpcap.other"))
		if got.StatusCode != 200 || string(got.body) != `{"results":[]}` || len(seen) != 1 || seen[0].Owner != "did:example:other" {
			t.Errorf("%d %s, seen %+v", got.StatusCode, got.body, seen)
		}
		if got := s.do(t, "GET", "/metrics", "", bearing("umpcap.other")); got.StatusCode != 403 {
			t.Errorf("metrics: %d", got.StatusCode)
		}
	})
	t.Run("of nobody", func(t *testing.T) {
		k.admits["umpcap.nobody"] = memory.Caller{Role: memory.Owner}
		if got := s.do(t, "POST", "/ump/recall", `{"query":"x"}`, bearing("umpcap.nobody")); got.StatusCode != 401 {
			t.Errorf("%d %s", got.StatusCode, got.body)
		}
	})
	t.Run("a store that fails is no refusal", func(t *testing.T) {
		before := len(k.told())
		for path, method := range map[string]string{"/ump/recall": "POST", "/mcp": "POST"} {
			if got := s.do(t, method, path, `{"query":"x"}`, bearing("umpcap.broken")); got.StatusCode != 500 || got.code(t) != memory.Internal || strings.Contains(string(got.body), "fire") {
				t.Errorf("%s: %d %s", path, got.StatusCode, got.body)
			}
		}
		if len(k.told()) != before {
			t.Error("it was reported as one")
		}
	})
	t.Run("a backend without tokens takes none", func(t *testing.T) {
		s := start(t, server.Options{})
		if got := s.do(t, "POST", "/ump/recall", `{"query":"x"}`, bearing(peer)); got.StatusCode != 401 {
			t.Errorf("%d %s", got.StatusCode, got.body)
		}
	})
}

func TestRefusalsAreTold(t *testing.T) {
	k := newKeeper(t)
	s := start(t, server.Options{Backend: k})
	s.do(t, "POST", "/ump/recall", `{"query":"x"}`, bearing("umpcap.unknown"))
	s.do(t, "GET", "/ump/memory/urn:ump:canary", "", bearing("nonsense"))
	s.do(t, "GET", "/metrics", "", bearing(proxy))
	s.do(t, "POST", "/ump/recall", `{"query":"x"}`)
	s.do(t, "GET", "/ump/capabilities", "", "Authorization:")
	want := []string{"unauthorized /ump/recall", "unauthorized /ump/memory/{id}", "forbidden_scope /metrics"}
	for _, r := range [][2]string{{"POST", "/ump/recall"}, {"GET", "/ump/export"}, {"POST", "/mcp"}, {"GET", "/metrics"}} {
		s.do(t, r[0], r[1], "{}", "Authorization:")
		want = append(want, "unauthorized "+r[1])
	}
	s.do(t, "GET", "/ump/export", "", bearing(peer))
	s.do(t, "GET", "/ump/subscribe?owner=did:example:other", "", bearing(peer))
	theirs := s.do(t, "POST", "/mcp", initialize, "Content-Type: application/json", "Accept: application/json, text/event-stream").Header.Get("Mcp-Session-Id")
	s.do(t, "POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, bearing(peer), "Mcp-Session-Id: "+theirs,
		"Content-Type: application/json", "Accept: application/json, text/event-stream")
	want = append(want, "forbidden_scope /ump/export", "forbidden_scope /ump/subscribe", "forbidden_scope /mcp")
	if got := k.told(); !slices.Equal(got, want) {
		t.Errorf("told %q, want %q", got, want)
	}
}

func TestRatePerToken(t *testing.T) {
	k := newKeeper(t)
	k.admits["umpcap.two"] = memory.Caller{Owner: owner, Role: memory.Peer, Session: "token:two", Grant: &memory.Grant{ID: "two", Verbs: memory.Verbs()}}
	s := start(t, server.Options{Backend: k, Rate: 0.01, Burst: 2, FailRate: 0.01, FailBurst: 3})
	spend := func(credentials string, n int) (statuses []int) {
		for i := range n {
			path, method := "/ump/recall", "POST"
			if i == 1 { // MCP pays from the same allowance
				path = "/mcp"
			}
			statuses = append(statuses, s.do(t, method, path, `{"query":"x"}`, credentials, "Content-Type: application/json").StatusCode)
		}
		return statuses
	}
	t.Run("UMP-3.7-5 each token has an allowance of its own", func(t *testing.T) {
		for _, credentials := range []string{bearing(peer), bearing("umpcap.two"), bearing(agent), bearing(proxy), bearing(token)} {
			if got := spend(credentials, 3); got[0] != 200 || got[2] != 429 {
				t.Errorf("%s: %v", credentials, got)
			}
		}
	})
	t.Run("trying tokens is slowed down, and costs nobody else", func(t *testing.T) {
		k.mu.Lock()
		k.refused = nil
		k.mu.Unlock()
		for i := range 5 {
			got := s.do(t, "POST", "/ump/recall", `{"query":"x"}`, bearing(fmt.Sprintf("umpcap.guess%d", i)))
			want := map[bool]int{true: 401, false: 429}[i < 3]
			if got.StatusCode != want || want == 429 && (got.Header.Get("Retry-After") == "" || got.code(t) != memory.RateLimited) {
				t.Errorf("guess %d: %d %v", i, got.StatusCode, got.Header)
			}
		}
		if got := k.told(); len(got) != 3 {
			t.Errorf("told of %q", got)
		}
		k.mu.Lock()
		k.admits["umpcap.late"] = memory.Caller{Owner: owner, Role: memory.Agent, Session: "token:late"}
		k.mu.Unlock()
		if got := s.do(t, "POST", "/ump/recall", `{"query":"x"}`, bearing("umpcap.late")); got.StatusCode != 200 {
			t.Errorf("a good token from that address: %d %s", got.StatusCode, got.body)
		}
		if got := s.do(t, "GET", "/ump/capabilities", "", "Authorization:"); got.StatusCode != 200 {
			t.Errorf("a stranger from that address: %d %s", got.StatusCode, got.body)
		}
	})
}

// TestTokenTooLong sends far more than any token has: it is refused as a token,
// not by the reader of heads.
func TestTokenTooLong(t *testing.T) {
	s := start(t, server.Options{})
	got := s.do(t, "POST", "/ump/recall", `{"query":"x"}`, "Content-Type: application/json", "Authorization: Bearer umpcap."+strings.Repeat("a", 100_000))
	if got.StatusCode != 401 || got.code(t) != memory.Unauthorized {
		t.Errorf("%d %s", got.StatusCode, got.body)
	}
}
