package server_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/server"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/internal/vault/visit"
	"github.com/satchel-memory/satchel/memory"
)

const pageHost = "m-0123abcd.localhost"

// paged builds a house with pages.
func paged(t *testing.T, change ...func(*server.Options)) house {
	t.Helper()
	o := server.Options{Rate: 1e6, Burst: 1e6, Pages: server.Pages{Name: pageHost, Store: "/home/ana"}, Log: (&record{}).logger()}
	for _, c := range change {
		c(&o)
	}
	return buildAs(t, vault.Options{}, o)
}

const unnamed = "Authorization:"

// look asks for a page by its name, without a token.
func (h house) look(t *testing.T, method, path, form string, header ...string) answer {
	t.Helper()
	_, port, _ := strings.Cut(h.address, ":")
	all := []string{unnamed, "Host: " + pageHost + ":" + port}
	if form != "" {
		all = append(all, "Content-Type: application/x-www-form-urlencoded")
	}
	return h.do(t, method, path, form, append(all, header...)...)
}

func (h house) invite(t *testing.T) visit.Entrance {
	t.Helper()
	e, err := visit.New(h.vault).Invite(t.Context(), h.self(), visit.ForLink)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// letIn returns the header of a browser that was let in.
func (h house) letIn(t *testing.T) string {
	t.Helper()
	got := h.look(t, "POST", "/me/enter", "secret="+h.invite(t).Secret)
	if got.StatusCode != 303 || len(got.Cookies()) != 1 {
		t.Fatalf("%d %s", got.StatusCode, got.body)
	}
	c := got.Cookies()[0]
	return "Cookie: " + c.Name + "=" + c.Value
}

var tokenField = regexp.MustCompile(`name="token" value="([^"]+)"`)

// A link lets one browser in; nothing else does; the log holds no secret (A1, A2).
func TestPagesEnter(t *testing.T) {
	t.Parallel()
	log := &record{}
	h := paged(t, func(o *server.Options) { o.Log = log.logger() })
	e := h.invite(t)
	wrong := []byte(e.Secret)
	wrong[3] ^= 1
	var bodies []string
	for _, secret := range []string{string(wrong), "", e.Code[:12]} {
		got := h.look(t, "POST", "/me/enter", "secret="+url.QueryEscape(secret))
		if got.StatusCode != 403 {
			t.Errorf("%q: %d", secret, got.StatusCode)
		}
		bodies = append(bodies, string(got.body))
	}
	got := h.look(t, "POST", "/me/enter", "secret="+e.Secret)
	c := got.Cookies()
	if got.StatusCode != 303 || got.Header.Get("Location") != "/me/" || len(c) != 1 || !c[0].HttpOnly || c[0].SameSite != http.SameSiteStrictMode || c[0].Domain != "" || c[0].Name != "satchel-0123abcd" {
		t.Fatalf("%d %v", got.StatusCode, c)
	}
	used := h.look(t, "POST", "/me/enter", "secret="+e.Secret)
	for _, body := range append(bodies, string(used.body)) {
		if used.StatusCode != 403 || body != bodies[0] {
			t.Errorf("the refusals differ: %d %s", used.StatusCode, body)
		}
	}
	if got := h.look(t, "GET", "/me/", "", "Cookie: "+c[0].Name+"="+c[0].Value); got.StatusCode != 200 || !strings.Contains(string(got.body), "Nothing is remembered yet") {
		t.Errorf("%d %s", got.StatusCode, got.body)
	}
	for _, secret := range []string{e.Secret, e.Code, c[0].Value} {
		if strings.Contains(log.String(), secret) {
			t.Errorf("the log holds a secret: %s", log)
		}
	}
	if !strings.Contains(log.String(), `"/me/enter"`) {
		t.Error("the log does not name the route")
	}
}

// Forms from elsewhere change nothing (A3).
func TestPagesForms(t *testing.T) {
	t.Parallel()
	h := paged(t)
	mine, other := h.letIn(t), h.letIn(t)
	token := func(cookie string) string {
		return tokenField.FindStringSubmatch(string(h.look(t, "GET", "/me/help", "", cookie).body))[1]
	}
	_, port, _ := strings.Cut(h.address, ":")
	own := "Origin: http://" + pageHost + ":" + port
	for name, c := range map[string]struct{ form, header string }{
		"another port":     {"token=" + token(mine), "Origin: http://" + pageHost + ":1"},
		"no origin at all": {"token=" + token(mine), "Origin: null"},
		"a sibling":        {"token=" + token(mine), "Sec-Fetch-Site: same-site"},
		"no token":         {"token=", own},
		"another visit's":  {"token=" + token(other), own},
	} {
		if got := h.look(t, "POST", "/me/leave", c.form, mine, c.header); got.StatusCode != 403 {
			t.Errorf("%s: %d", name, got.StatusCode)
		}
		if got := h.look(t, "GET", "/me/", "", mine); got.StatusCode != 200 {
			t.Fatalf("%s turned the owner out", name)
		}
	}
	if got := h.look(t, "POST", "/me/leave", "token="+token(mine), mine, own); got.StatusCode != 200 {
		t.Errorf("its own: %d %s", got.StatusCode, got.body)
	}
	if got := h.look(t, "GET", "/me/", "", mine); got.StatusCode != 303 {
		t.Errorf("after leaving: %d", got.StatusCode)
	}
}

// The cookie opens pages only, and tokens open none (A4).
func TestPagesAndTokens(t *testing.T) {
	t.Parallel()
	h := paged(t)
	h.remember(t, "A canary sings.")
	cookie := h.letIn(t)
	for _, c := range [][2]string{{"POST", "/ump/recall"}, {"GET", "/ump/export"}, {"POST", "/mcp"}, {"GET", "/v1/brain/export"}, {"GET", "/v1/context"}, {"GET", "/aaif/agents"}, {"GET", "/metrics"}} {
		got := h.look(t, c[0], c[1], `{"query":"canary"}`, cookie, "Content-Type: application/json")
		if got.StatusCode < 400 || strings.Contains(string(got.body), "sings") {
			t.Errorf("%s: %d %s", c, got.StatusCode, got.body)
		}
	}
	if got := h.look(t, "POST", "/ump/recall", `{"query":"canary"}`, cookie); got.StatusCode != 401 {
		t.Errorf("/ump/recall: %d", got.StatusCode)
	}
	peer, _ := h.mint(t, vault.TokenOrder{Verbs: memory.Verbs(), Visibility: memory.Private, Expires: time.Now().Add(time.Hour)})
	for _, bearer := range []string{token, peer} {
		for _, path := range []string{"/me/", "/me/memories", "/me/search?q=canary", "/me/memories/x"} {
			got := h.look(t, "GET", path, "", "Authorization: Bearer "+bearer)
			if got.StatusCode != 303 || !strings.HasPrefix(got.Header.Get("Location"), "/me/enter") {
				t.Errorf("%s with a token: %d %s", path, got.StatusCode, got.body)
			}
		}
	}
	if got := h.look(t, "GET", "/me/search?q=canary", "", cookie); got.StatusCode != 200 || !strings.Contains(string(got.body), "sings") {
		t.Errorf("%d %s", got.StatusCode, got.body)
	}
}

// A search gives what an assistant is given, in the same order (A8).
func TestPagesSearch(t *testing.T) {
	t.Parallel()
	h := paged(t)
	for i, text := range []string{"Use pnpm, never npm.", "The shop sells tea.", "Ana drinks tea without milk.", "The npm mirror is slow."} {
		h.remember(t, fmt.Sprint(text, " ", i))
	}
	cookie := h.letIn(t)
	link := regexp.MustCompile(`<a class="text" href="/me/memories/([^"]+)"`)
	for _, question := range []string{"tea", "which package manager, npm or pnpm?", "milk", "who drinks?", "mirror", "zyzzyva"} {
		asked, err := json.Marshal(map[string]any{"query": question})
		if err != nil {
			t.Fatal(err)
		}
		var recalled struct {
			Results []struct{ Record struct{ ID string } }
		}
		if err := json.Unmarshal(h.do(t, "POST", "/ump/recall", string(asked)).body, &recalled); err != nil {
			t.Fatal(err)
		}
		var want, got []string
		for _, r := range recalled.Results {
			want = append(want, strings.TrimPrefix(r.Record.ID, memory.IDPrefix))
		}
		for _, m := range link.FindAllStringSubmatch(string(h.look(t, "GET", "/me/search?q="+url.QueryEscape(question), "", cookie).body), -1) {
			got = append(got, m[1])
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%q: %q, and recall has %q", question, got, want)
		}
	}
}

// Pages go from the newest to the oldest memory and back, each once, filtered or not.
func TestPagesList(t *testing.T) {
	t.Parallel()
	h := paged(t)
	for i := range 120 {
		h.remember(t, fmt.Sprintf("memory number %d.", i))
	}
	cookie := h.letIn(t)
	text := regexp.MustCompile(`memory number (\d+)\.`)
	walk := func(path, rel string) (seen []string, last string) {
		for path != "" {
			body := string(h.look(t, "GET", path, "", cookie).body)
			var page []string
			for _, m := range text.FindAllStringSubmatch(body, -1) {
				page = append(page, m[1])
			}
			if rel == "prev" {
				seen = append(page, seen...)
			} else {
				seen = append(seen, page...)
			}
			last, path = path, ""
			if m := regexp.MustCompile(`rel="` + rel + `" href="([^"]+)"`).FindStringSubmatch(body); m != nil {
				path = strings.ReplaceAll(m[1], "&amp;", "&")
			}
		}
		return seen, last
	}
	for _, filter := range []string{"", "?visibility=shared", "?from=you"} {
		seen, last := walk("/me/memories"+filter, "next")
		back, _ := walk(last, "prev")
		if len(seen) != 120 || seen[0] != "119" || seen[119] != "0" || fmt.Sprint(back) != fmt.Sprint(seen) {
			t.Errorf("%q: %d there, from %s; %d back\n%v\n%v", filter, len(seen), seen[:1], len(back), seen, back)
		}
	}
	if seen, _ := walk("/me/memories?visibility=private", "next"); len(seen) != 0 {
		t.Errorf("private: %v", seen)
	}
}

// What belongs to another owner looks as what does not exist.
func TestPagesOfOneOwner(t *testing.T) {
	t.Parallel()
	h := paged(t)
	all := settle(t, h)
	cookie := h.letIn(t)
	unknown := h.look(t, "GET", "/me/memories/zzzzzzzzzzzz", "", cookie)
	for _, o := range all {
		for word, id := range o.ids {
			got := h.look(t, "GET", "/me/memories/"+strings.TrimPrefix(id, memory.IDPrefix), "", cookie)
			if own := o.name == "home"; own != (got.StatusCode == 200) || own != strings.Contains(string(got.body), word) || !own && string(got.body) != string(unknown.body) {
				t.Errorf("%s of %s: %d", word, o.name, got.StatusCode)
			}
			if got := h.look(t, "GET", "/me/search?q="+word, "", cookie); strings.Contains(string(got.body), `class="text"`) != (o.name == "home") {
				t.Errorf("search finds %s of %s", word, o.name)
			}
		}
	}
}

// Each owner's browser sees that owner's memory: for every page, what belongs to another
// owner looks as what does not exist (A14).
func TestPagesOfManyOwners(t *testing.T) {
	t.Parallel()
	h := paged(t, func(o *server.Options) { o.Rate, o.Burst = 1e5, 1e5 })
	all := settle(t, h)
	unknown := "zzzzzzzzzzzz"
	for _, me := range all {
		e, err := visit.New(h.vault).Invite(t.Context(), memory.Caller{Owner: me.key.DID(), Role: memory.Owner}, visit.ForInvitation)
		if err != nil {
			t.Fatalf("%s: %v", me.name, err)
		}
		if (e.Code == "") != (me.name != "home") {
			t.Errorf("the code of %s is %q", me.name, e.Code)
		}
		got := h.look(t, "POST", "/me/enter", "secret="+url.QueryEscape(e.Secret))
		if got.StatusCode != 303 || len(got.Cookies()) != 1 {
			t.Fatalf("%s: %d %s", me.name, got.StatusCode, got.body)
		}
		cookie := "Cookie: " + got.Cookies()[0].Name + "=" + got.Cookies()[0].Value
		for _, other := range all {
			for word, id := range other.ids {
				own := other.name == me.name
				for _, path := range []string{"", "/raw"} {
					got := h.look(t, "GET", "/me/memories/"+strings.TrimPrefix(id, memory.IDPrefix)+path, "", cookie)
					missing := h.look(t, "GET", "/me/memories/"+unknown+path, "", cookie)
					if own != (got.StatusCode == 200) || own != strings.Contains(string(got.body), word) || !own && string(got.body) != string(missing.body) {
						t.Errorf("%s sees %s of %s: %d", me.name, word, other.name, got.StatusCode)
					}
				}
				if got := h.look(t, "GET", "/me/search?q="+word, "", cookie); strings.Contains(string(got.body), `class="text"`) != own {
					t.Errorf("%s finds %s of %s", me.name, word, other.name)
				}
			}
		}
		if got := h.look(t, "GET", "/me/", "", cookie); got.StatusCode != 200 || !strings.Contains(string(got.body), string(me.key.DID())[:18]) {
			t.Errorf("the first page of %s: %d", me.name, got.StatusCode)
		}
	}
}

// Erasing everything turns every browser out.
func TestPagesAfterErasure(t *testing.T) {
	t.Parallel()
	h := paged(t)
	cookie := h.letIn(t)
	if _, err := h.vault.EraseOwner(t.Context(), h.self()); err != nil {
		t.Fatal(err)
	}
	if got := h.look(t, "GET", "/me/", "", cookie); got.StatusCode != 303 {
		t.Errorf("%d", got.StatusCode)
	}
}

// Browsers that ask for the root get to the pages, and programs what they always got.
func TestPagesRoot(t *testing.T) {
	t.Parallel()
	h := paged(t)
	if got := h.look(t, "GET", "/", "", "Accept: text/html,application/xhtml+xml;q=0.9,*/*;q=0.8"); got.StatusCode != 303 || got.Header.Get("Location") != "/me/" {
		t.Errorf("a browser: %d", got.StatusCode)
	}
	for _, accept := range []string{"Accept: */*", "Accept:", "Accept: text/plain"} {
		if got := h.look(t, "GET", "/", "", accept); got.StatusCode != 200 || !strings.HasPrefix(string(got.body), "Satchel 1.0.0") {
			t.Errorf("%s: %d %s", accept, got.StatusCode, got.body)
		}
	}
}

// Only the name of this store, and those of before, lead to the server.
func TestPagesHost(t *testing.T) {
	t.Parallel()
	h := paged(t)
	for host, want := range map[string]int{pageHost: 200, "localhost": 200, "127.0.0.1": 200, "m-ffffffff.localhost": 403, "evil.localhost": 403, "example.com": 403} {
		if got := h.do(t, "GET", "/me/enter", "", unnamed, "Host: "+host); got.StatusCode != want {
			t.Errorf("%s: %d", host, got.StatusCode)
		}
	}
	if got := h.do(t, "GET", "/me/enter", "", unnamed, "Host: example.com"); !strings.Contains(string(got.body), "<h1>") || got.Header.Get("Content-Type") != "text/html; charset=utf-8" {
		t.Errorf("the refusal is no page: %s", got.body)
	}
}

// Without pages nothing of them is there (A18).
func TestNoPages(t *testing.T) {
	t.Parallel()
	h := build(t)
	for _, path := range []string{"/me", "/me/", "/me/enter", "/me/memories", "/me/static/x/style.css"} {
		if got := h.do(t, "GET", path, "", unnamed, "Accept: text/html"); got.StatusCode != 404 || strings.Contains(string(got.body), "<") {
			t.Errorf("%s: %d %s", path, got.StatusCode, got.body)
		}
	}
	if got := h.do(t, "GET", "/", "", unnamed, "Accept: text/html"); got.StatusCode != 200 {
		t.Errorf("/: %d", got.StatusCode)
	}
}

// Too many guesses of a code are slowed down, and keep out neither who has a link nor who is
// in, though all come from one address as behind a proxy.
func TestPagesGuessing(t *testing.T) {
	t.Parallel()
	h := paged(t, func(o *server.Options) { o.FailRate, o.FailBurst = .001, 48 })
	cookie, status := h.letIn(t), map[int]int{}
	for i := range 100 {
		status[h.look(t, "POST", "/me/enter", fmt.Sprint("secret=guess-guess-g", i%5)).StatusCode]++
	}
	if status[403] != 15 || status[429] != 85 {
		t.Errorf("of guesses: %v", status)
	}
	var got answer
	for range 4 { // a code with more hyphens is no secret of a link
		got = h.look(t, "POST", "/me/enter", "secret="+strings.Repeat("-", 31)+"guessguessg1")
	}
	if got.StatusCode != 429 || got.Header.Get("Retry-After") == "" || !strings.Contains(string(got.body), "Too many") {
		t.Errorf("%d %s", got.StatusCode, got.body)
	}
	for range 8 {
		if got := h.look(t, "POST", "/me/enter", "secret="+h.invite(t).Secret); got.StatusCode != 303 {
			t.Errorf("a good link: %d", got.StatusCode)
		}
	}
	if got := h.look(t, "GET", "/me/", "", cookie); got.StatusCode != 200 {
		t.Errorf("who is in: %d", got.StatusCode)
	}
}

// A flood of wrong secrets from one address uses nothing up that a good link needs.
func TestPagesFlood(t *testing.T) {
	t.Parallel()
	h := paged(t, func(o *server.Options) { o.Rate, o.Burst, o.FailRate, o.FailBurst = .001, 20, .001, 48 })
	wrong := []byte(h.invite(t).Secret)
	wrong[7] = map[bool]byte{true: 'B', false: 'A'}[wrong[7] == 'A'] // no try is the secret itself
	for i := range 160 {
		wrong[5], wrong[6] = 'a'+byte(i%26), 'a'+byte(i/26)
		if got := h.look(t, "POST", "/me/enter", "secret="+string(wrong)); got.StatusCode != 403 {
			t.Fatalf("wrong secret %d: %d", i, got.StatusCode)
		}
		h.look(t, "POST", "/me/enter", "passkey="+string(wrong))
	}
	if got := h.look(t, "POST", "/me/enter", "secret="+h.invite(t).Secret); got.StatusCode != 303 {
		t.Errorf("a good link: %d %s", got.StatusCode, got.body)
	}
}

// Strangers who use their allowance up keep nobody out who was let in, nor who comes to enter.
func TestPagesBesideStrangers(t *testing.T) {
	t.Parallel()
	h := paged(t, func(o *server.Options) { o.Rate, o.Burst = .001, 20 })
	cookie := h.letIn(t)
	h.look(t, "GET", "/me/", "", cookie)
	last := 0
	for i := range 30 {
		last = h.look(t, "GET", "/me/", "", fmt.Sprint("Cookie: satchel-0123abcd=forged", i)).StatusCode
	}
	if last != 429 {
		t.Fatalf("strangers are not slowed down: %d", last)
	}
	for range 10 {
		if got := h.look(t, "GET", "/me/help", "", cookie); got.StatusCode != 200 {
			t.Fatalf("who is in: %d", got.StatusCode)
		}
	}
	if got := h.look(t, "GET", "/me/enter", ""); got.StatusCode != 200 {
		t.Errorf("to come to the page: %d", got.StatusCode)
	}
	for range 30 {
		last = h.look(t, "GET", "/me/help", "", cookie).StatusCode
	}
	if last != 429 {
		t.Errorf("a visit has no bound: %d", last)
	}
}
