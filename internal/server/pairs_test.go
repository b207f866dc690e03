package server_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/satchel-memory/satchel/internal/server"
	"github.com/satchel-memory/satchel/internal/transcript"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

const known = "urn:ump:baaaaaaaaaaaaaaaaaaaaaaaaa"

// TestPairs asks the same over both bindings, over MCP by the protocol's names. What
// each says must be the same bytes, and the same as in testdata/pairs.golden.
func TestPairs(t *testing.T) {
	var pairs bytes.Buffer
	for _, c := range []struct {
		op      ump.Operation
		request string
		refused bool
	}{
		{ump.OpCapabilities, `{}`, false},
		{ump.OpRecall, `{"query":"manual"}`, false},
		{ump.OpRecall, `{"query":"pnpm","scope":{"project":"github.com/example/project"},"limit":1}`, false},
		{ump.OpRecall, `{"query":"xylophone"}`, false},
		{ump.OpRecall, `{"query":" "}`, true},
		{ump.OpRecall, `{"query":"x","limit":0}`, true},
		{ump.OpRecall, `{"query":"x","filter":{"kind":["foo"]}}`, true},
		{ump.OpRemember, `{"record":{"body":{"text":"Likes tea."}}}`, false},
		{ump.OpRemember, `{"kind":"procedural","body":{"text":"Use pnpm, never npm."},"scope":{"project":"github.com/example/project"}}`, false},
		{ump.OpRemember, `{"record":{"kind":"semantic"}}`, true},
		{ump.OpRemember, `{"record":{"body":{"text":"x"},"scope":{"visibility":"public"},"consent":{"exportable":false}}}`, true},
		{ump.OpRemember, `{"record":{"body":{"text":"x"},"scope":{"owner":"did:example:other"}}}`, true},
		{ump.OpGet, `{"id":"` + known + `"}`, false},
		{ump.OpGet, `{"id":"urn:ump:nothing"}`, true},
		{ump.OpRevise, `{"id":"` + known + `","patch":{"body":{"text":"Use bun."}}}`, false},
		{ump.OpRevise, `{"id":"` + known + `","patch":{"id":"urn:ump:x"}}`, true},
		{ump.OpForget, `{"id":"` + known + `","reason":"user_revoked"}`, false},
		{ump.OpForget, `{"id":"` + known + `"}`, true},
	} {
		t.Run(fmt.Sprintf("UMP-3-3 UMP-2-1 %s %s", c.op, c.request), func(t *testing.T) {
			said := overHTTP(t, c.op, c.request)
			for _, revision := range []string{"2025-11-25", "2026-07-28"} {
				structured, text, refused := overMCP(t, revision, c.op, c.request)
				if text != string(said) || refused != c.refused {
					t.Errorf("HTTP %s\nMCP  %s (refused %v)", said, text, refused)
				}
				var a, b any
				if json.Unmarshal(said, &a) != nil || json.Unmarshal(structured, &b) != nil || !cmp.Equal(a, b) {
					t.Errorf("HTTP %s\nMCP  %s", said, structured)
				}
			}
			fmt.Fprintf(&pairs, "%s %s\n%s\n\n", c.op, c.request, said)
			if c.refused {
				t.Run("UMP-3-2 the envelope", func(t *testing.T) { answer{body: said}.code(t) })
			}
		})
	}
	transcript.Golden(t, "pairs.golden", pairs.Bytes())
}

func overHTTP(t *testing.T, op ump.Operation, request string) []byte {
	t.Helper()
	s := start(t, server.Options{})
	switch op {
	case ump.OpCapabilities:
		return s.do(t, "GET", "/ump/capabilities", "").body
	case ump.OpGet:
		var asked struct{ ID memory.ID }
		if err := json.Unmarshal([]byte(request), &asked); err != nil {
			t.Fatal(err)
		}
		return s.do(t, "GET", "/ump/memory/"+string(asked.ID), "").body
	}
	return s.do(t, "POST", "/ump/"+string(op), request, "Content-Type: application/json").body
}

func overMCP(t *testing.T, revision string, op ump.Operation, request string) (structured []byte, text string, refused bool) {
	t.Helper()
	client := start(t, server.Options{}).dial(t, revision)
	result, err := client.CallTool(t.Context(), &mcp.CallToolParams{Name: "ump." + string(op), Arguments: json.RawMessage(request)})
	if err != nil {
		t.Fatal(err)
	}
	structured, err = json.Marshal(result.StructuredContent)
	if err != nil {
		t.Fatal(err)
	}
	return structured, result.Content[0].(*mcp.TextContent).Text, result.IsError
}

func TestWhoSpeaks(t *testing.T) {
	erase := `{"id":"` + known + `","reason":"user_revoked","hard":true}`
	t.Run("UMP-3.6-6 the owner erases over HTTP", func(t *testing.T) {
		if got := overHTTP(t, ump.OpForget, erase); string(got) != `{"result":"erased"}` {
			t.Errorf("%s", got)
		}
	})
	t.Run("UMP-3.6-6 a model with the owner's token does not", func(t *testing.T) {
		for _, revision := range []string{"2025-11-25", "2026-07-28"} {
			structured, _, refused := overMCP(t, revision, ump.OpForget, erase)
			if !refused || (answer{body: structured}).code(t) != memory.ForbiddenScope {
				t.Errorf("%s", structured)
			}
		}
	})
}
