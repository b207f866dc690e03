package pages_test

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// TestEnter opens a link as a person does, and once more: A1.
func TestEnter(t *testing.T) {
	h := empty(t)
	l := h.open(t)
	b := newTab(t)
	b.origin = l.origin()
	b.do(t, chromedp.Navigate(l.URL), chromedp.WaitVisible("form.enter button:not([data-passkey])"))
	if where := eval[string](t, b, `location.href + " " + document.body.innerText`); strings.Contains(where, l.secret()) || !strings.Contains(where, h.dir) {
		t.Errorf("before entering: %s", where)
	}
	b.do(t, chromedp.Click("form.enter button:not([data-passkey])"), chromedp.WaitVisible("header.side"))
	if where := eval[string](t, b, `location.pathname`); where != "/me/" {
		t.Errorf("entered at %s", where)
	}
	b.mu.Lock()
	for _, asked := range b.requests {
		if strings.Contains(asked, l.secret()) {
			t.Errorf("the secret stands in the request %s", asked)
		}
	}
	b.mu.Unlock()
	entries, err := chromedp.Run(b.ctx, chromedp.NavigationEntries())
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries.Entries {
		if strings.Contains(e.URL, l.secret()) {
			t.Errorf("the secret stands in the history: %s", e.URL)
		}
	}
	b.clean(t, "entering")
	other := newTab(t)
	other.origin = l.origin()
	other.do(t, chromedp.Navigate(l.URL), chromedp.Click("form.enter button:not([data-passkey])", chromedp.NodeVisible), chromedp.WaitVisible("h1"))
	for range 100 {
		if eval[string](t, other, `(document.querySelector("h1") || {textContent: ""}).textContent`) == "This lets nobody in" {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	if said := eval[string](t, other, `document.body ? document.body.innerText : ""`); !strings.Contains(said, "This lets nobody in") || !strings.Contains(said, "satchel open") {
		t.Errorf("a used link: %s", said)
	}
	wrong := l.secret()[:10] + "_" + l.secret()[11:]
	_, changed := request(t, "POST", "http://"+h.addr+"/me/enter", "secret="+wrong, "Content-Type: application/x-www-form-urlencoded")
	got, used := request(t, "POST", "http://"+h.addr+"/me/enter", "secret="+l.secret(), "Content-Type: application/x-www-form-urlencoded")
	if got.StatusCode != 403 || used != changed {
		t.Errorf("the refusals differ: %d\n%s\n%s", got.StatusCode, used, changed)
	}
	if log := h.log.String(); strings.Contains(log, l.secret()) || strings.Contains(log, l.Code) || !strings.Contains(log, "/me/enter") {
		t.Errorf("the log holds a secret, or no request: %s", log)
	}
}

// heard is a server of somebody else that notes the cookies that it gets.
type heard struct {
	mu      sync.Mutex
	cookies []string
}

func listen(t *testing.T) (*heard, string) {
	t.Helper()
	h := &heard{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.cookies = append(h.cookies, r.Header.Get("Cookie"))
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte("<title>other</title>"))
	}))
	t.Cleanup(s.Close)
	_, port, err := net.SplitHostPort(s.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return h, port
}

// TestCookieStays sees that the cookie goes to this server only: A2.
func TestCookieStays(t *testing.T) {
	h := empty(t)
	b := newTab(t)
	b.enter(t, h)
	if seen := eval[string](t, b, `document.cookie`); seen != "" {
		t.Errorf("scripts see the cookie %s", seen)
	}
	got, err := chromedp.Call(b.ctx, network.GetCookies, network.GetCookiesParams{URLs: []string{b.origin + "/me/"}})
	if err != nil || len(got.Cookies) != 1 {
		t.Fatalf("%+v %v", got, err)
	}
	c := got.Cookies[0]
	if !c.HTTPOnly || c.SameSite != "Strict" || !strings.HasPrefix(c.Name, "satchel-") || strings.HasPrefix(c.Domain, ".") || c.Path != "/" {
		t.Errorf("%+v", c)
	}
	listener, port := listen(t)
	for _, host := range []string{"127.0.0.1", "localhost", "other.localhost"} {
		b.do(t, chromedp.Navigate("http://"+host+":"+port+"/"))
	}
	listener.mu.Lock()
	defer listener.mu.Unlock()
	if len(listener.cookies) < 3 || strings.Join(listener.cookies, "") != "" {
		t.Errorf("other servers get %q", listener.cookies)
	}
	if got := b.see(t, "/me/"); got != 200 || eval[string](t, b, `location.pathname`) != "/me/" {
		t.Errorf("and this one: %d", got)
	}
}

// TestForeignForm has a page of another port send a form: A3.
func TestForeignForm(t *testing.T) {
	h := empty(t)
	b := newTab(t)
	b.enter(t, h)
	token := eval[string](t, b, `document.querySelector("input[name=token]").value`)
	evil := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte(`<form method=post action="` + b.origin + `/me/leave"><input name=token value="` + token + `"><button>x</button></form>`))
	}))
	defer evil.Close()
	_, port, _ := net.SplitHostPort(evil.Listener.Addr().String())
	host, _, _ := net.SplitHostPort(strings.TrimPrefix(b.origin, "http://"))
	before := h.list(t)
	b.do(t, chromedp.Navigate("http://"+host+":"+port+"/"), chromedp.Click("button"))
	b.awaits(t, "This is not allowed")
	if got := b.see(t, "/me/"); got != 200 || eval[string](t, b, `location.pathname`) != "/me/" || h.list(t) != before {
		t.Errorf("the form was taken: %d", got)
	}
}

// TestWithoutJavaScript enters by the code, and gets everywhere by links and forms.
func TestWithoutJavaScript(t *testing.T) {
	h := sampled(t)
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
	click(`nav a[href="/me/memories"]`)
	b.do(t, chromedp.WaitVisible("form.filters"), chromedp.SetValue("select[name=kind]", "identity"))
	click("form.filters button")
	b.do(t, chromedp.WaitVisible("#results"))
	rows := func() string {
		t.Helper()
		ctx, done := context.WithTimeout(b.ctx, 20*time.Second)
		defer done()
		text, _ := chromedp.Run(ctx, chromedp.Text("main")) // nothing while the next page comes
		return text
	}
	until(t, func() bool { return strings.Contains(rows(), "1 memory, newest first") })
	click("a.text")
	until(t, func() bool { return strings.Contains(rows(), "Why it is here") && strings.Contains(rows(), "peanuts") })
	b.do(t, chromedp.SendKeys("#find", "pnpm", chromedp.NodeVisible))
	click("form.find button")
	until(t, func() bool {
		return strings.Contains(rows(), "pnpm") && strings.Contains(rows(), "What an assistant is given")
	})
	click("form.leave button")
	until(t, func() bool { return strings.Contains(rows(), "You have left") })
	b.do(t, chromedp.Navigate(b.origin+"/me/memories"))
	until(t, func() bool { return strings.Contains(rows(), "Your memory") })
}

// until waits for something to be so.
func until(t testing.TB, so func() bool) {
	t.Helper()
	for began := time.Now(); time.Since(began) < 30*time.Second; time.Sleep(50 * time.Millisecond) {
		if so() {
			return
		}
	}
	t.Fatal("it never was so")
}

// TestKeys moves by the keyboard alone, and narrows a list without loading the page.
func TestKeys(t *testing.T) {
	h := sampled(t)
	b := newTab(t)
	b.enter(t, h)
	at := func(want string) {
		t.Helper()
		until(t, func() bool {
			return eval[string](t, b, `location.pathname + location.search + " " + document.readyState`) == want+" complete"
		})
	}
	at("/me/")
	b.do(t, chromedp.KeyEvent("g"), chromedp.KeyEvent("m"))
	at("/me/memories")
	b.do(t, chromedp.KeyEvent("j"), chromedp.KeyEvent("j"))
	if n := eval[int](t, b, `[...document.querySelectorAll("a.text")].indexOf(document.activeElement)`); n != 1 {
		t.Errorf("j j leads to row %d", n)
	}
	b.do(t, chromedp.KeyEvent("k"), chromedp.KeyEvent("\r"))
	until(t, func() bool {
		return eval[bool](t, b, `location.pathname.startsWith("/me/memories/") && document.readyState == "complete"`)
	})
	b.do(t, chromedp.KeyEvent("/"))
	eval[string](t, b, `document.getElementById("find").value = ""`) // these events type the character also where the page prevents that
	if eval[string](t, b, `document.activeElement.id`) != "find" {
		t.Error("/ does not lead to the search")
	}
	b.do(t, chromedp.KeyEvent("pnpm g m\r"))
	at("/me/search?q=pnpm+g+m")
	b.do(t, chromedp.KeyEvent("?"))
	at("/me/help")
	b.see(t, "/me/memories")
	eval[bool](t, b, `window.same = true`)
	b.do(t, chromedp.SetValue("select[name=kind]", "identity"))
	eval[bool](t, b, `document.querySelector("select[name=kind]").dispatchEvent(new Event("change", {bubbles: true}))`)
	until(t, func() bool {
		return eval[bool](t, b, `document.querySelectorAll("a.text").length == 1 && location.search.includes("kind=identity") && window.same === true`)
	})
	b.clean(t, "keys")
}

// TestDates sees that a browser writes dates in its own language and time zone.
func TestDates(t *testing.T) {
	h := empty(t)
	old := strings.TrimSpace(h.satchel(t, "remember", "The harbour was rebuilt.", "--valid-from", "2021-03-04T23:30:00Z"))
	b := newTab(t, chromedp.Flag("lang", "de"), chromedp.Flag("accept-lang", "de"))
	b.enter(t, h)
	if _, err := chromedp.Call(b.ctx, emulation.SetTimezoneOverride, emulation.SetTimezoneOverrideParams{TimezoneID: "Europe/Tallinn"}); err != nil {
		t.Fatal(err)
	}
	b.see(t, "/me/memories/"+strings.TrimPrefix(old, "urn:ump:"))
	if said := eval[string](t, b, `[...document.querySelectorAll("dd time")].map(e => e.textContent).join()`); !strings.Contains(said, "5. März 2021") || !strings.Contains(said, "01:30") {
		t.Errorf("the memory is true since %q", said)
	}
	b.see(t, "/me/search?q=harbour")
	if said := eval[string](t, b, `document.querySelector("time").title`); !strings.Contains(said, " um ") {
		t.Errorf("it was remembered %q", said)
	}
	b.clean(t, "dates")
}
