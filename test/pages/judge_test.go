package pages_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// talks is an archive of one conversation that holds three facts.
const talks = `[{"uuid": "k1", "name": "Catalogue", "created_at": "2026-01-02T03:04:05Z", "updated_at": "2026-01-02T03:10:00Z", "chat_messages": [
 {"uuid": "m1", "sender": "human", "created_at": "2026-01-02T03:04:05Z", "text": "My mail address is ada@example.com and I work in Graz. Which database should I take?"},
 {"uuid": "m2", "sender": "assistant", "created_at": "2026-01-02T03:04:30Z", "text": "SQLite or PostgreSQL would do."},
 {"uuid": "m3", "sender": "human", "created_at": "2026-01-02T03:05:00Z", "text": "Let's use SQLite for the catalogue because one file is enough. Never suggest an ORM."},
 {"uuid": "m4", "sender": "assistant", "created_at": "2026-01-02T03:05:30Z", "text": "Good."}]}]`

// proposals let things wait for the owner: a correction, and facts.
func proposals(t testing.TB, h *house) {
	t.Helper()
	h.satchel(t, "belief", "add", "email_style", "short and direct", "--category", "communication")
	if _, err := h.try("belief", "add", "email_style", "short and kind", "--category", "communication"); err == nil {
		t.Fatal("nothing contradicts")
	}
	path := filepath.Join(t.TempDir(), "talks.json")
	if err := os.WriteFile(path, []byte(talks), 0o600); err != nil {
		t.Fatal(err)
	}
	h.satchel(t, "distill", "--propose", path, "--conversation", "k1")
}

// waits counts what waits, as the command line does.
func (h *house) waits(t testing.TB) int {
	t.Helper()
	var out struct{ Corrections, Proposed, Constraints []json.RawMessage }
	if err := json.Unmarshal([]byte(h.satchel(t, "--json", "corrections")), &out); err != nil {
		t.Fatal(err)
	}
	return len(out.Corrections) + len(out.Proposed) + len(out.Constraints)
}

// everywhere returns what an assistant is given, and what an export holds.
func (h *house) everywhere(t testing.TB, question string) map[string]string {
	t.Helper()
	token := strings.TrimSpace(h.satchel(t, "token", "mint", "--self", "--for", "1h"))
	_, recalled := request(t, "POST", "http://"+h.addr+"/ump/recall", `{"query":"`+question+`"}`, "Authorization: Bearer "+token)
	return map[string]string{"recall": h.satchel(t, "recall", question), "token": recalled, "mcp": h.assistant(t, question), "export": h.satchel(t, "export")}
}

// assistant asks as an assistant of this machine does, over MCP, and returns the answer.
func (h *house) assistant(t testing.TB, question string) (answer string) {
	t.Helper()
	c := exec.Command(program, "mcp")
	c.Env = h.environment()
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	said := bufio.NewScanner(out)
	for _, line := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"ump_recall","arguments":{"query":"` + question + `"}}}`,
	} {
		if _, err := fmt.Fprintln(in, line); err != nil {
			t.Fatal(err)
		}
		for strings.Contains(line, `"id"`) && said.Scan() {
			if answer = said.Text(); strings.Contains(answer, `"id"`) {
				break
			}
		}
	}
	_ = in.Close()
	if err := c.Wait(); err != nil {
		t.Fatal(err)
	}
	return answer
}

// given fails unless all of them, or none, have a text.
func (h *house) given(t testing.TB, question, text string, want bool) {
	t.Helper()
	for where, said := range h.everywhere(t, question) {
		if strings.Contains(said, text) != want {
			t.Errorf("%s has %q: %v\n%.600s", where, text, !want, said)
		}
	}
}

// text returns the text of the page's content, "" while the next page comes.
func (b *tab) text() string {
	ctx, done := context.WithTimeout(b.ctx, 5*time.Second)
	defer done()
	text, _ := chromedp.Run(ctx, chromedp.Text("main"))
	return text
}

// says waits until the page says something.
func (b *tab) says(t testing.TB, want string) {
	t.Helper()
	for began := time.Now(); time.Since(began) < 20*time.Second; time.Sleep(50 * time.Millisecond) {
		if strings.Contains(b.text(), want) {
			return
		}
	}
	t.Fatalf("the page never says %q, but %q", want, b.text())
}

// TestJudgeWithoutJavaScript finds and corrects, confirms two and rejects one, forgets and
// undoes, by forms alone: A7 and A9.
func TestJudgeWithoutJavaScript(t *testing.T) {
	h := empty(t)
	h.satchel(t, "remember", "The parrot sleeps at seven.")
	proposals(t, h)
	l := h.open(t)
	b := newTab(t)
	b.origin = l.origin()
	if _, err := chromedp.Call(b.ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true}); err != nil {
		t.Fatal(err)
	}
	click := func(sel string) {
		t.Helper()
		b.do(t, chromedp.Click(sel, chromedp.NodeVisible))
	}
	b.do(t, chromedp.Navigate(l.origin()+"/me/enter"), chromedp.SendKeys("#code", l.Code, chromedp.NodeVisible))
	click("form.enter button:not([data-passkey])")
	b.do(t, chromedp.WaitVisible("header.side"))

	b.do(t, chromedp.SendKeys("#find", "parrot", chromedp.NodeVisible)) // find and correct
	click("form.find button")
	b.says(t, "What an assistant is given")
	click("a.text")
	b.says(t, "Why it is here")
	click(`a[data-key=c]`)
	b.do(t, chromedp.WaitVisible("#text"), chromedp.SetValue("#text", "The parrot sleeps at eight."))
	click(".edit button")
	b.says(t, "It is corrected.")
	h.given(t, "parrot", "at eight", true)
	h.given(t, "parrot sleeps at seven", "\"The parrot sleeps at seven.\",\"status\":\"active\"", false)

	click(`nav a[href="/me/waiting"]`) // confirm two and reject one
	b.says(t, "Waiting for you")
	if n := h.waits(t); n != 4 {
		t.Fatalf("%d wait", n)
	}
	click(`.waits li:first-child button[value=confirm]`)
	b.says(t, "It is confirmed")
	click(`.waits li:first-child button[value=confirm]`)
	b.says(t, "2 things wait")
	click(`.waits li:first-child button[value=reject]`)
	b.says(t, "1 thing waits")
	click(".toast button")
	b.says(t, "It waits for you again")
	if n := h.waits(t); n != 2 {
		t.Errorf("after undo %d wait", n)
	}

	before := h.list(t) // forget and undo
	b.do(t, chromedp.Navigate(b.origin+"/me/memories"))
	b.do(t, chromedp.SendKeys("#find", "parrot", chromedp.NodeVisible))
	click("form.find button")
	b.says(t, "What an assistant is given")
	click("a.text")
	b.says(t, "Why it is here")
	click(`button[data-key=f]`)
	b.says(t, "Forgotten. No assistant")
	h.given(t, "parrot", "at eight", false)
	click(".toast button")
	b.says(t, "It is as it was before.")
	h.given(t, "parrot", "at eight", true)
	if after := h.list(t); after != before {
		t.Errorf("the list is another:\n%s\n%s", before, after)
	}
}

// TestJudgeByKeys does the same by the keyboard alone.
func TestJudgeByKeys(t *testing.T) {
	h := empty(t)
	h.satchel(t, "remember", "The parrot sleeps at seven.")
	proposals(t, h)
	b := newTab(t)
	b.enter(t, h)
	key := func(keys ...string) {
		t.Helper()
		for _, k := range keys {
			b.do(t, chromedp.KeyEvent(k))
		}
	}
	b.do(t, chromedp.WaitReady("body"))
	key("g", "w")
	b.says(t, "4 things wait")
	key("y")
	b.says(t, "3 things wait")
	key("n")
	b.says(t, "2 things wait")
	key("u")
	b.says(t, "3 things wait")
	key("j", "j") // the second row
	key("n")
	b.says(t, "2 things wait")
	b.see(t, "/me/search?q=parrot")
	key("j", "\r")
	b.says(t, "Why it is here")
	key("c")
	b.says(t, "What is true")
	until(t, func() bool { return eval[string](t, b, `document.activeElement.id`) == "text" })
	eval[string](t, b, `document.activeElement.value = ""`)
	key("The parrot sleeps at nine.", "\t", "\t", "\r") // past the kind
	b.says(t, "It is corrected.")
	key("f")
	b.says(t, "Forgotten. No assistant")
	key("u")
	b.says(t, "It is as it was before.")
	h.given(t, "parrot", "at nine", true)
	b.see(t, "/me/memories")
	key("j", "x", "f")
	b.says(t, "Forgotten. No assistant")
	b.clean(t, "keys")
}

// TestEraseNeedsTerminal erases by a code of the terminal, and then no file of the store has
// the text: A9.
func TestEraseNeedsTerminal(t *testing.T) {
	h := empty(t)
	id := strings.TrimSpace(h.satchel(t, "remember", "The code is zyzzyva."))
	path := "/me/memories/" + strings.TrimPrefix(id, "urn:ump:")
	b := newTab(t)
	b.enter(t, h)
	b.see(t, path)
	b.do(t, chromedp.Click(`a[href$="/erase"]`, chromedp.NodeVisible))
	b.says(t, "It has 1 version")
	b.picture(t, "erase")
	b.do(t, chromedp.SendKeys("#code", "WRONG1", chromedp.NodeVisible), chromedp.Click("button.danger"))
	b.says(t, "This code is wrong")
	h.given(t, "code", "zyzzyva", true)
	code := strings.TrimSpace(h.satchel(t, "open", "--confirm"))
	b.do(t, chromedp.SendKeys("#code", strings.ToLower(code), chromedp.NodeVisible), chromedp.Click("button.danger"))
	b.says(t, "It is erased.")
	h.given(t, "code", "zyzzyva", false)
	files, err := filepath.Glob(filepath.Join(h.dir, "*"))
	if err != nil || len(files) < 3 {
		t.Fatal(files, err)
	}
	for _, f := range files {
		raw, err := os.ReadFile(f)
		if err == nil && strings.Contains(string(raw), "zyzzyva") {
			t.Errorf("%s holds what was erased", f)
		}
	}
	if got := b.see(t, path); got != 404 {
		t.Errorf("its page: %d", got)
	}
	if _, log := request(t, "GET", "http://"+h.addr+"/healthz", ""); strings.Contains(h.log.String()+log, code) {
		t.Error("the log holds the code")
	}
}

// TestChangedMeanwhile corrects what the command line revised while the form was open: A11;
// and goes back to what was typed: A13.
func TestChangedMeanwhile(t *testing.T) {
	h := empty(t)
	id := strings.TrimSpace(h.satchel(t, "remember", "The parrot sleeps at seven."))
	path := "/me/memories/" + strings.TrimPrefix(id, "urn:ump:")
	b := newTab(t)
	b.enter(t, h)
	b.see(t, path+"/correct")
	b.do(t, chromedp.WaitVisible("#text"))
	eval[string](t, b, `document.querySelector("#text").value = ""`)
	b.do(t, chromedp.SendKeys("#text", "The parrot sleeps at nine."))
	h.satchel(t, "revise", id, "The parrot sleeps at eight.")
	b.do(t, chromedp.Click(".edit button"))
	b.says(t, "It was changed meanwhile")
	if got := eval[string](t, b, `document.querySelector("#text").value`); got != "The parrot sleeps at nine." {
		t.Errorf("what was typed is %q", got)
	}
	if text := b.text(); !strings.Contains(text, "at eight") {
		t.Errorf("the other version is missing: %s", text)
	}
	b.picture(t, "conflict")
	if out := h.satchel(t, "recall", "parrot"); !strings.Contains(out, "at eight") {
		t.Errorf("something was changed: %s", out)
	}
	b.do(t, chromedp.NavigateBack())
	until(t, func() bool {
		return eval[bool](t, b, `document.readyState == "complete" && !!document.querySelector(".edit")`)
	})
	if got := eval[string](t, b, `document.querySelector("#text").value`); got != "The parrot sleeps at nine." {
		t.Errorf("back, the field has %q", got)
	}
	b.do(t, chromedp.Click(".edit button"))
	b.says(t, "It was changed meanwhile")
	b.do(t, chromedp.Click(".edit button"))
	b.says(t, "It is corrected.")
	if out := h.satchel(t, "recall", "parrot"); !strings.Contains(out, "at nine") {
		t.Errorf("%s", out)
	}
}
