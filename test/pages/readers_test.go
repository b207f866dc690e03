package pages_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// recall asks over MCP as a host does, and leaves.
func (h *house) recall(t testing.TB, host, question string) string {
	t.Helper()
	c := exec.Command(program, "mcp")
	c.Env = h.environment()
	asked, err := json.Marshal(question)
	if err != nil {
		t.Fatal(err)
	}
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	c.Stdout = &out
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(in, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":%q,"version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"ump_recall","arguments":{"query":%s}}}
`, host, asked)
	time.Sleep(time.Second) // the host stays
	_ = in.Close()
	if err := c.Wait(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// A10: a host reads, and the open page of the memory says so within two seconds.
func TestReadByClaudeCode(t *testing.T) {
	h := empty(t)
	id := strings.TrimSpace(h.satchel(t, "remember", "Ana likes quinces."))
	b := newTab(t)
	b.enter(t, h, strings.TrimPrefix(id, "urn:ump:"))
	b.do(t, chromedp.WaitVisible("#readers"))
	if said := eval[string](t, b, `document.querySelector("#readers").innerText`); !strings.Contains(said, "No assistant was given it") {
		t.Fatalf("before: %s", said)
	}
	read := make(chan time.Time, 1)
	go func() {
		h.recall(t, "claude-code", "who likes quinces?")
		read <- time.Now() // a second after the answer, at most
	}()
	var seen time.Time
	for range 600 {
		if said := eval[string](t, b, `document.querySelector("#readers").innerText`); strings.Contains(said, "read by Claude Code") && strings.Contains(said, "just now") {
			seen = time.Now()
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	answered := <-read
	if seen.IsZero() || seen.Sub(answered) > time.Second {
		t.Errorf("seen %v after a second from the answer", seen.Sub(answered))
	}
	t.Logf("the page says it %v after the answer", seen.Sub(answered)+time.Second)
	b.clean(t, "the page of a memory that is read")
}

// press sends keys to the page.
func (b *tab) press(t testing.TB, keys string) {
	t.Helper()
	b.do(t, chromedp.KeyEvent(keys))
}

// reach moves the focus by Tab to the element that a script finds.
func (b *tab) reach(t testing.TB, what string) {
	t.Helper()
	for range 60 {
		if eval[bool](t, b, `document.activeElement.matches(`+fmt.Sprintf("%q", what)+`)`) {
			return
		}
		b.press(t, kb.Tab)
	}
	t.Fatalf("Tab does not lead to %s", what)
}

// A7 in part: a token is revoked with the keyboard alone, and without JavaScript.
func TestRevokeByKeyboard(t *testing.T) {
	h := empty(t)
	for _, name := range []string{"Printer", "Laptop"} {
		h.satchel(t, "token", "mint", "--verb", "read", "--all", "--name", name)
	}
	b := newTab(t)
	b.enter(t, h)
	revoke := func(name string) {
		t.Helper()
		b.reach(t, `nav a[href="/me/sharing"]`)
		b.press(t, kb.Enter)
		b.do(t, chromedp.WaitVisible(`button[aria-label="Revoke `+name+`"]`))
		b.reach(t, `button[aria-label="Revoke `+name+`"]`)
		b.press(t, kb.Enter)
		b.do(t, chromedp.WaitVisible(`.toast`))
	}
	revoke("Printer")
	b.clean(t, "with the keyboard")
	if _, err := chromedp.Call(b.ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true}); err != nil {
		t.Fatal(err)
	}
	b.see(t, "/me/sharing")
	b.do(t, chromedp.Click(`button[aria-label="Revoke Laptop"]`, chromedp.NodeVisible), chromedp.WaitVisible(".toast"))
	list := h.satchel(t, "token", "list", "--all")
	if strings.Count(list, "revoked") != 2 {
		t.Errorf("%s", list)
	}
}
