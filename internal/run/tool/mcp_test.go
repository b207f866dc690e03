package tool_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/internal/run/faketool"
	"github.com/satchel-memory/satchel/internal/run/tool"
)

func mcpTool(endpoint string) aaif.Tool {
	return aaif.Tool{Name: "desk", Description: "d", Protocol: aaif.MCPTool, Endpoint: endpoint, Timeout: 5}
}

func names(set *tool.Set) string {
	var list []string
	for _, o := range set.Offered() {
		if o.Missing == nil {
			list = append(list, o.Name)
		}
	}
	slices.Sort(list)
	return strings.Join(list, " ")
}

func offered(t testing.TB, set *tool.Set, name string) tool.Offered {
	t.Helper()
	for _, o := range set.Offered() {
		if o.Name == name {
			return o
		}
	}
	t.Fatalf("no %s in %v", name, set.Offered())
	return tool.Offered{}
}

// stdio returns an operator with a server that is a child, and the child's file.
func stdio(t testing.TB, role faketool.Role) (tool.Operator, string) {
	file := t.TempDir() + "/written"
	o := operator()
	o.Servers = []tool.Server{{Name: "desk", Program: tool.Program{Command: faketool.Command(role, file)}, Trusted: true}}
	return o, file
}

func TestMCP(t *testing.T) {
	t.Parallel()
	fake, at := served(t)
	for name, begin := range map[string]func(t *testing.T) (*tool.Set, func() int){
		"streamable HTTP": func(t *testing.T) (*tool.Set, func() int) {
			return open(t, tool.Options{Operator: operator()}, mcpTool(at+"/mcp")), func() int { return writesOf(fake, "write") }
		},
		"stdio": func(t *testing.T) (*tool.Set, func() int) {
			o, file := stdio(t, faketool.MCP)
			return open(t, tool.Options{Operator: o}, mcpTool("mcp://desk")), func() int { return len(faketool.Written(file)) }
		},
	} {
		t.Run("AAIF-4.4-6 the tools of a server over "+name, func(t *testing.T) {
			set, _ := begin(t)
			if got := names(set); got != "desk__picture desk__read desk__write" {
				t.Errorf("got %s", got)
			}
			if o := offered(t, set, "desk__read"); o.Description != "Reads the text back." || o.Parameters.Get("properties").Get("text").Get("type").Text() != "string" || o.Of.Name != "desk" {
				t.Errorf("got %+v", o)
			}
		})
		t.Run("AAIF-11-1 calls over "+name, func(t *testing.T) {
			set, writes := begin(t)
			if r, err := call(t, set, "desk__read", `{"text":"ü","times":2}`); err != nil || r.Text != `{"text":"ü","times":2}` || r.Value.Get("times").Float() != 2 {
				t.Errorf("got %+v, %v", r, err)
			}
			before := writes()
			if r, err := call(t, set, "desk__write", `{"text":"a"}`); err != nil || r.IsError || writes() != before+1 {
				t.Errorf("got %+v, %v", r, err)
			}
			if r, err := call(t, set, "desk__picture", `{}`); err != nil || len(r.Images) != 1 || r.Images[0].Media != "image/png" || string(r.Images[0].Data) != "\x89PNG" {
				t.Errorf("got %+v, %v", r, err)
			}
			_, err := call(t, set, "desk__write", `{"text":1}`)
			wantError(t, err, tool.ArgsInvalid, tool.NotSent)
		})
	}
	t.Run("AAIF-4.4-6 the idempotency key goes along", func(t *testing.T) {
		if fake.Counts()["write"].Keys["k1"] == 0 {
			t.Errorf("got %+v", fake.Counts()["write"])
		}
	})
}

func TestMCPOnce(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		kind    faketool.Kind
		writes  int
		code    aaif.Code
		outcome tool.Outcome
		isError bool
	}{
		{faketool.DropBefore, 0, tool.OutcomeUnknown, tool.Unknown, false},
		{faketool.DropAfter, 1, tool.OutcomeUnknown, tool.Unknown, false},
		{faketool.CutAnswer, 1, tool.OutcomeUnknown, tool.Unknown, false},
		{faketool.HangBefore, 0, tool.Timeout, tool.Unknown, false},
		{faketool.HangAfter, 1, tool.Timeout, tool.Unknown, false},
		{faketool.FailBefore, 0, tool.OutcomeUnknown, tool.Unknown, false},
		{faketool.FailAfter, 1, tool.OutcomeUnknown, tool.Unknown, false},
		{faketool.Redirect, 0, egressDenied, tool.Unknown, false},
		{faketool.Refuse, 0, "", "", true},
	} {
		t.Run("AAIF-4.4-6 one write over HTTP, and "+string(c.kind), func(t *testing.T) {
			t.Parallel()
			fake, at := served(t)
			entry := mcpTool(at + "/mcp")
			entry.Timeout = 1
			set := open(t, tool.Options{Operator: operator()}, entry)
			if _, err := call(t, set, "desk__write", `{}`); err != nil {
				t.Fatal(err)
			}
			fake.SetFault("write", faketool.Fault{Kind: c.kind, Times: 1})
			r, err := call(t, set, "desk__write", `{}`)
			if c.code != "" {
				wantError(t, err, c.code, c.outcome)
			} else if err != nil || r.IsError != c.isError {
				t.Errorf("got %+v, %v", r, err)
			}
			time.Sleep(50 * time.Millisecond) // a client that resumes streams waits for 10 ms
			if got := fake.Counts()["write"]; got.Calls != 2 || got.Writes != 1+c.writes {
				t.Errorf("got %+v", got)
			}
			for _, r := range fake.Requests("mcp") {
				if r.Method == "GET" {
					t.Error("the client resumes a stream")
				}
			}
			if _, err := call(t, set, "desk__write", `{}`); err != nil {
				t.Errorf("the next call: %v", err)
			}
		})
	}
	t.Run("AAIF-4.4-6 one write over stdio by a server that ends", func(t *testing.T) {
		o, file := stdio(t, faketool.MCPDropsAfter)
		set := open(t, tool.Options{Operator: o}, mcpTool("mcp://desk"))
		_, err := call(t, set, "desk__write", `{}`)
		wantError(t, err, tool.OutcomeUnknown, tool.Unknown)
		time.Sleep(50 * time.Millisecond)
		if got := faketool.Written(file); len(got) != 1 || got[0] != "write k1" {
			t.Errorf("got %q", got)
		}
		if r, err := call(t, set, "desk__read", `{}`); err != nil || r.IsError {
			t.Errorf("the next call: %+v, %v", r, err)
		}
	})
	t.Run("AAIF-4.4-6 a server that is gone", func(t *testing.T) {
		set := open(t, tool.Options{Operator: operator()}, mcpTool("http://127.0.0.1:1/mcp"))
		wantMissing(t, set, tool.Unreachable)
		_, err := call(t, set, "desk", `{}`)
		wantError(t, err, tool.Unreachable, tool.NotSent)
	})
	t.Run("AAIF-4.4-6 a server that never answers", func(t *testing.T) {
		t.Parallel()
		o, _ := stdio(t, faketool.MCPHangs)
		entry := mcpTool("mcp://desk")
		entry.Timeout = 1
		set := open(t, tool.Options{Operator: o}, entry)
		wantMissing(t, set, tool.Timeout)
	})
}

func TestMCPPlace(t *testing.T) {
	t.Parallel()
	o, _ := stdio(t, faketool.MCP)
	command := o.Servers[0].Command
	for name, c := range map[string]struct {
		endpoint string
		want     aaif.Code
	}{
		"AAIF-4.4-8 a shell":                      {"stdio:///bin/sh", commandDenied},
		"AAIF-4.4-8 another argument":             {"stdio://" + command[0] + "?arg=x", commandDenied},
		"AAIF-4.4-8 the command alone":            {"stdio://" + command[0], ""},
		"AAIF-4.4-6 a server that is not there":   {"mcp://other/x", serverUnknown},
		"AAIF-4.4-6 a capability that is none":    {"mcp://desk/invoices", aaif.ToolUnbound},
		"AAIF-4.4-6 a WebSocket":                  {"wss://desk.example/mcp", aaif.ToolUnbound},
		"AAIF-12-1 a file":                        {"file:///etc/passwd", egressDenied},
		"AAIF-12-1 an address of this machine":    {"https://[::1]/mcp", egressDenied},
		"AAIF-12-1 an address of credentials":     {"http://169.254.169.254/mcp", egressDenied},
		"AAIF-4.4-6 a capability by its own name": {"mcp://desk/write", ""},
	} {
		t.Run(name, func(t *testing.T) {
			set := open(t, tool.Options{Operator: o}, mcpTool(c.endpoint))
			if c.want != "" {
				wantMissing(t, set, c.want)
				return
			}
			if names(set) == "" {
				t.Errorf("got %v", set.Offered()[0].Missing)
			}
		})
	}
	t.Run("AAIF-4.4-6 a capability of the operator", func(t *testing.T) {
		o.Servers[0].Capabilities = map[string][]string{"look": {"read", "picture"}}
		set := open(t, tool.Options{Operator: o}, mcpTool("mcp://desk/look"))
		if got := names(set); got != "desk__picture desk__read" {
			t.Errorf("got %s", got)
		}
	})
}

func TestMCPNature(t *testing.T) {
	t.Parallel()
	for _, trusted := range []bool{true, false} {
		name := "AAIF-4.9-13 a hint of a server that the operator trusts"
		if !trusted {
			name = "AAIF-4.9-13 a hint of a stranger"
		}
		t.Run(name, func(t *testing.T) {
			o, _ := stdio(t, faketool.MCP)
			o.Servers[0].Trusted = trusted
			set := open(t, tool.Options{Operator: o}, mcpTool("mcp://desk"))
			if offered(t, set, "desk__read").Nature.ReadOnly != trusted || offered(t, set, "desk__write").Nature.ReadOnly {
				t.Errorf("got %+v", set.Offered())
			}
		})
	}
}

func TestMCPSchema(t *testing.T) {
	_, at := served(t)
	for name, c := range map[string]struct {
		declared string
		drift    bool
	}{
		"the same":                  {`{"type":"object","properties":{"text":{"type":"string"},"times":{"type":"integer"}}}`, false},
		"less":                      {`{"type":"object","properties":{"text":{"type":"string"}}}`, false},
		"what the server lacks":     {`{"type":"object","properties":{"text":{"type":"string"},"colour":{"type":"string"}}}`, true},
		"another type":              {`{"type":"object","properties":{"text":{"type":"integer"}}}`, true},
		"nothing about its members": {`{"type":"object"}`, false},
	} {
		for _, strict := range []bool{false, true} {
			level := ", standard"
			if strict {
				level = ", strict"
			}
			t.Run("AAIF-4.4-7 a definition declares "+name+level, func(t *testing.T) {
				entry := mcpTool(at + "/mcp")
				entry.Name, entry.Parameters = "write", tree(t, c.declared)
				o := only(t, open(t, tool.Options{Operator: operator(), Strict: strict}, entry))
				if (len(o.Warnings) > 0) != c.drift || (o.Missing != nil) != (c.drift && strict) {
					t.Errorf("got %v and %v", o.Warnings, o.Missing)
				}
				if c.drift && !strings.HasPrefix(o.Warnings[0], string(schemaDrift)) {
					t.Errorf("got %v", o.Warnings)
				}
			})
		}
	}
	t.Run("AAIF-4.4-7 what is not declared is not let through", func(t *testing.T) {
		entry := mcpTool(at + "/mcp")
		entry.Name, entry.Parameters = "write", tree(t, `{"type":"object","properties":{"text":{"type":"string"}}}`)
		set := open(t, tool.Options{Operator: operator()}, entry)
		_, err := call(t, set, "write", `{"text":"a","times":1}`)
		wantError(t, err, tool.ArgsInvalid, tool.NotSent)
		if _, err := call(t, set, "write", `{"text":"a"}`); err != nil {
			t.Error(err)
		}
	})
}

func TestMCPEnds(t *testing.T) {
	t.Run("AAIF-4.4-8 processes and goroutines are gone after Close", func(t *testing.T) {
		watched(t)
		fake, at := served(t)
		fake.SetFault("write", faketool.Fault{Kind: faketool.HangBefore})
		o, file := stdio(t, faketool.MCP)
		over := mcpTool(at + "/mcp")
		over.Name, over.Timeout = "web", 1
		set, err := tool.Open(t.Context(), []aaif.Tool{mcpTool("mcp://desk"), over}, tool.Options{Operator: o})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := call(t, set, "desk__write", `{}`); err != nil {
			t.Fatal(err)
		}
		_, _ = call(t, set, "web__write", `{}`)
		if !runs(file) {
			t.Fatal("the server does not run")
		}
		if err := set.Close(); err != nil {
			t.Fatal(err)
		}
		within(t, 5*time.Second, "the server ends", func() bool { return !runs(file) })
		within(t, 5*time.Second, "the goroutines end", func() bool { return goroutines() == "" })
		_, err = call(t, set, "desk__write", `{}`)
		wantError(t, err, tool.Unreachable, tool.NotSent)
	})
}
