package pages_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// mostClicks is how many clicks a task may take, and mostSeconds how long.
const (
	mostClicks  = 6
	mostSeconds = 60
)

// newcomer uses the pages as somebody does who never saw them: with a mouse, by what stands
// there.
type newcomer struct {
	*tab
	t      testing.TB
	clicks int
}

// spot is where something on the page is.
type spot struct {
	X, Y  float64
	Names []string // of all there is to click, if nothing has the name
}

// spotOf finds what can be clicked by the name that a reader sees or hears: the whole of it
// first, its beginning otherwise.
const spotOf = `(wanted => {
	const seen = e => e.checkVisibility({checkVisibilityCSS: true}) && e.getClientRects().length > 0;
	const name = e => (e.getAttribute("aria-label") || (e.labels && e.labels[0] && e.labels[0].innerText) || e.innerText || e.value || "").replace(/\s+/g, " ").trim();
	const all = [...document.querySelectorAll("a[href], button, summary, input:not([type=hidden]), select, textarea")].filter(seen);
	const found = all.find(e => name(e) === wanted) || all.find(e => name(e).startsWith(wanted));
	if (!found) return {X: 0, Y: 0, Names: all.map(name)};
	found.scrollIntoView({block: "center", inline: "center"});
	const r = found.getClientRects()[0];
	return {X: r.left + r.width / 2, Y: r.top + Math.min(r.height / 2, 12), Names: null};
})(%q)`

// click clicks what has a name.
func (n *newcomer) click(name string) {
	n.t.Helper()
	at := eval[spot](n.t, n.tab, fmt.Sprintf(spotOf, name))
	if at.Names != nil {
		n.t.Fatalf("nothing to click is called %q: %q", name, at.Names)
	}
	n.clicks++
	n.do(n.t, chromedp.MouseClickXY(at.X, at.Y))
}

// open goes to a page by the menu, which phones show at a tap.
func (n *newcomer) open(page string) {
	n.t.Helper()
	if eval[bool](n.t, n.tab, `document.querySelector("button.menu").checkVisibility()`) {
		n.click("Menu")
	}
	n.click(page)
}

// task does something from the first page on, and says what it took.
func (n *newcomer) task(name string, do func()) {
	n.t.Helper()
	eval[bool](n.t, n.tab, `window.before = true, document.querySelector("a.brand").click(), true`)
	for old, err := true, error(nil); n.ctx.Err() == nil && (old || err != nil); { // a page that goes answers nothing
		old, err = chromedp.Run(n.ctx, chromedp.Evaluate[bool](`!!window.before`))
	}
	n.awaits(n.t, "What your assistants know")
	n.clicks = 0
	began := time.Now()
	do()
	took := time.Since(began)
	n.t.Logf("%-8s %d clicks %5.1f s", name, n.clicks, took.Seconds())
	if n.clicks > mostClicks || took > mostSeconds*time.Second {
		n.t.Errorf("%s takes %d clicks and %v", name, n.clicks, took)
	}
	n.clean(n.t, name)
}

// TestNewcomer does what a newcomer wants to: connect, import, find, correct, forget and
// take that back, see who read. No address is typed, and nothing is known of the pages but
// the words on them: A20.
func TestNewcomer(t *testing.T) {
	all := []look{{"light", 1280}, {"dark", 390}}
	if testing.Short() {
		all = all[1:]
	}
	b := newTab(t)
	for _, l := range all {
		t.Run(fmt.Sprintf("%s at %d px", l.theme, l.width), func(t *testing.T) { firstDay(t, b, l) })
	}
}

func firstDay(t *testing.T, b *tab, l look) {
	h := empty(t)
	file := filepath.Join(t.TempDir(), "notes.md")
	if err := os.WriteFile(file, []byte("- I am allergic to peanuts.\n- Dinner is at seven on weekdays.\n- The old office is on Narva street.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(h.home(), ".claude"), 0o700); err != nil { // Claude Code is there
		t.Fatal(err)
	}
	n := &newcomer{tab: b, t: t}
	n.enter(t, h)
	n.dress(t, l.width, l.theme)
	n.task("connect", func() {
		n.open("Assistants")
		n.awaits(t, "Found on this machine")
		n.click("Connect Claude Code")
		n.awaits(t, "make sure that it is you")
		code := strings.TrimSpace(h.satchel(t, "open", "--confirm"))
		n.click("Code")
		n.press(t, code)
		n.click("Connect it")
		n.awaits(t, "It is connected.")
		if raw, err := os.ReadFile(filepath.Join(h.home(), ".claude.json")); err != nil || !strings.Contains(string(raw), `"satchel"`) {
			t.Errorf("its settings: %s %v", raw, err)
		}
	})
	n.task("import", func() {
		n.open("Imports")
		n.awaits(t, "Bring what you have")
		n.clicks++ // on the field; the file is chosen in a window of the system
		n.do(t, chromedp.SetUploadFiles("input[type=file]", []string{file}))
		n.click("Send and look")
		n.awaits(t, "3 memories come in")
		n.click("Import")
		n.awaits(t, "3 memories came in")
	})
	n.task("find", func() {
		n.click("Ask your memory")
		n.press(t, "what am I allergic to?"+kb.Enter)
		n.awaits(t, "best first")
		n.awaits(t, "I am allergic to peanuts.")
	})
	n.task("correct", func() {
		n.click("Dinner is at seven")
		n.awaits(t, "Why it is here")
		n.click("Correct")
		n.awaits(t, "What is true")
		n.click("What is true")
		eval[bool](t, n.tab, `document.activeElement.select(), true`) // Ctrl+A
		n.press(t, "Dinner is at eight on weekdays.")
		n.click("Correct it")
		n.awaits(t, "How it changed")
		n.awaits(t, "Dinner is at eight on weekdays.")
	})
	n.task("forget", func() {
		n.click("The old office")
		n.awaits(t, "Why it is here")
		n.click("Forget")
		n.awaits(t, "It is forgotten")
		n.click("Undo")
		n.awaits(t, "Who can see it")
		n.awaits(t, "The old office is on Narva street.")
	})
	h.recall(t, "claude-code", "what am I allergic to?")
	n.task("who read", func() {
		n.click("I am allergic")
		n.awaits(t, "read by Claude Code")
	})
	got := h.satchel(t, "list")
	for _, text := range []string{"Dinner is at eight", "Narva street", "peanuts"} {
		if !strings.Contains(got, text) {
			t.Errorf("in the end %q is not there: %s", text, got)
		}
	}
}
