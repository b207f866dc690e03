package umphttp_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump/umphttp"
	"github.com/satchel-memory/satchel/ump/umptest"
)

const first = "urn:ump:baaaaaaaaaaaaaaaaaaaaaaaaa"

func TestRoutes(t *testing.T) {
	for _, c := range []struct {
		name, method, path, body string
		member                   string // the answer must have it
	}{
		{"UMP-4.2-1 recall", "POST", "/ump/recall", `{"query":"pnpm"}`, "results"},
		{"UMP-4.2-2 remember", "POST", "/ump/remember", `{"record":{"body":{"text":"Likes tea."}}}`, "result"},
		{"UMP-4.2-3 get, the id as it is", "GET", "/ump/memory/" + first, "", "record"},
		{"UMP-4.2-3 get, the id percent-encoded", "GET", "/ump/memory/urn%3Aump%3A" + strings.TrimPrefix(first, "urn:ump:"), "", "record"},
		{"UMP-4.2-4 revise", "POST", "/ump/revise", `{"id":"` + first + `","patch":{"body":{"text":"Use bun."}}}`, "supersedes"},
		{"UMP-4.2-5 forget", "POST", "/ump/forget", `{"id":"` + first + `","reason":"outdated"}`, "result"},
		{"UMP-4.2-6 capabilities", "GET", "/ump/capabilities", "", "conformance"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := do(t, serve(t, filled(t), umphttp.Options{}), c.method, c.path, c.body)
			var said map[string]json.RawMessage
			if err := json.Unmarshal(got.body, &said); err != nil || said[c.member] == nil {
				t.Errorf("no %s in %s", c.member, got.body)
			}
			if media := got.Header.Get("Content-Type"); got.StatusCode != 200 || media != "application/json" {
				t.Errorf("%d, %s", got.StatusCode, media)
			}
			if got.Header.Get("Cache-Control") != "no-store" {
				t.Error("memory may be kept in a cache")
			}
		})
	}
}

// TestAlso: other wordings of a question find records, within their bounds.
func TestAlso(t *testing.T) {
	server := serve(t, filled(t), umphttp.Options{})
	if got := do(t, server, "POST", "/ump/recall", `{"query":"bundler","also":["installer","pnpm"]}`); got.StatusCode != 200 || !strings.Contains(string(got.body), first) {
		t.Errorf("%d %s", got.StatusCode, got.body)
	}
	if got := do(t, server, "POST", "/ump/recall", `{"query":"bundler"}`); got.StatusCode != 200 || strings.Contains(string(got.body), first) {
		t.Errorf("the question alone finds it: %d %s", got.StatusCode, got.body)
	}
	got := do(t, server, "POST", "/ump/recall", `{"query":"bundler","also":["1","2","3","4","5","6"]}`)
	if got.StatusCode != 400 || !strings.Contains(string(got.body), "/also/5 is one wording too many; give at most 5") {
		t.Errorf("%d %s", got.StatusCode, got.body)
	}
}

func TestRefusals(t *testing.T) {
	server := serve(t, plain{filled(t)}, umphttp.Options{MaxBody: 1 << 10})
	none := "Authorization: "
	for _, c := range []struct {
		name, method, path, body string
		header                   []string
		status                   int
		code                     memory.ErrorKind
	}{
		{"UMP-3.7-2 no token", "POST", "/ump/recall", `{"query":"x"}`, []string{none}, 401, memory.Unauthorized},
		{"UMP-3.7-2 a wrong token", "POST", "/ump/recall", `{"query":"x"}`, []string{"Authorization: Bearer x"}, 401, memory.Unauthorized},
		{"UMP-3.7-2 a wrong token on a public route", "GET", "/ump/capabilities", "", []string{"Authorization: Bearer x"}, 401, memory.Unauthorized},
		{"UMP-4.2-10 no such route", "GET", "/ump/nope", "", nil, 404, memory.NotFound},
		{"UMP-4.2-10 no such route, nobody asking", "GET", "/ump/nope", "", []string{none}, 404, memory.NotFound},
		{"UMP-4.2-10 no id", "GET", "/ump/memory/", "", nil, 404, memory.NotFound},
		{"UMP-4.2-10 wrong method", "GET", "/ump/recall", "", nil, 405, memory.Unsupported},
		{"UMP-4.2-10 wrong method for a record", "DELETE", "/ump/memory/" + first, "", nil, 405, memory.Unsupported},
		{"UMP-3.4-2 unknown id", "GET", "/ump/memory/urn:ump:aaaa", "", nil, 404, memory.NotFound},
		{"UMP-4.2-8 not JSON", "POST", "/ump/recall", `{"query":`, nil, 400, memory.InvalidRecord},
		{"UMP-3-1 not an object", "POST", "/ump/recall", `[]`, nil, 400, memory.InvalidRecord},
		{"UMP-3.2-2 nothing at all", "POST", "/ump/recall", "", nil, 400, memory.InvalidRecord},
		{"UMP-3.3-9 no body", "POST", "/ump/remember", `{"record":{"kind":"semantic"}}`, nil, 400, memory.InvalidRecord},
		{"too deep", "POST", "/ump/recall", strings.Repeat(`{"a":`, 100) + "1" + strings.Repeat("}", 100), nil, 400, memory.InvalidRecord},
		{"too large", "POST", "/ump/recall", `{"query":"` + strings.Repeat("x", 2<<10) + `"}`, nil, 413, memory.InvalidRecord},
		{"another media type", "POST", "/ump/recall", `query=x`, []string{"Content-Type: application/x-www-form-urlencoded"}, 415, memory.Unsupported},
		{"a media type that is none", "POST", "/ump/recall", `{}`, []string{"Content-Type: ;"}, 415, memory.Unsupported},
		{"compressed", "POST", "/ump/recall", `{"query":"x"}`, []string{"Content-Encoding: br"}, 415, memory.Unsupported},
		{"a key too long", "POST", "/ump/remember", `{"body":{"text":"x"}}`, []string{"Idempotency-Key: " + strings.Repeat("k", 256)}, 400, memory.InvalidRecord},
		{"UMP-3.7-4 feedback at level 2", "POST", "/ump/feedback", `{"id":"` + first + `","outcome":"followed"}`, nil, 400, memory.Unsupported},
		{"UMP-3.7-4 subscribe at level 2", "GET", "/ump/subscribe", "", nil, 400, memory.Unsupported},
		{"UMP-5.2-5 reading does not imply export", "GET", "/ump/export", "", []string{"Authorization: Bearer reader"}, 403, memory.ForbiddenScope},
		{"an unknown form of export", "GET", "/ump/export?format=xml", "", nil, 400, memory.InvalidRecord},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := do(t, server, c.method, c.path, c.body, c.header...)
			if got.StatusCode != c.status || got.code(t) != c.code {
				t.Errorf("%d %s, want %d %s", got.StatusCode, got.body, c.status, c.code)
			}
			if challenge := got.Header.Get("WWW-Authenticate"); (c.status == 401) != (challenge == `Bearer realm="satchel"`) {
				t.Errorf("WWW-Authenticate: %s", challenge)
			}
			if allow := got.Header.Get("Allow"); (c.status == 405) != (allow != "") {
				t.Errorf("Allow: %s", allow)
			}
		})
	}
}

func TestMediaTypes(t *testing.T) {
	server := serve(t, filled(t), umphttp.Options{})
	for _, media := range []string{"application/json", "application/json; charset=utf-8", "Application/JSON", "application/ump+json", ""} {
		t.Run("UMP-4.2-8 "+media, func(t *testing.T) {
			if got := do(t, server, "POST", "/ump/recall", `{"query":"pnpm"}`, "Content-Type: "+media); got.StatusCode != 200 {
				t.Errorf("%d %s", got.StatusCode, got.body)
			}
		})
	}
}

func TestLargeBodies(t *testing.T) {
	server := serve(t, filled(t), umphttp.Options{MaxBody: 1 << 10})
	t.Run("of unknown length", func(t *testing.T) {
		endless := strings.NewReader(strings.Repeat("x", 64<<10))
		r, err := http.NewRequestWithContext(t.Context(), "POST", server.URL+"/ump/recall", struct{ *strings.Reader }{endless})
		if err != nil {
			t.Fatal(err)
		}
		r.ContentLength = -1
		r.Header.Set("Authorization", "Bearer owner")
		got, err := http.DefaultTransport.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = got.Body.Close()
		if got.StatusCode != http.StatusRequestEntityTooLarge {
			t.Errorf("status %d", got.StatusCode)
		}
	})
	t.Run("is refused before it is sent", func(t *testing.T) {
		connection, err := net.Dial("tcp", strings.TrimPrefix(server.URL, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = connection.Close() }()
		if _, err := io.WriteString(connection, "POST /ump/recall HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer owner\r\nContent-Length: 999999\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
		if err := connection.SetReadDeadline(time.Now().Add(5 * time.Second)); err != nil {
			t.Fatal(err)
		}
		got, err := http.ReadResponse(bufio.NewReader(connection), nil)
		if err != nil {
			t.Fatal(err)
		}
		_ = got.Body.Close()
		if got.StatusCode != http.StatusRequestEntityTooLarge {
			t.Errorf("status %d", got.StatusCode)
		}
	})
	t.Run("exactly as large as allowed", func(t *testing.T) {
		body := `{"query":"` + strings.Repeat("x", 1<<10-12) + `"}`
		if got := do(t, server, "POST", "/ump/recall", body); len(body) != 1<<10 || got.StatusCode != 200 {
			t.Errorf("%d bytes: %d %s", len(body), got.StatusCode, got.body)
		}
	})
}

func TestIdempotencyKey(t *testing.T) {
	v := umptest.New()
	server := serve(t, v, umphttp.Options{})
	draft := `{"record":{"body":{"text":"Likes tea."}}}`
	one := do(t, server, "POST", "/ump/remember", draft, "Idempotency-Key: k1")
	two := do(t, server, "POST", "/ump/remember", draft, "Idempotency-Key: k1")
	if !bytes.Equal(one.body, two.body) || !bytes.Contains(two.body, []byte(`"created"`)) {
		t.Errorf("%s, then %s", one.body, two.body)
	}
	three := do(t, server, "POST", "/ump/remember", draft, "Idempotency-Key: k2")
	if !bytes.Contains(three.body, []byte(`"merged"`)) || v.Len() != 1 {
		t.Errorf("%s, %d records", three.body, v.Len())
	}
}

func TestStrangers(t *testing.T) {
	t.Run("UMP-4.2-6 capabilities without a token name no owner", func(t *testing.T) {
		server := serve(t, filled(t), umphttp.Options{})
		stranger, mine := do(t, server, "GET", "/ump/capabilities", "", "Authorization: "), do(t, server, "GET", "/ump/capabilities", "")
		if stranger.StatusCode != 200 || bytes.Contains(stranger.body, []byte(owner)) || !bytes.Contains(mine.body, []byte(owner)) {
			t.Errorf("%s\n%s", stranger.body, mine.body)
		}
	})
	t.Run("nobody gets in where nobody can be told", func(t *testing.T) {
		handler := umphttp.New(filled(t), umphttp.Options{})
		for path, want := range map[string]int{"/ump/capabilities": 200, "/.well-known/ump.json": 200, "/ump/export": 401, "/ump/memory/" + first: 401} {
			r, err := http.NewRequest("GET", path, nil)
			if err != nil {
				t.Fatal(err)
			}
			w := &discard{header: http.Header{}}
			handler.ServeHTTP(w, r)
			if w.status != want {
				t.Errorf("%s: %d, want %d", path, w.status, want)
			}
		}
	})
}

type discard struct {
	header http.Header
	status int
}

func (d *discard) Header() http.Header         { return d.header }
func (d *discard) Write(p []byte) (int, error) { return len(p), nil }
func (d *discard) WriteHeader(status int)      { d.status = status }

func TestManifest(t *testing.T) {
	v := filled(t)
	server := serve(t, v, umphttp.Options{Endpoint: "/ump", Exports: []umphttp.Export{{URL: "/manual.ump.json", Format: "ump.json"}}})
	for _, token := range []string{"", "Bearer owner"} {
		t.Run("UMP-4.3-5 UMP-4.3-6 asked by "+token, func(t *testing.T) {
			got := do(t, server, "GET", "/.well-known/ump.json", "", "Authorization: "+token)
			var m umphttp.Manifest
			if err := json.Unmarshal(got.body, &m); err != nil || got.StatusCode != 200 {
				t.Fatalf("%d %s", got.StatusCode, got.body)
			}
			if m.UMP != "0.1" || m.Conformance != "L2" || m.Endpoint != "/ump" || len(m.Exports) != 1 || m.Exports[0].URL != "/manual.ump.json" || len(m.Kinds) != 5 {
				t.Errorf("%+v", m)
			}
			if m.Owner != "" || bytes.Contains(got.body, []byte("urn:ump:")) {
				t.Errorf("says what is not public: %s", got.body)
			}
		})
	}
	t.Run("UMP-4.3-5 exports is a list even when there are none", func(t *testing.T) {
		got := do(t, serve(t, v, umphttp.Options{}), "GET", "/.well-known/ump.json", "")
		if !bytes.Contains(got.body, []byte(`"exports":[]`)) || bytes.Contains(got.body, []byte("endpoint")) {
			t.Errorf("%s", got.body)
		}
	})
}

func TestFaults(t *testing.T) {
	fault := errors.New("disk on fire at /secret/path")
	v := umptest.New()
	v.Before = func(_ context.Context, operation string, _ memory.Caller) error {
		if operation == "get" {
			return &memory.Error{Kind: memory.RateLimited, Message: "later"}
		}
		return fault
	}
	var reported []error
	server := serve(t, v, umphttp.Options{Report: func(_ *http.Request, err error) { reported = append(reported, err) }})
	t.Run("UMP-3.7-6 the cause is reported and not shown", func(t *testing.T) {
		got := do(t, server, "POST", "/ump/recall", `{"query":"x"}`)
		if got.StatusCode != 500 || got.code(t) != memory.Internal || bytes.Contains(got.body, []byte("secret")) {
			t.Errorf("%d %s", got.StatusCode, got.body)
		}
		if len(reported) != 1 || !errors.Is(reported[0], fault) {
			t.Errorf("reported %v", reported)
		}
	})
	t.Run("UMP-3.7-5 a throttled backend says when to come back", func(t *testing.T) {
		got := do(t, server, "GET", "/ump/memory/"+first, "")
		if got.StatusCode != 429 || got.code(t) != memory.RateLimited || got.Header.Get("Retry-After") == "" {
			t.Errorf("%d %s", got.StatusCode, got.body)
		}
	})
	t.Run("a manifest that cannot be made", func(t *testing.T) {
		if got := do(t, server, "GET", "/.well-known/ump.json", ""); got.StatusCode != 500 || got.code(t) != memory.Internal {
			t.Errorf("%d %s", got.StatusCode, got.body)
		}
	})
}
