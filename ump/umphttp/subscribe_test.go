package umphttp_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
	"github.com/satchel-memory/satchel/ump/umphttp"
	"github.com/satchel-memory/satchel/ump/umptest"
)

// listener is a client of a stream, in a bubble of synctest.
type listener struct {
	mu      sync.Mutex
	header  http.Header
	status  int
	said    bytes.Buffer
	flushed int // bytes that have left
	reading time.Time
	writing time.Time
	ended   bool
	leave   context.CancelFunc
}

func (l *listener) Header() http.Header { return l.header }

func (l *listener) WriteHeader(status int) { l.status = status }

func (l *listener) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.status == 0 {
		l.status = http.StatusOK
	}
	return l.said.Write(p)
}

func (l *listener) FlushError() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.flushed = l.said.Len()
	return nil
}

func (l *listener) SetReadDeadline(at time.Time) error  { l.reading = at; return nil }
func (l *listener) SetWriteDeadline(at time.Time) error { l.writing = at; return nil }

// heard returns what has arrived since the last time.
func (l *listener) heard(t *testing.T) string {
	t.Helper()
	synctest.Wait()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.flushed < l.said.Len() && !l.ended {
		t.Errorf("%q is held back", l.said.Bytes()[l.flushed:])
	}
	said := l.said.String()
	l.said.Reset()
	l.flushed = 0
	return said
}

// listen opens a stream in a bubble, and returns once it waits for events.
func listen(t *testing.T, h http.Handler, target string, header ...string) *listener {
	t.Helper()
	ctx, leave := context.WithCancel(t.Context())
	r, err := http.NewRequestWithContext(ctx, "GET", target, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer owner")
	for _, line := range header {
		name, value, _ := strings.Cut(line, ": ")
		r.Header.Set(name, value)
	}
	l := &listener{header: http.Header{}, leave: leave, reading: time.Now(), writing: time.Now()}
	go func() {
		h.ServeHTTP(l, r)
		l.mu.Lock()
		defer l.mu.Unlock()
		l.ended = true
	}()
	t.Cleanup(leave)
	synctest.Wait()
	return l
}

func (l *listener) over() bool {
	synctest.Wait()
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.ended
}

const opening = ": ump subscribe open\n\n"

func event(t memory.EventType, sequence int, id string, record string) string {
	return fmt.Sprintf("event: %s\nid: %d\ndata: {\"type\":%q,\"id\":%q%s}\n\n", t, sequence, t, id, record)
}

func TestSubscribe(t *testing.T) {
	t.Run("UMP-4.2-9 UMP-3.8-4 a stream of events", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			f := newFeed()
			f.happen(memory.WasCreated, "urn:ump:old", memory.Scope{})
			l := listen(t, umphttp.New(f, umphttp.Options{Authenticate: who}), "/ump/subscribe")
			if got := l.heard(t); got != opening || l.status != 200 {
				t.Errorf("%d %q", l.status, got)
			}
			for name, want := range map[string]string{"Content-Type": "text/event-stream", "Cache-Control": "no-store", "X-Accel-Buffering": "no"} {
				if got := l.header.Get(name); got != want {
					t.Errorf("%s: %s", name, got)
				}
			}
			if !l.reading.IsZero() || !l.writing.IsZero() {
				t.Errorf("the connection is cut at %v or %v", l.reading, l.writing)
			}
			for i, kind := range []memory.EventType{memory.WasCreated, memory.WasMerged, memory.WasRevised, memory.WasTombstoned, memory.WasErased} {
				f.happen(kind, "urn:ump:a", memory.Scope{})
				got := l.heard(t)
				head, data, _ := strings.Cut(got, "data: ")
				if want := fmt.Sprintf("event: %s\nid: %d\n", kind, 20+10*i); head != want {
					t.Errorf("%q, want %q", head, want)
				}
				if want := fmt.Sprintf(`{"type":%q,"id":"urn:ump:a"`, kind); !strings.HasPrefix(data, want) || strings.Contains(data, `"record"`) != (kind != memory.WasErased) || !strings.HasSuffix(data, "}\n\n") {
					t.Errorf("%s: %q", kind, data)
				}
			}
			l.leave()
			if !l.over() || l.heard(t) != "" {
				t.Error("goes on when the client is gone")
			}
		})
	})
	t.Run("UMP-3.8-3 nothing of another project or agent", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			f := newFeed()
			h := umphttp.New(f, umphttp.Options{Authenticate: who})
			listeners := map[string]*listener{}
			for _, query := range []string{"", "?project=p", "?project=p&agent=a", "?agent=a&owner=" + string(owner)} {
				listeners[query] = listen(t, h, "/ump/subscribe"+query)
			}
			f.happen(memory.WasCreated, "urn:ump:both", memory.Scope{Project: "p", Agent: "a"})
			f.happen(memory.WasCreated, "urn:ump:project", memory.Scope{Project: "p"})
			f.happen(memory.WasCreated, "urn:ump:neither", memory.Scope{Project: "q", Agent: "b"})
			for query, want := range map[string]int{"": 3, "?project=p": 2, "?project=p&agent=a": 1, "?agent=a&owner=" + string(owner): 1} {
				if got := listeners[query].heard(t); strings.Count(got, "event: ") != want || !strings.Contains(got, "urn:ump:both") {
					t.Errorf("%s: %q, want %d events", query, got, want)
				}
			}
		})
	})
	t.Run("UMP-3.8-5 a token's project is all its stream has", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			f := newFeed()
			l := listen(t, umphttp.New(f, umphttp.Options{Authenticate: who}), "/ump/subscribe", "Authorization: Bearer reader")
			f.happen(memory.WasCreated, "urn:ump:a", memory.Scope{Project: "other"})
			f.happen(memory.WasCreated, "urn:ump:b", memory.Scope{Project: project})
			if got := l.heard(t); strings.Contains(got, "urn:ump:a") || !strings.Contains(got, "urn:ump:b") {
				t.Errorf("%q", got)
			}
			if asked := f.callers(); len(asked) != 1 || asked[0].Role != memory.Peer {
				t.Errorf("changes are read by %+v", asked)
			}
		})
	})
	t.Run("of another owner's memory, nothing", func(t *testing.T) {
		for _, o := range []umphttp.Options{{}, {Anonymous: true, Owner: owner}, {Owner: other}} {
			synctest.Test(t, func(t *testing.T) {
				f := newFeed()
				o.Authenticate = who
				l := listen(t, umphttp.New(f, o), "/ump/subscribe?owner=did:example:other", "Last-Event-ID: 0")
				f.happen(memory.WasCreated, "urn:ump:b", memory.Scope{Visibility: memory.Public})
				if got := l.heard(t); got != opening || len(f.callers()) > 0 {
					t.Errorf("%q", got)
				}
			})
		}
	})
	t.Run("of the owner whom strangers are shown, what is public", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			f := newFeed()
			l := listen(t, umphttp.New(f, shown), "/ump/subscribe?owner=did:example:other")
			f.happen(memory.WasCreated, "urn:ump:a", memory.Scope{})
			f.happen(memory.WasCreated, "urn:ump:b", memory.Scope{Visibility: memory.Public})
			if got := l.heard(t); strings.Contains(got, "urn:ump:a") || !strings.Contains(got, "urn:ump:b") {
				t.Errorf("%q", got)
			}
			if asked := f.callers(); len(asked) != 1 || asked[0] != (memory.Caller{Owner: "did:example:other"}) {
				t.Errorf("changes are read by %+v", asked)
			}
		})
	})
}

func TestReplay(t *testing.T) {
	all := func(t *testing.T, target string, header ...string) string {
		t.Helper()
		var said string
		synctest.Test(t, func(t *testing.T) {
			f := newFeed()
			for i := range 50 {
				f.happen(memory.WasErased, memory.ID(fmt.Sprintf("urn:ump:n%d", i+1)), memory.Scope{})
			}
			said = listen(t, umphttp.New(f, umphttp.Options{Authenticate: who}), target, header...).heard(t)
		})
		return said
	}
	rest := func(from int) string {
		want := opening
		for i := from; i <= 50; i++ {
			want += event(memory.WasErased, i*10, fmt.Sprintf("urn:ump:n%d", i), "")
		}
		return want
	}
	for _, c := range []struct {
		name, target string
		header       []string
		from         int
	}{
		{"without an id, from now", "/ump/subscribe", nil, 51},
		{"an empty id is none", "/ump/subscribe?last_event_id=", []string{"Last-Event-ID: "}, 51},
		{"from the beginning, in the order it happened, each once", "/ump/subscribe", []string{"Last-Event-ID: 0"}, 1},
		{"after an event", "/ump/subscribe", []string{"Last-Event-ID: 440"}, 45},
		{"after the last", "/ump/subscribe", []string{"Last-Event-ID: 500"}, 51},
		{"in the query, for who cannot set headers", "/ump/subscribe?last_event_id=440", nil, 45},
		{"the header is newer than the URL", "/ump/subscribe?last_event_id=0", []string{"Last-Event-ID: 440"}, 45},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got, want := all(t, c.target, c.header...), rest(c.from); got != want {
				t.Errorf("%q, want %q", got, want)
			}
		})
	}
}

// TestReplayOfWhatHasNotHappened keeps from others how much happens to an owner.
func TestReplayOfWhatHasNotHappened(t *testing.T) {
	for _, c := range []struct {
		name, target, token string
		status              int
	}{
		{"the owner is told", "/ump/subscribe", "owner", 400},
		{"the owner's agent is told", "/ump/subscribe", "agent", 400},
		{"a peer goes on from the latest", "/ump/subscribe", "reader", 200},
		{"so does who asks for another's memory", "/ump/subscribe?owner=did:example:other", "owner", 200},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newFeed()
				f.happen(memory.WasErased, "urn:ump:a", memory.Scope{Project: project})
				h := umphttp.New(f, shown)
				for _, id := range []string{"11", "9223372036854775807"} {
					l := listen(t, h, c.target, "Last-Event-ID: "+id, "Authorization: Bearer "+c.token)
					if got := l.heard(t); l.status != c.status || c.status == 200 && got != opening {
						t.Errorf("%s: %d %q", id, l.status, got)
					}
				}
				r := httptest.NewRequest("HEAD", c.target, nil)
				r.Header = http.Header{"Last-Event-Id": {"11"}, "Authorization": {"Bearer " + c.token}}
				w := httptest.NewRecorder()
				if h.ServeHTTP(w, r); w.Code != c.status {
					t.Errorf("HEAD: %d", w.Code)
				}
				if c.status != 200 {
					return
				}
				l := listen(t, h, c.target, "Last-Event-ID: 11", "Authorization: Bearer "+c.token)
				f.happen(memory.WasErased, "urn:ump:b", memory.Scope{Project: project})
				if got := l.heard(t); got != opening+event(memory.WasErased, 20, "urn:ump:b", "") {
					t.Errorf("what happens then: %q", got)
				}
			})
		})
	}
}

const other = memory.DID("did:example:other")

// shown has strangers be shown what is public of another owner.
var shown = umphttp.Options{Authenticate: who, Anonymous: true, Owner: other}

// loner keeps one owner's memory only, and is at level 3 for that one alone.
type loner struct{ *feed }

func (l loner) Head(ctx context.Context, c memory.Caller) (int64, error) {
	if c.Owner != owner {
		return 0, &memory.Error{Kind: memory.Unsupported, Message: "subscribe belongs to level 3, which is not in force here"}
	}
	return l.feed.Head(ctx, c)
}

func TestSubscribeToNobody(t *testing.T) {
	t.Run("an owner of whom nothing is kept here shows nothing", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			f := newFeed()
			l := listen(t, umphttp.New(loner{f}, shown), "/ump/subscribe?owner=did:example:other", "Last-Event-ID: 3")
			f.happen(memory.WasCreated, "urn:ump:a", memory.Scope{Visibility: memory.Public})
			time.Sleep(16 * time.Second)
			if got := l.heard(t); l.status != 200 || got != opening+": alive\n\n" {
				t.Errorf("%d %q", l.status, got)
			}
			l.leave()
			if !l.over() {
				t.Error("goes on when the client is gone")
			}
		})
	})
	t.Run("where nobody can subscribe, nobody can", func(t *testing.T) {
		got := do(t, serve(t, umptest.New(), umphttp.Options{}), "GET", "/ump/subscribe?owner=did:example:other", "")
		if got.StatusCode != 400 || got.code(t) != memory.Unsupported {
			t.Errorf("%d %s", got.StatusCode, got.body)
		}
	})
}

func TestSubscribeRefusals(t *testing.T) {
	f := newFeed()
	f.happen(memory.WasCreated, "urn:ump:a", memory.Scope{})
	server := serve(t, f, umphttp.Options{})
	for _, c := range []struct {
		name, query string
		header      []string
		status      int
		code        memory.ErrorKind
	}{
		{"a malformed id", "", []string{"Last-Event-ID: ten"}, 400, memory.InvalidRecord},
		{"a signed id", "", []string{"Last-Event-ID: +1"}, 400, memory.InvalidRecord},
		{"a negative id", "?last_event_id=-1", nil, 400, memory.InvalidRecord},
		{"an id too large", "?last_event_id=9223372036854775808", nil, 400, memory.InvalidRecord},
		{"an id of what has not happened", "?last_event_id=11", nil, 400, memory.InvalidRecord},
		{"a malformed id of a peer's", "", []string{"Last-Event-ID: ten", "Authorization: Bearer reader"}, 400, memory.InvalidRecord},
		{"a query that is none", "?project=%zz", nil, 400, memory.InvalidRecord},
		{"two projects", "?project=a&project=b", nil, 400, memory.InvalidRecord},
		{"UMP-3.7-2 nobody", "", []string{"Authorization: "}, 401, memory.Unauthorized},
		{"UMP-5.2-1 another project than the token's", "?project=other", []string{"Authorization: Bearer reader"}, 403, memory.ForbiddenScope},
		{"UMP-5.2-3 another owner than the token's", "?owner=did:example:other", []string{"Authorization: Bearer reader"}, 403, memory.ForbiddenScope},
		{"UMP-5.2-5 export does not imply reading", "", []string{"Authorization: Bearer exporter"}, 403, memory.ForbiddenScope},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := do(t, server, "GET", "/ump/subscribe"+c.query, "", c.header...)
			if got.StatusCode != c.status || got.code(t) != c.code || got.Header.Get("X-Accel-Buffering") != "" {
				t.Errorf("%d %v %s", got.StatusCode, got.Header, got.body)
			}
		})
	}
	t.Run("HEAD answers headers only", func(t *testing.T) {
		got := do(t, server, "HEAD", "/ump/subscribe", "")
		if got.StatusCode != 200 || got.Header.Get("Content-Type") != "text/event-stream" || len(got.body) != 0 {
			t.Errorf("%d %v %q", got.StatusCode, got.Header, got.body)
		}
	})
}

func TestHeartbeat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFeed()
		l := listen(t, umphttp.New(f, umphttp.Options{Authenticate: who}), "/ump/subscribe?project=p")
		l.heard(t)
		for range 15 { // what the stream does not show must not keep it silent
			time.Sleep(time.Second - time.Millisecond)
			if got := l.heard(t); got != "" {
				t.Fatalf("%q after %v", got, time.Now())
			}
			f.happen(memory.WasCreated, "urn:ump:a", memory.Scope{Project: "other"})
		}
		time.Sleep(time.Second)
		if got := l.heard(t); got != ": alive\n\n" {
			t.Errorf("%q", got)
		}
		time.Sleep(time.Hour)
		if got := l.heard(t); strings.Count(got, ": alive\n\n") != 240 {
			t.Errorf("%d heartbeats in an hour", strings.Count(got, "\n\n"))
		}
	})
}

func TestStreamEnds(t *testing.T) {
	ending := func(t *testing.T, name string, o umphttp.Options, caller memory.Caller, spoil func(*feed, *umphttp.Handler, *error), want string) {
		t.Helper()
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newFeed()
				var refusal error
				var mu sync.Mutex
				o.Authenticate = func(*http.Request) (memory.Caller, error) {
					mu.Lock()
					defer mu.Unlock()
					return caller, refusal
				}
				h := umphttp.New(f, o)
				l := listen(t, h, "/ump/subscribe")
				l.heard(t)
				mu.Lock()
				spoil(f, h, &refusal)
				mu.Unlock()
				synctest.Wait()
				time.Sleep(20 * time.Second)
				if got := l.heard(t); got != want || !l.over() {
					t.Errorf("%q, ended %v; want %q", got, l.over(), want)
				}
			})
		})
	}
	me := memory.Caller{Owner: owner, Role: memory.Owner}
	revoked := &memory.Error{Kind: memory.Unauthorized, Message: "revoked"}
	ending(t, "UMP-5.2-8 at the next heartbeat after the token is revoked", umphttp.Options{}, me,
		func(_ *feed, _ *umphttp.Handler, refusal *error) { *refusal = revoked }, ": token no longer accepted\n\n")
	ending(t, "UMP-5.2-8 before the next event after the token is revoked", umphttp.Options{}, me,
		func(f *feed, _ *umphttp.Handler, refusal *error) {
			*refusal = revoked
			f.happen(memory.WasCreated, "urn:ump:a", memory.Scope{})
		}, ": token no longer accepted\n\n")
	ending(t, "UMP-3.8-5 when a token without a grant has expired", umphttp.Options{}, me,
		func(_ *feed, _ *umphttp.Handler, refusal *error) { *refusal = ump.TokenError(ump.ErrTokenExpired) }, ": token expired\n\n")
	ending(t, "when the server stops", umphttp.Options{}, me,
		func(_ *feed, h *umphttp.Handler, _ *error) { _ = h.Close() }, ": server is stopping\nretry: 1000\n\n")
	var reported []error
	report := func(_ *http.Request, err error) { reported = append(reported, err) }
	fault := errors.New("disk on fire at /secret/path")
	ending(t, "UMP-3.7-6 when the service fails, without saying why", umphttp.Options{Report: report}, me,
		func(f *feed, _ *umphttp.Handler, _ *error) { f.fail(fault) }, ": interrupted; come back with Last-Event-ID\nretry: 1000\n\n")
	if len(reported) != 1 || !errors.Is(reported[0], fault) {
		t.Errorf("reported %v", reported)
	}
	t.Run("when the credentials are another's", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			var asked atomic.Int32
			l := listen(t, umphttp.New(newFeed(), umphttp.Options{Authenticate: func(*http.Request) (memory.Caller, error) {
				return memory.Caller{Owner: owner, Role: memory.Agent, Session: fmt.Sprint("token:", asked.Add(1))}, nil
			}}), "/ump/subscribe")
			time.Sleep(15 * time.Second)
			if got := l.heard(t); got != opening+": token no longer accepted\n\n" || !l.over() {
				t.Errorf("%q", got)
			}
		})
	})
	t.Run("UMP-3.8-5 when the token expires, to the second", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			caller := peer("short", memory.Grant{Verbs: []memory.Verb{memory.ReadVerb}, Expires: time.Now().Add(40 * time.Second)})
			h := umphttp.New(newFeed(), umphttp.Options{Authenticate: func(*http.Request) (memory.Caller, error) { return caller, nil }})
			l := listen(t, h, "/ump/subscribe")
			time.Sleep(40*time.Second - time.Millisecond)
			if got := l.heard(t); l.over() || got != opening+strings.Repeat(": alive\n\n", 2) {
				t.Errorf("%q", got)
			}
			time.Sleep(time.Millisecond)
			if got := l.heard(t); !l.over() || got != ": token expired\n\n" {
				t.Errorf("%q", got)
			}
			late := listen(t, h, "/ump/subscribe")
			if got := late.heard(t); late.status != 401 || !strings.Contains(got, "unauthorized") {
				t.Errorf("afterwards %d %q", late.status, got)
			}
		})
	})
}

// TestStreamsOfOneOwner bounds what the tokens of one owner take together.
func TestStreamsOfOneOwner(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		anybody := func(r *http.Request) (memory.Caller, error) {
			name, token, _ := strings.Cut(strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "), "/")
			return memory.Caller{Owner: memory.DID("did:example:" + name), Role: memory.Agent, Session: "token:" + token}, nil
		}
		h := umphttp.New(newFeed(), umphttp.Options{Authenticate: anybody, MaxStreams: 2, Owner: "did:example:host"})
		var last *listener
		open := func(token string, want int) {
			t.Helper()
			last = listen(t, h, "/ump/subscribe", "Authorization: Bearer "+token)
			if got := last.heard(t); last.status != want {
				t.Errorf("%s: %d %s", token, last.status, got)
			}
		}
		for i := range 8 {
			open(fmt.Sprint("one/", i), 200)
		}
		first := last
		open("one/8", 429)
		open("two/0", 200)
		for i := range 9 {
			open(fmt.Sprint("host/", i), 200)
		}
		first.leave()
		first.over()
		open("one/8", 200)
	})
}

func TestMaxStreams(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFeed()
		h := umphttp.New(f, umphttp.Options{Authenticate: who, MaxStreams: 2})
		open := func(token string) *listener {
			l := listen(t, h, "/ump/subscribe", "Authorization: Bearer "+token)
			synctest.Wait()
			return l
		}
		first := open("owner")
		open("owner")
		if l := open("owner"); l.status != 429 || l.header.Get("Retry-After") == "" || !strings.Contains(l.heard(t), "rate_limited") {
			t.Errorf("the third: %d %v", l.status, l.header)
		}
		for _, other := range []string{"agent", "reader"} {
			if l := open(other); l.status != 200 {
				t.Errorf("another token: %d", l.status)
			}
		}
		first.leave()
		if !first.over() {
			t.Fatal("goes on")
		}
		if l := open("owner"); l.status != 200 {
			t.Errorf("after one has ended: %d", l.status)
		}
	})
}
