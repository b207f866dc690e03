package pages_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/pages"
	"github.com/satchel-memory/satchel/memory"
)

const owner = memory.DID("did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK")

// now is the time of all tests, in the zone of their owner.
var now = time.Date(2026, 6, 4, 10, 0, 0, 0, time.FixedZone("EEST", 3*60*60))

// fake is a memory of a few records, which lets browsers in by the secret "secret".
type fake struct {
	watched
	confirms
	changed
	records  []memory.Record
	hits     []memory.Hit
	lacks    []memory.Warning
	visits   map[string]bool // cookies that are good
	entered  int
	asked    memory.Query
	askedAs  string
	listed   pages.ListQuery
	list     *pages.List
	related  []pages.Relation
	sign     pages.Signature
	over     pages.Overview
	brief    pages.Briefing
	briefed  string
	budget   int
	keys     int // passkeys added
	keepsKey bool
	fails    error

	fakeImporter
	fakeHouse
	fakeOperator
	fakeConnector
	fakeRuns
	fakeConsenter
}

var _ pages.Backend = (*fake)(nil)

func (f *fake) Enter(_ context.Context, at pages.Site, secret, _ string) (string, error) {
	if secret == "GUESS5" {
		return "", &memory.Error{Kind: memory.RateLimited, Message: "too many wrong codes were shown: use a passkey"}
	}
	if secret != "secret" || f.entered > 0 {
		return "", &memory.Error{Kind: memory.Unauthorized, Message: "never shown"}
	}
	f.entered++
	f.begin(at)
	return "cookie1", nil
}

// The fake knows one passkey.
func (f *fake) Passkeys(context.Context, memory.Caller) ([]pages.Passkey, error) {
	return []pages.Passkey{{ID: "key1", Browser: "Firefox on Linux", Made: now.Add(-time.Hour), Seen: now}}, f.fails
}

func (f *fake) OfferPasskey(_ context.Context, _ string, at pages.Site) ([]byte, error) {
	return []byte(`{"rp":"` + at.Host + " " + at.Origin + `"}`), f.fails
}

func (f *fake) AddPasskey(_ context.Context, _ string, _ pages.Site, _ string, answer []byte) error {
	if string(answer) != "made" {
		return &memory.Error{Kind: memory.Unauthorized}
	}
	f.keys++
	return nil
}

func (f *fake) DropPasskey(context.Context, memory.Caller, string) error { f.keys--; return f.fails }

func (f *fake) AskPasskey(_ context.Context, at pages.Site) ([]byte, error) {
	return []byte(`{"rpId":"` + at.Host + `"}`), f.fails
}

func (f *fake) EnterByPasskey(_ context.Context, at pages.Site, _ string, answer []byte) (string, error) {
	if string(answer) != "signed" {
		return "", &memory.Error{Kind: memory.Unauthorized}
	}
	f.begin(at)
	return "cookie1", nil
}

// begin lets a browser in by cookie1, at one site.
func (f *fake) begin(at pages.Site) {
	if at.Name == "" {
		f.visits["cookie1"] = true
	} else {
		f.visits["cookie1@"+at.Name] = true
	}
}

func (f *fake) ConfirmByPasskey(_ context.Context, _ string, _ pages.Site, answer []byte) error {
	if string(answer) != "signed" {
		return &memory.Error{Kind: memory.Unauthorized}
	}
	return nil
}

// Exchange takes one token, for one origin.
func (f *fake) Exchange(_ context.Context, token, origin string) (string, time.Time, error) {
	if token != "ben's token" || origin != "https://notes.example" {
		return "", time.Time{}, &memory.Error{Kind: memory.Unauthorized}
	}
	return "ben's link", now, nil
}

func (f *fake) Resume(_ context.Context, cookie string) (memory.Caller, error) {
	if !f.visits[cookie] {
		return memory.Caller{}, &memory.Error{Kind: memory.Unauthorized}
	}
	return memory.Caller{Owner: owner, Role: memory.Owner}, nil
}

func (f *fake) SignsElsewhere(memory.Caller) bool { return f.keepsKey }

func (f *fake) Leave(_ context.Context, cookie string) error { delete(f.visits, cookie); return nil }

func (f *fake) Overview(context.Context, memory.Caller, time.Time) (pages.Overview, error) {
	return f.over, f.fails
}

func (f *fake) List(_ context.Context, _ memory.Caller, q pages.ListQuery) (pages.List, error) {
	f.listed = q
	if f.list != nil {
		return *f.list, f.fails
	}
	return pages.List{Memories: f.records, Total: len(f.records)}, f.fails
}

func (f *fake) Find(_ context.Context, _ memory.Caller, name string) (memory.ID, error) {
	for _, r := range f.records {
		if strings.HasPrefix(string(r.ID), memory.IDPrefix+name) {
			return r.ID, nil
		}
	}
	return "", &memory.Error{Kind: memory.NotFound, Message: "no memory has this id"}
}

func (f *fake) Memory(_ context.Context, _ memory.Caller, id memory.ID) (m pages.Memory, err error) {
	for _, r := range f.records {
		if r.ID == id {
			m.Record = r
		}
	}
	m.Versions, m.Related, m.Signature, m.Short = f.records, f.related, f.sign, "short"
	return m, f.fails
}

func (f *fake) Search(_ context.Context, _ memory.Caller, q memory.Query) ([]memory.Hit, []memory.Warning, error) {
	f.asked = q
	return f.hits, f.lacks, f.fails
}

func (f *fake) Briefing(_ context.Context, _ memory.Caller, project string, budget int) (pages.Briefing, error) {
	f.briefed, f.budget = project, budget
	return f.brief, f.fails
}

func (f *fake) Projects(context.Context, memory.Caller) ([]pages.Project, error) {
	if f.projects != nil {
		return f.projects, nil
	}
	return []pages.Project{{Name: "github.com/ana/shop", Memories: 3}, {Name: "", Memories: 9}}, nil
}

func (f *fake) ProjectNames(ctx context.Context, c memory.Caller) (names []string, err error) {
	all, err := f.Projects(ctx, c)
	for _, p := range all {
		names = append(names, p.Name)
	}
	return names, err
}

// record returns a memory of the owner with a text.
func record(id, text string) memory.Record {
	return memory.Record{ID: memory.ID(memory.IDPrefix + id), Kind: memory.Semantic, Body: memory.Body{Text: text}, Scope: memory.Scope{Owner: owner},
		Time: memory.Times{Created: now.Add(-time.Hour)}, Provenance: &memory.Provenance{ActorKind: memory.ByUser, Actor: string(owner)}, Origin: []byte(`{"text":"x"}`)}
}

// site is a handler under test, and what it reported.
type site struct {
	*pages.Handler
	fake     *fake
	reported []error
	refused  int
}

func open(change ...func(*pages.Options)) *site {
	s := &site{fake: &fake{visits: map[string]bool{"cookie": true}}}
	o := pages.Options{Now: func() time.Time { return now }, Owner: owner, Store: "/home/ana/satchel", Cookie: "satchel-1234", Plain: true,
		Report:  func(_ *http.Request, err error) { s.reported = append(s.reported, err) },
		Refused: func(*http.Request, memory.ErrorKind) { s.refused++ },
	}
	for _, c := range change {
		c(&o)
	}
	s.Handler = pages.New(s.fake, o)
	return s
}

// ask sends a request. A header is "Name: value".
func (s *site) ask(method, target, form string, header ...string) (*http.Response, string) {
	r := httptest.NewRequest(method, target, strings.NewReader(form))
	r.Host = "m-1234.localhost:7777"
	if form != "" {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for _, line := range header {
		name, value, _ := strings.Cut(line, ": ")
		if name == "Host" {
			r.Host = value
		} else {
			r.Header.Set(name, value)
		}
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	body, _ := io.ReadAll(w.Result().Body)
	return w.Result(), string(body)
}

const visit = "Cookie: satchel-1234=cookie"

// see loads a page as the owner.
func (s *site) see(t *testing.T, target string) string {
	t.Helper()
	got, body := s.ask("GET", target, "", visit)
	if got.StatusCode != 200 {
		t.Fatalf("%s: %d %s", target, got.StatusCode, body)
	}
	return body
}

// wants fails unless a page says all that.
func wants(t *testing.T, body string, all ...string) {
	t.Helper()
	for _, want := range all {
		if !strings.Contains(body, want) {
			t.Errorf("no %q in:\n%s", want, body)
		}
	}
}

var formToken = regexp.MustCompile(`name="token" value="([^"]+)"`)

func tokenIn(t *testing.T, body string) string {
	t.Helper()
	m := formToken.FindStringSubmatch(body)
	if m == nil {
		t.Fatalf("no form: %s", body)
	}
	return m[1]
}

// everyPage are the addresses of all pages that show something.
var everyPage = []string{"/me/", "/me/memories", "/me/memories/abcdefgh", "/me/memories/abcdefgh/raw", "/me/search", "/me/search?q=tea", "/me/context", "/me/help", "/me/no-such-page"}

func TestHeaders(t *testing.T) {
	s := open()
	s.fake.records = []memory.Record{record("abcdefgh", "tea")}
	for _, target := range append([]string{"/me/enter"}, everyPage...) {
		got, _ := s.ask("GET", target, "", visit)
		for name, want := range map[string]string{
			"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff", "Referrer-Policy": "same-origin",
			"Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin",
			"Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
		} {
			if have := got.Header.Get(name); have != want {
				t.Errorf("%s: %s is %q", target, name, have)
			}
		}
		if got.Header.Get("Permissions-Policy") == "" {
			t.Errorf("%s: no Permissions-Policy", target)
		}
	}
}

// A link lets one browser in, and no other secret does; all refusals look the same (A1).
func TestEnter(t *testing.T) {
	s := open()
	got, body := s.ask("GET", "/me/enter", "")
	wants(t, body, string(owner), "/home/ana/satchel", "Enter</button>")
	if got.StatusCode != 200 || len(got.Cookies()) > 0 || s.fake.entered > 0 {
		t.Errorf("to look at the page lets somebody in: %d", got.StatusCode)
	}
	_, wrong := s.ask("POST", "/me/enter", "secret=secreT")
	got, _ = s.ask("POST", "/me/enter", "secret=secret&to=memories")
	if got.StatusCode != 303 || got.Header.Get("Location") != "/me/memories" {
		t.Fatalf("the link: %d, %s", got.StatusCode, got.Header.Get("Location"))
	}
	c := got.Header.Get("Set-Cookie")
	if c != "satchel-1234=cookie1; Path=/; Max-Age=604800; HttpOnly; SameSite=Strict" {
		t.Errorf("the cookie is %q", c)
	}
	again, used := s.ask("POST", "/me/enter", "secret=secret")
	_, none := s.ask("POST", "/me/enter", "")
	if again.StatusCode != 403 || len(again.Cookies()) > 0 || used != wrong || none != wrong || strings.Contains(wrong, "never shown") {
		t.Errorf("a used link: %d %s", again.StatusCode, used)
	}
	wants(t, used, "run satchel open again"[1:])
	if s.refused != 3 {
		t.Errorf("%d refusals are told", s.refused)
	}
	if got, _ := s.ask("GET", "/me/", "", "Cookie: satchel-1234=cookie1"); got.StatusCode != 200 {
		t.Errorf("the cookie of the link: %d", got.StatusCode)
	}
}

func TestEnterByCode(t *testing.T) {
	s := open()
	if got, _ := s.ask("POST", "/me/enter", "secret=&code=secret"); got.StatusCode != 303 || got.Header.Get("Location") != "/me/" {
		t.Errorf("%d", got.StatusCode)
	}
}

// The page to show next is one of these pages, whatever a link says.
func TestEnterLeadsNowhereElse(t *testing.T) {
	for _, to := range []string{"//evil.example", "https://evil.example", "../ump", "/\\evil.example", "a\r\nSet-Cookie: x", "memories?x=y", strings.Repeat("a", 300)} {
		s := open()
		got, _ := s.ask("POST", "/me/enter", url.Values{"secret": {"secret"}, "to": {to}}.Encode())
		if got.StatusCode != 303 || got.Header.Get("Location") != "/me/" {
			t.Errorf("%q leads to %q", to, got.Header.Get("Location"))
		}
	}
}

// Over TLS the cookie is bound to the host, and the name of the store stays unsaid.
func TestEnterEncrypted(t *testing.T) {
	s := open(func(o *pages.Options) { o.Plain, o.Origins = false, []string{"https://notes.example"} })
	_, body := s.ask("GET", "/me/enter", "", "Host: notes.example")
	if strings.Contains(body, "/home/ana") {
		t.Error("the path of the store is told to strangers")
	}
	got, _ := s.ask("POST", "/me/enter", "secret=secret", "Host: notes.example")
	if c := got.Header.Get("Set-Cookie"); c != "__Host-satchel=cookie1; Path=/; Max-Age=604800; HttpOnly; Secure; SameSite=Strict" {
		t.Errorf("the cookie is %q", c)
	}
	if got, _ := s.ask("GET", "/me/", "", "Host: notes.example", "Cookie: satchel-1234=cookie"); got.StatusCode != 303 {
		t.Errorf("the cookie of a connection without TLS: %d", got.StatusCode)
	}
}

// A program gets the secret of a link for a token that names the address of these pages.
func TestExchange(t *testing.T) {
	s := open(func(o *pages.Options) {
		o.Plain, o.Origins = false, []string{"https://notes.example", "https://other.example"}
	})
	form := url.Values{"token": {"ben's token"}}.Encode()
	got, body := s.ask("POST", "/me/enter/link", form, "Host: notes.example")
	if got.StatusCode != 200 || body != `{"secret":"ben's link","ends":"2026-06-04T10:00:00+03:00"}`+"\n" || got.Header.Get("Set-Cookie") != "" {
		t.Errorf("%d %s", got.StatusCode, body)
	}
	for name, more := range map[string]string{"at another address": "Host: other.example", "without TLS": "Host: nowhere.example", "from another site": "Sec-Fetch-Site: cross-site"} {
		if got, body := s.ask("POST", "/me/enter/link", form, "Host: notes.example", more); got.StatusCode != 403 || strings.Contains(body, "ben's") {
			t.Errorf("%s: %d %s", name, got.StatusCode, body)
		}
	}
	if got, _ := s.ask("POST", "/me/enter/link", "token=", "Host: notes.example"); got.StatusCode != 403 {
		t.Errorf("without a token: %d", got.StatusCode)
	}
	if got, _ := s.ask("GET", "/me/enter/link?"+form, "", "Host: notes.example"); got.StatusCode != 405 {
		t.Errorf("by GET: %d", got.StatusCode)
	}
}

// Without TLS, pages that other machines can reach are refused (A18).
func TestNeedsTLS(t *testing.T) {
	s := open(func(o *pages.Options) { o.Plain = false })
	for _, target := range append([]string{"/me/enter"}, everyPage...) {
		got, body := s.ask("GET", target, "", visit)
		if got.StatusCode != 403 || !strings.Contains(body, "TLS") || strings.Contains(body, "Leave</button>") {
			t.Errorf("%s: %d %s", target, got.StatusCode, body)
		}
	}
	if got, _ := s.ask("POST", "/me/enter", "secret=secret"); got.StatusCode != 403 || s.fake.entered > 0 {
		t.Errorf("somebody is let in: %d", got.StatusCode)
	}
}

// A request without a cookie, or with a token for programs, is sent to the page Enter (A4).
func TestStrangers(t *testing.T) {
	s := open()
	s.fake.records = []memory.Record{record("abcdefgh", "tea")}
	for _, header := range [][]string{{"X-Nothing: x"}, {"Authorization: Bearer cookie"}, {"Cookie: satchel-1234=other"}, {"Cookie: satchel-9999=cookie"}} {
		for _, target := range everyPage {
			got, body := s.ask("GET", target, "", header...)
			if got.StatusCode != 303 || !strings.HasPrefix(got.Header.Get("Location"), "/me/enter") || strings.Contains(body, "tea") {
				t.Errorf("%s with %s: %d %s", target, header, got.StatusCode, body)
			}
		}
	}
	if got, _ := s.ask("GET", "/me/memories/abcdefgh", ""); got.Header.Get("Location") != "/me/enter?to=memories%2Fabcdefgh" {
		t.Errorf("leads to %s", got.Header.Get("Location"))
	}
}

// A form counts only from a page of the same visit (A3).
func TestForms(t *testing.T) {
	s := open()
	s.fake.visits["another"] = true
	own := tokenIn(t, s.see(t, "/me/help"))
	_, body := s.ask("GET", "/me/help", "", "Cookie: satchel-1234=another")
	for name, c := range map[string]struct {
		form   string
		header []string
		status int
	}{
		"another port":       {"token=" + own, []string{visit, "Sec-Fetch-Site: same-site", "Origin: http://m-1234.localhost:9999"}, 403},
		"another port, old":  {"token=" + own, []string{visit, "Origin: http://m-1234.localhost:9999"}, 403},
		"another site":       {"token=" + own, []string{visit, "Sec-Fetch-Site: cross-site", "Origin: https://evil.example"}, 403},
		"no origin":          {"token=" + own, []string{visit, "Origin: null"}, 403},
		"no token":           {"token=", []string{visit, "Sec-Fetch-Site: same-origin"}, 403},
		"nothing":            {"x=y", []string{visit, "Sec-Fetch-Site: same-origin"}, 403},
		"another visit's":    {"token=" + tokenIn(t, body), []string{visit, "Sec-Fetch-Site: same-origin"}, 403},
		"no cookie":          {"token=" + own, []string{"Sec-Fetch-Site: same-origin"}, 403},
		"a token of program": {"token=" + own, []string{"Authorization: Bearer cookie"}, 403},
		"its own":            {"token=" + own, []string{visit, "Sec-Fetch-Site: same-origin", "Origin: http://m-1234.localhost:7777"}, 200},
	} {
		t.Run(name, func(t *testing.T) {
			s.fake.visits["cookie"] = true
			got, body := s.ask("POST", "/me/leave", c.form, c.header...)
			if got.StatusCode != c.status || s.fake.visits["cookie"] != (c.status == 403) {
				t.Errorf("%d %s", got.StatusCode, body)
			}
		})
	}
	if got, _ := s.ask("POST", "/me/enter", "secret=secret", "Sec-Fetch-Site: same-site", "Origin: http://m-1234.localhost:9999"); got.StatusCode != 403 || s.fake.entered > 0 {
		t.Errorf("another origin lets somebody in: %d", got.StatusCode)
	}
}

// To look changes nothing, and only that is possible by GET.
func TestMethods(t *testing.T) {
	s := open()
	s.fake.records = []memory.Record{record("abcdefgh", "tea")}
	for target, method := range map[string]string{"/me/": "POST", "/me/memories": "DELETE", "/me/search": "POST", "/me/help": "PUT", "/me/leave": "GET", "/me/no": "POST"} {
		got, _ := s.ask(method, target, "", visit)
		if got.StatusCode != 405 || got.Header.Get("Allow") == "" || !s.fake.visits["cookie"] {
			t.Errorf("%s %s: %d", method, target, got.StatusCode)
		}
	}
	for _, target := range everyPage {
		got, body := s.ask("HEAD", target, "", visit)
		if got.StatusCode != 200 && target != "/me/no-such-page" || body != "" || got.Header.Get("Content-Length") == "" {
			t.Errorf("HEAD %s: %d %q", target, got.StatusCode, body)
		}
	}
}

func TestLeave(t *testing.T) {
	s := open()
	got, body := s.ask("POST", "/me/leave", "token="+tokenIn(t, s.see(t, "/me/")), visit)
	wants(t, body, "You have left", "satchel open --leave")
	if c := got.Header.Get("Set-Cookie"); !strings.HasPrefix(c, "satchel-1234=; Path=/; Max-Age=0; HttpOnly") || s.fake.visits["cookie"] {
		t.Errorf("the cookie is %q", c)
	}
}

// Errors are pages that say what to do, and never what a memory says or a driver said.
func TestFailures(t *testing.T) {
	for _, c := range []struct {
		err    error
		status int
		says   string
		told   bool
	}{
		{&memory.Error{Kind: memory.NotFound, Message: "the secret text"}, 404, "There is nothing here", false},
		{&memory.Error{Kind: memory.InvalidRecord, Message: "the page mark is not one that list gave"}, 400, "the page mark is not one", false},
		{&memory.Error{Kind: memory.RateLimited}, 429, "Too many", false},
		{&memory.Error{Kind: memory.SignatureInvalid}, 409, "satchel doctor", false},
		{&memory.Error{Kind: memory.Internal, Err: errors.New("the secret text")}, 500, "satchel doctor", true},
		{&memory.Error{Kind: memory.Internal, Err: memory.ErrUnavailable}, 503, "does not answer", true},
		{errors.New("the secret text"), 500, "satchel doctor", true},
	} {
		s := open()
		s.fake.records, s.fake.fails = []memory.Record{record("abcdefgh", "tea")}, c.err
		for _, target := range []string{"/me/", "/me/memories", "/me/memories/abcdefgh", "/me/search?q=x", "/me/context"} {
			got, body := s.ask("GET", target, "", visit)
			if got.StatusCode != c.status || strings.Contains(body, "the secret text") || !strings.Contains(body, `href="/me/"`) {
				t.Errorf("%v of %s: %d %s", c.err, target, got.StatusCode, body)
			}
			wants(t, body, c.says)
		}
		if (len(s.reported) > 0) != c.told {
			t.Errorf("%v is reported %d times", c.err, len(s.reported))
		}
	}
}

// A memory of nobody and one of somebody else look the same.
func TestUnknownMemory(t *testing.T) {
	s := open()
	got, one := s.ask("GET", "/me/memories/zzzzzzzz", "", visit)
	_, two := s.ask("GET", "/me/memories/zzzzzzzz/raw", "", visit)
	if got.StatusCode != 404 || one != two {
		t.Errorf("%d %s", got.StatusCode, one)
	}
}
