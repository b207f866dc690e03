package tool

import (
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func TestMCPContent(t *testing.T) {
	text := func(s string) mcp.Content { return &mcp.TextContent{Text: s} }
	for name, c := range map[string]struct {
		got         mcp.CallToolResult
		text, value string
		warnings    int
	}{
		"nothing":              {mcp.CallToolResult{}, "", "null", 0},
		"text":                 {mcp.CallToolResult{Content: []mcp.Content{text("a"), text("b")}}, "a\nb", "null", 0},
		"JSON":                 {mcp.CallToolResult{Content: []mcp.Content{text(`{"a":1}`)}}, `{"a":1}`, `{"a":1}`, 0},
		"structured, and text": {mcp.CallToolResult{Content: []mcp.Content{text("one")}, StructuredContent: map[string]any{"a": 1}}, `{"a":1}`, `{"a":1}`, 0},
		"a resource":           {mcp.CallToolResult{Content: []mcp.Content{&mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: "x:1", Text: "inside"}}, &mcp.ResourceLink{URI: "x:2"}}}, "inside\na resource: x:2", "null", 0},
		"sound":                {mcp.CallToolResult{Content: []mcp.Content{&mcp.AudioContent{Data: []byte("x"), MIMEType: "audio/wav"}}}, "a sound (audio/wav, 1 bytes), which is not played to you", "null", 0},
		"a file":               {mcp.CallToolResult{Content: []mcp.Content{&mcp.EmbeddedResource{Resource: &mcp.ResourceContents{Blob: []byte("%PDF"), MIMEType: "application/pdf"}}}}, "a file (application/pdf, 4 bytes), which is not shown to you", "null", 0},
		"a picture in a file":  {mcp.CallToolResult{Content: []mcp.Content{&mcp.EmbeddedResource{Resource: &mcp.ResourceContents{Blob: []byte("x"), MIMEType: "image/png"}}}}, "a picture (image/png, 1 bytes)", "null", 0},
	} {
		t.Run("AAIF-4.4-6 an answer of "+name, func(t *testing.T) {
			r, err := contentResult(&c.got)
			if err != nil || r.Text != c.text || string(r.Value.Append(nil)) != c.value || len(r.Warnings) != c.warnings {
				t.Errorf("got %+v, %v", r, err)
			}
		})
	}
	t.Run("AAIF-4.4-6 an answer that is too long", func(t *testing.T) {
		_, err := contentResult(&mcp.CallToolResult{Content: []mcp.Content{text(strings.Repeat("x", mostAnswer+1))}})
		if e, ok := err.(*Error); !ok || e.Outcome != Answered || e.Code != outputInvalid {
			t.Errorf("got %v", err)
		}
	})
}
