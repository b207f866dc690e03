package umpmcp_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump/umpmcp"
)

// plain is a service without the optional abilities, at level 3.
type plain struct{ umpmcp.Backend }

func TestLevels(t *testing.T) {
	broken := at3(t)
	broken.Before = func(_ context.Context, operation string, _ memory.Caller) error {
		if operation == "capabilities" {
			panic("secret")
		}
		return nil
	}
	for _, c := range []struct {
		name   string
		v      umpmcp.Backend
		full   bool
		framed bool
	}{
		{"UMP-4.1-2 at level 3 there is feedback", at3(t), true, true},
		{"UMP-4.1-2 below level 3 there is none", filled(t), false, true},
		{"UMP-4.1-2 nor where the service cannot learn", plain{at3(t)}, false, false},
		{"UMP-4.1-2 nor where the service does not say what it offers", broken, false, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			protocol := tools(t, c.v, umpmcp.Options{Dotted: true})
			schema, err := json.Marshal(protocol["ump.recall"].InputSchema)
			if err != nil || strings.Contains(string(schema), `"framed"`) != c.framed {
				t.Errorf("%v, input %s", err, schema)
			}
			client := connect(t, c.v, umpmcp.Options{}, "2025-11-25")
			listed, err := client.ListTools(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			var names []string
			for _, tool := range listed.Tools {
				names = append(names, tool.Name)
				if tool.Name == "ump_feedback" && (tool.Description == "" || tool.Annotations.ReadOnlyHint || *tool.Annotations.DestructiveHint || tool.Annotations.IdempotentHint) {
					t.Errorf("%q %+v", tool.Description, tool.Annotations)
				}
			}
			if slices.Contains(names, "ump_feedback") != c.full {
				t.Errorf("lists %q", names)
			}
			for _, name := range []string{"ump_feedback", "ump.feedback"} {
				result, err := client.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: map[string]any{"id": known, "outcome": "followed"}})
				if c.full != (err == nil && !result.IsError) {
					t.Errorf("%s: %+v, %v", name, result, err)
				}
			}
		})
	}
	t.Run("UMP-4.1-1 the reserved name under the option", func(t *testing.T) {
		listed, err := connect(t, at3(t), umpmcp.Options{Dotted: true}, "").ListTools(t.Context(), nil)
		if err != nil || !slices.ContainsFunc(listed.Tools, func(tool *mcp.Tool) bool {
			return tool.Name == "ump.feedback" && !strings.Contains(tool.Description, "ump_")
		}) {
			t.Errorf("%+v, %v", listed, err)
		}
	})
}

func TestFeedback(t *testing.T) {
	v := at3(t)
	client := connect(t, v, umpmcp.Options{}, "")
	listed := tools(t, v, umpmcp.Options{Dotted: true})
	t.Run("UMP-3.8-1 outcomes", func(t *testing.T) {
		for _, outcome := range []string{"followed", "overridden", "ignored", "contradicted"} {
			answer, failed := call(t, client, "ump.feedback", map[string]any{"id": known, "outcome": outcome, "session": "s"})
			if failed || string(answer) != `{"ok":true}` {
				t.Errorf("%s: %s", outcome, answer)
			}
			if err := validate(t, compile(t, listed["ump.feedback"].OutputSchema), answer); err != nil {
				t.Error(err)
			}
		}
		if got := v.Lessons(known); !slices.Equal(got, []string{"followed", "overridden", "ignored", "contradicted"}) {
			t.Errorf("learnt %q", got)
		}
		for request, want := range map[string]memory.ErrorKind{
			`{"id":"` + known + `","outcome":"good"}`: memory.InvalidRecord, `{"id":"urn:ump:nothing","outcome":"ignored"}`: memory.NotFound, `{}`: memory.InvalidRecord,
		} {
			answer, failed := call(t, client, "ump.feedback", json.RawMessage(request))
			if !failed || code(t, answer) != want {
				t.Errorf("%s: %s", request, answer)
			}
		}
	})
}

func TestFramed(t *testing.T) {
	v := filled(t)
	client := connect(t, v, umpmcp.Options{}, "")
	listed := tools(t, v, umpmcp.Options{Dotted: true})
	recall := func(arguments string) (*mcp.CallToolResult, string, []byte) {
		t.Helper()
		result, err := client.CallTool(t.Context(), &mcp.CallToolParams{Name: "ump.recall", Arguments: json.RawMessage(arguments)})
		if err != nil || len(result.Content) != 1 {
			t.Fatal(err, result)
		}
		said, err := json.Marshal(result.StructuredContent)
		if err != nil {
			t.Fatal(err)
		}
		if err := validate(t, compile(t, listed["ump.recall"].OutputSchema), said); err != nil {
			t.Errorf("%s: %v", said, err)
		}
		return result, result.Content[0].(*mcp.TextContent).Text, said
	}
	t.Run("the text is the frame, which a host puts before its model", func(t *testing.T) {
		_, text, said := recall(`{"query":"pnpm","format":"framed"}`)
		var answer struct {
			Framed   string
			Injected []memory.ID
			Dropped  []any
		}
		if err := json.Unmarshal(said, &answer); err != nil || text != answer.Framed || !slices.Equal(answer.Injected, []memory.ID{known}) || answer.Dropped == nil {
			t.Errorf("%v: %s\n%s", err, text, said)
		}
		if !strings.HasPrefix(text, `<ump:memory trust="untrusted-data" nonce="`) || !strings.Contains(text, "Use pnpm, never npm.") {
			t.Errorf("%s", text)
		}
	})
	t.Run("else it is the JSON, whatever is asked", func(t *testing.T) {
		for _, request := range []string{`{"query":"pnpm"}`, `{"query":"pnpm framed"}`, `{"query":"pnpm framed","format":"json"}`} {
			_, text, said := recall(request)
			sameJSON(t, said, []byte(text))
			if !strings.Contains(text, `"results"`) {
				t.Errorf("%s: %s", request, text)
			}
		}
	})
	t.Run("an error is the envelope", func(t *testing.T) {
		result, text, said := recall(`{"query":"","format":"framed"}`)
		if sameJSON(t, said, []byte(text)); !result.IsError || code(t, said) != memory.InvalidRecord {
			t.Errorf("%s", said)
		}
	})
}

// TestServeListens ends conversations in which a request to listen is open: that
// must not hold up the end, and nothing may be asked of the service after it.
func TestServeListens(t *testing.T) {
	const listen = `{"jsonrpc":"2.0","id":"l","method":"subscriptions/listen","params":{"notifications":{"resourcesListChanged":true},` +
		`"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}` + "\n"
	for _, c := range []struct {
		name, text, first string
	}{{"a request to listen", listen, "acknowledged"}, {"a session", hello, "serverInfo"}} {
		for _, stopped := range []bool{false, true} {
			t.Run(c.name, func(t *testing.T) {
				f := &followed{Vault: at3(t)}
				in, send := io.Pipe()
				receive, out := io.Pipe()
				ctx, stop := context.WithCancel(t.Context())
				defer stop()
				served := make(chan error, 1)
				go func() {
					served <- umpmcp.Serve(ctx, umpmcp.New(f, umpmcp.Options{Caller: agent}), in, out)
					_ = out.Close()
				}()
				go func() { _, _ = io.WriteString(send, c.text) }()
				lines := bufio.NewScanner(receive)
				if !lines.Scan() || !strings.Contains(lines.Text(), c.first) {
					t.Fatalf("%q %v", lines.Text(), lines.Err())
				}
				deadline := time.Now().Add(time.Minute)
				for f.waiting.Load() != 1 {
					if time.Now().After(deadline) {
						t.Fatal("nobody waits for changes")
					}
					time.Sleep(time.Millisecond)
				}
				remember(t, f.Vault, "x", memory.Scope{})
				if !lines.Scan() || !strings.Contains(lines.Text(), "list_changed") {
					t.Fatalf("%q %v", lines.Text(), lines.Err())
				}
				go func() {
					for lines.Scan() {
					}
				}()
				if stopped {
					stop()
				} else {
					_ = send.Close()
				}
				select {
				case err := <-served:
					if n := f.waiting.Load(); err != nil || n != 0 {
						t.Errorf("%v, and %d wait for changes", err, n)
					}
				case <-time.After(5 * time.Second):
					t.Error("does not end")
				}
			})
		}
	}
}
