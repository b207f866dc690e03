package pages_test

import (
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// TestLive sees that open pages say what changed within two seconds, and move nothing.
func TestLive(t *testing.T) {
	h := empty(t)
	h.satchel(t, "remember", "Ana likes quinces.")
	b := newTab(t)
	b.enter(t, h)
	b.see(t, "/me/memories")
	rows := eval[string](t, b, `document.querySelector("#results").innerHTML`)
	says := func(script, want string) {
		t.Helper()
		var got string
		for end := time.Now().Add(2 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
			if got = eval[string](t, b, script); got == want {
				return
			}
		}
		t.Errorf("after two seconds the page says %q, not %q", got, want)
	}
	const news, menu = `document.querySelector(".news").innerText`, `document.querySelector("#pages [href='/me/waiting']").textContent`
	h.satchel(t, "remember", "Ana hates plums.")
	says(news, "1 new – show")
	h.satchel(t, "remember", "Ana grows figs.")
	says(news, "2 new – show")
	if eval[string](t, b, `document.querySelector("#results").innerHTML`) != rows {
		t.Error("rows moved")
	}
	proposals(t, h)
	says(menu, "Waiting (4)")
	eval[bool](t, b, axe(t)+"; true")
	if found := eval[[]string](t, b, runAxe); len(found) > 0 {
		t.Errorf("%q", found)
	}
	b.picture(t, "news")
	b.do(t, chromedp.Click(".news a", chromedp.NodeVisible))
	b.awaits(t, "Ana grows figs.")
	b.see(t, "/me/waiting")
	id := strings.TrimSpace(h.satchel(t, "remember", "Figs are ripe."))
	if got := eval[string](t, b, news); got != "" {
		t.Errorf("what waits is told of a memory: %q", got)
	}
	if _, err := h.try("forget", id); err != nil {
		t.Fatal(err)
	}
	b.clean(t, "live pages")
}
