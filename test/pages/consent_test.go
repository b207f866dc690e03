package pages_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// assistant is a site of somebody else, whose page leads to the page of a house on which the owner
// decides, and which hears the answer.
func assistant(t *testing.T, s *tunnel, name string) (origin string) {
	t.Helper()
	var link string
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		switch q := r.URL.Query(); r.URL.Path {
		case "/":
			fmt.Fprintf(w, `<!doctype html><title>assistant</title><h1>An assistant</h1><a href="%s">Connect</a>`, strings.ReplaceAll(link, "&", "&amp;"))
		case "/back":
			fmt.Fprintf(w, `<!doctype html><title>back</title><h1>Back</h1><p>code %v, error %q, state %q`, q.Get("code") != "", q.Get("error"), q.Get("state"))
		}
	}))
	t.Cleanup(site.Close)
	form, err := json.Marshal(map[string]any{"client_name": name, "redirect_uris": []string{site.URL + "/back"}, "token_endpoint_auth_method": "none"})
	if err != nil {
		t.Fatal(err)
	}
	r, err := http.NewRequest("POST", s.URL+"/register", strings.NewReader(string(form)))
	if err != nil {
		t.Fatal(err)
	}
	r.Host = strings.TrimPrefix(s.origin, "https://")
	r.Header.Set("Content-Type", "application/json")
	got, err := s.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer got.Body.Close()
	var client struct {
		ID string `json:"client_id"`
	}
	if err := json.NewDecoder(got.Body).Decode(&client); err != nil || got.StatusCode != 201 {
		t.Fatalf("%d %v", got.StatusCode, err)
	}
	challenge := sha256.Sum256([]byte(strings.Repeat("verifier", 6)))
	q := url.Values{"response_type": {"code"}, "client_id": {client.ID}, "redirect_uri": {site.URL + "/back"}, "resource": {s.origin + "/mcp"}, "scope": {"read write export"},
		"state": {"s1"}, "code_challenge_method": {"S256"}, "code_challenge": {base64.RawURLEncoding.EncodeToString(challenge[:])}}
	link = s.origin + "/authorize?" + q.Encode()
	return site.URL
}

// TestConsent is led from another site to the page about its request, with the keyboard alone and
// without JavaScript; and once more, with the cookie of the visit, which browsers keep back from
// requests that other sites begin. It looks at the page in each size and theme.
func TestConsent(t *testing.T) {
	h, s := tunnelled(t, "--oauth")
	h.satchel(t, "remember", "Use pnpm, never npm.", "--project", "github.com/ana/shop")
	const name = `<b>Claude</b> "` + "العربية 日本語"
	origin := assistant(t, s, name)
	b := newTab(t, s.trust()...)
	scripts := func(on bool) {
		t.Helper()
		if _, err := chromedp.Call(b.ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: !on}); err != nil {
			t.Fatal(err)
		}
	}
	scripts(false)
	b.do(t, chromedp.Navigate(origin+"/"))
	b.tabTo(t, "Connect")
	b.awaits(t, "An assistant asks for access. Enter first")
	b.reach(t, "#code")
	b.press(t, h.code(t)+kb.Enter)
	b.awaits(t, "It gets nothing before you allow it")
	b.reach(t, "input[name=write]")
	b.press(t, " ")
	b.reach(t, "input[name=export]")
	b.press(t, " ")
	b.reach(t, "input[name=reach]")
	b.press(t, " ")
	b.tabTo(t, "Go on")
	b.awaits(t, "may until")
	if said := b.text(); !strings.Contains(said, ": read.") || !strings.Contains(said, "shared and public memories") || !strings.Contains(said, "Nobody checked the name") {
		t.Errorf("%s", said)
	}
	b.tabTo(t, "Allow")
	b.awaits(t, `code true, error "", state "s1"`)

	scripts(true)
	script := axe(t)
	b.do(t, chromedp.Navigate(origin+"/"))
	b.tabTo(t, "Connect")
	b.heading(t, "asks for access") // the owner need not enter again
	if said := b.text(); !strings.Contains(said, name) {
		t.Errorf("%s", said)
	}
	eval[bool](t, b, script+"; true")
	for _, l := range []look{{"light", 1280}, {"dark", 390}, {"light", 320}, {"dark", 1280}} {
		where := fmt.Sprintf("consent-%s-%d", l.theme, l.width)
		b.dress(t, l.width, l.theme)
		if over := eval[int](t, b, `document.documentElement.scrollWidth - document.documentElement.clientWidth`); over > 0 {
			t.Errorf("%s is %d pixels too wide", where, over)
		}
		b.picture(t, where)
		for _, fault := range eval[[]string](t, b, runAxe) {
			t.Errorf("%s: %s", where, fault)
		}
	}
	b.clean(t, "the page about a request")
	b.presses(t, "Refuse")
	b.awaits(t, `code false, error "access_denied", state "s1"`)
	if list := h.satchel(t, "token", "list"); strings.Count(list, "Claude") != 1 {
		t.Errorf("the tokens are %s", list)
	}
}
