package tool_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/satchel-memory/satchel/internal/run/tool"
)

// TestMCPInput calls tools whose server answers with questions. The library would answer
// them, or wait, and call again: up to ten times.
func TestMCPInput(t *testing.T) {
	var calls atomic.Int64
	server := mcp.NewServer(&mcp.Implementation{Name: "asks", Version: "1"}, nil)
	for name, questions := range map[string]mcp.InputRequestMap{
		"busy": {}, "asks": {"who": &mcp.ElicitParams{Message: "Who are you?", RequestedSchema: map[string]any{"type": "object", "properties": map[string]any{}}}},
	} {
		server.AddTool(&mcp.Tool{Name: name, InputSchema: json.RawMessage(`{"type":"object"}`)}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			calls.Add(1)
			return &mcp.CallToolResult{InputRequests: questions}, nil
		})
	}
	web := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, &mcp.StreamableHTTPOptions{Stateless: true}))
	defer web.Close()
	set := open(t, tool.Options{Operator: operator()}, mcpTool(web.URL))
	for _, name := range []string{"busy", "asks"} {
		t.Run("AAIF-4.4-6 one call of a tool that "+name, func(t *testing.T) {
			before := calls.Load()
			r, err := call(t, set, "desk__"+name, `{}`)
			if n := calls.Load() - before; n != 1 || err != nil || !r.IsError || !strings.Contains(r.Text, "asks a person") {
				t.Errorf("%d calls, and %+v, %v", n, r, err)
			}
		})
	}
}
