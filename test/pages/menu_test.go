package pages_test

import (
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

const (
	menuOpen  = `document.querySelector("#pages").matches(":popover-open")`
	menuInSee = `[...document.querySelectorAll("#pages a")].filter(a => { const r = a.getBoundingClientRect(); return r.width > 0 && r.left >= 0 && r.right <= innerWidth && r.bottom <= innerHeight; }).length`
)

// TestMenuOnPhones opens the pages of the navigation on a phone: with the keyboard, and by
// a tap without JavaScript. Closed, it takes one line. What waits is counted in it.
func TestMenuOnPhones(t *testing.T) {
	h := empty(t)
	proposals(t, h)
	b := newTab(t)
	b.enter(t, h)
	for _, l := range []look{{"light", 390}, {"dark", 320}} {
		b.dress(t, l.width, l.theme)
		b.see(t, "/me/")
		if high := eval[float64](t, b, `document.querySelector("header.side").offsetHeight`); high > 80 {
			t.Errorf("at %d px the head is %.0f px high", l.width, high)
		}
		b.reach(t, "button.menu")
		b.press(t, kb.Enter)
		if got := eval[int](t, b, menuInSee); got != 16 || !eval[bool](t, b, menuOpen) {
			t.Errorf("at %d px %d pages are in sight", l.width, got)
		}
		eval[bool](t, b, axe(t)+"; true")
		for _, fault := range eval[[]string](t, b, runAxe) {
			t.Errorf("at %d px: %s", l.width, fault)
		}
		b.picture(t, "menu-"+l.theme)
		b.press(t, kb.Escape)
		if eval[bool](t, b, menuOpen) || !eval[bool](t, b, `document.activeElement.matches("button.menu")`) {
			t.Errorf("at %d px Esc does not close the menu, or loses the place", l.width)
		}
	}
	b.clean(t, "the menu")
	if got := eval[string](t, b, `document.querySelector("#pages [href='/me/waiting']").textContent`); got != "Waiting (4)" {
		t.Errorf("the menu says %q", got)
	}
	if _, err := chromedp.Call(b.ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true}); err != nil {
		t.Fatal(err)
	}
	b.see(t, "/me/")
	b.do(t, chromedp.Click("button.menu", chromedp.NodeVisible), chromedp.Click(`#pages a[href="/me/help"]`, chromedp.NodeVisible), chromedp.WaitVisible("#keys"))
}
