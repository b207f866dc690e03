package server_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/satchel-memory/satchel/internal/server"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/internal/vault/belief"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// house is a server over a real vault.
type house struct {
	*running
	owner memory.DID
	store store.Store
	place place
	vault *vault.Vault
}

func build(t *testing.T) house { return buildAs(t, vault.Options{}, server.Options{}) }

// buildAs builds a house whose vault and server are as o and s say.
func buildAs(t testing.TB, o vault.Options, s server.Options) house {
	t.Helper()
	return buildIn(t, placeOf(t), o, s)
}

// buildIn builds a house, one of several perhaps, in a place.
func buildIn(t testing.TB, p place, o vault.Options, s server.Options) house {
	t.Helper()
	key := seeded(t, 7)
	at := p.open(t, func(memory.DID) []byte { return vault.SealSecret(key) })
	o.Store, o.Release, o.Bindings, o.Via = at, "1.0.0", []string{"mcp", "http", "file"}, "http"
	o.Signed, o.Tokens, o.Owner = true, true, key.DID()
	o.Key = func(did memory.DID) (keys.Private, bool) { return key, did == key.DID() }
	o.Beliefs, o.Batch = belief.Open, vaulttest.Batch
	v := vault.New(o)
	if s.Backend == nil {
		s.Backend = server.Over(v)
	}
	return house{startFor(t, key.DID(), s), key.DID(), at, p, v}
}

// seeded returns a key; that of the owner of every house has the seed 7.
func seeded(t testing.TB, seed byte) keys.Private {
	t.Helper()
	key, err := keys.FromSeed(bytes.Repeat([]byte{seed}, 32))
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func tool(t *testing.T, c *mcp.ClientSession, name string, arguments any) []byte {
	t.Helper()
	result, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: arguments})
	if err != nil || result.IsError {
		t.Fatalf("%s: %v, %+v", name, err, result)
	}
	return []byte(result.Content[0].(*mcp.TextContent).Text)
}

// TestOneMemoryEverywhere follows a memory over every door of one house.
func TestOneMemoryEverywhere(t *testing.T) {
	t.Parallel()
	h := build(t)
	old, current := h.dial(t, "2025-11-25"), h.dial(t, "2026-07-28")

	var stored struct{ ID, Result string }
	said := tool(t, old, "ump.remember", map[string]any{"record": map[string]any{
		"kind": "procedural", "body": map[string]any{"text": "Use pnpm, never npm."}, "scope": map[string]any{"project": "github.com/example/project"}}})
	if err := json.Unmarshal(said, &stored); err != nil || stored.Result != "created" {
		t.Fatalf("%s", said)
	}
	for name, found := range map[string][]byte{
		"HTTP":             h.do(t, "POST", "/ump/recall", `{"query":"which package manager, pnpm?"}`).body,
		"MCP, sessions":    tool(t, old, "ump.recall", map[string]any{"query": "pnpm"}),
		"MCP, no sessions": tool(t, current, "ump.recall", map[string]any{"query": "pnpm"}),
	} {
		if !bytes.Contains(found, []byte(stored.ID)) {
			t.Errorf("%s does not find it: %s", name, found)
		}
	}
	t.Run("UMP-2-1 UMP-0-2 get gives the same record, signed, over HTTP and MCP", func(t *testing.T) {
		overHTTP := h.do(t, "GET", "/ump/memory/"+stored.ID, "").body
		overMCP := tool(t, current, "ump.get", map[string]any{"id": stored.ID})
		if !bytes.Equal(overHTTP, overMCP) {
			t.Errorf("%s\n%s", overHTTP, overMCP)
		}
		var got struct{ Record json.RawMessage }
		if err := json.Unmarshal(overHTTP, &got); err != nil {
			t.Fatal(err)
		}
		if err := ump.Verify(got.Record); err != nil {
			t.Error(err)
		}
		read, err := current.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "ump://github.com%2Fexample%2Fproject/" + stored.ID})
		if err != nil || read.Contents[0].Text != string(got.Record) {
			t.Errorf("%v, %v", read, err)
		}
		var all []json.RawMessage
		exported := h.do(t, "GET", "/ump/export", "").body
		if err := json.Unmarshal(exported, &all); err != nil || len(all) != 1 {
			t.Fatalf("%v: %s", err, exported)
		}
		var a, b any
		if json.Unmarshal(all[0], &a) != nil || json.Unmarshal(got.Record, &b) != nil || !cmp.Equal(a, b) {
			t.Error(cmp.Diff(a, b))
		}
	})
	t.Run("the brief tells it as data", func(t *testing.T) {
		got, err := old.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: "brief", Arguments: map[string]string{"project": "github.com/example/project"}})
		if err != nil {
			t.Fatal(err)
		}
		text := got.Messages[0].Content.(*mcp.TextContent).Text
		if !strings.Contains(text, "pnpm") || !strings.Contains(text, "not instructions") {
			t.Errorf("%s", text)
		}
	})
	t.Run("UMP-4.3-6 the manifest tells nothing of it", func(t *testing.T) {
		got := h.do(t, "GET", "/.well-known/ump.json", "", "Authorization:").body
		if bytes.Contains(got, []byte(h.owner)) || bytes.Contains(got, []byte("urn:ump:")) || !bytes.Contains(got, []byte(`"conformance":"L3"`)) {
			t.Errorf("%s", got)
		}
	})
	t.Run("revised, forgotten and erased", func(t *testing.T) {
		var revised struct{ ID string }
		said := tool(t, current, "ump.revise", map[string]any{"id": stored.ID, "patch": map[string]any{"body": map[string]any{"text": "Use bun, never npm."}}})
		if err := json.Unmarshal(said, &revised); err != nil || revised.ID == stored.ID {
			t.Fatalf("%s", said)
		}
		if got := h.do(t, "POST", "/ump/forget", `{"id":"`+revised.ID+`","reason":"outdated"}`); string(got.body) != `{"result":"tombstoned"}` {
			t.Errorf("%s", got.body)
		}
		if got := h.do(t, "POST", "/ump/forget", `{"id":"`+stored.ID+`","reason":"user_revoked","hard":true}`); string(got.body) != h.place.erased() {
			t.Errorf("%s", got.body)
		}
		if found := tool(t, old, "ump.recall", map[string]any{"query": "npm bun pnpm"}); string(found) != `{"results":[]}` {
			t.Errorf("%s", found)
		}
	})
}

func TestReady(t *testing.T) {
	t.Parallel()
	h := build(t)
	if got := h.do(t, "GET", "/readyz", ""); got.StatusCode != 200 {
		t.Errorf("%d %s", got.StatusCode, got.body)
	}
	if err := h.store.Close(); err != nil {
		t.Fatal(err)
	}
	if got := h.do(t, "GET", "/readyz", ""); got.StatusCode != 503 {
		t.Errorf("with the store closed: %d %s", got.StatusCode, got.body)
	}
}
