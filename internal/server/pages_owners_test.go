package server_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/internal/vault/visit"
	"github.com/satchel-memory/satchel/memory"
)

// enterAs returns the header of an owner's browser that was let in.
func (h house) enterAs(t *testing.T, owner memory.DID) string {
	t.Helper()
	e, err := visit.New(h.vault).Invite(t.Context(), memory.Caller{Owner: owner, Role: memory.Owner}, visit.ForInvitation)
	if err != nil {
		t.Fatal(err)
	}
	return h.enterBy(t, e.Secret)
}

// enterBy returns the header of a browser that was let in by the secret of a link.
func (h house) enterBy(t *testing.T, secret string) string {
	t.Helper()
	got := h.look(t, "POST", "/me/enter", "secret="+url.QueryEscape(secret))
	if got.StatusCode != 303 || len(got.Cookies()) != 1 {
		t.Fatalf("%d %s", got.StatusCode, got.body)
	}
	return "Cookie: " + got.Cookies()[0].Name + "=" + got.Cookies()[0].Value
}

// submit posts a form of a browser's visit.
func (h house) submit(t *testing.T, cookie, path, form string) answer {
	t.Helper()
	token := tokenField.FindStringSubmatch(string(h.look(t, "GET", "/me/help", "", cookie).body))
	if token == nil {
		t.Fatal("no form")
	}
	_, port, _ := strings.Cut(h.address, ":")
	return h.look(t, "POST", path, form+"&token="+token[1], cookie, "Origin: http://"+pageHost+":"+port)
}

// The operator looks after the owners and sees nothing of what they keep; for everybody else
// the pages are none (A14).
func TestPagesOfTheOperator(t *testing.T) {
	t.Parallel()
	h := paged(t)
	all := settle(t, h)
	operator, ada := h.letIn(t), all[1]
	did := string(ada.key.DID())
	confirmed := func(form string) string {
		code, err := visit.New(h.vault).IssueCode(t.Context(), h.self())
		if err != nil {
			t.Fatal(err)
		}
		return "sure=yes&code=" + code.Code + form
	}
	var said strings.Builder
	for _, path := range []string{"/me/owners", "/me/owners/" + did, "/me/owners/" + did + "/invite", "/me/owners/" + did + "/remove", "/me/owners/" + string(all[2].key.DID())} {
		got := h.look(t, "GET", path, "", operator)
		if got.StatusCode != 200 || !strings.Contains(string(got.body), "3 memories") && !strings.Contains(path, "invite") {
			t.Errorf("%s: %d %s", path, got.StatusCode, got.body)
		}
		said.Write(got.body)
	}
	if got := h.submit(t, operator, "/me/owners/"+did+"/quota", "memories=4&bytes=2M"); got.StatusCode != 303 {
		t.Errorf("quota: %d %s", got.StatusCode, got.body)
	}
	info, err := h.vault.Owner(t.Context(), h.self(), ada.key.DID())
	if err != nil || info.Quota.Records != 4 || info.Quota.Bytes != 2<<20 {
		t.Errorf("%+v, %v", info, err)
	}
	invited := h.submit(t, operator, "/me/owners/"+did+"/invite", confirmed(""))
	said.Write(invited.body)
	_, secret, found := strings.Cut(string(invited.body), "/me/enter#")
	if secret, _, _ = strings.Cut(secret, "<"); !found {
		t.Fatalf("%d %s", invited.StatusCode, invited.body)
	}
	theirs := h.enterBy(t, secret)
	if got := h.look(t, "GET", "/me/search?q=bird", "", theirs); !strings.Contains(string(got.body), "adaprivatebird") {
		t.Errorf("the invited owner: %d", got.StatusCode)
	}
	unknown := h.look(t, "GET", "/me/no-such-page", "", theirs)
	for _, path := range []string{"/me/owners", "/me/owners/" + did, "/me/owners/" + string(h.owner), "/me/owners/" + did + "/invite"} {
		if got := h.look(t, "GET", path, "", theirs); got.StatusCode != 404 || string(got.body) != string(unknown.body) {
			t.Errorf("%s for another owner: %d %s", path, got.StatusCode, got.body)
		}
	}
	if got := h.submit(t, theirs, "/me/owners/"+string(all[2].key.DID())+"/quota", "memories=1"); got.StatusCode != 404 {
		t.Errorf("another owner sets a quota: %d", got.StatusCode)
	}
	removed := h.submit(t, operator, "/me/owners/"+did+"/remove", "sure=yes&typed="+url.QueryEscape(did))
	if removed.StatusCode != 303 { // the visit was confirmed a moment ago
		t.Errorf("%d %s", removed.StatusCode, removed.body)
	}
	if got := h.look(t, "GET", "/me/", "", theirs); got.StatusCode != 303 {
		t.Errorf("a removed owner is still in: %d", got.StatusCode)
	}
	list := h.look(t, "GET", "/me/owners", "", operator)
	said.Write(list.body)
	if strings.Contains(string(list.body), did) || !strings.Contains(string(list.body), ">bob<") {
		t.Errorf("the list after the removal: %s", list.body)
	}
	for word := range map[string]bool{"bird": true, shelf: true, strings.TrimPrefix(ada.ids["adaprivatebird"], memory.IDPrefix): true} {
		if strings.Contains(said.String(), word) {
			t.Errorf("the operator sees %s", word)
		}
	}
}
