package server_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/satchel-memory/satchel/internal/racing"
	"github.com/satchel-memory/satchel/internal/server"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// A canary is a word that only one record has. It must not be heard where that
// record must not be.
type canary struct {
	word   string
	record string // its members; %s is the word
	then   func(t *testing.T, h aviary, id string)
	heard  map[string]bool // by whom, on some surface at least; by nobody else
}

var (
	everybody = map[string]bool{"owner": true, "peer": true, "stranger": true}
	peers     = map[string]bool{"owner": true, "peer": true}
	ownerOnly = map[string]bool{"owner": true}
	nobody    = map[string]bool{}
)

func canaries() []canary {
	const here, there = `"project":"github.com/o/x"`, `"project":"github.com/o/y"`
	says := `"body":{"text":"the bird sings %s"}`
	return []canary{
		{word: "publicbird", record: says + `,"scope":{"visibility":"public",` + here + `}`, heard: everybody},
		{word: "sharedbird", record: says + `,"scope":{"visibility":"shared",` + here + `}`, heard: peers},
		{word: "privatebird", record: says + `,"scope":{` + here + `}`, heard: ownerOnly},
		{word: "elsewherebird", record: says + `,"scope":{"visibility":"shared",` + there + `}`, heard: ownerOnly},
		{word: "proposedbird", record: says + `,"lifecycle":{"status":"candidate"},"scope":{"visibility":"shared",` + here + `}`, heard: ownerOnly},
		{word: "redactedbird", record: `"body":{"text":"the bird sings","structured":{"a":{"b":"%s"}}},"consent":{"redact":["body.structured.a.b"]},"scope":{"visibility":"public",` + here + `}`, heard: ownerOnly},
		{word: "foreverbird", record: says + `,"consent":{"redact":["body.text"]},"scope":{"visibility":"shared",` + here + `}`, heard: ownerOnly},
		{word: "forgottenbird", record: says + `,"scope":{"visibility":"public",` + here + `}`, heard: ownerOnly, then: func(t *testing.T, h aviary, id string) {
			h.do(t, "POST", "/ump/forget", `{"id":"`+id+`","reason":"outdated"}`)
		}},
		{word: "erasedbird", record: says + `,"scope":{"visibility":"public",` + here + `}`, heard: nobody, then: func(t *testing.T, h aviary, id string) {
			h.do(t, "POST", "/ump/forget", `{"id":"`+id+`","reason":"outdated","hard":true}`)
		}},
		{word: "expiredbird", record: says + `,"consent":{"retention":"P1D"},"scope":{"visibility":"public",` + here + `}`, heard: nobody},
		{word: "editedbird", record: says + `,"scope":{"visibility":"private",` + here + `}`, heard: nobody, then: func(t *testing.T, h aviary, id string) {
			h.place.publish(t, id)
		}},
	}
}

// aviary is a house with canaries in it.
type aviary struct {
	house
	log *record
}

// TestCanaries asks every surface for everything, as the owner, as a peer with a
// token, and as a stranger, and listens for what should not be heard: nothing
// leaves but through the gate.
func TestCanaries(t *testing.T) {
	racing.Skip(t)
	t.Parallel()
	var later atomic.Int64
	log := &record{}
	h := aviary{log: log}
	h.house = buildAs(t, vault.Options{Now: func() time.Time { return time.Now().Add(time.Duration(later.Load())) }},
		server.Options{Public: true, Log: log.logger(), Rate: 1e6, Burst: 1e6})
	ids := map[string]string{}
	for _, c := range canaries() {
		ids[c.word] = h.hatch(t, c)
	}
	later.Store(int64(25 * time.Hour))
	for _, c := range canaries() {
		if c.then != nil {
			c.then(t, h, ids[c.word])
		}
	}
	heard := map[string]string{
		"owner":    h.listen(t, "Authorization: Bearer "+token, ids),
		"peer":     h.listen(t, "Authorization: Bearer "+h.peerToken(t), ids),
		"stranger": h.listen(t, "Authorization:", ids),
	}
	for _, c := range canaries() {
		for who, all := range heard {
			if got := strings.Contains(all, c.word); got != c.heard[who] {
				t.Errorf("%s hears %s: %v, want %v", who, c.word, got, c.heard[who])
			}
		}
		if strings.Contains(log.String(), c.word) {
			t.Errorf("the log tells of %s", c.word)
		}
	}
	for _, hidden := range []string{"privatebird", "elsewherebird", "proposedbird", "editedbird"} {
		if all := heard["stranger"]; strings.Contains(strings.ReplaceAll(all, "asked:"+ids[hidden], ""), ids[hidden]) {
			t.Errorf("a stranger learns that %s is there", hidden)
		}
	}
}

func (h aviary) hatch(t *testing.T, c canary) string {
	t.Helper()
	got := ask[outcome](t, h.house, "POST", "/ump/remember", `{"record":{"kind":"procedural",`+fmt.Sprintf(c.record, c.word)+`}}`)
	if got.Result != "created" {
		t.Fatalf("%s: %+v", c.word, got)
	}
	return got.ID
}

// peerToken grants a peer all that a token can, in one project.
func (h aviary) peerToken(t *testing.T) string {
	t.Helper()
	key, err := keys.FromSeed(bytes.Repeat([]byte{7}, 32))
	if err != nil {
		t.Fatal(err)
	}
	token, err := ump.MintToken(ump.Claims{Issuer: h.owner, Verbs: memory.Verbs(), ID: "t1",
		Scope: memory.Scope{Project: "github.com/o/x"}, Expires: time.Now().Add(48 * time.Hour)}, key)
	if err != nil {
		t.Fatal(err)
	}
	return token
}

// listen returns all that any surface says to whoever has these credentials.
func (h aviary) listen(t *testing.T, credentials string, ids map[string]string) string {
	t.Helper()
	var heard strings.Builder
	hear := func(a answer) { heard.Write(a.body); fmt.Fprintln(&heard, a.Header) }
	for _, path := range []string{"/", "/healthz", "/readyz", "/metrics", "/ump/capabilities", "/.well-known/ump.json", "/.well-known/ump/public.ump.json",
		"/.well-known/ump/public.ndjson", "/ump/export", "/ump/export?format=ndjson", "/openapi.json", "/ump/memory/", "/debug/pprof"} {
		hear(h.do(t, "GET", path, "", credentials))
	}
	bodies := []string{`{"query":"the bird sings","limit":50}`, `{"query":"bird","limit":50,"format":"framed","budget":20000}`,
		`{"query":"bird","filter":{"status":["active","candidate","tombstoned"]},"limit":50}`, `{"query":"bird","filter":{"valid_at":"2020-01-01T00:00:00Z"}}`,
		`{"query":"bird","scope":{"project":"github.com/o/y"}}`, `{"query":"bird","scope":{"visibility":"private"}}`, `{"query":"bird","scope":{"owner":"` + string(h.owner) + `"}}`}
	for _, c := range canaries() {
		bodies = append(bodies, `{"query":"`+c.word[:len(c.word)-4]+` `+c.word+`"}`)
	}
	for _, body := range bodies {
		hear(h.do(t, "POST", "/ump/recall", body, credentials))
	}
	for _, id := range ids {
		for _, path := range []string{"/ump/memory/" + id, "/ump/memory/" + id + "?view=origin"} {
			got := h.do(t, "GET", path, "", credentials)
			heard.WriteString(strings.ReplaceAll(string(got.body), id, "asked:"+id))
		}
	}
	h.overhear(t, credentials, &heard)
	if bearer, ok := strings.CutPrefix(credentials, "Authorization: Bearer "); ok {
		h.converse(t, bearer, ids, &heard)
	}
	return heard.String()
}

// overhear reads the change feed from its beginning.
func (h aviary) overhear(t *testing.T, credentials string, heard *strings.Builder) {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), time.Second)
	defer stop()
	r, err := http.NewRequestWithContext(ctx, "GET", "http://"+h.address+"/ump/subscribe", nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, value, ok := strings.Cut(credentials, ": "); ok {
		r.Header.Set("Authorization", value)
	}
	r.Header.Set("Last-Event-ID", "0")
	got, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer got.Body.Close()
	for lines := bufio.NewScanner(got.Body); lines.Scan(); {
		heard.WriteString(lines.Text() + "\n")
	}
}

// converse asks everything that MCP can be asked.
func (h aviary) converse(t *testing.T, bearer string, ids map[string]string, heard *strings.Builder) {
	t.Helper()
	for _, revision := range []string{"2025-11-25", "2026-07-28"} {
		client := h.dialAs(t, revision, bearer)
		hear := func(result any, err error) {
			said, _ := json.Marshal(result)
			fmt.Fprintf(heard, "%s %v\n", said, err)
		}
		tools, err := client.ListTools(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, tool := range tools.Tools {
			for _, arguments := range []any{map[string]any{}, map[string]any{"query": "bird", "limit": 50}, map[string]any{"query": "bird", "format": "framed"}} {
				if strings.HasSuffix(tool.Name, "capabilities") || strings.HasSuffix(tool.Name, "recall") {
					hear(client.CallTool(t.Context(), &mcp.CallToolParams{Name: tool.Name, Arguments: arguments}))
				}
			}
		}
		hear(client.ListResources(t.Context(), nil))
		hear(client.ListResourceTemplates(t.Context(), nil))
		hear(client.ListPrompts(t.Context(), nil))
		for _, project := range []string{"", "github.com/o/x", "github.com/o/y"} {
			hear(client.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: "brief", Arguments: map[string]string{"project": project}}))
			hear(client.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: strings.TrimSuffix("satchel://brief/"+url.PathEscape(project), "/")}))
			for _, id := range ids {
				hear(client.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "ump://" + url.PathEscape(project) + "/" + id}))
			}
		}
		for _, id := range ids {
			hear(client.CallTool(t.Context(), &mcp.CallToolParams{Name: "ump_get", Arguments: map[string]any{"id": id}}))
		}
	}
}
