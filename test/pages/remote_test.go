package pages_test

import (
	"bufio"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// trial is a remote assistant that runs: the client of test/oauth.
type trial struct {
	t     *testing.T
	lines chan string
	said  []string
	goOn  func()
}

// try starts the client, which lies in a folder with its library installed.
func try(t *testing.T, s *tunnel, folder string) *trial {
	t.Helper()
	c := exec.CommandContext(t.Context(), "node", filepath.Join(folder, "client.mjs"), s.origin+"/mcp", "127.0.0.1")
	c.Env = append(os.Environ(), "NODE_EXTRA_CA_CERTS="+s.file(t), "NODE_NO_WARNINGS=1")
	c.WaitDelay = 5 * time.Second
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	c.Stderr = c.Stdout
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	x := &trial{t: t, lines: make(chan string, 100), goOn: func() { _, _ = in.Write([]byte("\n")) }}
	go func() {
		for lines := bufio.NewScanner(out); lines.Scan(); {
			x.lines <- lines.Text()
		}
		close(x.lines)
	}()
	t.Cleanup(func() { _ = in.Close(); _ = c.Wait() })
	return x
}

// until waits for a line of the client with this beginning, and returns the rest of it.
func (x *trial) until(begins string) string {
	x.t.Helper()
	late := time.After(2 * time.Minute)
	for {
		select {
		case line, ok := <-x.lines:
			if !ok {
				x.t.Fatalf("the client ended before %q:\n%s", begins, strings.Join(x.said, "\n"))
			}
			x.said = append(x.said, line)
			if rest, found := strings.CutPrefix(line, begins); found {
				return strings.TrimSpace(rest)
			}
		case <-late:
			x.t.Fatalf("the client never said %q:\n%s", begins, strings.Join(x.said, "\n"))
		}
	}
}

// tick ticks exactly these boxes of the page about a request.
func (b *tab) tick(t *testing.T, names ...string) {
	t.Helper()
	eval[bool](t, b, `document.querySelectorAll("form.enter input[type=checkbox]").forEach(box => box.checked = `+"`,"+strings.Join(names, ",")+",`"+`.includes("," + box.name + ",")) || true`)
}

// TestRemoteAssistant gives the MCP project's own client access as a person does: Chromium is led
// from the assistant to the owner's pages and back.
func TestRemoteAssistant(t *testing.T) {
	folder := os.Getenv("SATCHEL_MCP_SDK")
	if folder == "" {
		t.Skip("SATCHEL_MCP_SDK names no folder with the MCP project's client for JavaScript: see make test-oauth")
	}
	h, s := tunnelled(t, "--oauth")
	h.satchel(t, "remember", "Use pnpm, never npm.", "--kind", "procedural")
	x := try(t, s, folder)
	if got := x.until("discovered"); got != s.origin {
		t.Errorf("the issuer is %s", got)
	}
	x.until("registered")
	b := newTab(t, s.trust()...)

	// The owner was not let in here: the page that lets browsers in comes first.
	b.origin = s.origin
	b.do(t, chromedp.Navigate(x.until("open")))
	b.heading(t, "Your memory")
	b.picture(t, "remote-enter")
	b.do(t, chromedp.SendKeys("#code", h.code(t), chromedp.NodeVisible), chromedp.Click("form.enter button:not([data-passkey])"))
	b.heading(t, "Trial of the SDK asks for access")
	b.picture(t, "remote-consent")
	said := eval[string](t, b, `document.querySelector("main").innerText`)
	for _, want := range []string{"name not checked", "127.0.0.1", "a program on your own computer", "you never let it in", s.origin + "/mcp"} {
		if !strings.Contains(said, want) {
			t.Errorf("the page does not say %q: %s", want, said)
		}
	}
	b.clean(t, "the page about a request")
	b.tick(t, "read")
	b.do(t, chromedp.Click(`input[name=reach][value=private]`), chromedp.Click(`form.enter .acts button:not([formaction])`))
	b.heading(t, "Allow")
	b.picture(t, "remote-confirm")
	if said := eval[string](t, b, `document.querySelector("main").innerText`); !strings.Contains(said, ": read.") || strings.Contains(said, "type the six characters") {
		t.Errorf("whoever has just entered by a code is asked for another, or the grant is not narrowed: %s", said)
	}
	b.do(t, chromedp.Click("form.enter .acts button"))
	b.heading(t, "You are connected")
	x.until("recalled")
	x.until("refreshed")

	// It needs more: the owner is in, and is asked about that alone.
	b.do(t, chromedp.Navigate(x.until("open")))
	b.heading(t, "Trial of the SDK asks for access")
	if said := eval[string](t, b, `document.querySelector("main").innerText`); !strings.Contains(said, "you let it in before") || !strings.Contains(said, "remember and correct") {
		t.Errorf("asked for more: %s", said)
	}
	b.grant(t)
	x.until("stepped up")
	x.until("gave back")

	// Once more, and now the owner takes the access away, on the page that lists it.
	b.do(t, chromedp.Navigate(x.until("open")))
	b.heading(t, "Trial of the SDK asks for access")
	b.grant(t)
	x.until("in again")
	b.see(t, "/me/sharing")
	b.picture(t, "remote-sharing")
	if n := eval[int](t, b, `[...document.querySelectorAll(".row h3")].filter(e => e.innerText.includes("Trial of the SDK")).length`); n == 0 {
		t.Fatalf("Sharing does not list it: %s", eval[string](t, b, `document.querySelector("main").innerText`))
	}
	for eval[int](t, b, `document.querySelectorAll("button.danger").length`) > 0 {
		b.do(t, chromedp.Click("button.danger"), chromedp.WaitVisible(".toast"))
		b.see(t, "/me/sharing")
	}
	x.goOn()
	again := x.until("open")
	x.until("shut out")

	// It asks again, and is refused.
	b.do(t, chromedp.Navigate(again))
	b.heading(t, "Trial of the SDK asks for access")
	b.do(t, chromedp.Click("button[formaction]"))
	b.heading(t, "You are connected") // what the client's page says of every answer
	x.until("refused")

	// A request that nobody brought in this browser is none.
	other := newTab(t, s.trust()...)
	other.enterPublic(t, h, s)
	if got := other.see(t, "/me/consent?request="+url.QueryEscape("another")); got != 404 {
		t.Errorf("a request of nobody: %d", got)
	}
	if acts := h.satchel(t, "--json", "audit", "show"); !strings.Contains(acts, "grant") || !strings.Contains(acts, "revoke") {
		t.Errorf("the log tells nothing: %s", acts)
	}
}

// grant allows all that was asked for, about all memories.
func (b *tab) grant(t *testing.T) {
	t.Helper()
	b.do(t, chromedp.Click(`input[name=reach][value=private]`), chromedp.Click(`form.enter .acts button:not([formaction])`))
	b.heading(t, "Allow")
	b.do(t, chromedp.Click("form.enter .acts button"))
	b.heading(t, "You are connected")
}
