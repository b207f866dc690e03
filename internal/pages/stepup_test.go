package pages_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/memory"
)

// confirms is a [pages.Confirmer] that takes the code "RIGHT1".
type confirms struct {
	sure    map[string]bool // cookies of confirmed visits
	limited bool
}

func (f *confirms) Confirmed(_ context.Context, cookie string) (bool, error) {
	return f.sure[cookie], nil
}

func (f *confirms) Confirm(_ context.Context, cookie, code string) error {
	switch {
	case f.limited:
		return &memory.Error{Kind: memory.RateLimited, Message: "too many wrong codes"}
	case code != "RIGHT1":
		return &memory.Error{Kind: memory.ForbiddenScope, Message: "this code is wrong"}
	}
	f.sure = map[string]bool{cookie: true}
	return nil
}

const sameOrigin = "Sec-Fetch-Site: same-origin"

// post sends a form of the owner's visit.
func (s *site) post(t *testing.T, target, form string) (*http.Response, string) {
	t.Helper()
	return s.ask("POST", target, form+"&token="+tokenIn(t, s.see(t, "/me/help")), visit, sameOrigin)
}

// What cannot be undone happens only after the page said what, and with a code.
func TestStepUp(t *testing.T) {
	s := open()
	s.fake.records = []memory.Record{record("abcdefgh", "tea"), record("ijklmnop", "green tea")}
	const erase = "/me/memories/abcdefgh/erase"
	for name, form := range map[string]string{"at first": "", "without a code": "sure=yes", "with a wrong code": "sure=yes&code=WRONG1", "a code alone": "code=RIGHT1"} {
		got, body := s.post(t, erase, form)
		if s.fake.erased != nil || got.StatusCode == 303 {
			t.Fatalf("%s: erased", name)
		}
		if want := map[string]int{"at first": 200, "a code alone": 200}[name]; want == 0 && got.StatusCode != 403 || want != 0 && got.StatusCode != want {
			t.Errorf("%s: %d", name, got.StatusCode)
		}
		wants(t, body, "Erase this memory for good", "“tea”", "All 2 versions", `name="code"`, "satchel open --confirm", "satchel forget short --hard --chain", `name="sure" value="yes"`)
		if strings.Contains(body, "WRONG1") {
			t.Error("the code is shown again")
		}
	}
	wants(t, s.see(t, erase+"?chosen=a%22b"), `name="code"`, `<input type="hidden" name="chosen" value="a&#34;b">`)
	s.fake.limited = true
	if got, body := s.post(t, erase, "sure=yes&code=RIGHT1"); got.StatusCode != 429 || s.fake.erased != nil || !strings.Contains(body, "Too many wrong codes.") {
		t.Errorf("after too many tries: %d %s", got.StatusCode, body)
	}
	s.fake.limited = false
	got, _ := s.post(t, erase, "sure=yes&code=RIGHT1")
	if got.StatusCode != 303 || got.Header.Get("Location") != "/me/memories?done=erased" || len(s.fake.erased) != 1 {
		t.Fatalf("with the code: %d %v", got.StatusCode, s.fake.erased)
	}
	wants(t, s.see(t, "/me/memories?done=erased"), "It is erased.", `role="status"`)
	_, body := s.post(t, erase, "")
	if strings.Contains(body, `name="code"`) || len(s.fake.erased) != 1 || !strings.Contains(body, "Erase it</button>") {
		t.Errorf("minutes later it asks for a code, or does not say what happens: %s", body)
	}
	if got, _ := s.post(t, erase, "sure=yes"); got.StatusCode != 303 || len(s.fake.erased) != 2 {
		t.Errorf("minutes later: %d", got.StatusCode)
	}
}

// What an act needs a confirmation for, it needs of each visit.
func TestStepUpOfAnotherVisit(t *testing.T) {
	s := open()
	s.fake.records = []memory.Record{record("abcdefgh", "tea")}
	s.fake.visits["another"], s.fake.sure = true, map[string]bool{"another": true}
	if got, _ := s.post(t, "/me/memories/abcdefgh/erase", "sure=yes"); got.StatusCode != 403 || s.fake.erased != nil {
		t.Errorf("%d", got.StatusCode)
	}
}

// Addresses name notices; they write none.
func TestNotices(t *testing.T) {
	s := open()
	for _, target := range []string{"/me/help?done=hello", "/me/help?undo=abc", "/me/help?done=<b>"} {
		if body := s.see(t, target); strings.Contains(body, `class="toast"`) || strings.Contains(body, "hello") {
			t.Errorf("%s: %s", target, body)
		}
	}
	if body := s.see(t, "/me/help?done=erased&undo=%22x&q=1"); strings.Contains(body, `name="undo"`) || !strings.Contains(body, `href="/me/help?q=1"`) {
		t.Errorf("%s", body)
	}
}
