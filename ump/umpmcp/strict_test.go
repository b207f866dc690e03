package umpmcp_test

import (
	"context"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump/umpmcp"
)

// TestUnknownArguments: the spelling that was called counts, whatever is listed.
func TestUnknownArguments(t *testing.T) {
	for _, dotted := range []bool{false, true} {
		said := func(v umpmcp.Backend, tool string, arguments any) (string, bool) {
			result, err := connect(t, v, umpmcp.Options{Dotted: dotted}, "").CallTool(context.Background(), &mcp.CallToolParams{Name: tool, Arguments: arguments})
			if err != nil {
				t.Fatal(err)
			}
			return result.Content[0].(*mcp.TextContent).Text, result.IsError
		}
		t.Run("UMP-3.2-1 the underscore names refuse an unknown argument", func(t *testing.T) {
			v := filled(t)
			args := map[string]any{"query": "pnpm", "mode": "deep"}
			if text, failed := said(v, "ump_recall", args); !failed || !strings.Contains(text, "mode is not known here; known here: query, also, project, kind") {
				t.Errorf("ump_recall: %t, %s", failed, text)
			}
			for argument, meant := range map[string]string{"q": "query", "repo": "project", "projct": "project", "top_k": "limit"} {
				want := argument + " is not known here; did you mean " + meant + "?"
				if text, failed := said(v, "ump_recall", map[string]any{"query": "pnpm", argument: "x"}); !failed || !strings.Contains(text, want) {
					t.Errorf("ump_recall: %t, want %s in %s", failed, want, text)
				}
			}
			if text, failed := said(v, "ump.recall", args); failed || !strings.Contains(text, `"warnings":[{"path":"/mode"`) {
				t.Errorf("ump.recall: %t, %s", failed, text)
			}
		})
		t.Run("UMP-3.5-6 either spelling refuses an unknown member of a patch", func(t *testing.T) {
			v := filled(t)
			hits, err := v.Recall(context.Background(), agent, memory.Query{Text: "pnpm"})
			if err != nil || len(hits) == 0 {
				t.Fatal(err)
			}
			args := map[string]any{"id": hits[0].Record.ID, "patch": map[string]any{"mood": "calm"}}
			if text, failed := said(v, "ump.revise", args); !failed || !strings.Contains(text, "/patch/mood is not a member of a record") {
				t.Errorf("ump.revise: %t, %s", failed, text)
			}
		})
	}
}
