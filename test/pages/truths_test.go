package pages_test

import (
	"net/url"
	"strings"
	"testing"
)

// TestVersionsAreNoMemories sees that a memory that was corrected twice counts once, that
// the timeline of words has what it said before, and that a form corrects the kind.
func TestVersionsAreNoMemories(t *testing.T) {
	h := empty(t)
	cookie := h.cookie(t)
	id := strings.TrimSpace(h.satchel(t, "remember", "Dinner is at six o'clock.", "--project", "home"))
	id = strings.TrimSpace(h.satchel(t, "revise", id, "Dinner is at seven o'clock."))
	h.satchel(t, "remember", "Figs are ripe.")
	see := func(path string) string {
		got, body := request(t, "GET", "http://"+h.addr+path, "", cookie)
		if got.StatusCode != 200 {
			t.Fatalf("%s: %d %s", path, got.StatusCode, body)
		}
		return body
	}
	path := "/me/memories/" + strings.TrimPrefix(id, "urn:ump:")
	form := see(path + "/correct")
	_, token, _ := strings.Cut(form, `name="token" value="`)
	token, _, _ = strings.Cut(token, `"`)
	if !strings.Contains(form, `<option value="semantic" selected>`) {
		t.Errorf("the form does not say the kind: %s", form)
	}
	got, body := request(t, "POST", "http://"+h.addr+path+"/correct", url.Values{"token": {token}, "text": {"Dinner is at seven o'clock."}, "kind": {"procedural"}}.Encode(),
		cookie, "Content-Type: application/x-www-form-urlencoded")
	if got.StatusCode != 303 {
		t.Fatalf("%d %s", got.StatusCode, body)
	}
	if listed := h.satchel(t, "--json", "list", "--kind", "procedural"); !strings.Contains(listed, "at seven") {
		t.Errorf("the kind is not corrected: %s", listed)
	}
	for path, wants := range map[string][]string{
		"/me/projects":                {"<span>1 memory</span>", "1 memory of no project"},
		"/me/":                        {"2 memories", "<bdi>home</bdi> <span>1</span>"},
		"/me/export?format=ump":       {"<strong>2 memories</strong> and 2 versions that were replaced"},
		"/me/timeline?subject=dinner": {"at six", "at seven"},
	} {
		body := see(path)
		for _, want := range wants {
			if !strings.Contains(body, want) {
				t.Errorf("%s does not say %q: %s", path, want, body)
			}
		}
	}
}
