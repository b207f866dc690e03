package pages_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// program is the path of satchel, built once for all tests, and model that of a store as
// [sampled] has it, which the first test that needs it fills.
var (
	program string
	model   struct {
		sync.Once
		dir string
	}
)

// TestMain builds the program, or takes the one that SATCHEL_BIN names.
func TestMain(m *testing.M) { os.Exit(runTests(m)) }

func runTests(m *testing.M) int {
	if browserPath() == "" {
		fmt.Println("skipped: there is no Chromium; make test-pages installs it as root on Debian")
		return 0
	}
	dir, err := os.MkdirTemp("", "satchel-pages-*")
	if err != nil {
		fmt.Println(err)
		return 1
	}
	defer os.RemoveAll(dir)
	defer closeBrowser()
	model.dir = filepath.Join(dir, "model")
	if program = os.Getenv("SATCHEL_BIN"); program == "" {
		program = filepath.Join(dir, "satchel")
		// go run alone keeps what it linked in the build cache, for other tests as well.
		build := exec.Command("go", "run", "-exec=cp", "-trimpath", "-ldflags=-s -w", "./cmd/satchel", program)
		build.Dir = filepath.Join("..", "..")
		build.Env = append(os.Environ(), "CGO_ENABLED=0") // as internal/e2e builds it
		if out, err := build.CombinedOutput(); err != nil {
			fmt.Printf("build: %v\n%s", err, out)
			return 1
		}
	}
	return m.Run()
}

// house is a store, and a server over it.
type house struct {
	dir  string
	addr string // of the server: host and port
	log  *bytes.Buffer
}

// home is the home folder of the owner, and not that of who runs the tests.
func (h *house) home() string { return filepath.Join(filepath.Dir(h.dir), "home") }

// environment is that of the program.
func (h *house) environment() []string {
	return append(os.Environ(), "SATCHEL_STORE="+h.dir, "HOME="+h.home(), "XDG_CONFIG_HOME=", "SSH_CONNECTION=")
}

// satchel runs a command on the store and returns what it printed.
func (h *house) satchel(t testing.TB, args ...string) string {
	t.Helper()
	out, err := h.try(args...)
	if err != nil {
		t.Fatalf("satchel %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return out
}

func (h *house) try(args ...string) (string, error) {
	c := exec.Command(program, args...)
	c.Env = h.environment()
	var said bytes.Buffer
	c.Stderr = &said
	out, err := c.Output()
	if err != nil {
		err = fmt.Errorf("%w: %s", err, said.String())
	}
	return string(out), err
}

// empty makes a store that holds nothing, and serves it.
func empty(t testing.TB, flags ...string) *house {
	t.Helper()
	h := &house{dir: filepath.Join(t.TempDir(), "store")}
	h.satchel(t, "init")
	h.serve(t, flags...)
	return h
}

// sampled makes a store that [sample] filled, and serves it.
func sampled(t testing.TB) *house {
	t.Helper()
	model.Do(func() {
		h := &house{dir: model.dir}
		h.satchel(t, "init")
		sample(t, h)
	})
	h := &house{dir: filepath.Join(t.TempDir(), "store")}
	if out, err := exec.Command("cp", "-a", model.dir, h.dir).CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	h.serve(t)
	return h
}

// serve runs the server until the test ends.
func (h *house) serve(t testing.TB, flags ...string) {
	t.Helper()
	h.serveAt(t, "127.0.0.1", flags...)
}

// serveAt runs a server that listens at an address of this machine. Somebody else may take
// the port that was free: then the server ends, and another port is tried.
func (h *house) serveAt(t testing.TB, address string, flags ...string) {
	t.Helper()
	for range 5 {
		if h.serves(t, address, flags...) {
			return
		}
	}
	t.Fatalf("the server does not answer: %s", h.log)
}

func (h *house) serves(t testing.TB, address string, flags ...string) bool {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	h.addr = l.Addr().String()
	_ = l.Close()
	_, port, err := net.SplitHostPort(h.addr)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	args := append([]string{"serve", "--addr", net.JoinHostPort(address, port), "--rate", "100000", "--burst", "100000"}, flags...)
	c := exec.CommandContext(ctx, program, args...)
	c.Env = h.environment()
	c.Cancel = func() error { return c.Process.Signal(os.Interrupt) }
	c.WaitDelay = 20 * time.Second
	h.log = &bytes.Buffer{}
	c.Stderr = h.log
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() { _ = c.Wait(); close(ended) }()
	t.Cleanup(func() { stop(); <-ended })
	for range 400 {
		select {
		case <-ended:
			return false
		case <-time.After(25 * time.Millisecond):
		}
		if published, err := os.Stat(filepath.Join(h.dir, "serve.addr")); !slices.Contains(flags, "--no-pages") && (err != nil || published.Size() == 0) {
			continue // whoever answers there is another server
		}
		if got, err := http.Get("http://" + h.addr + "/healthz"); err == nil {
			_ = got.Body.Close()
			return true
		}
	}
	return false
}

// link is what satchel open prints as JSON.
type link struct{ URL, Code string }

func (h *house) open(t testing.TB, args ...string) link {
	t.Helper()
	var l link
	if err := json.Unmarshal([]byte(h.satchel(t, append([]string{"--json", "open", "--print"}, args...)...)), &l); err != nil {
		t.Fatal(err)
	}
	return l
}

// origin is the scheme and host of the pages.
func (l link) origin() string {
	at := strings.Index(l.URL, "/me/")
	return l.URL[:at]
}

func (l link) secret() string {
	_, secret, _ := strings.Cut(l.URL, "#")
	return secret
}

// nasty are texts by which strangers could try to get hold of a page.
func nasty() []string {
	return []string{
		`<script>alert(1)</script><b>bold</b>`,
		`"><img src=x onerror=alert(1)>`,
		`javascript:alert(1) and http://example.com/a?b=c and [x](javascript:alert(1))`,
		"right to left: \u202egnp.exe\u202c and \u2067more\u2069 and back",
		"العربية: أحب الشاي بالنعناع ولا أحب القهوة.",
		"日本語と中文：我喜欢喝茶，不喜欢咖啡。とても長い文章が折り返されるかどうかを確かめるための文です。",
		"emoji 👩‍👩‍👧‍👦🏳️‍🌈 and a flag 🇪🇪, a long word " + strings.Repeat("Donaudampfschifffahrt", 20),
		"z" + strings.Repeat("\u0301", 10000) + " combining",
		"{{.}} ${7*7} <!-- --> ]]> &lt;b&gt; \\u003cscript",
	}
}

// sample fills a store as an owner's is after some weeks.
func sample(t testing.TB, h *house) {
	t.Helper()
	h.satchel(t, "remember", "I am allergic to peanuts.", "--kind", "identity")
	h.satchel(t, "remember", "Use pnpm, never npm.", "--kind", "procedural", "--project", "github.com/ana/shop")
	h.satchel(t, "remember", "The shop runs on PostgreSQL 16; the reports read from a replica.", "--project", "github.com/ana/shop")
	h.satchel(t, "remember", "Deploys go out on Tuesdays, after the smoke test.", "--kind", "procedural", "--project", "github.com/ana/shop", "--visibility", "shared")
	h.satchel(t, "remember", "The recipe for kama is: barley, rye, oats, peas; roast, mill, mix with buttermilk.", "--visibility", "public")
	h.satchel(t, "remember", "We met the printers in Tartu and agreed on 400 copies.", "--kind", "episodic")
	old := strings.TrimSpace(h.satchel(t, "remember", "Dinner is at seven o'clock on weekdays."))
	h.satchel(t, "revise", old, "Dinner is at eight o'clock on weekdays, at seven on Sundays.")
	gone := strings.TrimSpace(h.satchel(t, "remember", "The old office is on Rüütli street."))
	h.satchel(t, "forget", gone)
	proposals(t, h)
	for _, text := range nasty() {
		h.satchel(t, "remember", text)
	}
	h.satchel(t, "token", "mint", "--verb", "read", "--verb", "write", "--project", "github.com/ana/shop", "--for", "30d", "--name", "The printers' assistant in Tartu")
	h.satchel(t, "token", "mint", "--verb", "read", "--all", "--name", "Old laptop")
	h.satchel(t, "token", "revoke", "Old laptop")
	h.recall(t, "claude-code", "what am I allergic to?")
	h.recall(t, "<b>someone</b> العربية", "where is the office?")
	h.satchel(t, "pause", "cursor")
	long := filepath.Join(t.TempDir(), "long.txt")
	if err := os.WriteFile(long, []byte(strings.Repeat("A long text of a meeting, with many words in it.\n", 400)), 0o600); err != nil {
		t.Fatal(err)
	}
	c := exec.Command(program, "remember", "-", "--kind", "episodic")
	c.Env = h.environment()
	f, err := os.Open(long)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	c.Stdin = f
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	furnish(t, h)
}

// many fills a store with so many memories.
func many(t testing.TB, h *house, n int) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "many.jsonl")
	var b bytes.Buffer
	words := strings.Fields("harbour market bicycle invoice garden server kettle report battery winter train parser window bakery cable museum")
	for i := range n {
		fmt.Fprintf(&b, `{"type":"entity","name":"Thing %d","entityType":"%s","observations":["Number %d is about the %s and the %s of week %d."]}`+"\n",
			i, words[i%len(words)], i, words[i*7%len(words)], words[i*3%len(words)], i%53)
	}
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	h.satchel(t, "import", path)
}

// ids lists the ids of all memories, as the command line does.
func (h *house) list(t testing.TB) string {
	return h.satchel(t, "--json", "list", "--all", "--limit", "1000")
}

// request sends a request as a program does, and returns the answer and its body.
func request(t testing.TB, method, url, body string, header ...string) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range header {
		name, value, _ := strings.Cut(line, ": ")
		if name == "Host" {
			r.Host = value
			continue
		}
		r.Header.Set(name, value)
	}
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	got, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer got.Body.Close()
	var b bytes.Buffer
	if _, err := b.ReadFrom(got.Body); err != nil && !errors.Is(err, http.ErrBodyReadAfterClose) {
		t.Fatal(err)
	}
	return got, b.String()
}
