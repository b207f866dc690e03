package umpmcp_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
	"github.com/satchel-memory/satchel/ump/umpmcp"
)

// send sends one message to a handler without a network in between.
func send(h http.Handler, token string, header http.Header, body io.Reader) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodPost, "/mcp", body)
	r.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}, "Authorization": {"Bearer " + token}}
	for name, values := range header {
		r.Header[name] = values
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// lobby knows tokens by name: "owner" is the person, "broken" makes the store
// fail, and any other is a peer's.
type lobby struct {
	mu      sync.Mutex
	revoked map[string]error
	asked   int
}

func (l *lobby) who(r *http.Request) (memory.Caller, error) {
	token := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	l.mu.Lock()
	defer l.mu.Unlock()
	l.asked++
	if err := l.revoked[token]; err != nil {
		return memory.Caller{}, err
	}
	if token == "owner" {
		return memory.Caller{Owner: owner, Role: memory.Owner}, nil
	}
	return memory.Caller{Owner: owner, Role: memory.Peer, Session: "token:" + token, Grant: &memory.Grant{ID: token, Verbs: memory.Verbs()}}, nil
}

// looks returns how often it was asked since the last time.
func (l *lobby) looks() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := l.asked
	l.asked = 0
	return n
}

func (l *lobby) revoke(token string, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.revoked == nil {
		l.revoked = map[string]error{}
	}
	l.revoked[token] = err
}

// open returns MCP over HTTP behind the lobby.
func (l *lobby) open(t *testing.T, o umpmcp.HTTPOptions) *umpmcp.HTTP {
	t.Helper()
	o.Who = l.who
	h := umpmcp.NewHTTP(at3(t), umpmcp.Options{}, o)
	t.Cleanup(func() { _ = h.Close() })
	return h
}

// trickle is a body with a while in the middle of it.
type trickle struct {
	parts   []string
	between func()
}

func (b *trickle) Read(p []byte) (int, error) {
	if len(b.parts) == 0 {
		return 0, io.EOF
	}
	if len(b.parts) == 1 {
		b.between()
	}
	n := copy(p, b.parts[0])
	b.parts = b.parts[1:]
	return n, nil
}

const (
	callOfOld = `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"ump_remember","arguments":{"record":{"kind":"semantic","body":{"text":"late"}}}}}`
	callOfNew = `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"ump_remember","arguments":{"record":{"kind":"semantic","body":{"text":"late"}}},` +
		`"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`
)

func TestMessageTricklesIn(t *testing.T) {
	for _, revision := range []string{"2025-11-25", "2026-07-28"} {
		for _, c := range []struct {
			name   string
			pause  time.Duration
			ended  error
			status int
			asked  int
		}{
			{"UMP-5.2-8 a token that was revoked meanwhile calls nothing", 20 * time.Second, ump.TokenError(ump.ErrTokenRevoked), 401, 2},
			{"one that is still good does", 20 * time.Second, nil, 200, 2},
			{"a message that is here at once costs no second look", time.Millisecond, ump.TokenError(ump.ErrTokenRevoked), 200, 1},
			{"a store that fails is no refusal", 20 * time.Second, errors.New("disk on fire"), 500, 2},
		} {
			t.Run(c.name+", revision "+revision, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					l := &lobby{}
					o := umpmcp.HTTPOptions{Who: l.who}
					v := at3(t)
					h := umpmcp.NewHTTP(v, umpmcp.Options{}, o)
					defer func() { _ = h.Close() }()
					body, header := callOfNew, http.Header{"Mcp-Protocol-Version": {revision}, "Mcp-Method": {"tools/call"}, "Mcp-Name": {"ump_remember"}}
					if revision == "2025-11-25" {
						begun := send(h, "t", nil, strings.NewReader(initialize))
						body, header = callOfOld, http.Header{"Mcp-Protocol-Version": {revision}, "Mcp-Session-Id": {begun.Header().Get("Mcp-Session-Id")}}
					}
					before := v.Len()
					l.looks()
					got := send(h, "t", header, &trickle{[]string{body[:40], body[40:]}, func() {
						l.revoke("t", c.ended)
						time.Sleep(c.pause)
					}})
					if asked := l.looks(); got.Code != c.status || asked != c.asked || (v.Len() > before) != (c.status == 200) || strings.Contains(got.Body.String(), "fire") {
						t.Errorf("%d %s, looked at %d times, %d records more", got.Code, got.Body, asked, v.Len()-before)
					}
				})
			})
		}
	}
}

func TestSessionsOfOneToken(t *testing.T) {
	l := &lobby{}
	h := l.open(t, umpmcp.HTTPOptions{MaxSessions: 20, MaxSessionsEach: 4})
	begin := func(token string) *httptest.ResponseRecorder {
		return send(h, token, nil, strings.NewReader(initialize))
	}
	refused := func(what string, got *httptest.ResponseRecorder, status int) {
		t.Helper()
		if got.Code != status || got.Header().Get("Retry-After") == "" || code(t, got.Body.Bytes()) != memory.RateLimited {
			t.Errorf("%s: %d %v %s", what, got.Code, got.Header(), got.Body)
		}
	}
	var first string
	t.Run("are bounded", func(t *testing.T) {
		for i := range 4 {
			got := begin("one")
			if got.Code != 200 {
				t.Fatalf("session %d: %d %s", i, got.Code, got.Body)
			}
			first = got.Header().Get("Mcp-Session-Id")
		}
		refused("the fifth", begin("one"), 429)
		if got := begin("two"); got.Code != 200 {
			t.Errorf("another token: %d", got.Code)
		}
	})
	t.Run("make room when one ends", func(t *testing.T) {
		r := httptest.NewRequest(http.MethodDelete, "/mcp", nil)
		r.Header = http.Header{"Authorization": {"Bearer one"}, "Mcp-Session-Id": {first}}
		w := httptest.NewRecorder()
		if h.ServeHTTP(w, r); w.Code != 204 {
			t.Fatalf("%d %s", w.Code, w.Body)
		}
		if got := begin("one"); got.Code != 200 {
			t.Errorf("%d %s", got.Code, got.Body)
		}
		refused("and then", begin("one"), 429)
	})
	t.Run("what begins none takes no room", func(t *testing.T) {
		for range 10 {
			send(h, "three", nil, strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`))
		}
		if got := begin("three"); got.Code != 200 {
			t.Errorf("%d %s", got.Code, got.Body)
		}
	})
	t.Run("leave room for the owner", func(t *testing.T) {
		for i := range 12 {
			if got := begin(fmt.Sprint("many", i)); got.Code != 200 {
				t.Fatalf("%d: %d %s", i, got.Code, got.Body)
			}
		}
		refused("a peer", begin("late"), 503)
		for range 2 {
			if got := begin("owner"); got.Code != 200 {
				t.Errorf("the owner: %d %s", got.Code, got.Body)
			}
		}
		refused("the owner when all is full", begin("owner"), 503)
	})
	t.Run("at once", func(t *testing.T) {
		h := (&lobby{}).open(t, umpmcp.HTTPOptions{MaxSessionsEach: 4})
		var all sync.WaitGroup
		var mu sync.Mutex
		let := 0
		for range 20 {
			all.Go(func() {
				if send(h, "one", nil, strings.NewReader(initialize)).Code == 200 {
					mu.Lock()
					let++
					mu.Unlock()
				}
			})
		}
		if all.Wait(); let != 4 {
			t.Errorf("%d sessions began", let)
		}
	})
}

func TestSessionsEndWithTheirToken(t *testing.T) {
	revoked := ump.TokenError(ump.ErrTokenRevoked)
	for _, c := range []struct {
		name  string
		ended error
		open  int // how many stay
	}{
		{"UMP-5.2-8 revoked: within a minute", revoked, 0},
		{"UMP-5.2-9 expired: within a minute", ump.TokenError(ump.ErrTokenExpired), 0},
		{"not when the store fails", errors.New("disk on fire"), 4},
		{"not while it is good", nil, 4},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := &lobby{}
				h := umpmcp.NewHTTP(at3(t), umpmcp.Options{}, umpmcp.HTTPOptions{Who: l.who, MaxSessionsEach: 4})
				defer func() { _ = h.Close() }()
				begin := func(token string) (int, string) {
					got := send(h, token, nil, strings.NewReader(initialize))
					return got.Code, got.Header().Get("Mcp-Session-Id")
				}
				var theirs string
				for range 4 {
					_, theirs = begin("one")
				}
				_, mine := begin("owner")
				l.revoke("one", c.ended)
				time.Sleep(time.Minute)
				synctest.Wait()
				l.revoke("one", nil) // so that it can be asked what is left
				list := strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
				want := map[bool]int{true: 200, false: 404}[c.open > 0]
				if got := send(h, "one", http.Header{"Mcp-Session-Id": {theirs}}, list); got.Code != want {
					t.Errorf("its session: %d %s", got.Code, got.Body)
				}
				began := 0
				for range 4 {
					if status, _ := begin("one"); status == 200 {
						began++
					}
				}
				if began != 4-c.open {
					t.Errorf("room for %d, want %d", began, 4-c.open)
				}
				if got := send(h, "owner", http.Header{"Mcp-Session-Id": {mine}}, strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)); got.Code != 200 {
					t.Errorf("another's session: %d %s", got.Code, got.Body)
				}
			})
		})
	}
	t.Run("nothing is looked at when there are none", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			l := &lobby{}
			h := umpmcp.NewHTTP(at3(t), umpmcp.Options{}, umpmcp.HTTPOptions{Who: l.who, SessionTimeout: time.Minute})
			send(h, "one", nil, strings.NewReader(initialize))
			time.Sleep(2 * time.Minute)
			synctest.Wait()
			l.looks()
			time.Sleep(time.Hour)
			synctest.Wait()
			if n := l.looks(); n != 0 {
				t.Errorf("looked at %d times", n)
			}
		})
	})
}

func TestErrorsBelowTheProtocol(t *testing.T) {
	l := &lobby{}
	var told []string
	h := l.open(t, umpmcp.HTTPOptions{MaxBody: 1 << 10, Refused: func(_ *http.Request, kind memory.ErrorKind) { told = append(told, string(kind)) }})
	theirs := send(h, "two", nil, strings.NewReader(initialize)).Header().Get("Mcp-Session-Id")
	const list = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
	for _, c := range []struct {
		name, method, body string
		header             http.Header
		status             int
		code               memory.ErrorKind
		says               string
	}{
		{"another's session", "POST", list, http.Header{"Mcp-Session-Id": {theirs}}, 403, memory.ForbiddenScope, "initialize"},
		{"no such session", "POST", list, http.Header{"Mcp-Session-Id": {"secret-canary"}}, 404, memory.NotFound, "initialize"},
		{"no such session to end", "DELETE", "", http.Header{"Mcp-Session-Id": {"secret-canary"}}, 404, memory.NotFound, "initialize"},
		{"no such session to listen to", "GET", "", http.Header{"Mcp-Session-Id": {"secret-canary"}}, 404, memory.NotFound, "initialize"},
		{"no session to listen to", "GET", "", nil, 400, memory.InvalidRecord, "Mcp-Session-Id"},
		{"Accept is missing", "POST", list, http.Header{"Accept": nil}, 400, memory.InvalidRecord, "Accept must contain"},
		{"a type that is none", "POST", list, http.Header{"Content-Type": {"text/plain"}}, 415, memory.Unsupported, "application/json"},
		{"a method that is none", "PUT", list, nil, 405, memory.Unsupported, "POST"},
		{"an edition that is not known", "POST", list, http.Header{"Mcp-Protocol-Version": {"1999-01-01"}}, 400, memory.InvalidRecord, "2025-11-25"},
		{"no JSON", "POST", `{"secret-canary`, nil, 400, memory.InvalidRecord, "JSON-RPC"},
		{"no message", "POST", `{"secret-canary":"secret-canary"}`, nil, 400, memory.InvalidRecord, "JSON-RPC"},
		{"no such method", "POST", `{"jsonrpc":"2.0","id":1,"method":"secret-canary"}`, nil, 400, memory.InvalidRecord, "JSON-RPC"},
		{"nothing", "POST", "", nil, 400, memory.InvalidRecord, "non-empty"},
		{"a message that is too large", "POST", strings.Repeat("x", 2<<10), nil, 413, memory.InvalidRecord, "too large"},
		{"a request of the newest revision without sense", "POST", `{"secret-canary`, http.Header{"Mcp-Protocol-Version": {"2026-07-28"}}, 400, memory.InvalidRecord, "JSON-RPC"},
		{"a token in an unknown manner", "POST", list, http.Header{"Authorization": {"one"}}, 401, memory.Unauthorized, "Bearer"},
	} {
		t.Run("UMP-3-2 "+c.name, func(t *testing.T) {
			r := httptest.NewRequest(c.method, "/mcp", strings.NewReader(c.body))
			r.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}, "Authorization": {"Bearer one"}}
			for name, values := range c.header {
				r.Header[name] = values
			}
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			if w.Code != c.status || code(t, w.Body.Bytes()) != c.code || !strings.Contains(w.Body.String(), c.says) || strings.Contains(w.Body.String(), "canary") {
				t.Errorf("%d %s", w.Code, w.Body)
			}
			if w.Header().Get("Content-Type") != "application/json" || w.Header().Get("Cache-Control") != "no-store" ||
				(c.status == 401) != (w.Header().Get("WWW-Authenticate") != "") || (c.status == 405) != (w.Header().Get("Allow") != "") {
				t.Errorf("%v", w.Header())
			}
		})
	}
	if !slices.Equal(told, []string{"forbidden_scope"}) {
		t.Errorf("told %q", told)
	}
	t.Run("UMP-3-2 the store fails", func(t *testing.T) {
		l.revoke("broken", errors.New("disk on fire"))
		if got := send(h, "broken", nil, strings.NewReader(list)); got.Code != 500 || code(t, got.Body.Bytes()) != memory.Internal || strings.Contains(got.Body.String(), "fire") {
			t.Errorf("%d %s", got.Code, got.Body)
		}
	})
	t.Run("an error of JSON-RPC stays one", func(t *testing.T) {
		got := send(h, "two", http.Header{"Mcp-Session-Id": {theirs}}, strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"nothing"}}`))
		if got.Code != 200 || !strings.Contains(got.Body.String(), `"jsonrpc":"2.0"`) || !strings.Contains(got.Body.String(), `"code":-32602`) {
			t.Errorf("%d %s", got.Code, got.Body)
		}
	})
}

func TestErrorOfASecondStream(t *testing.T) {
	h := build(t, umpmcp.HTTPOptions{})
	got, lines := h.raw(t, "one", "2025-11-25")
	if !lines.Scan() {
		t.Fatal(lines.Err())
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, h.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header = got.Request.Header
	second, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = second.Body.Close() }()
	said, err := io.ReadAll(second.Body)
	if err != nil || second.StatusCode != http.StatusConflict || code(t, said) != memory.Unsupported {
		t.Errorf("%d %s %v", second.StatusCode, said, err)
	}
}

// listenTo listens with a token for two minutes at most, and returns what was said
// once that has ended, and when it did.
func listenTo(t *testing.T, h http.Handler) (*httptest.ResponseRecorder, time.Time) {
	t.Helper()
	ctx, leave := context.WithTimeout(t.Context(), 2*time.Minute)
	defer leave()
	r := httptest.NewRequestWithContext(ctx, http.MethodPost, "/mcp", strings.NewReader(`{"jsonrpc":"2.0","id":"l","method":"subscriptions/listen","params":{"notifications":{"resourcesListChanged":true},`+
		`"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`))
	r.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}, "Authorization": {"Bearer t"},
		"Mcp-Protocol-Version": {"2026-07-28"}, "Mcp-Method": {"subscriptions/listen"}}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w, time.Now()
}

// TestStreamsAroundTheEnd opens one stream before its token expires and one after,
// within the skew.
func TestStreamsAroundTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		caller := reader("p")
		caller.Grant.Expires = began.Add(10 * time.Second)
		v := at3(t)
		h := umpmcp.NewHTTP(v, umpmcp.Options{}, umpmcp.HTTPOptions{Now: time.Now, Who: func(*http.Request) (memory.Caller, error) { return caller, nil }})
		defer func() { _ = h.Close() }()
		session := send(h, "t", nil, strings.NewReader(initialize)).Header().Get("Mcp-Session-Id") // which is followed from before to after
		if got := send(h, "t", http.Header{"Mcp-Session-Id": {session}}, strings.NewReader(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)); got.Code != 202 {
			t.Fatalf("%d %s", got.Code, got.Body)
		}
		var all sync.WaitGroup
		defer all.Wait()
		for i, c := range []struct{ after, ends time.Duration }{{0, 10 * time.Second}, {10 * time.Second, 70 * time.Second}} {
			all.Go(func() {
				time.Sleep(c.after)
				w, ended := listenTo(t, h)
				if ended.Sub(began) != c.ends || strings.Count(w.Body.String(), "list_changed") != 1 {
					t.Errorf("stream %d ends after %v: %s", i, ended.Sub(began), w.Body)
				}
			})
		}
		for i, at := range []time.Duration{5 * time.Second, 25 * time.Second} {
			time.AfterFunc(at, func() { remember(t, v, fmt.Sprint(i), memory.Scope{Project: "p", Visibility: memory.Shared}) })
		}
	})
}

// TestStreamWithinTheSkew listens with a token whose time was over half a minute
// ago.
func TestStreamWithinTheSkew(t *testing.T) {
	for _, c := range []struct {
		name   string
		clock  func() time.Time
		after  time.Duration
		status int
	}{
		{"UMP-5.2-9 within the skew of clocks", time.Now, 30 * time.Second, 200},
		{"UMP-5.2-9 after it", time.Now, 61 * time.Second, 401},
		{"UMP-5.2-9 without a clock there is none", nil, 30 * time.Second, 401},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				caller := reader("p")
				caller.Grant.Expires = time.Now().Add(-c.after)
				v := at3(t)
				h := umpmcp.NewHTTP(v, umpmcp.Options{}, umpmcp.HTTPOptions{Now: c.clock, Who: func(*http.Request) (memory.Caller, error) { return caller, nil }})
				defer func() { _ = h.Close() }()
				time.AfterFunc(20*time.Second, func() { remember(t, v, "x", memory.Scope{Project: "p", Visibility: memory.Shared}) })
				time.AfterFunc(40*time.Second, func() { remember(t, v, "y", memory.Scope{Project: "p", Visibility: memory.Shared}) })
				began := time.Now()
				w, ended := listenTo(t, h)
				took := ended.Sub(began)
				if w.Code != c.status || c.status == 200 && (took != 30*time.Second || strings.Count(w.Body.String(), "list_changed") != 1) || c.status != 200 && took > 0 {
					t.Errorf("%d after %v: %s", w.Code, took, w.Body)
				}
				time.Sleep(time.Minute)
			})
		})
	}
}
