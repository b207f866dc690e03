package pages_test

import (
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/internal/pages"
	"github.com/satchel-memory/satchel/memory"
)

// Who keeps their own key confirms what waits by the lines shown, and rejects it here.
func TestWaitingWithoutKey(t *testing.T) {
	s := open()
	s.fake.records = []memory.Record{record("abcdefgh", "tea")}
	s.fake.waits = []pages.Waiting{{ID: "fact1", Kind: pages.AFact, Becomes: "it's $(tea)"}, {ID: "fact2", Kind: pages.AFact, Becomes: "milk"}, {ID: "rule1", Kind: pages.ARule, Becomes: "ask first"}}
	page := s.see(t, "/me/waiting")
	if strings.Count(page, `value="confirm" data-key`) != 3 || strings.Contains(page, "curl") {
		t.Errorf("with a key here: %s", page)
	}
	s.fake.keepsKey = true
	for _, path := range []string{"/me/waiting", "/me/", "/me/waiting/fact1"} {
		page := s.see(t, path)
		wants(t, page, "satchel remember -q -- &#39;it&#39;\\&#39;&#39;s $(tea)&#39;) --json | curl", `value="reject"`)
		if n := strings.Count(page, `value="confirm" data-key`); n != map[string]int{"/me/waiting": 1, "/me/": 1}[path] {
			t.Errorf("%s has %d buttons that confirm", path, n)
		}
	}
	for form, want := range map[string]int{"act=confirm": 409, "act=confirm&text=x": 409, "act=reject": 303} {
		if got, body := s.post(t, "/me/waiting/fact1", form); got.StatusCode != want {
			t.Errorf("%s: %d %s", form, got.StatusCode, body)
		}
	}
	if got, _ := s.post(t, "/me/waiting/rule1", "act=confirm"); got.StatusCode != 303 {
		t.Errorf("a rule needs no signature: %d", got.StatusCode)
	}
	if got, body := s.post(t, "/me/waiting/all", "act=confirm&source=&count=3"); got.StatusCode != 409 || !strings.Contains(body, "Nothing was decided") {
		t.Errorf("all at once: %d %s", got.StatusCode, body)
	}
	wants(t, s.see(t, "/me/memories/new?text=tea"), "satchel remember -q -- tea")
}
