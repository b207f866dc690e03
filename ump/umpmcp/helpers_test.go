package umpmcp_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump/umpmcp"
	"github.com/satchel-memory/satchel/ump/umptest"
)

const owner = memory.DID("did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK")

// agent is the owner's agent, as over stdio.
var agent = memory.Caller{Owner: owner, Role: memory.Agent, Session: "session-1"}

// connect returns a client of a server over v, of the revision asked for.
func connect(t *testing.T, v umpmcp.Backend, o umpmcp.Options, revision string) *mcp.ClientSession {
	t.Helper()
	if o.Caller == (memory.Caller{}) {
		o.Caller = agent
	}
	here, there := mcp.NewInMemoryTransports()
	server, err := umpmcp.New(v, o).Connect(t.Context(), there, nil)
	if err != nil {
		t.Fatal(err)
	}
	client, err := mcp.NewClient(&mcp.Implementation{Name: "some-host", Version: "1"}, nil).
		Connect(t.Context(), here, &mcp.ClientSessionOptions{ProtocolVersion: revision})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = client.Close()
		_ = server.Wait()
	})
	return client
}

// ask calls a tool as a model does, and returns the one text of the answer.
func ask(t *testing.T, c *mcp.ClientSession, tool, arguments string) (text string, failed bool) {
	t.Helper()
	result, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: json.RawMessage(arguments)})
	if err != nil {
		t.Fatalf("%s: %v", tool, err)
	}
	said, ok := result.Content[0].(*mcp.TextContent)
	if !ok || len(result.Content) != 1 || result.StructuredContent != nil {
		t.Fatalf("%s: the answer is not one text: %+v", tool, result)
	}
	return said.Text, result.IsError
}

// call calls a tool by the protocol's name and returns its structured content.
func call(t *testing.T, c *mcp.ClientSession, tool string, arguments any) (answer json.RawMessage, failed bool) {
	t.Helper()
	result, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		t.Fatalf("%s: %v", tool, err)
	}
	answer, err = json.Marshal(result.StructuredContent)
	if err != nil {
		t.Fatal(err)
	}
	text, ok := result.Content[0].(*mcp.TextContent)
	if !ok || len(result.Content) != 1 {
		t.Fatalf("%s: content is not one text", tool)
	}
	sameJSON(t, answer, []byte(text.Text))
	return answer, result.IsError
}

func sameJSON(t *testing.T, a, b []byte) {
	t.Helper()
	var x, y any
	if err := json.Unmarshal(a, &x); err != nil {
		t.Fatalf("%v in %s", err, a)
	}
	if err := json.Unmarshal(b, &y); err != nil {
		t.Fatalf("%v in %s", err, b)
	}
	if diff := cmp.Diff(x, y); diff != "" {
		t.Fatalf("not the same JSON (-a +b):\n%s", diff)
	}
}

// code returns the code of an error envelope, and fails when it is not one.
func code(t *testing.T, answer []byte) memory.ErrorKind {
	t.Helper()
	var envelope struct {
		Error struct {
			Code    memory.ErrorKind
			Message *string
		}
	}
	if err := json.Unmarshal(answer, &envelope); err != nil || envelope.Error.Message == nil {
		t.Fatalf("not an error envelope: %s", answer)
	}
	return envelope.Error.Code
}

// filled returns a vault with one private memory of a project, one without a
// project and one that is public.
func filled(t *testing.T) *umptest.Vault {
	t.Helper()
	v := umptest.New()
	for _, r := range []memory.Record{
		{Body: memory.Body{Text: "Use pnpm, never npm."}, Kind: memory.Procedural, Scope: memory.Scope{Owner: owner, Project: "github.com/example/project"}},
		{Body: memory.Body{Text: "Prefers short answers."}, Kind: memory.Identity, Scope: memory.Scope{Owner: owner}},
		{Body: memory.Body{Text: "The manual is in docs/."}, Kind: memory.Semantic, Scope: memory.Scope{Owner: owner, Visibility: memory.Public}},
	} {
		if _, err := v.Remember(context.Background(), agent, memory.Draft{Record: r}); err != nil {
			t.Fatal(err)
		}
	}
	return v
}
