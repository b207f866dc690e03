package faketool

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// keyMember is where calls of MCP tools carry their idempotency key, in _meta.
const keyMember = "io.github.satchel-memory/idempotency-key"

// mcpServer returns an MCP server with three tools: read, which says that it only reads,
// write, and picture. write does the writes.
func mcpServer(write func(name, key string) int) *mcp.Server {
	server := mcp.NewServer(&mcp.Implementation{Name: "faketool", Version: "1"}, nil)
	schema := json.RawMessage(`{"type":"object","properties":{"text":{"type":"string"},"times":{"type":"integer"}}}`)
	server.AddTool(&mcp.Tool{Name: "read", Description: "Reads the text back.", InputSchema: schema, Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true}},
		func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return said(string(r.Params.Arguments)), nil
		})
	server.AddTool(&mcp.Tool{Name: "write", Description: "Writes the text.", InputSchema: schema},
		func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			key, _ := r.Params.Meta[keyMember].(string)
			return said(`{"writes":` + strconv.Itoa(write("write", key)) + `}`), nil
		})
	server.AddTool(&mcp.Tool{Name: "picture", Description: "Returns a picture.", InputSchema: schema},
		func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.ImageContent{Data: []byte("\x89PNG"), MIMEType: "image/png"}}}, nil
		})
	return server
}

func said(text string) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}
}

// callMCP serves the MCP server, with the faults of the tool that is called.
func (s *Server) callMCP(w http.ResponseWriter, r *http.Request) {
	body := s.keep("mcp", r)
	var message struct {
		Method string
		Params struct {
			Name string
			Meta map[string]any `json:"_meta"`
		}
	}
	_ = json.Unmarshal(body, &message) // what is no message is the server's to refuse
	if message.Method != "tools/call" {
		s.mcp.ServeHTTP(w, r)
		return
	}
	name := message.Params.Name
	key, _ := message.Params.Meta[keyMember].(string)
	s.arrive(name, key)
	s.spoil(w, r, name, s.fault(name), s.mcp)
}
