package pages_test

import (
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/internal/pages"
)

const throughProxy = "Origin: https://memory.example"

// A request that a proxy passed on is not one of this machine, also if the proxy changed Host,
// as nginx does by default.
func TestProxyIsNotThisMachine(t *testing.T) {
	declared := func(o *pages.Options) { o.Origins = []string{"https://memory.example"} }
	rewritten := "Host: 127.0.0.1:7777"
	for name, c := range map[string]struct {
		change func(*pages.Options)
		header []string
	}{
		"X-Forwarded-For":       {declared, []string{rewritten, "X-Forwarded-For: 203.0.113.9"}},
		"undeclared":            {func(*pages.Options) {}, []string{rewritten, "X-Forwarded-For: 203.0.113.9"}},
		"Forwarded":             {declared, []string{"Host: m-1234.localhost:7777", "Forwarded: for=203.0.113.9"}},
		"X-Forwarded-Proto":     {declared, []string{"Host: m-1234.localhost:7777", "X-Forwarded-Proto: https"}},
		"Via":                   {declared, []string{"Host: localhost:7777", "Via: 1.1 proxy"}},
		"the Origin of a proxy": {declared, []string{"Host: m-1234.localhost:7777", throughProxy}},
		"a cookie of TLS":       {declared, []string{"Host: m-1234.localhost:7777", "Cookie: __Host-satchel=cookie"}},
		"nothing but the Host":  {declared, []string{rewritten}},
	} {
		s := connecting(c.change)
		for _, name := range []string{"127.0.0.1", "m-1234.localhost", "localhost"} {
			s.fake.visits["cookie@"+name] = true
		}
		if _, body := s.ask("GET", "/me/enter", "", c.header...); strings.Contains(body, "/home/ana") || strings.Contains(body, string(owner)) {
			t.Errorf("%s: strangers learn where the store lies: %s", name, body)
		}
		cookies := "Cookie: satchel-1234=cookie; __Host-satchel=cookie"
		for _, path := range []string{"/me/assistants/some/connect", "/me/settings"} {
			if _, body := s.ask("GET", path, "", append(c.header, cookies)...); strings.Contains(body, "/home/ana") {
				t.Errorf("%s: %s answers %s", name, path, body)
			}
		}
		_, help := s.ask("GET", "/me/help", "", append(c.header, cookies)...)
		form := "token=" + tokenIn(t, help)
		for _, act := range []string{"try", "connect", "disconnect"} {
			if got, body := s.ask("POST", "/me/assistants/some/"+act, form+"&state=as+it+is&sure=yes&code=RIGHT1", append(c.header, cookies, "Sec-Fetch-Site: same-origin")...); got.StatusCode != 404 {
				t.Errorf("%s: %s: %d %s", name, act, got.StatusCode, body)
			}
		}
	}
}

// The cookie of a browser that comes through a proxy with TLS is for TLS only, and lets the
// browser in though later requests name no origin.
func TestProxyRewritesHost(t *testing.T) {
	s := open(func(o *pages.Options) { o.Origins = []string{"https://memory.example"} })
	rewritten := "Host: 127.0.0.1:7777"
	for _, header := range []string{throughProxy, "X-Forwarded-For: 203.0.113.9"} {
		got, _ := s.ask("POST", "/me/enter", "secret=secret", rewritten, header, "Sec-Fetch-Site: same-origin")
		if c := got.Header.Get("Set-Cookie"); !strings.HasPrefix(c, "__Host-satchel=") || !strings.Contains(c, "; Secure") {
			t.Errorf("%s: the cookie is %q", header, c)
		}
		s = open(func(o *pages.Options) { o.Origins = []string{"https://memory.example"} })
	}
	s.fake.visits["cookie@127.0.0.1"] = true
	if got, _ := s.ask("GET", "/me/", "", rewritten, "Cookie: __Host-satchel=cookie"); got.StatusCode != 200 {
		t.Errorf("a page: %d", got.StatusCode)
	}
	s = open(func(o *pages.Options) { o.Plain, o.Origins = false, []string{"https://memory.example"} })
	if got, _ := s.ask("GET", "/me/", "", "Host: 192.0.2.1:7777", "X-Forwarded-Proto: https", "Cookie: __Host-satchel=cookie"); got.StatusCode != 403 {
		t.Errorf("a stranger's header makes a connection from another machine safe: %d", got.StatusCode)
	}
}
