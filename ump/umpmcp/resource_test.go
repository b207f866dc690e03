package umpmcp_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump/umpmcp"
)

func TestResources(t *testing.T) {
	v := filled(t)
	client := connect(t, v, umpmcp.Options{}, "")
	const private = "ump://github.com%2Fexample%2Fproject/urn:ump:baaaaaaaaaaaaaaaaaaaaaaaaa"
	read := func(c *mcp.ClientSession, uri string) (*mcp.ResourceContents, error) {
		result, err := c.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri})
		if err != nil {
			return nil, err
		}
		return result.Contents[0], nil
	}
	t.Run("UMP-4.1-6 the template is listed", func(t *testing.T) {
		listed, err := client.ListResourceTemplates(t.Context(), nil)
		if err != nil || !slices.ContainsFunc(listed.ResourceTemplates, func(r *mcp.ResourceTemplate) bool {
			return r.URITemplate == "ump://{project}/{id}" && r.MIMEType == "application/json"
		}) {
			t.Errorf("%v, %v", listed, err)
		}
	})
	t.Run("UMP-4.1-6 the brief is listed, and no memory unasked", func(t *testing.T) {
		listed, err := client.ListResources(t.Context(), nil)
		if err != nil || len(listed.Resources) != 1 || listed.Resources[0].URI != "satchel://brief" || listed.Resources[0].MIMEType != "text/plain" {
			t.Errorf("%+v, %v", listed, err)
		}
		if contents, err := read(client, "satchel://brief"); err != nil || contents.Text == "" {
			t.Errorf("%+v, %v", contents, err)
		}
	})
	t.Run("UMP-4.1-6 UMP-4.1-7 the address of a record that was recalled can be read", func(t *testing.T) {
		answer, _ := call(t, client, "ump.recall", map[string]any{"query": "pnpm"})
		var said struct {
			Results []struct {
				Record struct {
					ID    memory.ID
					Scope struct{ Project string }
				}
			}
		}
		if err := json.Unmarshal(answer, &said); err != nil || len(said.Results) == 0 {
			t.Fatalf("%v: %s", err, answer)
		}
		record := said.Results[0].Record
		if contents, err := read(client, umpmcp.ResourceURI(record.Scope.Project, record.ID)); err != nil || !strings.Contains(contents.Text, string(record.ID)) {
			t.Errorf("%+v, %v", contents, err)
		}
	})
	t.Run("UMP-4.1-6 read gives what get gives", func(t *testing.T) {
		contents, err := read(client, private)
		if err != nil {
			t.Fatal(err)
		}
		got, _ := call(t, client, "ump.get", map[string]any{"id": "urn:ump:baaaaaaaaaaaaaaaaaaaaaaaaa"})
		sameJSON(t, got, []byte(`{"record":`+contents.Text+`}`))
		if contents.MIMEType != "application/json" || contents.URI != private {
			t.Errorf("%+v", contents)
		}
	})
	t.Run("UMP-4.1-6 nothing can be written or watched", func(t *testing.T) {
		older := connect(t, v, umpmcp.Options{}, "2025-11-25")
		if offered := older.InitializeResult().Capabilities.Resources; offered == nil || offered.Subscribe || offered.ListChanged {
			t.Errorf("offers %+v", offered)
		}
		if err := older.Subscribe(t.Context(), &mcp.SubscribeParams{URI: private}); err == nil {
			t.Error("can be watched")
		}
	})
	t.Run("UMP-3.4-3 what is forgotten can still be read by its owner's agent", func(t *testing.T) {
		if answer, failed := call(t, client, "ump.forget", map[string]any{"id": "urn:ump:baaaaaaaaaaaaaaaaaaaaaaaaa", "reason": "outdated"}); failed {
			t.Fatalf("%s", answer)
		}
		if contents, err := read(client, private); err != nil || !strings.Contains(contents.Text, "tombstoned") {
			t.Errorf("%v, %v", contents, err)
		}
	})
	t.Run("UMP-3.4-4 a stranger reads what is public", func(t *testing.T) {
		stranger := connect(t, v, umpmcp.Options{Caller: memory.Caller{Agent: "stranger"}}, "")
		if contents, err := read(stranger, "ump://_/urn:ump:daaaaaaaaaaaaaaaaaaaaaaaaa"); err != nil || !strings.Contains(contents.Text, "manual") {
			t.Errorf("%v, %v", contents, err)
		}
		for _, uri := range []string{private, "ump://_/urn:ump:caaaaaaaaaaaaaaaaaaaaaaaaa"} {
			if contents, err := read(stranger, uri); err == nil {
				t.Errorf("%s: %+v", uri, contents)
			}
		}
	})
	t.Run("URIs that name nothing", func(t *testing.T) {
		for _, uri := range []string{
			"ump://_/urn:ump:nothing", "ump://other/urn:ump:caaaaaaaaaaaaaaaaaaaaaaaaa", "satchel://briefly", "satchel://brief/", "satchel://brief/%",
			"satchel://brief/%ff", "x", "ump://_/" + strings.Repeat("x", 1<<20),
		} {
			if contents, err := read(client, uri); err == nil || !strings.Contains(err.Error(), "not found") {
				t.Errorf("%.60s: %+v, %v", uri, contents, err)
			}
		}
	})
}

func TestCapabilities(t *testing.T) {
	client := connect(t, filled(t), umpmcp.Options{}, "")
	t.Run("UMP-3.1-1 the client may say who it is, or not", func(t *testing.T) {
		without, _ := call(t, client, "ump.capabilities", map[string]any{})
		with, failed := call(t, client, "ump.capabilities", map[string]any{"client": map[string]any{"name": "some-host", "ump": "0.1"}})
		if failed {
			t.Fatalf("%s", with)
		}
		sameJSON(t, without, with)
	})
}
