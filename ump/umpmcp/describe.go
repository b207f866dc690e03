package umpmcp

import (
	_ "embed"
	"net/http"

	"github.com/satchel-memory/satchel/internal/httpkit"
)

//go:embed message.json
var messageSchemas []byte

// Path is the address of MCP.
const Path = "/mcp"

// Describe describes the methods that the handler answers.
func (h *HTTP) Describe() httpkit.Description {
	said := httpkit.Description{
		Name: "mcp", Title: "Model Context Protocol", Text: "The same operations as tools for assistants, by streamable HTTP.", Schemas: httpkit.Schemas(messageSchemas),
		Errors: httpkit.Errors{Media: "application/json", Schema: "McpRefusal", Always: []int{400, 401, 403, 404, 409, 413, 415, 429, 500, 503}},
	}
	for _, method := range h.methods() {
		said.Routes = append(said.Routes, described(method))
	}
	return said
}

// described describes a method of HTTP.
func described(method string) httpkit.Operation {
	in := []httpkit.Parameter{
		httpkit.Header("Mcp-Protocol-Version", "The revision that the client speaks.", ""),
		httpkit.Header("Mcp-Session-Id", "The session, in revisions that have sessions.", ""),
	}
	events := httpkit.Content{Media: httpkit.EventType, Items: "McpMessage"}
	switch method {
	case http.MethodGet:
		return httpkit.Operation{Name: "mcpListen", Method: method, Path: Path, Summary: "Hear what the server says by itself", In: in,
			Out: []httpkit.Answer{{Status: 200, Text: "Messages until either side ends the stream.", Body: []httpkit.Content{events}}}}
	case http.MethodDelete:
		return httpkit.Operation{Name: "mcpEnd", Method: method, Path: Path, Summary: "End a session", In: in, Out: []httpkit.Answer{{Status: 204, Text: "It has ended."}}}
	}
	return httpkit.Operation{Name: "mcp", Method: method, Path: Path, Summary: "Send a message of MCP", In: in, Body: httpkit.JSON("McpMessage"),
		Out: []httpkit.Answer{{Status: 200, Text: "The answer.", Body: append(httpkit.JSON("McpMessage"), events)}, {Status: 202, Text: "The message asks for no answer."}}}
}
