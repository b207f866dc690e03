package pages_test

import (
	"context"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/pages"
	"github.com/satchel-memory/satchel/memory"
)

// fakeOperator knows owners, and notes what is done with them.
type fakeOperator struct {
	owners   []pages.OwnerInfo
	operated []string
}

func (f *fakeOperator) OwnerList(_ context.Context, _ memory.Caller, after memory.DID) (pages.OwnerList, error) {
	f.operated = append(f.operated, "list "+string(after))
	return pages.OwnerList{Owners: f.owners, Next: "did:key:z6Mknext"}, nil
}

func (f *fakeOperator) OwnerNamed(_ context.Context, _ memory.Caller, owner memory.DID) (pages.OwnerInfo, error) {
	i := slices.IndexFunc(f.owners, func(o pages.OwnerInfo) bool { return o.Owner == owner })
	if i < 0 {
		return pages.OwnerInfo{}, &memory.Error{Kind: memory.NotFound}
	}
	return f.owners[i], nil
}

func (f *fakeOperator) InviteOwner(_ context.Context, _ memory.Caller, owner memory.DID) (string, time.Time, error) {
	f.operated = append(f.operated, "invite "+string(owner))
	return "the-secret", now.Add(24 * time.Hour), nil
}

func (f *fakeOperator) LimitOwner(_ context.Context, _ memory.Caller, owner memory.DID, memories, bytes int64) error {
	f.operated = append(f.operated, "limit "+string(owner)+" "+time.Duration(memories).String()+" "+time.Duration(bytes).String())
	return nil
}

func (f *fakeOperator) DropOwner(_ context.Context, _ memory.Caller, owner memory.DID) (bool, error) {
	f.operated = append(f.operated, "drop "+string(owner))
	return false, nil
}

const ada = memory.DID("did:key:z6MkfrQeZ5AtgQKtYUTFGRNFjDhG8HXQCzJ1VPU2EKKCr9TJ")

func crowded() *site {
	s := open(func(o *pages.Options) { o.Many = true })
	s.fake.owners = []pages.OwnerInfo{
		{Owner: owner, Label: "operator", Home: true, Held: true, Memories: 3, Bytes: 2048, Seen: now},
		{Owner: ada, Label: `<script>"ada"`, Memories: 1234, Bytes: 5 << 20, MaxMemories: 1000, MaxBytes: 200 << 20, Added: now.Add(-72 * time.Hour), Seen: now.Add(-2 * time.Hour)},
	}
	return s
}

func TestOwners(t *testing.T) {
	s := crowded()
	body := s.see(t, "/me/owners")
	wants(t, body, "&lt;script&gt;&#34;ada&#34;", "1,234 memories, 5 MiB", "may keep 1,000 memories and 200 MiB", "last seen", "2 hours ago", "keeps their own key", "full", ">you<",
		"/me/owners?after=did%3Akey%3Az6Mknext", `aria-current="page">Owners`, "satchel owner list")
	s.see(t, "/me/owners?after=did:key:z6Mknext")
	if last := s.fake.operated[len(s.fake.operated)-1]; last != "list did:key:z6Mknext" {
		t.Errorf("it asks %s", last)
	}
	at := "/me/owners/" + string(ada)
	wants(t, s.see(t, at), string(ada), `value="1000"`, `value="200M"`, "satchel owner remove "+string(ada)+" --confirm "+string(ada), at+"/invite", at+"/remove")
	if body := s.see(t, "/me/owners/"+string(owner)); strings.Contains(body, "/remove") || strings.Contains(body, "/invite") {
		t.Error("the operator can remove themself")
	}
	if got, _ := s.ask("GET", "/me/owners/did:key:nobody", "", visit); got.StatusCode != 404 {
		t.Errorf("an unknown owner: %d", got.StatusCode)
	}
	for form, want := range map[string]string{"memories=7&bytes=2g": "limit " + string(ada) + " 7ns 2.147483648s", "memories=&bytes=": "limit " + string(ada) + " 0s 0s", "memories=1&bytes=64K": "limit " + string(ada) + " 1ns 65.536µs"} {
		if got, body := s.post(t, at+"/quota", form); got.StatusCode != 303 || s.fake.operated[len(s.fake.operated)-1] != want {
			t.Errorf("%s: %d %s; %s", form, got.StatusCode, s.fake.operated, body)
		}
	}
	n := len(s.fake.operated)
	for _, form := range []string{"memories=-1", "memories=1M", "memories=x", "bytes=1.5M", "bytes=-2", "bytes=99999999T", "bytes=9223372036854775807K", "bytes=M"} {
		if got, _ := s.post(t, at+"/quota", form); got.StatusCode != 400 || len(s.fake.operated) != n {
			t.Errorf("%s: %d %s", form, got.StatusCode, s.fake.operated)
		}
	}
}

// An owner is removed only after the page said what goes, the owner's key was typed, and a
// code was shown. A wrong name spends no code.
func TestOwnerRemoval(t *testing.T) {
	s := crowded()
	at := "/me/owners/" + string(ada) + "/remove"
	wants(t, s.see(t, at), "1,234 memories, 5 MiB", "for good", `name="typed"`, "satchel open --confirm")
	sure := "sure=yes&code=RIGHT1&typed="
	for name, form := range map[string]string{"at first": "", "without its name": sure, "another's name": sure + url.QueryEscape(string(owner)), "the label": sure + "ada", "without a code": "sure=yes&typed=" + url.QueryEscape(string(ada))} {
		got, body := s.post(t, at, form)
		if got.StatusCode != map[bool]int{true: 200, false: 403}[form == ""] || len(s.fake.operated) > 0 {
			t.Errorf("%s: %d %s", name, got.StatusCode, s.fake.operated)
		}
		if strings.HasPrefix(form, sure) {
			wants(t, body, "Nothing was changed")
		}
	}
	if s.fake.sure["cookie"] {
		t.Error("a wrong name spends the code")
	}
	got, body := s.post(t, at, sure+url.QueryEscape(" "+string(ada)))
	if got.StatusCode != 303 || got.Header.Get("Location") != "/me/owners?done=removing" || s.fake.operated[0] != "drop "+string(ada) {
		t.Errorf("%d %s; %s %s", got.StatusCode, got.Header.Get("Location"), s.fake.operated, body)
	}
	if got, _ := s.post(t, "/me/owners/"+string(owner)+"/remove", sure+url.QueryEscape(string(owner))); got.StatusCode != 400 || len(s.fake.operated) != 1 {
		t.Errorf("the operator is removed: %d", got.StatusCode)
	}
}

// An invitation is made after a confirmation, and its link shows once.
func TestOwnerInvitation(t *testing.T) {
	s := crowded()
	at := "/me/owners/" + string(ada) + "/invite"
	wants(t, s.see(t, at), "good once, for a day")
	if got, _ := s.post(t, at, "sure=yes"); got.StatusCode != 403 || len(s.fake.operated) > 0 {
		t.Errorf("without a code: %d", got.StatusCode)
	}
	got, body := s.post(t, at, "sure=yes&code=RIGHT1")
	if got.StatusCode != 200 || got.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("%d", got.StatusCode)
	}
	wants(t, body, "http://m-1234.localhost:7777/me/enter#the-secret")
	if strings.Contains(s.see(t, at)+s.see(t, "/me/owners")+s.see(t, "/me/owners/"+string(ada)), "the-secret") {
		t.Error("the link shows again")
	}
}

// For other owners the operator's pages are none (A14), and their forms come from pages of
// the same visit (A3).
func TestOwnersOfOthers(t *testing.T) {
	s := open(func(o *pages.Options) { o.Owner, o.Many = "did:key:z6Mkoperator", true })
	s.fake.owners = crowded().fake.owners
	_, unknown := s.ask("GET", "/me/no-such-page", "", visit)
	if strings.Contains(unknown, "/me/owners") {
		t.Error("the navigation shows another owner the operator's page")
	}
	for _, path := range []string{"/me/owners", "/me/owners?after=x", "/me/owners/" + string(ada), "/me/owners/did:key:nobody", "/me/owners/" + string(ada) + "/invite", "/me/owners/" + string(ada) + "/remove"} {
		if got, body := s.ask("GET", path, "", visit); got.StatusCode != 404 || body != unknown {
			t.Errorf("%s: %d %s", path, got.StatusCode, body)
		}
	}
	for _, path := range []string{"invite", "quota", "remove"} {
		if got, body := s.post(t, "/me/owners/"+string(ada)+"/"+path, "sure=yes&code=RIGHT1&typed="+url.QueryEscape(string(ada))); got.StatusCode != 404 || body != unknown {
			t.Errorf("posting %s: %d %s", path, got.StatusCode, body)
		}
	}
	own := crowded()
	token := "token=" + tokenIn(t, own.see(t, "/me/help"))
	for _, path := range []string{"invite", "quota", "remove"} {
		for name, c := range map[string][2]string{"no token": {"sure=yes&code=RIGHT1", sameOrigin}, "another port": {token + "&sure=yes&code=RIGHT1", "Origin: http://m-1234.localhost:1"}, "null": {token, "Origin: null"}} {
			if got, _ := own.ask("POST", "/me/owners/"+string(ada)+"/"+path, c[0]+"&typed="+url.QueryEscape(string(ada)), visit, c[1]); got.StatusCode != 403 {
				t.Errorf("%s with %s: %d", path, name, got.StatusCode)
			}
		}
	}
	if len(s.fake.operated)+len(own.fake.operated) > 0 {
		t.Errorf("%s %s", s.fake.operated, own.fake.operated)
	}
}
