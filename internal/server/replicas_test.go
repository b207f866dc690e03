package server_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/satchel-memory/satchel/internal/server"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// turns sends each request to the next of several servers.
type turns struct {
	token   string
	servers []house
	sent    atomic.Int32
}

func (b *turns) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.URL.Host = b.servers[int(b.sent.Add(1))%len(b.servers)].address
	r.Header.Set("Authorization", "Bearer "+b.token)
	return http.DefaultTransport.RoundTrip(r)
}

// neighbours are servers over one store, each of which opens it for itself.
func neighbours(t *testing.T, n int) []house {
	t.Helper()
	p := placeOf(t)
	all := make([]house, n)
	for i := range all {
		all[i] = buildIn(t, p, vault.Options{}, server.Options{Stateless: true})
	}
	return all
}

// TestReplicas has two servers over one store, and never asks the same one twice.
func TestReplicas(t *testing.T) {
	t.Parallel()
	two := neighbours(t, 2)
	here, there := two[0], two[1]
	for _, revision := range []string{"2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"} {
		t.Run("MCP, revision "+revision, func(t *testing.T) {
			client, err := mcp.NewClient(&mcp.Implementation{Name: "some-host", Version: "1"}, nil).
				Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: "http://" + here.address + "/mcp", HTTPClient: &http.Client{Transport: &turns{token: token, servers: two}}},
					&mcp.ClientSessionOptions{ProtocolVersion: revision})
			if err != nil {
				t.Fatal(err)
			}
			if listed, err := client.ListTools(t.Context(), nil); err != nil || len(listed.Tools) != 7 {
				t.Fatalf("%v, %v", listed, err)
			}
			for i := range 4 {
				text := fmt.Sprintf("The lamp number %d of %s.", i, revision)
				var stored outcome
				said := tool(t, client, "ump.remember", map[string]any{"record": map[string]any{"kind": "semantic", "body": map[string]any{"text": text}}})
				if err := json.Unmarshal(said, &stored); err != nil || stored.Result != "created" {
					t.Fatalf("%s", said)
				}
				if found := tool(t, client, "ump.recall", map[string]any{"query": text}); !strings.Contains(string(found), stored.ID) {
					t.Errorf("%s", found)
				}
			}
			if err := client.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	t.Run("an agent's name goes along", func(t *testing.T) {
		begun := here.do(t, "POST", "/mcp", initialize, "Content-Type: application/json", "Accept: application/json, text/event-stream")
		got := there.do(t, "POST", "/mcp", `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"ump_remember","arguments":{"record":{"kind":"semantic","body":{"text":"The kettle is blue."}}}}}`,
			"Content-Type: application/json", "Accept: application/json, text/event-stream", "Mcp-Session-Id: "+begun.Header.Get("Mcp-Session-Id"))
		if got.StatusCode != 200 {
			t.Fatalf("%d %s", got.StatusCode, got.body)
		}
		found := here.do(t, "POST", "/ump/recall", `{"query":"kettle"}`)
		name, _, _ := strings.Cut(begun.Header.Get("Mcp-Session-Id"), ".")
		if said := string(found.body); !strings.Contains(said, `"some-host"`) || !strings.Contains(said, name) {
			t.Errorf("%s has neither some-host nor %s", said, name)
		}
	})
	t.Run("HTTP: remembered here, recalled, revised and forgotten there", func(t *testing.T) {
		id := ask[outcome](t, here, "POST", "/ump/remember", `{"record":{"kind":"semantic","body":{"text":"The gate code is new."}}}`).ID
		if got := there.do(t, "POST", "/ump/recall", `{"query":"gate code"}`); !strings.Contains(string(got.body), id) {
			t.Errorf("%s", got.body)
		}
		next := ask[outcome](t, there, "POST", "/ump/revise", `{"id":"`+id+`","patch":{"body":{"text":"The gate code is old."}}}`).ID
		if got := here.do(t, "POST", "/ump/recall", `{"query":"gate code"}`); strings.Contains(string(got.body), `"`+id+`","kind"`) || !strings.Contains(string(got.body), next) {
			t.Errorf("%s", got.body)
		}
		there.do(t, "POST", "/ump/forget", `{"id":"`+next+`","reason":"outdated","hard":true}`)
		if got := here.do(t, "GET", "/ump/memory/"+next, ""); got.StatusCode != 404 {
			t.Errorf("erased: %d %s", got.StatusCode, got.body)
		}
	})
	t.Run("an idempotency key holds everywhere", func(t *testing.T) {
		const body = `{"record":{"kind":"semantic","body":{"text":"Once, and no more."}}}`
		first := here.do(t, "POST", "/ump/remember", body, "Idempotency-Key: k1")
		again := there.do(t, "POST", "/ump/remember", body, "Idempotency-Key: k1")
		if first.StatusCode != 200 || string(first.body) != string(again.body) {
			t.Errorf("%s, then %d %s", first.body, again.StatusCode, again.body)
		}
	})
	t.Run("UMP-5.2-8 revoked here, refused there", func(t *testing.T) {
		owner := memory.Caller{Owner: here.owner, Role: memory.Owner}
		granted, grant, err := here.vault.MintToken(t.Context(), owner, vault.TokenOrder{Verbs: memory.Verbs(), Expires: time.Now().Add(time.Hour)})
		if err != nil {
			t.Fatal(err)
		}
		lines := follow(t, http.DefaultClient, "http://"+there.address, bearing(granted))
		if got := there.do(t, "POST", "/ump/recall", `{"query":"x"}`, bearing(granted)); got.StatusCode != 200 {
			t.Errorf("before: %d %s", got.StatusCode, got.body)
		}
		if err := here.vault.RevokeToken(t.Context(), owner, grant.ID); err != nil {
			t.Fatal(err)
		}
		for _, s := range two {
			if got := s.do(t, "POST", "/ump/recall", `{"query":"x"}`, bearing(granted)); got.StatusCode != 401 {
				t.Errorf("after: %d %s", got.StatusCode, got.body)
			}
		}
		ask[outcome](t, here, "POST", "/ump/remember", `{"record":{"kind":"semantic","body":{"text":"Not for you."}}}`)
		if got := next(t, lines); got != ": token no longer accepted" {
			t.Errorf("the stream says %q", got)
		}
	})
	t.Run("owners let in here come in there, until they are removed", func(t *testing.T) {
		home := memory.Caller{Owner: here.owner, Role: memory.Owner}
		ada := tenant{key: seeded(t, 8)}
		ada.person = ada.token(t, ump.Claims{ID: "t1", Subject: string(ada.key.DID()), Verbs: memory.Verbs()})
		status := func(s house) int {
			return s.do(t, "POST", "/ump/remember", `{"record":{"kind":"semantic","body":{"text":"Ada was here."}}}`, bearing(ada.person)).StatusCode
		}
		if got := status(there); got != 401 {
			t.Errorf("before: %d", got)
		}
		if _, err := here.vault.AddOwner(t.Context(), home, vault.AccountOrder{Key: ada.key}); err != nil {
			t.Fatal(err)
		}
		for _, s := range two {
			if got := status(s); got != 200 {
				t.Errorf("let in: %d", got)
			}
		}
		if _, err := there.vault.RemoveOwner(t.Context(), home, ada.key.DID()); err != nil {
			t.Fatal(err)
		}
		for _, s := range two {
			if got := status(s); got != 401 {
				t.Errorf("removed: %d", got)
			}
		}
	})
	t.Run("followed here while there is written, each change once", func(t *testing.T) {
		lines := follow(t, http.DefaultClient, "http://"+here.address, bearing(token))
		var want []string
		for i := range 20 {
			want = append(want, ask[outcome](t, two[i%2], "POST", "/ump/remember", fmt.Sprintf(`{"record":{"kind":"semantic","body":{"text":"Event number %d."}}}`, i)).ID)
		}
		for i := range want {
			var data string
			for data == "" {
				data, _ = strings.CutPrefix(next(t, lines), "data: ")
				if !strings.HasPrefix(data, "{") {
					data = ""
				}
			}
			if !strings.Contains(data, want[i]) {
				t.Fatalf("event %d is %s, want that of %s", i, data, want[i])
			}
		}
	})
}

// TestReplicasShareLimits spends an allowance at two servers over one store: in a
// database it is one, over a file each server counts alone.
func TestReplicasShareLimits(t *testing.T) {
	t.Parallel()
	const burst = 10
	p, want := placeOf(t), 2*burst
	if p.url != "" {
		want = burst
	}
	var two []house
	log := &record{}
	for range 2 {
		two = append(two, buildIn(t, p, vault.Options{}, server.Options{Rate: .001, Burst: burst, Log: log.logger()}))
	}
	let := 0
	for i := range 6 * burst {
		if two[i%2].do(t, "GET", "/ump/capabilities", "").StatusCode == 200 {
			let++
		}
	}
	if strings.Contains(log.String(), "counts requests by itself") { // the database was slow once
		want = max(want, let)
	}
	if let != want || let > 2*burst {
		t.Errorf("%d are let in, want %d", let, want)
	}
}

// till counts for several servers, as a store does.
type till struct {
	mu     sync.Mutex
	tokens map[string]int // by owner and payer
}

// counting is a backend with a till.
type counting struct {
	*keeper
	*till
}

var _ server.Shared = counting{}

func (c *till) Take(_ context.Context, owner memory.DID, payer string, want, burst int, _ float64) (int, time.Duration, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	key := string(owner) + " " + payer
	if _, ok := c.tokens[key]; !ok {
		c.tokens[key] = burst
	}
	got := min(want, c.tokens[key])
	c.tokens[key] -= got
	return got, 100 * time.Second, nil
}

// TestServersShareLimits spends each allowance at three servers in turns.
func TestServersShareLimits(t *testing.T) {
	t.Parallel()
	const burst, servers = 20, 3
	shared := &till{tokens: map[string]int{}}
	var all []*running
	for range servers {
		k := newKeeper(t)
		k.admits["umpcap.other"] = memory.Caller{Owner: "did:example:other", Role: memory.Peer, Session: "token:peer-1", Grant: &memory.Grant{ID: "peer-1", Verbs: memory.Verbs()}}
		all = append(all, start(t, server.Options{Backend: counting{k, shared}, Rate: .01, Burst: burst, FailRate: .01, FailBurst: burst}))
	}
	for who, credentials := range map[string]string{
		"the owner": bearing(token), "a token": bearing(peer), "a token of the same id of another owner": bearing("umpcap.other"),
		"a stranger": "Authorization:", "who guesses": bearing("umpcap.guess"),
	} {
		let, waits := 0, ""
		for i := range 3 * burst {
			got := all[i%servers].do(t, "POST", "/ump/recall", `{"query":"x"}`, credentials)
			if got.StatusCode != 429 {
				let++
				continue
			}
			waits = got.Header.Get("Retry-After")
		}
		if let > burst || let < burst-servers*burst/10 {
			t.Errorf("%s: %d of %d are let in", who, let, burst)
		}
		if waits == "" || waits == "0" {
			t.Errorf("%s is told to come back after %q", who, waits)
		}
	}
	want := []string{
		string(owner) + " owner", string(owner) + " token peer-1", "did:example:other token peer-1", "did:example:other tokens",
		string(owner) + " address 127.0.0.1", string(owner) + " failed 127.0.0.1",
	}
	for _, payer := range want {
		if _, ok := shared.tokens[payer]; !ok {
			t.Errorf("nothing is counted for %s; for %v", payer, shared.tokens)
		}
	}
	if len(shared.tokens) != len(want) {
		t.Errorf("counted for %v", shared.tokens)
	}
}
