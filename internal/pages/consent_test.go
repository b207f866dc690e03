package pages_test

import (
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/pages"
	"github.com/satchel-memory/satchel/memory"
)

const (
	publicHost = "Host: memory.example"
	cameFrom   = "Sec-Fetch-Site: cross-site"
	bound      = "Cookie: __Host-satchel=cookie; __Host-satchel-consent=held1"
)

// asking returns pages that others reach as memory.example, where an assistant asks for access
// in the browser of an owner who was let in there.
func asking(change ...func(*pages.ConsentRequest)) *site {
	s := open(func(o *pages.Options) { o.Origins = []string{"https://memory.example"} })
	s.fake.visits["cookie@memory.example"] = true
	s.fake.request = pages.ConsentRequest{Client: "Claude", Host: "claude.ai", Named: pages.NamedByDocument, RedirectHost: "claude.ai", Resource: "https://memory.example/mcp",
		Verbs: []memory.Verb{memory.ReadVerb, memory.WriteVerb}, Ends: now.Add(10 * time.Minute), Usual: 30 * 24 * time.Hour, Longest: 90 * 24 * time.Hour}
	for _, c := range change {
		c(&s.fake.request)
	}
	return s
}

// decide sends a form of the page about a request.
func (s *site) decide(t *testing.T, path string, pairs ...string) (int, string, string) {
	t.Helper()
	_, page := s.ask("GET", "/me/consent?request=request1", "", publicHost, bound)
	form := url.Values{"token": {tokenIn(t, page)}, "request": {"request1"}}
	for i := 0; i+1 < len(pairs); i += 2 {
		form.Add(pairs[i], pairs[i+1])
	}
	got, body := s.ask("POST", path, form.Encode(), publicHost, bound, "Origin: https://memory.example")
	return got.StatusCode, body, got.Header.Get("Refresh")
}

// The page says who asks, for what, and what nobody checked; it grants nothing by itself.
func TestConsentPage(t *testing.T) {
	s := asking()
	got, body := s.ask("GET", "/me/consent?request=request1", "", publicHost, bound)
	wants(t, body, "<bdi>Claude</bdi> asks for access", "<strong>claude.ai</strong>", "checked</span>", "you never let it in", `name="read"`, `name="write"`,
		"Shared and public memories", "All, private ones too", "github.com/ana/shop", `<option value="30" selected>`, `<option value="90">`, "https://memory.example/mcp", "until 10:10")
	for _, not := range []string{`name="derive"`, `name="export"`, `<option value="365"`, "name not checked", " checked required"} {
		if strings.Contains(body, not) {
			t.Errorf("it shows %s", not)
		}
	}
	if got.StatusCode != 200 || s.fake.granted != nil || !strings.Contains(got.Header.Get("Content-Security-Policy"), "frame-ancestors 'none'") || got.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("%d %v", got.StatusCode, got.Header)
	}
	if got.Header.Get("Cross-Origin-Opener-Policy") != "" {
		t.Error("the window is cut from the one that opened it")
	}
	if got, _ := s.ask("GET", "/me/", "", publicHost, bound); got.Header.Get("Cross-Origin-Opener-Policy") != "same-origin" {
		t.Error("so are no other pages any more")
	}

	s = asking(func(c *pages.ConsentRequest) {
		c.Client, c.Named, c.Host, c.Seen = "</bdi><script>\u202eClaude", pages.NamedByItself, "", true
		c.RedirectHost, c.RedirectHere = "127.0.0.1:3118", true
	})
	_, body = s.ask("GET", "/me/consent?request=request1", "", publicHost, bound)
	wants(t, body, "&lt;/bdi&gt;&lt;script&gt;", "name not checked", "Anybody can ask under any name", "127.0.0.1:3118", "a program on your own computer", "you let it in before")
	if strings.Contains(body, "\u202e") {
		t.Error("the name turns the text around")
	}
}

// A host vouches for a name, and not for who uses it: a document leads the access to another
// host, or to any program of the owner's computer.
func TestConsentDocument(t *testing.T) {
	for _, c := range []struct {
		to   string
		here bool
		says string
	}{
		{"claude.ai", false, "What the assistant reads goes there. Go on only if you have just connected it yourself"},
		{"evil.example", false, "lets the access go to another host: evil.example"},
		{"127.0.0.1:3118", true, "Any program on your computer can ask in the name of claude.ai"},
	} {
		s := asking(func(q *pages.ConsentRequest) {
			q.Document, q.RedirectHost, q.RedirectHere = "https://claude.ai/u/eve/client.json", c.to, c.here
		})
		_, body := s.ask("GET", "/me/consent?request=request1", "", publicHost, bound)
		wants(t, body, "<code>https://claude.ai/u/eve/client.json</code>", c.says)
		if c.to != "claude.ai" && strings.Contains(body, "What the assistant reads goes there") {
			t.Errorf("for %s it says that the access goes to the document's host", c.to)
		}
		_, body, _ = s.decide(t, "/me/consent/allow", "read", "yes", "reach", "shared")
		if c.here != strings.Contains(body, "Any program on it can ask under this name.") {
			t.Errorf("for %s: %s", c.to, body)
		}
	}
}

// What the owner leaves out is not granted; what nobody asked for cannot be ticked.
func TestConsentNarrows(t *testing.T) {
	s := asking()
	status, body, _ := s.decide(t, "/me/consent/allow", "read", "yes", "export", "yes", "reach", "private", "projects", "some", "project", "github.com/ana/shop", "days", "7")
	wants(t, body, "“Claude” may until 11 June 2026: read.", "all memories, private ones too of github.com/ana/shop", "The access goes to claude.ai.", "stays read", "satchel open --confirm")
	if status != 200 || s.fake.granted != nil {
		t.Fatalf("%d, granted before it was confirmed: %v", status, s.fake.granted)
	}
	sure := []string{"read", "yes", "export", "yes", "reach", "private", "projects", "some", "project", "github.com/ana/shop", "days", "7", "sure", "yes"}
	if status, _, _ := s.decide(t, "/me/consent/allow", append(sure, "code", "WRONG1")...); status != 403 || s.fake.granted != nil {
		t.Fatalf("by a wrong code: %d %v", status, s.fake.granted)
	}
	status, body, to := s.decide(t, "/me/consent/allow", append(sure, "code", "RIGHT1")...)
	d := s.fake.granted
	if status != 200 || d == nil || len(d.Verbs) != 1 || d.Verbs[0] != memory.ReadVerb || !slices.Equal(d.Projects, []string{"github.com/ana/shop"}) || d.Visibility != memory.Private || !d.Until.Equal(now.Add(7*24*time.Hour)) {
		t.Errorf("%d %+v", status, d)
	}
	if to != "0; url=https://assistant.example/back?code=1" || !strings.Contains(body, `href="https://assistant.example/back?code=1"`) {
		t.Errorf("it leads to %q: %s", to, body)
	}
	for name, pairs := range map[string][]string{
		"nothing":                 {"reach", "shared"},
		"no memories":             {"read", "yes"},
		"memories of any kind":    {"read", "yes", "reach", "everything"},
		"longer than allowed":     {"read", "yes", "reach", "shared", "days", "91"},
		"projects, none ticked":   {"read", "yes", "reach", "shared", "projects", "some"},
		"every project, and some": {"read", "yes", "reach", "shared", "projects", "all", "project", "github.com/ana/shop"},
		"no days":                 {"read", "yes", "reach", "shared", "days", "soon"},
		"many days":               {"read", "yes", "reach", "shared", "days", "9223372036854775807"},
	} {
		s := asking()
		s.fake.sure = map[string]bool{"cookie@memory.example": true}
		if status, body, _ := s.decide(t, "/me/consent/allow", append(pairs, "sure", "yes")...); status != 400 || s.fake.granted != nil {
			t.Errorf("%s: %d %s", name, status, body)
		}
	}
}

// The owner opens every project, or several, with or without what belongs to none.
func TestConsentProjects(t *testing.T) {
	for name, c := range map[string]struct {
		form  []string
		says  string
		given []string
	}{
		"every project": {[]string{"projects", "all"}, "shared and public memories, in all projects, also those to come.", nil},
		"not chosen":    {nil, "shared and public memories, in all projects, also those to come.", nil},
		"two":           {[]string{"projects", "some", "project", "github.com/ana/shop", "project", "github.com/ana/blog"}, "of github.com/ana/blog, github.com/ana/shop.", []string{"github.com/ana/blog", "github.com/ana/shop"}},
		"none":          {[]string{"projects", "some", "project", ""}, "of no project.", []string{""}},
		"one and none":  {[]string{"projects", "some", "project", "", "project", "github.com/ana/shop"}, "of no project, github.com/ana/shop.", []string{"", "github.com/ana/shop"}},
	} {
		s := asking()
		s.fake.sure = map[string]bool{"cookie@memory.example": true}
		form := append([]string{"read", "yes", "reach", "shared"}, c.form...)
		_, body, _ := s.decide(t, "/me/consent/allow", form...)
		wants(t, body, c.says)
		for _, p := range c.given {
			wants(t, body, `name="project" value="`+p+`"`)
		}
		if status, body, _ := s.decide(t, "/me/consent/allow", append(form, "sure", "yes")...); status != 200 || s.fake.granted == nil || !slices.Equal(s.fake.granted.Projects, c.given) {
			t.Errorf("%s: %d %+v %s", name, status, s.fake.granted, body)
		}
	}
}

// What the owner allows an assistant anew takes the place of what it had, unless the owner
// says otherwise.
func TestConsentReplaces(t *testing.T) {
	for name, c := range map[string]struct {
		seen, ticked, replaces bool
		says                   string
	}{
		"before":           {true, true, true, "ends when it takes this up"},
		"in two places":    {true, false, false, "goes on too"},
		"never before":     {false, false, false, "The access goes to claude.ai."},
		"asked for anyhow": {false, true, false, "The access goes to claude.ai."},
	} {
		s := asking(func(r *pages.ConsentRequest) { r.Seen = c.seen })
		s.fake.sure = map[string]bool{"cookie@memory.example": true}
		_, page := s.ask("GET", "/me/consent?request=request1", "", publicHost, bound)
		if strings.Contains(page, `name="replaces" value="yes" checked`) != c.seen {
			t.Errorf("%s: %s", name, page)
		}
		form := []string{"read", "yes", "reach", "shared", "projects", "all"}
		if c.ticked {
			form = append(form, "replaces", "yes")
		}
		_, body, _ := s.decide(t, "/me/consent/allow", form...)
		wants(t, body, c.says)
		if status, _, _ := s.decide(t, "/me/consent/allow", append(form, "sure", "yes")...); status != 200 || s.fake.granted == nil || s.fake.granted.Replaces != c.replaces {
			t.Errorf("%s: %d %+v", name, status, s.fake.granted)
		}
	}
}

// To refuse needs no code, and leads back too.
func TestConsentRefused(t *testing.T) {
	s := asking()
	status, body, to := s.decide(t, "/me/consent/refuse")
	if status != 200 || !s.fake.denied || s.fake.granted != nil || to != "0; url=https://assistant.example/back?error=access_denied" || !strings.Contains(body, "Refused") {
		t.Errorf("%d %q %s", status, to, body)
	}
}

// A decision takes the request from the browser, so that going back decides nothing again.
func TestConsentOnce(t *testing.T) {
	const sure = "request=request1&read=yes&reach=shared&sure=yes&token="
	for path, form := range map[string]string{"/me/consent/allow": sure, "/me/consent/refuse": sure} {
		s := asking()
		s.fake.sure = map[string]bool{"cookie@memory.example": true}
		_, page := s.ask("GET", "/me/consent?request=request1", "", publicHost, bound)
		got, _ := s.ask("POST", path, form+tokenIn(t, page), publicHost, bound, "Origin: https://memory.example")
		if c := got.Cookies(); got.StatusCode != 200 || len(c) != 1 || c[0].Name != "__Host-satchel-consent" || c[0].MaxAge >= 0 || !c[0].Secure || c[0].Path != "/" {
			t.Errorf("%s: %d %v", path, got.StatusCode, c)
		}
	}
}

// A request that is over, or another browser's, shows nothing of itself; forms of other sites
// and of other visits grant nothing.
func TestConsentNotYours(t *testing.T) {
	s := asking()
	for name, c := range map[string]struct{ path, cookies string }{
		"another browser's": {"/me/consent?request=request1", "Cookie: __Host-satchel=cookie"},
		"forged":            {"/me/consent?request=request1", "Cookie: __Host-satchel=cookie; __Host-satchel-consent=held2"},
		"over":              {"/me/consent?request=request2", bound},
		"none":              {"/me/consent", bound},
	} {
		got, body := s.ask("GET", c.path, "", publicHost, c.cookies)
		if got.StatusCode != 404 || strings.Contains(body, "Claude") {
			t.Errorf("%s: %d %s", name, got.StatusCode, body)
		}
		wants(t, body, "This request is over", "connect it again")
	}
	for name, header := range map[string]string{"another site": cameFrom, "another origin": "Origin: https://evil.example", "no origin": "Origin: null"} {
		for _, path := range []string{"/me/consent/allow", "/me/consent/refuse"} {
			_, page := s.ask("GET", "/me/consent?request=request1", "", publicHost, bound)
			form := "request=request1&read=yes&reach=private&sure=yes&token=" + tokenIn(t, page)
			if got, _ := s.ask("POST", path, form, publicHost, bound, header); got.StatusCode != 403 {
				t.Errorf("%s: %d", name, got.StatusCode)
			}
		}
	}
	if got, _ := s.ask("POST", "/me/consent/refuse", "request=request1&token=wrong", publicHost, bound); got.StatusCode != 403 || s.fake.denied || s.fake.granted != nil {
		t.Error("a form without the visit's token decides")
	}
	s.fake.consents = &memory.Error{Kind: memory.Unsupported, Message: "this server takes no remote assistants"}
	if got, _ := s.ask("GET", "/me/consent?request=request1", "", publicHost, bound); got.StatusCode != 501 {
		t.Errorf("without --oauth: %d", got.StatusCode)
	}
}

// Whoever was not let in yet enters first, and comes back to the request.
func TestConsentEnters(t *testing.T) {
	s := asking()
	got, _ := s.ask("GET", "/me/consent?request=request1", "", publicHost, "Cookie: __Host-satchel-consent=held1")
	at := got.Header.Get("Location")
	if got.StatusCode != 303 || at != "/me/enter?to=consent%3Frequest%3Drequest1" {
		t.Fatalf("%d %s", got.StatusCode, at)
	}
	got, body := s.ask("GET", at, "", publicHost)
	wants(t, body, "An assistant asks for access", "satchel open --confirm", `name="to" value="consent?request=request1"`)
	if got.Header.Get("Cross-Origin-Opener-Policy") != "" {
		t.Error("the window is cut from the one that opened it")
	}
	got, _ = s.ask("POST", "/me/enter", "secret=secret&to="+url.QueryEscape("consent?request=request1"), publicHost, "Origin: https://memory.example")
	if got.StatusCode != 303 || got.Header.Get("Location") != "/me/consent?request=request1" {
		t.Errorf("%d %v", got.StatusCode, got.Header)
	}
	for _, to := range []string{"consent?request=x#y", "consent?request=x&done=shared", "//evil.example?x", "..?x"} {
		if got, _ := open().ask("POST", "/me/enter", "secret=secret&to="+url.QueryEscape(to)); got.Header.Get("Location") != "/me/" {
			t.Errorf("%q leads to %s", to, got.Header.Get("Location"))
		}
	}
}

// An assistant that asks for the context it starts from is asked about that alone.
func TestConsentForContext(t *testing.T) {
	s := asking(func(c *pages.ConsentRequest) {
		c.Context = &pages.ConsentContext{Scope: "professional", Purpose: "to plan your week"}
	})
	_, body := s.ask("GET", "/me/consent?request=request1", "", publicHost, bound)
	wants(t, body, "professional", "to plan your week", "start from your context", "propose corrections")
	if strings.Contains(body, `name="reach"`) || strings.Contains(body, `name="projects"`) {
		t.Errorf("it asks which memories: %s", body)
	}
	s.fake.sure = map[string]bool{"cookie@memory.example": true}
	_, body, _ = s.decide(t, "/me/consent/allow", "read", "yes", "days", "30")
	wants(t, body, "start from your context", "the scope “professional”")
	if status, body, _ := s.decide(t, "/me/consent/allow", "read", "yes", "days", "30", "sure", "yes"); status != 200 || s.fake.granted == nil || s.fake.granted.Visibility != "" || s.fake.granted.Projects != nil {
		t.Errorf("%d %+v %s", status, s.fake.granted, body)
	}
}

// An address that would run something in the pages is never opened.
func TestConsentLeadsAway(t *testing.T) {
	for to, leads := range map[string]bool{"cursor://anysphere.cursor-mcp/oauth?code=1": true, "http://127.0.0.1:3118/cb?code=1": true, "javascript:alert(1)": false, "JavaScript:alert(1)": false, "data:text/html,x": false, "/me/": false, "https://a.example/\r\nX: y": false} {
		s := asking()
		s.fake.to = to
		status, body, refresh := s.decide(t, "/me/consent/refuse")
		if leads != (status == 200 && refresh == "0; url="+to) || !leads && refresh != "" {
			t.Errorf("%q: %d %q %s", to, status, refresh, body)
		}
	}
}

// The cookie of this machine's own pages is worthless under the public name, and that one here.
func TestCookieOfAnotherName(t *testing.T) {
	s := asking()
	s.fake.visits = map[string]bool{"here": true, "there@memory.example": true}
	for name, c := range map[string]struct {
		host, cookie string
		status       int
	}{
		"here":                         {"m-1234.localhost:7777", "satchel-1234=here", 200},
		"there":                        {"memory.example", "__Host-satchel=there", 200},
		"the one of here, there":       {"memory.example", "satchel-1234=here", 303},
		"its value, there":             {"memory.example", "__Host-satchel=here", 303},
		"the one of there, here":       {"m-1234.localhost:7777", "satchel-1234=there", 303},
		"the one of there, by address": {"127.0.0.1:7777", "__Host-satchel=there", 303},
	} {
		if got, _ := s.ask("GET", "/me/settings", "", "Host: "+c.host, "Cookie: "+c.cookie); got.StatusCode != c.status {
			t.Errorf("%s: %d", name, got.StatusCode)
		}
	}
	if got, body := s.ask("POST", "/me/enter", "code=GUESS5", publicHost, "Origin: https://memory.example"); got.StatusCode != 429 || !strings.Contains(body, "Too many wrong codes") {
		t.Errorf("after too many codes: %d %s", got.StatusCode, body)
	}
}
