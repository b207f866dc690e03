package server_test

import (
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/internal/server"
	"github.com/satchel-memory/satchel/memory"
)

func TestHosts(t *testing.T) {
	s := start(t, server.Options{Hosts: []string{"Memory.Example"}})
	for _, c := range []struct {
		host string
		ok   bool
	}{
		{"localhost", true}, {"localhost:7777", true}, {"LOCALHOST.", true}, {"127.0.0.1:1", true}, {"127.9.9.9", true},
		{"[::1]:80", true}, {"[::1]", true}, {"memory.example", true}, {"memory.example:443", true}, {s.address, true},
		{"evil.example", false}, {"localhost.evil.example", false}, {"127.0.0.1.evil.example", false}, {"10.0.0.1", false},
		{"0.0.0.0", false}, {"[::]:80", false}, {"2130706433", false}, {"memory.example.evil.example", false}, {":80", false},
	} {
		for _, path := range []string{"/ump/capabilities", "/mcp", "/", "/metrics", "/.well-known/ump.json"} {
			method := map[bool]string{true: "DELETE", false: "GET"}[path == "/mcp"]
			got := s.do(t, method, path, "", "Host: "+c.host)
			if refused := got.StatusCode == 403; refused == c.ok {
				t.Errorf("Host %q at %s: %d %s", c.host, path, got.StatusCode, got.body)
			} else if refused && got.code(t) != memory.ForbiddenScope {
				t.Errorf("Host %q: %s", c.host, got.body)
			}
		}
	}
}

func TestProbesByAnyAddress(t *testing.T) {
	s := start(t, server.Options{})
	for _, path := range []string{"/healthz", "/readyz"} {
		if got := s.do(t, "GET", path, "", "Host: 10.0.0.1:7777"); got.StatusCode != 200 {
			t.Errorf("%s: %d %s", path, got.StatusCode, got.body)
		}
	}
}

func TestOrigins(t *testing.T) {
	s := start(t, server.Options{Origins: []string{"https://notes.example"}})
	for _, c := range []struct {
		origin string
		ok     bool
	}{
		{"", true}, {"http://" + s.address, true}, {"https://" + s.address, true}, {"https://notes.example", true},
		{"null", false}, {"http://evil.example", false}, {"https://notes.example.evil.example", false}, {"http://notes.example", false},
		{"http://localhost", false}, {"http://127.0.0.1:1", false}, {"file://", false}, {"chrome-extension://abc", false}, {"http://" + s.address + ".evil.example", false}, {"%", false},
	} {
		for _, path := range []string{"/ump/recall", "/mcp", "/ump/export"} {
			method := map[bool]string{true: "GET", false: "POST"}[path == "/ump/export"]
			got := s.do(t, method, path, `{"query":"x"}`, "Content-Type: application/json", "Origin: "+c.origin)
			if refused := got.StatusCode == 403; refused == c.ok {
				t.Errorf("Origin %q at %s: %d %s", c.origin, path, got.StatusCode, got.body)
			}
		}
	}
}

func TestToken(t *testing.T) {
	s := start(t, server.Options{})
	for _, c := range []struct {
		authorization string
		ok            bool
	}{
		{"Bearer " + token, true}, {"bearer " + token, true}, {"Bearer  " + token, true},
		{"", false}, {"Bearer", false}, {"Bearer ", false}, {"Bearer x" + token, false}, {"Bearer " + token + "x", false},
		{"Bearer " + token[1:], false}, {"Basic " + token, false}, {token, false},
	} {
		for path, body := range map[string]string{"/ump/recall": `{"query":"x"}`, "/mcp": initialize} {
			got := s.do(t, "POST", path, body, "Content-Type: application/json", "Accept: application/json, text/event-stream", "Authorization: "+c.authorization)
			switch {
			case c.ok && got.StatusCode != 200:
				t.Errorf("%q at %s: %d %s", c.authorization, path, got.StatusCode, got.body)
			case !c.ok && (got.StatusCode != 401 || got.code(t) != memory.Unauthorized || got.Header.Get("WWW-Authenticate") == ""):
				t.Errorf("%q at %s: %d %s", c.authorization, path, got.StatusCode, got.body)
			}
		}
	}
	t.Run("UMP-4.2-6 public routes need none", func(t *testing.T) {
		for _, path := range []string{"/ump/capabilities", "/.well-known/ump.json", "/healthz", "/readyz", "/"} {
			if got := s.do(t, "GET", path, "", "Authorization:"); got.StatusCode != 200 {
				t.Errorf("%s: %d %s", path, got.StatusCode, got.body)
			}
		}
	})
	t.Run("a server without what it needs is not made", func(t *testing.T) {
		good := server.Options{Backend: filled(t), Owner: owner, Token: token}
		for name, spoil := range map[string]func(*server.Options){
			"token": func(o *server.Options) { o.Token = "short" }, "owner": func(o *server.Options) { o.Owner = "" }, "backend": func(o *server.Options) { o.Backend = nil },
		} {
			o := good
			spoil(&o)
			if _, err := server.New(o); err == nil {
				t.Errorf("made without %s", name)
			}
		}
	})
}

const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"some-host","version":"1"}}}`

// Names in the addresses of pages may have letters of every script, in one spelling. What two
// programs could read differently is refused before a page is asked for.
func TestPageNames(t *testing.T) {
	t.Parallel()
	h := paged(t)
	cookie := h.letIn(t)
	for path, ok := range map[string]bool{
		"/me/assistants/%D9%85%D8%B3": true, "/me/assistants/a%20b": true, "/me/memories/%E5%8A%A9": true, "/me/agents/a%27b": true, "/me/owners/%C3%A9": true,
		"/me/assistants/%d9%85": false, "/me/assistants/%61": false, "/me/%61ssistants": false, "/me/assistants/a%2fb": false, "/me/assistants/a%2Fb": false, "/me/assistants/a%5Cb": false,
		"/me/assistants/%2e%2e": false, "/me/assistants/%2E": false, "/me/assistants/%2e%2e%2fump": false, "/me/assistants/..%2f..%2fump": false, "/me/memories/..%2Fhelp": false,
		"/me/assistants/%25D9%2585": false, "/me/assistants/%252e%252e": false, "/me/assistants/a%2525": false, "/me/assistants/a%00": false, "/me/assistants/%0A": false, "/me/assistants/%7F": false,
		"/me/assistants/%C2%85": false, "/me/assistants/%C0%AF": false, "/me/assistants/%FF": false, "/me/assistants/%ED%A0%80": false, "/me/assistants/%E5%8A%A9/../help": false, "/me/%E5%8A%A9//x": false,
		"/ump/%E5%8A%A9": false, "/meme/%E5%8A%A9": false, "/%6De/help": false,
	} {
		got := h.look(t, "GET", path, "", cookie)
		refused := strings.Contains(string(got.body), "No memory and no page of yours") && !strings.Contains(string(got.body), `class="side"`) || strings.Contains(string(got.body), "spelled like this")
		if refused && got.StatusCode != 404 || refused == ok {
			t.Errorf("%s: %d, refused %v", path, got.StatusCode, refused)
		}
	}
}
