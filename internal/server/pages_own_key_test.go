package server_test

import (
	"encoding/json"
	"html"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// loner is an owner who keeps their own key: this server can sign nothing.
type loner struct {
	tenant
	cookie string
}

// alone lets such an owner in, with some memories.
func alone(t *testing.T, h house, texts ...string) loner {
	t.Helper()
	o := loner{tenant: tenant{name: "cara", key: seeded(t, 77), ids: map[string]string{}}}
	if _, err := h.vault.AddOwner(t.Context(), memory.Caller{Owner: h.owner, Role: memory.Owner}, vault.AccountOrder{Public: o.key.DID(), Label: "cara"}); err != nil {
		t.Fatal(err)
	}
	o.person = o.token(t, ump.Claims{ID: "t1", Subject: string(o.key.DID()), Verbs: memory.Verbs()})
	for _, text := range texts {
		o.ids[text] = o.sign(t, h, text)
	}
	o.cookie = h.enterAs(t, o.key.DID())
	return o
}

// sign makes a memory as the owner's own programs do, and returns its id.
func (o loner) sign(t *testing.T, h house, text string) string {
	t.Helper()
	rec, err := ump.Author(memory.Record{Kind: memory.Semantic, Body: memory.Body{Text: text}, Scope: memory.Scope{Owner: o.key.DID(), Visibility: memory.Private}, Provenance: &memory.Provenance{Actor: string(o.key.DID()), ActorKind: memory.ByUser, Method: "stated"}, Time: memory.Times{Created: time.Now().UTC().Truncate(time.Millisecond)}}, &o.key)
	if err != nil {
		t.Fatal(err)
	}
	body, err := json.Marshal(map[string]json.RawMessage{"record": rec.Form()})
	if err != nil {
		t.Fatal(err)
	}
	return decoded[outcome](t, h.do(t, "POST", "/ump/remember", string(body), bearing(o.person))).ID
}

// An owner who keeps their own key sees the lines to run instead of what this server cannot
// sign, and whatever needs no signature works (A14).
func TestPagesOfAnOwnerWhoSigns(t *testing.T) {
	t.Parallel()
	h := paged(t)
	o := alone(t, h, "the quince is ripe", "the pear is green", "the plum is blue")
	at := func(text string) string { return "/me/memories/" + strings.TrimPrefix(o.ids[text], memory.IDPrefix) }
	plum, sends := at("the plum is blue"), "/ump/remember -d @-"
	see := func(path string, wants ...string) string {
		t.Helper()
		got := h.look(t, "GET", path, "", o.cookie)
		body := html.UnescapeString(string(got.body))
		for _, want := range wants {
			if got.StatusCode != 200 || !strings.Contains(body, want) {
				t.Errorf("%s: %d, no %q in %s", path, got.StatusCode, want, body)
			}
		}
		return body
	}
	page := see(plum, "satchel get $(satchel revise -q "+o.ids["the plum is blue"]+" --text '…') --json | curl", sends, "--visibility shared) --json", "Forget</button>", "Erase…")
	if strings.Contains(page, "/correct") || strings.Contains(page, "/share\"") {
		t.Errorf("the page of a memory offers what fails: %s", page)
	}
	see(plum+"/correct", "satchel revise -q "+o.ids["the plum is blue"]+" --text '…'", "satchel import here.ump.json")
	see("/me/memories/new?text=-a%27b%24%28c%29&kind=identity", `satchel remember -q --kind identity -- '-a'\''b$(c)'`, sends)
	see("/me/sharing/new", "satchel token mint")
	if page := see("/me/imports", "satchel import FILE", sends); strings.Contains(page, `type="file"`) {
		t.Error("a file can be sent that nobody can sign for")
	}
	before := h.do(t, "GET", "/ump/export", "", bearing(o.person)).body
	for path, form := range map[string]string{plum + "/correct": "text=x", "/me/memories/new": "text=xyz", plum + "/share": "with=public&sure=yes", plum + "/unshare": "", "/me/sharing/mint": "read=yes&days=30"} {
		if got := h.submit(t, o.cookie, path, form); got.StatusCode != 409 || !strings.Contains(string(got.body), "You keep your own key") {
			t.Errorf("%s: %d %s", path, got.StatusCode, got.body)
		}
	}
	if after := h.do(t, "GET", "/ump/export", "", bearing(o.person)).body; string(after) != string(before) {
		t.Error("something was changed")
	}
	for _, path := range []string{"/me/", "/me/memories", "/me/context", "/me/search?q=plum", "/me/timeline", "/me/export", "/me/sharing", "/me/audit?verify=1", "/me/assistants", "/me/waiting", "/me/settings"} {
		see(path, "<h1")
	}
	forgotten := h.submit(t, o.cookie, at("the pear is green")+"/forget", "").Header.Get("Location")
	_, undo, _ := strings.Cut(forgotten, "undo=")
	for _, act := range [][2]string{{at("the quince is ripe") + "/wrong", ""}, {at("the quince is ripe") + "/forget", ""}, {"/me/undo", "undo=" + undo}, {"/me/projects/join", "alias=a&project=b"}} {
		if got := h.submit(t, o.cookie, act[0], act[1]); got.StatusCode != 303 {
			t.Errorf("%s: %d %s", act[0], got.StatusCode, got.body)
		}
	}
	if got := h.do(t, "POST", "/ump/recall", `{"query":"quince pear"}`, bearing(o.person)); strings.Contains(string(got.body), "ripe") || !strings.Contains(string(got.body), "green") {
		t.Errorf("after forgetting, and taking back: %s", got.body)
	}
	if home := string(h.look(t, "GET", plum, "", h.letIn(t)).body); strings.Contains(home, "plum is") {
		t.Error("the operator sees it")
	}
}
