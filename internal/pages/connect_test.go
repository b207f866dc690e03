package pages_test

import (
	"context"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/internal/pages"
	"github.com/satchel-memory/satchel/memory"
)

// fakeConnector connects one assistant, by one file.
type fakeConnector struct {
	here      bool // it is the owner's machine
	broken    error
	connected []string
}

func (f *fakeConnector) MayConnect(memory.Caller) bool { return f.here }

func (f *fakeConnector) PreviewConnection(_ context.Context, _ memory.Caller, name string, remove bool) ([]pages.FileChange, string, error) {
	before, after := "{\n  \"mine\": 1\n}\n", "{\n  \"mine\": 1,\n  \"<b>satchel\": 2\n}\n"
	if remove {
		before, after = after, before
	}
	return []pages.FileChange{{File: "/home/ana/." + name + ".json", Before: before, After: after}}, "as it is", f.broken
}

func (f *fakeConnector) ChangeConnection(_ context.Context, _ memory.Caller, name string, remove bool, state string) error {
	if state != "as it is" {
		return &memory.Error{Kind: memory.InvalidRecord, Message: "a file was changed since"}
	}
	f.connected = append(f.connected, name+map[bool]string{true: " out"}[remove])
	return nil
}

func (f *fakeConnector) TryConnection(_ context.Context, _ memory.Caller, name string) (string, error) {
	return "It answered " + name + ".", f.broken
}

func connecting(change ...func(*pages.Options)) *site {
	s := open(change...)
	s.fake.here = true
	s.fake.assistants = []pages.Assistant{{Name: "some", Title: "Some Host", Known: true, Installed: true, File: "/home/ana/.some.json", After: "Start it anew."},
		{Name: "none", Title: "Not There", Known: true}, {Name: "token:1", Title: "Ben", Token: "1"}}
	return s
}

// The owner connects an assistant by a click: after seeing what changes, and with a code.
func TestConnect(t *testing.T) {
	s := connecting()
	const at = "/me/assistants/some/connect"
	wants(t, s.see(t, "/me/assistants"), at, "/me/assistants/none/connect", "found here")
	page := s.see(t, at)
	wants(t, page, "/home/ana/.some.json", "<ins>+   &#34;&lt;b&gt;satchel&#34;: 2</ins>", "<del>-   &#34;mine&#34;: 1</del>", "satchel connect some", `name="state" value="as it is"`, "satchel open --confirm")
	for name, form := range map[string]string{"at first": "state=as+it+is", "without a code": "state=as+it+is&sure=yes", "with a wrong code": "state=as+it+is&sure=yes&code=WRONG1"} {
		if got, _ := s.post(t, at, form); got.StatusCode != map[bool]int{true: 200, false: 403}[name == "at first"] || len(s.fake.connected) > 0 {
			t.Errorf("%s: %d %s", name, got.StatusCode, s.fake.connected)
		}
	}
	if got, body := s.post(t, at, "state=another&sure=yes&code=RIGHT1"); got.StatusCode != 409 || !strings.Contains(body, "A file was changed since") {
		t.Errorf("after another program changed the file: %d %s", got.StatusCode, body)
	}
	if got, _ := s.post(t, at, "state=as+it+is&sure=yes"); got.StatusCode != 303 || got.Header.Get("Location") != "/me/assistants/some?done=connected" {
		t.Errorf("%d %s", got.StatusCode, got.Header.Get("Location"))
	}
	s.fake.assistants[0].Connected = true
	wants(t, s.see(t, "/me/assistants/some?done=connected"), "Disconnect", "Test the connection", "Start it anew.")
	if got, body := s.post(t, "/me/assistants/some/try", ""); got.StatusCode != 200 || !strings.Contains(body, "It answered some.") {
		t.Errorf("%d %s", got.StatusCode, body)
	}
	wants(t, s.see(t, "/me/assistants/some/disconnect"), "<del>-   &#34;&lt;b&gt;satchel", "--remove")
	if got, _ := s.post(t, "/me/assistants/some/disconnect", "state=as+it+is&sure=yes"); got.StatusCode != 303 || strings.Join(s.fake.connected, " ") != "some some out" {
		t.Errorf("%d %s", got.StatusCode, s.fake.connected)
	}
}

// Nothing is connected for other owners, from other machines, by forms from elsewhere, and
// nothing but what connect knows.
func TestConnectRefused(t *testing.T) {
	form := "state=as+it+is&sure=yes&code=RIGHT1"
	s := connecting()
	s.fake.here = false
	if body := s.see(t, "/me/assistants"); strings.Contains(body, "/connect") || !strings.Contains(body, "<code>satchel connect some</code>") {
		t.Errorf("another owner is offered a click: %s", body)
	}
	for _, act := range []string{"connect", "disconnect", "try"} {
		if got, _ := s.post(t, "/me/assistants/some/"+act, form); got.StatusCode != 404 {
			t.Errorf("another owner, %s: %d", act, got.StatusCode)
		}
	}
	s = connecting()
	for _, path := range []string{"token:1/connect", "unknown/connect", "token:1/try"} {
		if got, _ := s.post(t, "/me/assistants/"+path, form); got.StatusCode != 404 {
			t.Errorf("%s: %d", path, got.StatusCode)
		}
	}
	token := "token=" + tokenIn(t, s.see(t, "/me/help")) + "&" + form
	for name, c := range map[string][2]string{"no token": {form, sameOrigin}, "another port": {token, "Origin: http://m-1234.localhost:1"}, "null": {token, "Origin: null"}} {
		for _, act := range []string{"connect", "disconnect", "try"} {
			if got, _ := s.ask("POST", "/me/assistants/some/"+act, c[0], visit, c[1]); got.StatusCode != 403 {
				t.Errorf("%s, %s: %d", act, name, got.StatusCode)
			}
		}
	}
	// Through a proxy of this machine, the request names another host.
	if got, _ := s.ask("GET", "/me/assistants/some/connect", "", visit, "Host: memory.example"); got.StatusCode != 404 {
		t.Errorf("by another name: %d", got.StatusCode)
	}
	if len(s.fake.connected) > 0 {
		t.Errorf("%s", s.fake.connected)
	}
}

// A file that cannot be understood is shown with its line and its copy, and left alone; an
// assistant of another store is not said to be connected.
func TestConnectBroken(t *testing.T) {
	s := connecting()
	s.fake.assistants[0].Broken, s.fake.assistants[0].Backup = "line 7: <b>", "/home/ana/.some.json.bak"
	wants(t, s.see(t, "/me/assistants"), "settings are broken")
	page := s.see(t, "/me/assistants/some")
	wants(t, page, "line 7: &lt;b&gt;", "/home/ana/.some.json.bak", "Mend that line")
	if strings.Contains(page, "/connect\"") {
		t.Error("a broken file can be changed")
	}
	s.fake.broken = &memory.Error{Kind: memory.InvalidRecord, Message: "it was left as it is: line 7"}
	if got, body := s.ask("GET", "/me/assistants/some/connect", "", visit); got.StatusCode != 409 || !strings.Contains(body, "line 7") {
		t.Errorf("%d %s", got.StatusCode, body)
	}
	if got, body := s.post(t, "/me/assistants/some/try", ""); got.StatusCode != 200 || !strings.Contains(body, `role="alert">It was left as it is: line 7`) {
		t.Errorf("%d %s", got.StatusCode, body)
	}
	s.fake.assistants[0] = pages.Assistant{Name: "some", Title: "Some Host", Known: true, Installed: true, Connected: true, File: "/home/ana/.some.json", Elsewhere: "/home/ana/other"}
	wants(t, s.see(t, "/me/assistants"), "connected to another store")
	wants(t, s.see(t, "/me/assistants/some"), "<code>/home/ana/other</code>", "/me/assistants/some/connect")
}
