package umpmcp_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump/umpmcp"
	"github.com/satchel-memory/satchel/ump/umptest"
)

// asServer makes the test binary a server on stdio, as the program is.
const asServer = "UMPMCP_TEST_SERVER"

func TestMain(m *testing.M) {
	if os.Getenv(asServer) == "" {
		os.Exit(m.Run())
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()
	v := umptest.New()
	v.Before = func(_ context.Context, operation string, _ memory.Caller) error {
		if operation == "remember" {
			time.Sleep(100 * time.Millisecond) // long enough to be under way when the end comes
		}
		return nil
	}
	if err := umpmcp.Serve(ctx, umpmcp.New(v, umpmcp.Options{Caller: agent}), os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// process is a server in a process of its own.
type process struct {
	*exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
	err bytes.Buffer
}

func start(t *testing.T) *process {
	t.Helper()
	p := &process{Cmd: exec.CommandContext(t.Context(), os.Args[0])}
	p.Env = append(os.Environ(), asServer+"=1")
	p.Cmd.Stderr = &p.err
	var err error
	if p.in, err = p.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := p.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	p.out = bufio.NewReader(out)
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	return p
}

const hello = `{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"some-host","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
`

// answers reads to the end, and fails when anything but MCP is said.
func (p *process) answers(t *testing.T) []string {
	t.Helper()
	var all []string
	for {
		line, err := p.out.ReadBytes('\n')
		if err != nil {
			if len(line) > 0 {
				t.Errorf("stray output %q", line)
			}
			return all
		}
		var message struct {
			JSONRPC string
			ID      any
			Error   any
		}
		if err := json.Unmarshal(line, &message); err != nil || message.JSONRPC != "2.0" || message.Error != nil {
			t.Errorf("stray output %q", line)
		}
		all = append(all, fmt.Sprint(message.ID))
	}
}

func (p *process) send(t *testing.T, text string) {
	t.Helper()
	if _, err := io.WriteString(p.in, text); err != nil {
		t.Fatal(err)
	}
}

func remembers(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"ump_remember","arguments":{"body":{"text":"fact %d"}}}}`+"\n", i, i)
	}
	return b.String()
}

func TestStdioEnd(t *testing.T) {
	t.Run("what was asked before the end is answered", func(t *testing.T) {
		p := start(t)
		p.send(t, hello+remembers(20))
		if err := p.in.Close(); err != nil {
			t.Fatal(err)
		}
		if got := p.answers(t); len(got) != 21 {
			t.Errorf("%d answers, want 21: %v", len(got), got)
		}
		if err := p.Wait(); err != nil {
			t.Errorf("%v: %s", err, &p.err)
		}
	})
	t.Run("SIGTERM lets it finish and end well", func(t *testing.T) {
		if runtime.GOOS == "windows" {
			t.Skip("skipped: Windows has no SIGTERM")
		}
		p := start(t)
		p.send(t, hello+remembers(1))
		if _, err := p.out.ReadBytes('\n'); err != nil { // it runs, and the rest is read
			t.Fatal(err)
		}
		time.Sleep(20 * time.Millisecond)
		if err := p.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		if got := p.answers(t); len(got) != 1 || got[0] != "0" {
			t.Errorf("answers %v, want that to call 0", got)
		}
		if err := p.Wait(); err != nil {
			t.Errorf("%v: %s", err, &p.err)
		}
	})
	t.Run("nothing asked, nothing said", func(t *testing.T) {
		p := start(t)
		if err := p.in.Close(); err != nil {
			t.Fatal(err)
		}
		if got := p.answers(t); len(got) != 0 {
			t.Errorf("said %v", got)
		}
		if err := p.Wait(); err != nil {
			t.Error(err)
		}
	})
}

// TestStdioNoise says what is no message between two calls.
func TestStdioNoise(t *testing.T) {
	for noise, code := range map[string]int{
		"pardon?\n": -32700, "{\"jsonrpc\":\n": -32700, "[1,\n": -32700, remembers(1)[:20] + "\r\n": -32700, "\xff\n": -32700,
		`{"jsonrpc":"2.0","id":7,"method":"ping"} {}` + "\n": -32700,
		"[]\n": -32600, "5\n": -32600, "{}\n": -32600, `{"jsonrpc":"1.0","id":null,"method":"ping"}` + "\n": -32600, "[5]\n": -32600,
		"\n \r\n": 0,
	} {
		t.Run(fmt.Sprintf("UMP-4.1-9 %.30q does not end the conversation", noise), func(t *testing.T) {
			in, send := io.Pipe()
			receive, out := io.Pipe()
			served := make(chan error, 1)
			go func() {
				served <- umpmcp.Serve(t.Context(), umpmcp.New(umptest.New(), umpmcp.Options{Caller: agent}), in, out)
				_ = out.Close()
			}()
			go func() {
				_, _ = io.WriteString(send, hello+noise+remembers(1))
				_ = send.Close()
			}()
			said, err := io.ReadAll(receive)
			if err != nil {
				t.Fatal(err)
			}
			if err := <-served; err != nil {
				t.Errorf("Serve: %v", err)
			}
			refusal := fmt.Sprintf(`"code":%d`, code)
			if n := bytes.Count(said, []byte("\n")); !bytes.Contains(said, []byte("Remembered as")) || (code != 0) != bytes.Contains(said, []byte(refusal)) || (code != 0) != bytes.Contains(said, []byte(`"id":null`)) || n != map[bool]int{true: 3, false: 2}[code != 0] {
				t.Errorf("said %d lines, want one with %s:\n%s", n, refusal, said)
			}
		})
	}
	t.Run("the last line may lack its end", func(t *testing.T) {
		var said bytes.Buffer
		in := io.NopCloser(strings.NewReader(hello + strings.TrimSpace(remembers(1))))
		if err := umpmcp.Serve(t.Context(), umpmcp.New(umptest.New(), umpmcp.Options{Caller: agent}), in, &said); err != nil || !bytes.Contains(said.Bytes(), []byte("Remembered as")) {
			t.Errorf("%v: %s", err, &said)
		}
	})
}

func TestStdioClient(t *testing.T) {
	t.Run("UMP-4.1-9 a stock client over stdio", func(t *testing.T) {
		command := exec.CommandContext(t.Context(), os.Args[0])
		command.Env = append(os.Environ(), asServer+"=1")
		client, err := mcp.NewClient(&mcp.Implementation{Name: "some-host", Version: "1"}, nil).
			Connect(t.Context(), &mcp.CommandTransport{Command: command}, nil)
		if err != nil {
			t.Fatal(err)
		}
		listed, err := client.ListTools(t.Context(), nil)
		if err != nil || len(listed.Tools) != 6 {
			t.Fatalf("%v, %v", listed, err)
		}
		stored, failed := call(t, client, "ump.remember", map[string]any{"record": map[string]any{"body": map[string]any{"text": "Likes tea."}}})
		if failed {
			t.Fatalf("%s", stored)
		}
		found, failed := call(t, client, "ump.recall", map[string]any{"query": "tea"})
		if failed || !bytes.Contains(found, []byte("Likes tea.")) {
			t.Errorf("%s", found)
		}
		if err := client.Close(); err != nil {
			t.Error(err)
		}
	})
}

// TestServeStops holds a call open and cancels the context: the answer is still
// given, and reading has ended.
func TestServeStops(t *testing.T) {
	entered, leave := make(chan struct{}), make(chan struct{})
	v := umptest.New()
	v.Before = func(_ context.Context, operation string, _ memory.Caller) error {
		if operation == "remember" {
			close(entered)
			<-leave
		}
		return nil
	}
	in, send := io.Pipe()
	receive, out := io.Pipe()
	ctx, stop := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() {
		served <- umpmcp.Serve(ctx, umpmcp.New(v, umpmcp.Options{Caller: agent}), in, out)
		_ = out.Close()
	}()
	go func() { _, _ = io.WriteString(send, hello+remembers(1)) }()
	lines := bufio.NewReader(receive)
	if _, err := lines.ReadBytes('\n'); err != nil {
		t.Fatal(err)
	}
	<-entered
	stop()
	select {
	case err := <-served:
		t.Fatalf("did not wait for the call: %v", err)
	case <-time.After(50 * time.Millisecond):
	}
	close(leave)
	answer, err := lines.ReadBytes('\n')
	if err != nil || !bytes.Contains(answer, []byte("Remembered as")) {
		t.Errorf("%s, %v", answer, err)
	}
	if err := <-served; err != nil {
		t.Errorf("Serve: %v", err)
	}
}
