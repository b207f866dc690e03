package server_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/internal/audit"
	"github.com/satchel-memory/satchel/internal/pages"
	"github.com/satchel-memory/satchel/internal/server"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/internal/vault/belief"
	"github.com/satchel-memory/satchel/internal/vault/visit"
	"github.com/satchel-memory/satchel/memory"
)

// browser is a browser that was let in.
type browser struct {
	house
	cookie, token string
}

func (h house) browser(t *testing.T) browser {
	t.Helper()
	cookie := h.letIn(t)
	return browser{h, cookie, tokenField.FindStringSubmatch(string(h.look(t, "GET", "/me/help", "", cookie).body))[1]}
}

// send sends a form of the visit.
func (b browser) send(t *testing.T, path, form string) answer {
	t.Helper()
	return b.look(t, "POST", path, form+"&token="+b.token, b.cookie, "Sec-Fetch-Site: same-origin")
}

// shows returns the body of a page.
func (b browser) shows(t *testing.T, path string) string {
	t.Helper()
	return string(b.look(t, "GET", path, "", b.cookie).body)
}

// follows sends a form and returns the page to which it leads.
func (b browser) follows(t *testing.T, path, form string) string {
	t.Helper()
	got := b.send(t, path, form)
	if got.StatusCode != http.StatusSeeOther {
		t.Fatalf("%s: %d %s", path, got.StatusCode, got.body)
	}
	return got.Header.Get("Location")
}

// undoes clicks Undo in the notice of a page.
func (b browser) undoes(t *testing.T, page string) string {
	t.Helper()
	at, err := url.Parse(page)
	if err != nil || at.Query().Get("undo") == "" || !strings.Contains(b.shows(t, page), `name="undo" value="`+at.Query().Get("undo")+`"`) {
		t.Fatalf("%s has no undo, %v", page, err)
	}
	return b.follows(t, "/me/undo", "undo="+at.Query().Get("undo"))
}

// all is everything that the owner keeps, as JSON.
func (h house) all(t *testing.T) string {
	t.Helper()
	page, err := h.vault.List(t.Context(), h.self(), vault.ListQuery{Statuses: []memory.Status{memory.Active, memory.Candidate, memory.Tombstoned}, Limit: 1000})
	if err != nil {
		t.Fatal(err)
	}
	var forms []string
	for _, rec := range page.Records {
		forms = append(forms, string(rec.Form()))
	}
	out, err := json.Marshal(forms)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// path is the page of the only memory that says a text.
func (h house) path(t *testing.T, text string) string {
	t.Helper()
	page, err := h.vault.List(t.Context(), h.self(), vault.ListQuery{Limit: 1000})
	if err != nil {
		t.Fatal(err)
	}
	for _, rec := range page.Records {
		if rec.Body.Text == text {
			return "/me/memories/" + strings.TrimPrefix(string(rec.ID), memory.IDPrefix)
		}
	}
	t.Fatalf("nothing says %q", text)
	return ""
}

// Forms change what they say, and Undo takes it back, to the byte.
func TestPagesChange(t *testing.T) {
	t.Parallel()
	h := paged(t)
	b := h.browser(t)
	if at := b.follows(t, "/me/memories/new", "kind=semantic&text=Tea+at+four."); !strings.HasSuffix(at, "?done=remembered") {
		t.Fatal(at)
	}
	h.remember(t, "Coffee at nine.")
	tea, before := h.path(t, "Tea at four."), h.all(t)
	for name, form := range map[string][2]string{
		"correct": {tea + "/correct", "text=Tea+at+five."}, "forget": {tea + "/forget", ""}, "forget all": {tea + "/forget", "all=yes"},
		"mark": {"/me/memories/forget", "id=" + strings.TrimPrefix(tea, "/me/memories/") + "&id=" + strings.TrimPrefix(h.path(t, "Coffee at nine."), "/me/memories/")},
	} {
		t.Run(name, func(t *testing.T) {
			at := b.follows(t, form[0], form[1])
			if h.all(t) == before {
				t.Fatal("nothing was changed")
			}
			b.undoes(t, at)
			if after := h.all(t); after != before {
				t.Errorf("undo leaves\n%s\nof\n%s", after, before)
			}
		})
	}
	if got := b.send(t, "/me/memories/new", "text=Tea+at+four.&kind=semantic"); !strings.HasSuffix(got.Header.Get("Location"), "?done=known") {
		t.Errorf("again: %s", got.Header.Get("Location"))
	}
	if got := b.follows(t, "/me/memories/new", "kind=semantic&text="+url.QueryEscape("The key is sk-proj-AbCdEfGhIjKlMnOpQrStUvWxYz0123456789AbCdEfGhIjKl.")); !strings.HasSuffix(got, "?done=masked") {
		t.Errorf("a secret: %s", got)
	}
	if at := b.follows(t, tea+"/wrong", ""); !strings.HasSuffix(at, "?done=wrong") {
		t.Errorf("wrong: %s", at)
	}
	if got := b.send(t, "/me/undo", "undo="); got.StatusCode != 409 {
		t.Errorf("nothing named: %d", got.StatusCode)
	}
}

// Forms from elsewhere change nothing in the store (A3), and those about memories of others
// find nothing.
func TestPagesChangeForms(t *testing.T) {
	t.Parallel()
	h := paged(t, func(o *server.Options) { o.Rate, o.Burst, o.FailRate, o.FailBurst = 1000, 10000, 1000, 10000 })
	others := settle(t, h)
	h.remember(t, "Tea at four.")
	b, other := h.browser(t), h.browser(t)
	tea := h.path(t, "Tea at four.")
	before := h.all(t)
	_, port, _ := strings.Cut(h.address, ":")
	for path, form := range map[string]string{
		"/me/memories/new": "kind=semantic&text=x", "/me/memories/forget": "id=" + strings.TrimPrefix(tea, "/me/memories/"), tea + "/correct": "text=x", tea + "/forget": "all=yes", tea + "/wrong": "", tea + "/erase": "sure=yes",
		"/me/undo": "undo=x", "/me/waiting/x": "act=confirm", "/me/waiting/all": "act=confirm&source=x&count=1",
	} {
		for name, c := range map[string][2]string{
			"another port": {b.token, "Origin: http://" + pageHost + ":1"}, "no origin": {b.token, "Origin: null"}, "no token": {"", "Origin: http://" + pageHost + ":" + port},
			"another visit's": {other.token, "Sec-Fetch-Site: same-origin"},
		} {
			if got := h.look(t, "POST", path, form+"&token="+c[0], b.cookie, c[1]); got.StatusCode != 403 || h.all(t) != before {
				t.Errorf("%s, %s: %d", path, name, got.StatusCode)
			}
		}
	}
	unknown := string(b.send(t, "/me/memories/zzzzzzzzzzzz/forget", "").body)
	for _, o := range others {
		for _, id := range o.ids {
			for _, act := range []string{"/correct", "/forget", "/wrong", "/erase"} {
				got := b.send(t, "/me/memories/"+strings.TrimPrefix(id, memory.IDPrefix)+act, "text=x")
				if o.name != "home" && (got.StatusCode != 404 || string(got.body) != unknown) {
					t.Errorf("%s of a memory of %s: %d", act, o.name, got.StatusCode)
				}
			}
		}
	}
}

// What waits is decided as on the command line, in one list; Undo lets it wait again.
func TestPagesJudge(t *testing.T) {
	t.Parallel()
	h := paged(t)
	b, beliefs := h.browser(t), belief.Of(h.vault)
	for _, value := range []string{"short", "short and kind"} {
		if _, err := beliefs.Believe(t.Context(), h.self(), engram.Belief{Category: engram.Communication, Key: "email_style", Text: value}, false); err != nil {
			t.Fatal(err)
		}
	}
	found := func(text string) memory.Record {
		return memory.Record{Kind: memory.Semantic, Body: memory.Body{Text: text}, Scope: memory.Scope{Owner: h.owner},
			Provenance: &memory.Provenance{Actor: "distiller", ActorKind: memory.ByModel, Method: vault.Found, Source: &memory.Source{Ref: "chat 7"}}}
	}
	if _, err := h.vault.Suggest(t.Context(), h.self(), []memory.Record{found("likes quinces"), found("likes pears")}, false); err != nil {
		t.Fatal(err)
	}
	runtime := memory.Caller{Owner: h.owner, Role: memory.Agent, Agent: "claw"}
	if _, err := beliefs.ProposeConstraint(t.Context(), runtime, engram.Constraint{Rule: "Never use emoji.", Category: "content"}); err != nil {
		t.Fatal(err)
	}
	page := b.shows(t, "/me/waiting")
	for _, want := range []string{"4 things wait", "short <ins>and kind</ins>", "likes quinces", "Never use emoji.", "by <bdi>claw</bdi>", "2 things from <bdi>chat 7</bdi>"} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q in %s", want, page)
		}
	}
	at := b.follows(t, "/me/waiting/all", "act=confirm&source=chat+7&count=2")
	h.path(t, "likes pears")
	if back := b.undoes(t, at); back != "/me/waiting?done=waits" || !strings.Contains(b.shows(t, back), "4 things wait") {
		t.Errorf("%s: %s", back, b.shows(t, back))
	}
	cases, err := beliefs.Corrections(t.Context(), h.self(), true)
	if err != nil || len(cases) != 1 {
		t.Fatal(cases, err)
	}
	b.undoes(t, b.follows(t, "/me/waiting/"+cases[0].ID, "act=confirm"))
	b.follows(t, "/me/waiting/"+cases[0].ID, "act=confirm&text=kind+and+short")
	if now, err := beliefs.Corrections(t.Context(), h.self(), false); err != nil || now[len(now)-1].Now != "kind and short" {
		t.Errorf("%+v, %v", now, err)
	}
	if at := b.follows(t, "/me/waiting/"+cases[0].ID, "act=reject"); at != "/me/waiting?done=decided" {
		t.Errorf("decided already: %s", at)
	}
}

// The order in which things are decided together does not matter to Undo, nor does a failure
// midway: what was decided or forgotten before it can be taken back.
func TestPagesTogether(t *testing.T) {
	t.Parallel()
	h := paged(t)
	beliefs, all := belief.Of(h.vault), server.OwnerPagesOf(h.vault)
	runtime := memory.Caller{Owner: h.owner, Role: memory.Agent, Agent: "claw"}
	propose := func(text string) (fact, rule string) {
		t.Helper()
		rec := memory.Record{Kind: memory.Semantic, Body: memory.Body{Text: text}, Scope: memory.Scope{Owner: h.owner},
			Provenance: &memory.Provenance{Actor: "distiller", ActorKind: memory.ByModel, Method: vault.Found}}
		if _, err := h.vault.Suggest(t.Context(), h.self(), []memory.Record{rec}, false); err != nil {
			t.Fatal(err)
		}
		if _, err := beliefs.ProposeConstraint(t.Context(), runtime, engram.Constraint{Rule: "Never praise " + text, Category: "content"}); err != nil {
			t.Fatal(err)
		}
		list, err := all.Waits(t.Context(), h.self())
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range list {
			switch w.Becomes {
			case text:
				fact = w.ID
			case "Never praise " + text:
				rule = w.ID
			}
		}
		return fact, rule
	}
	for name, order := range map[string]func(fact, rule string) []string{
		"fact, rule":       func(fact, rule string) []string { return []string{fact, rule} },
		"rule, fact":       func(fact, rule string) []string { return []string{rule, fact} },
		"fact, none":       func(fact, _ string) []string { return []string{fact, "nothing"} },
		"fact, fact again": func(fact, _ string) []string { return []string{fact, fact} },
	} {
		fact, rule := propose(name)
		undo, err := all.Decide(t.Context(), h.self(), pages.Decision{IDs: order(fact, rule), Confirm: true})
		if undo == "" || (err != nil) != (name == "fact, none" || name == "fact, fact again") {
			t.Errorf("%s: undo %q, %v", name, undo, err)
			continue
		}
		if done, err := all.TakeBack(t.Context(), h.self(), undo); err != nil || !done.Waits {
			t.Errorf("%s: %+v, %v", name, done, err)
		}
	}
	_, rule := propose("rule alone")
	if undo, err := all.Decide(t.Context(), h.self(), pages.Decision{IDs: []string{rule}, Confirm: true}); undo != "" || err != nil {
		t.Errorf("a rule cannot be taken back: %q, %v", undo, err)
	}
	h.remember(t, "Tea at four.")
	id := memory.ID(memory.IDPrefix + strings.TrimPrefix(h.path(t, "Tea at four."), "/me/memories/"))
	undo, err := all.ForgetThese(t.Context(), h.self(), false, id, "urn:ump:nothing")
	if undo == "" || memory.KindOf(err) != memory.NotFound {
		t.Fatalf("%q, %v", undo, err)
	}
	if done, err := all.TakeBack(t.Context(), h.self(), undo); err != nil || done.ID != id {
		t.Errorf("%+v, %v", done, err)
	}
}

// To erase takes a code of the command line, and the log has it (A9).
func TestPagesErase(t *testing.T) {
	t.Parallel()
	h := paged(t)
	h.remember(t, "Tea at four.")
	b, tea := h.browser(t), h.path(t, "Tea at four.")
	before := h.all(t)
	for _, form := range []string{"", "sure=yes", "sure=yes&code=222222"} {
		if got := b.send(t, tea+"/erase", form); got.StatusCode == 303 || h.all(t) != before {
			t.Fatalf("%q erases: %d", form, got.StatusCode)
		}
	}
	code, err := visit.New(h.vault).IssueCode(t.Context(), h.self())
	if err != nil {
		t.Fatal(err)
	}
	if at := b.follows(t, tea+"/erase", "sure=yes&code="+code.Code); !strings.HasPrefix(at, "/me/memories?done=eras") || strings.Contains(h.all(t), "Tea") {
		t.Errorf("%s", at)
	}
	entries, err := h.vault.Audit(t.Context(), h.self(), 0, 99)
	if err != nil {
		t.Fatal(err)
	}
	var acts []audit.Act
	for _, e := range entries {
		acts = append(acts, e.Act)
	}
	if n := len(acts); n < 2 || acts[n-2] != audit.Confirm || acts[n-1] != audit.Erase {
		t.Errorf("the log has %v", acts)
	}
}

// To erase everything takes the owner's key and a code. The answer arrives, and nobody is let
// in any more.
func TestPagesEraseAll(t *testing.T) {
	t.Parallel()
	h := paged(t)
	h.remember(t, "Tea at four.")
	b, before := h.browser(t), h.all(t)
	page := b.shows(t, "/me/settings/erase")
	if !strings.Contains(page, "1 memory, with every version") || !strings.Contains(page, "satchel erase --confirm") {
		t.Errorf("%s", page)
	}
	code, err := visit.New(h.vault).IssueCode(t.Context(), h.self())
	if err != nil {
		t.Fatal(err)
	}
	for _, form := range []string{"", "sure=yes&typed=" + string(h.owner), "sure=yes&code=" + code.Code, "sure=yes&typed=did:key:x&code=" + code.Code} {
		if b.send(t, "/me/settings/erase", form); h.all(t) != before {
			t.Fatalf("%q erases", form)
		}
	}
	got := b.send(t, "/me/settings/erase", "sure=yes&typed="+string(h.owner)+"&code="+code.Code)
	if got.StatusCode != 200 || !strings.Contains(string(got.body), "<h1>Everything is erased</h1>") || len(got.Cookies()) != 1 || got.Cookies()[0].MaxAge != -1 {
		t.Errorf("%d %v %s", got.StatusCode, got.Cookies(), got.body)
	}
	if strings.Contains(h.all(t), "Tea") {
		t.Error("the memory is still there")
	}
	if got := b.look(t, "GET", "/me/settings", "", b.cookie); got.StatusCode != 303 {
		t.Errorf("the browser is let in still: %d", got.StatusCode)
	}
}
