package host_test

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/internal/run/host"
	"github.com/satchel-memory/satchel/internal/run/model"
	"github.com/satchel-memory/satchel/internal/run/tool"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
)

// everything is the package of the reference server of MCP, which has tools of every kind.
const everything = "@modelcontextprotocol/server-everything@2026.8.31"

// installed installs the reference server, where there is npm, and returns node and its script.
func installed(t *testing.T) (node, script string) {
	t.Helper()
	if os.Getenv("SATCHEL_LONG") == "" {
		t.Skip("it installs a server of others; SATCHEL_LONG lets it")
	}
	node, err := exec.LookPath("node")
	npm, err2 := exec.LookPath("npm")
	if err != nil || err2 != nil {
		t.Skip("there is no node here")
	}
	dir := t.TempDir()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	if out, err := exec.CommandContext(ctx, npm, "install", "--ignore-scripts", "--no-audit", "--no-fund", "--prefix", dir, everything).CombinedOutput(); err != nil {
		t.Skipf("%s is not to be had: %v\n%s", everything, err, out)
	}
	return node, filepath.Join(dir, "node_modules", "@modelcontextprotocol", "server-everything", "dist", "index.js")
}

// TestReferenceServer runs an agent with the reference server of MCP: as a command, and over HTTP.
func TestReferenceServer(t *testing.T) {
	t.Parallel()
	node, script := installed(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := l.Addr().(*net.TCPAddr).Port
	_ = l.Close() // the server listens there
	served := exec.Command(node, script, "streamableHttp")
	served.Env = append(os.Environ(), fmt.Sprint("PORT=", port))
	if err := served.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = served.Process.Kill(); _ = served.Wait() })
	for began := time.Now(); ; time.Sleep(50 * time.Millisecond) {
		if c, err := net.Dial("tcp", fmt.Sprint("127.0.0.1:", port)); err == nil {
			_ = c.Close()
			break
		} else if time.Since(began) > time.Minute {
			t.Fatal(err)
		}
	}
	for name, server := range map[string]tool.Server{
		"a command": {Name: "everything", Program: tool.Program{Command: []string{node, script, "stdio"}}},
		"over HTTP": {Name: "everything", URL: fmt.Sprintf("http://127.0.0.1:%d/mcp", port)},
	} {
		t.Run("AAIF-4.4-6 "+name, func(t *testing.T) {
			t.Parallel()
			call := func(n int, name, arguments string) model.Step {
				return turn(n, model.Step{Calls: []model.ScriptCall{{ID: fmt.Sprint("c", n), Tool: "all__" + name, Arguments: []byte(arguments)}}})
			}
			p := open(t, vaulttest.Open(t), call(0, "echo", `{"message":"good morning"}`), call(1, "get-sum", `{"a":"two","b":3}`), call(2, "get-sum", `{"a":2,"b":3}`),
				call(3, "get-tiny-image", `{}`), call(4, "get-structured-content", `{"location":"Chicago"}`), turn(5, model.Step{Answer: "Done."}))
			p.set(func(s *host.Settings) { s.Tools.Servers = []tool.Server{server} })
			p.define(usual, `{"name":"all","description":"All of it.","protocol":"mcp","endpoint":"mcp://everything"}`)
			p.start()
			r := p.goOn()
			if r.Status != aaif.Completed || r.Output != "Done." {
				t.Fatalf("got %s, %+v, %q", r.Status, r.Err, p.noted("feature.disabled"))
			}
			var offered []string
			for _, one := range p.model.Requests()[0].Body.Get("tools").Items() {
				offered = append(offered, one.Get("function").Get("name").Text())
			}
			if !slices.Contains(offered, "all__echo") || !slices.Contains(offered, "all__get-tiny-image") || len(offered) < 8 {
				t.Errorf("offered are %q", offered)
			}
			var told []string
			for _, m := range r.Messages {
				if m.Role == "tool" {
					told = append(told, m.Content)
				}
			}
			for i, want := range []string{"good morning", "TOOL_ARGS_INVALID", "5", "a picture (image/png", `"temperature"`} {
				if i >= len(told) || !strings.Contains(told[i], want) {
					t.Errorf("result %d is none of %q: %q", i, want, told)
				}
			}
			if left := p.noted("tool.pictures"); len(left) > 0 || strings.Contains(told[3], "is not shown") {
				t.Errorf("of the picture is told %q, and noted %q", told[3], left)
			}
		})
	}
}
