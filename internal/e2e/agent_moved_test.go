//go:build unix

package e2e

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/cli/clitest"
	"github.com/satchel-memory/satchel/internal/run/faketool"
)

const (
	payingAgent = "7b1f6d0e-3c55-4f0a-9a60-0f5f6f1f2a01"
	muchInput   = 64 << 10 // bytes of a run's input, by which its checkpoint is told from other requests
)

// ferry stands before a server that speaks TLS. Once it is armed, it ends the server while a
// checkpoint is on its way.
type ferry struct {
	to    atomic.Pointer[string]
	sinks atomic.Pointer[func()]
}

func newFerry(t *testing.T) (f *ferry, port int) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	f = &ferry{}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go f.carry(c)
		}
	}()
	return f, l.Addr().(*net.TCPAddr).Port
}

func (f *ferry) carry(c net.Conn) {
	defer c.Close()
	d, err := net.Dial("tcp", *f.to.Load())
	if err != nil {
		return
	}
	defer d.Close()
	go func() {
		defer c.Close()
		_, _ = io.Copy(c, d) // ends with either side
	}()
	for piece, passed := make([]byte, 4096), 0; ; {
		n, err := c.Read(piece)
		if passed += n; passed > muchInput/2 {
			if sink := f.sinks.Swap(nil); sink != nil {
				(*sink)()
				return
			}
		}
		if _, failed := d.Write(piece[:n]); err != nil || failed != nil {
			return
		}
	}
}

// overTLS starts a server, and returns it with its address.
func (h *home) overTLS(cert, key string) (*exec.Cmd, string) {
	h.Helper()
	cmd := h.command("serve", "--addr", "127.0.0.1:0", "--tls-cert", cert, "--tls-key", key)
	said, err := cmd.StderrPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		h.Fatal(err)
	}
	h.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	for lines := bufio.NewScanner(said); lines.Scan(); {
		if _, rest, ok := strings.Cut(lines.Text(), "https://"); ok {
			go func() { _, _ = io.Copy(io.Discard, said) }()
			address, _, _ := strings.Cut(rest, "/")
			return cmd, address
		}
	}
	h.Fatal("satchel serve said no address")
	return nil, ""
}

// ends calls the program, which ends with a status, and returns all that it says.
func (h *home) ends(status int, args ...string) string {
	h.Helper()
	out, errs, err := h.try(args...)
	got := 0
	if exit, ok := err.(*exec.ExitError); ok {
		got = exit.ExitCode()
	} else if err != nil {
		h.Fatal(err)
	}
	if got != status {
		h.Fatalf("satchel %s ends with %d, want %d\n%s%s", strings.Join(args, " "), got, status, out, errs)
	}
	return out + errs
}

func found(t *testing.T, pattern, text string) string {
	t.Helper()
	m := regexp.MustCompile(pattern).FindStringSubmatch(text)
	if m == nil {
		t.Fatalf("%s is not in %s", pattern, text)
	}
	return m[1]
}

// TestAgentMoved moves runs between two programs over TLS, with the tools of both at a third
// place: each write happens once, also if the receiver is killed while the run is on its way.
func TestAgentMoved(t *testing.T) {
	t.Parallel()
	tools := faketool.New()
	served := httptest.NewServer(tools)
	t.Cleanup(func() { tools.Close(); served.Close() })
	a, b := newHome(t), newHome(t)
	put := func(name, text string) string {
		path := filepath.Join(a.dir, name)
		clitest.Put(t, path, []byte(text), time.Now())
		return path
	}
	clerk := put("clerk.json", `{"sc_standard":"SC-006","agent_id":"`+payingAgent+`","agent":{"name":"Clerk","goal":"Pay.","version":"1.0.0","model":{"provider":"anthropic","preferred":"m"},
"tools":[{"name":"pay","description":"Pays.","protocol":"http","endpoint":"`+served.URL+`/call/pay","parameters_schema":{"type":"object"}}],"compliance":{"human_in_the_loop":{"enabled":true}}}}`)
	model := "script:" + put("script.jsonl", `{"turn":0,"calls":[{"tool":"pay","arguments":{"amount":900}}]}`+"\n"+`{"turn":1,"answer":"Paid."}`+"\n")
	input := "@" + put("input.txt", strings.Repeat("Pay 900. ", muchInput/9))
	cert, key := clitest.Certificate(t, 1)
	ca, keyFile := put("cert.pem", string(cert)), put("key.pem", string(key))
	for _, h := range []*home{a, b} {
		if err := os.MkdirAll(filepath.Join(h.dir, "store", "run"), 0o700); err != nil {
			t.Fatal(err)
		}
		clitest.Put(t, filepath.Join(h.dir, "store", "run", "tools.json"), []byte(`{"egress":["127.0.0.1"],"grants":[{"agent":"`+payingAgent+`","tools":["pay"]}]}`), time.Now())
		h.run("agent", "add", clerk)
	}
	shown := a.run("keys", "show")
	b.run("trust", "add", found(t, `(?m)^producer +(\S+)`, shown), found(t, `(?m)^signs with +(\S+)`, shown))
	f, port := newFerry(t)
	start := func() (run string, move []string) {
		a.ends(5, "agent", "run", payingAgent, "-i", input, "--model", model, "-q")
		run = found(t, `"run_id": "([^"]*)"`, a.run("agent", "runs", "--limit", "1", "--json"))
		return run, []string{"agent", "migrate", run, "--to", fmt.Sprintf("https://localhost:%d", port), "--ca", ca}
	}
	approve := func(h *home, run string) {
		t.Helper()
		h.run("agent", "approve", run, "--digest", found(t, `"digest": "([^"]*)"`, h.run("agent", "runs", "--limit", "1", "--json")))
		if said := h.run("agent", "resume", run, "--model", model); !strings.Contains(said, "Paid.") {
			t.Errorf("it says %s", said)
		}
	}
	paid := func(want int) {
		t.Helper()
		if c := tools.Counts()["pay"]; c.Writes != want || c.Calls != want || len(c.Keys) != want {
			t.Errorf("pay was called %+v, want %d", c, want)
		}
	}
	t.Run("AAIF-8.2-7 the receiver is killed before its receipt", func(t *testing.T) {
		server, at := b.overTLS(ca, keyFile)
		f.to.Store(&at)
		sink := func() { _ = server.Process.Kill(); _ = server.Wait() }
		f.sinks.Store(&sink)
		run, move := start()
		if said := a.ends(1, move...); !strings.Contains(said, "nobody knows whether the run arrived") {
			t.Errorf("it says %s", said)
		}
		if said := a.ends(4, "agent", "resume", run, "--model", model); !strings.Contains(said, "STATE_LEFT") {
			t.Errorf("it says %s", said)
		}
		a.ends(5, "agent", "resume", run, "--here", "--model", model)
		_, at = b.overTLS(ca, keyFile)
		f.to.Store(&at)
		b.ends(1, "agent", "resume", run, "--model", model)
		approve(a, run)
		b.ends(1, "agent", "resume", run, "--model", model)
		paid(1)
	})
	t.Run("AAIF-8.2-7 the receiver finishes", func(t *testing.T) {
		run, move := start()
		a.run(move...)
		if said := a.ends(4, "agent", "resume", run, "--here", "--model", model); !strings.Contains(said, "STATE_LEFT") {
			t.Errorf("it says %s", said)
		}
		if said := a.run("agent", "runs", "--limit", "1", "--json"); !strings.Contains(said, `"status": "completed"`) {
			t.Errorf("where it was it is %s", said)
		}
		state := found(t, `"state_id": "([^"]*)"`, b.run("agent", "states", "--json"))
		b.ends(5, "agent", "resume", state, "--model", model)
		b.ends(4, "agent", "resume", state, "--model", model)
		approve(b, run)
		a.ends(4, "agent", "resume", run, "--model", model)
		paid(2)
	})
}
