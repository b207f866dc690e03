package pages_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/pem"
	"net"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// publicName is the name by which others reach a house. Nobody on the network knows it.
const publicName = "memory.example.com"

// tunnel speaks TLS for a house under [publicName], and passes requests on to this machine, as
// a tunnel or a proxy in front does.
type tunnel struct {
	*httptest.Server
	origin string
}

// tunnelled serves an empty store that others reach under another name.
func tunnelled(t testing.TB, flags ...string) (*house, *tunnel) {
	t.Helper()
	to := &url.URL{Scheme: "http"}
	proxy := &httputil.ReverseProxy{FlushInterval: -1, Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(to)
		r.SetXForwarded()
		r.Out.Host = r.In.Host
	}}
	s := httptest.NewTLSServer(proxy) // its certificate is for example.com and names below
	t.Cleanup(s.Close)
	_, port, err := net.SplitHostPort(s.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	at := &tunnel{s, "https://" + net.JoinHostPort(publicName, port)}
	h := empty(t, append([]string{"--host", publicName, "--origin", at.origin}, flags...)...)
	to.Host = h.addr
	return h, at
}

// trust has a browser find the tunnel, and take its certificate as that of the name.
func (s *tunnel) trust() []chromedp.ExecAllocatorOption {
	sum := sha256.Sum256(s.Certificate().RawSubjectPublicKeyInfo)
	return []chromedp.ExecAllocatorOption{chromedp.Flag("host-resolver-rules", "MAP "+publicName+" 127.0.0.1, "+noNetwork),
		chromedp.Flag("ignore-certificate-errors-spki-list", base64.StdEncoding.EncodeToString(sum[:]))}
}

// file writes the certificate for programs that read one.
func (s *tunnel) file(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// code is the code that satchel open --confirm prints.
func (h *house) code(t testing.TB) string {
	t.Helper()
	return strings.TrimSpace(h.satchel(t, "open", "--confirm"))
}

// heading waits for a page with a heading.
func (b *tab) heading(t testing.TB, want string) {
	t.Helper()
	until(t, func() bool {
		return strings.Contains(eval[string](t, b, `document.readyState == "complete" && document.querySelector("h1") ? document.querySelector("h1").innerText : ""`), want)
	})
}

// enterPublic lets the browser in under the public name, by the code of a terminal and without
// JavaScript.
func (b *tab) enterPublic(t *testing.T, h *house, s *tunnel) {
	t.Helper()
	b.origin = s.origin
	if _, err := chromedp.Call(b.ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true}); err != nil {
		t.Fatal(err)
	}
	b.do(t, chromedp.Navigate(s.origin+"/me/enter"), chromedp.SendKeys("#code", h.code(t), chromedp.NodeVisible), chromedp.Click("form.enter button:not([data-passkey])"), chromedp.WaitVisible("header.side"))
	if _, err := chromedp.Call(b.ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: false}); err != nil {
		t.Fatal(err)
	}
}

// cookies returns the cookies of a site.
func (b *tab) cookies(t *testing.T, origin string) map[string]string {
	t.Helper()
	got, err := chromedp.Call(b.ctx, network.GetCookies, network.GetCookiesParams{URLs: []string{origin + "/me/"}})
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, c := range got.Cookies {
		all[c.Name] = c.Value
	}
	return all
}

// TestPublicName enters under a public name by the code of a terminal, and at this machine's own
// name. Neither cookie is good at the other name, also if somebody carries it over.
func TestPublicName(t *testing.T) {
	h, s := tunnelled(t)
	b := newTab(t, s.trust()...)
	b.enterPublic(t, h, s)
	public := b.cookies(t, s.origin)
	here := "http://" + h.pages(t)
	if got := b.cookies(t, here); len(got) != 0 {
		t.Errorf("this machine's pages get %v", got)
	}
	if public["__Host-satchel"] == "" || len(public) != 1 {
		t.Fatalf("the cookies under the public name are %v", public)
	}
	b.origin = here
	b.do(t, chromedp.Navigate(here+"/me/enter"), chromedp.SendKeys("#code", h.open(t).Code, chromedp.NodeVisible), chromedp.Click("form.enter button:not([data-passkey])"), chromedp.WaitVisible("header.side"))
	own := b.cookies(t, here)
	if len(own) != 1 || own["__Host-satchel"] != "" {
		t.Fatalf("the cookies here are %v", own)
	}
	if got := b.cookies(t, s.origin); len(got) != 1 {
		t.Errorf("under the public name: %v", got)
	}
	var name, value string
	for name, value = range own {
	}
	status := func(origin, cookie, value string) int {
		got, _ := request(t, "GET", "http://"+h.addr+"/me/settings", "", "Host: "+strings.TrimPrefix(strings.TrimPrefix(origin, "https://"), "http://"), "Cookie: "+cookie+"="+value)
		return got.StatusCode
	}
	for what, c := range map[string]struct {
		origin, cookie, value string
		want                  int
	}{
		"its own, there":        {s.origin, "__Host-satchel", public["__Host-satchel"], 200},
		"its own, here":         {here, name, value, 200},
		"carried from here":     {s.origin, "__Host-satchel", value, 303},
		"carried with its name": {s.origin, name, value, 303},
		"carried from there":    {here, name, public["__Host-satchel"], 303},
	} {
		if got := status(c.origin, c.cookie, c.value); got != c.want {
			t.Errorf("%s: %d, not %d", what, got, c.want)
		}
	}
}

// TestPublicPasskey adds a passkey under the public name. It is good there and not at this
// machine's own name, and the other way round.
func TestPublicPasskey(t *testing.T) {
	h, s := tunnelled(t)
	b := newTab(t, s.trust()...)
	b.device(t)
	b.enterPublic(t, h, s)
	b.see(t, "/me/passkeys")
	b.do(t, chromedp.Click("[data-passkey=create]", chromedp.NodeVisible), chromedp.WaitVisible(".row .danger"), chromedp.Click(".leave button"))
	b.awaits(t, "You have left")
	b.see(t, "/me/enter")
	b.do(t, chromedp.Click("[data-passkey=get]", chromedp.NodeVisible), chromedp.WaitVisible("header.side"))
	b.clean(t, "a passkey under the public name")
	here := "http://" + h.pages(t)
	b.origin = here
	b.do(t, chromedp.Navigate(here+"/me/enter"), chromedp.Click("[data-passkey=get]", chromedp.NodeVisible), chromedp.WaitVisible("[data-said]"))
	if said := eval[string](t, b, `document.querySelector("[data-said]").innerText`); !strings.Contains(said, "did not answer") || eval[string](t, b, `location.pathname`) != "/me/enter" {
		t.Errorf("a passkey of the public name at this machine's: %q", said)
	}
}

// pages returns the host and port of the pages as this machine calls them.
func (h *house) pages(t testing.TB) string {
	t.Helper()
	_, port, err := net.SplitHostPort(h.addr)
	if err != nil {
		t.Fatal(err)
	}
	return net.JoinHostPort("localhost", port)
}
