package umphttp_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
	"github.com/satchel-memory/satchel/ump/umphttp"
	"github.com/satchel-memory/satchel/ump/umptest"
)

// door lets a caller in until it is shut.
type door struct {
	caller memory.Caller
	shut   atomic.Bool
	asked  atomic.Int32
	fault  error // of looking, once it is shut; nil: the token was revoked
}

func (d *door) who(*http.Request) (memory.Caller, error) {
	d.asked.Add(1)
	switch {
	case !d.shut.Load():
		return d.caller, nil
	case d.fault != nil:
		return memory.Caller{}, d.fault
	}
	return memory.Caller{}, ump.TokenError(ump.ErrTokenRevoked)
}

// trickle is a body that arrives in two parts, with a while between them.
type trickle struct {
	first, second string
	between       func()
	at            int
}

func (b *trickle) Read(p []byte) (int, error) {
	b.at++
	switch b.at {
	case 1:
		return copy(p, b.first), nil
	case 2:
		b.between()
		return copy(p, b.second), nil
	}
	return 0, io.EOF
}

func TestBodyTricklesIn(t *testing.T) {
	const draft = `{"record":{"kind":"semantic","body":{"text":"late"}}}`
	for _, c := range []struct {
		name   string
		path   string
		pause  time.Duration
		revoke bool
		fault  error
		status int
		asked  int32
	}{
		{"UMP-5.2-8 a token that was revoked meanwhile writes nothing", "/ump/remember", 20 * time.Second, true, nil, 401, 2},
		{"UMP-5.2-8 nor reads", "/ump/recall", 20 * time.Second, true, nil, 401, 2},
		{"one that is still good does", "/ump/remember", 20 * time.Second, false, nil, 200, 2},
		{"a body that is here at once costs no second look", "/ump/remember", 10 * time.Millisecond, true, nil, 200, 1},
		{"a store that fails is no refusal", "/ump/remember", 20 * time.Second, true, errors.New("disk on fire"), 500, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				v := umptest.New()
				d := &door{caller: peer("t", memory.Grant{Verbs: memory.Verbs()}), fault: c.fault}
				body := &trickle{first: draft[:20], second: draft[20:], between: func() {
					d.shut.Store(c.revoke)
					time.Sleep(c.pause)
				}}
				if c.path == "/ump/recall" {
					body.first, body.second = `{"query":`, `"late"}`
				}
				r := httptest.NewRequest("POST", c.path, body)
				r.Header.Set("Authorization", "Bearer t")
				w := httptest.NewRecorder()
				umphttp.New(v, umphttp.Options{Authenticate: d.who}).ServeHTTP(w, r)
				if w.Code != c.status || d.asked.Load() != c.asked {
					t.Errorf("%d %s, looked at %d times", w.Code, w.Body, d.asked.Load())
				}
				if stored := v.Len() == 1; c.path == "/ump/remember" && stored != (c.status == 200) {
					t.Errorf("%d records are stored", v.Len())
				}
			})
		})
	}
	t.Run("a stranger stays one", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			body := &trickle{first: `{"query":`, second: `"manual"}`, between: func() { time.Sleep(20 * time.Second) }}
			w := httptest.NewRecorder()
			umphttp.New(filled(t), umphttp.Options{Authenticate: who, Anonymous: true, Owner: owner}).ServeHTTP(w, httptest.NewRequest("POST", "/ump/recall", body))
			if w.Code != 200 || !strings.Contains(w.Body.String(), "manual") {
				t.Errorf("%d %s", w.Code, w.Body)
			}
		})
	})
}

// slowly returns a vault that hands out one record of n each while, of a size that
// is sent at once.
func slowly(t *testing.T, n int, while time.Duration) *umptest.Vault {
	t.Helper()
	v := umptest.New()
	for range n {
		text := strings.Repeat("long ", 2000) + time.Now().String()
		if _, err := v.Remember(t.Context(), memory.Caller{Owner: owner, Role: memory.Agent}, memory.Draft{Record: memory.Record{Kind: memory.Semantic, Scope: memory.Scope{Owner: owner}, Body: memory.Body{Text: text}}}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
	}
	v.Before = func(_ context.Context, operation string, _ memory.Caller) error {
		if operation == "export record" {
			time.Sleep(while)
		}
		return nil
	}
	return v
}

// exported performs an export and returns its answer, what it ended with, and how
// long it took.
func exported(h *umphttp.Handler) (w *httptest.ResponseRecorder, fault any, took time.Duration) {
	w = httptest.NewRecorder()
	began := time.Now()
	defer func() { fault, took = recover(), time.Since(began) }()
	r := httptest.NewRequest("GET", "/ump/export?format=ndjson", nil)
	r.Header.Set("Authorization", "Bearer t")
	h.ServeHTTP(w, r)
	return w, nil, 0
}

func TestExportEndsWithItsToken(t *testing.T) {
	broken := errors.New("disk on fire")
	for _, c := range []struct {
		name   string
		caller memory.Caller
		fault  error
		want   error
	}{
		{"UMP-5.2-8 a grant that is revoked", peer("t", memory.Grant{Verbs: memory.Verbs()}), nil, ump.ErrTokenRevoked},
		{"UMP-5.2-8 the owner's own token, revoked", memory.Caller{Owner: owner, Role: memory.Owner, Session: "token:t"}, nil, ump.ErrTokenRevoked},
		{"a token that cannot be looked at any more", memory.Caller{Owner: owner, Role: memory.Agent, Session: "token:t"}, broken, broken},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := &door{caller: c.caller, fault: c.fault}
				var reported error
				h := umphttp.New(exports{slowly(t, 100, 100*time.Millisecond)}, umphttp.Options{Authenticate: d.who, Report: func(_ *http.Request, err error) { reported = err }})
				time.AfterFunc(3*time.Second, func() { d.shut.Store(true) })
				w, fault, took := exported(h)
				if lines := strings.Count(w.Body.String(), "\n"); fault != http.ErrAbortHandler || took < 3*time.Second || took > 5*time.Second || lines < 20 || lines > 50 {
					t.Errorf("%v after %v, %d records", fault, took, lines)
				}
				if !errors.Is(reported, c.want) {
					t.Errorf("reported %v", reported)
				}
			})
		})
	}
	t.Run("UMP-5.2-8 before the first record is sent", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			d := &door{caller: peer("t", memory.Grant{Verbs: memory.Verbs()})}
			h := umphttp.New(exports{slowly(t, 2, 10*time.Second)}, umphttp.Options{Authenticate: d.who})
			time.AfterFunc(time.Second/2, func() { d.shut.Store(true) })
			w, fault, _ := exported(h)
			if fault != nil || w.Code != 401 || !strings.Contains(w.Body.String(), `"unauthorized"`) || w.Header().Get("Content-Disposition") != "" {
				t.Errorf("%v, %d %s", fault, w.Code, w.Body)
			}
		})
	})
	t.Run("one that stays good does not", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			d := &door{caller: peer("t", memory.Grant{Verbs: memory.Verbs()})}
			w, fault, _ := exported(umphttp.New(exports{slowly(t, 50, 100*time.Millisecond)}, umphttp.Options{Authenticate: d.who}))
			if lines := strings.Count(w.Body.String(), "\n"); fault != nil || lines != 50 {
				t.Errorf("%v, %d records", fault, lines)
			}
		})
	})
	t.Run("a look that takes too long ends it, too", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			d := &door{caller: peer("t", memory.Grant{Verbs: memory.Verbs()})}
			look := func(r *http.Request) (memory.Caller, error) {
				if d.asked.Add(1) > 1 {
					<-r.Context().Done()
					return memory.Caller{}, r.Context().Err()
				}
				return d.caller, nil
			}
			_, fault, took := exported(umphttp.New(exports{slowly(t, 1000, 100*time.Millisecond)}, umphttp.Options{Authenticate: look}))
			if fault != http.ErrAbortHandler || took > 15*time.Second {
				t.Errorf("%v after %v", fault, took)
			}
		})
	})
}

// TestSkew asks with a token whose time was over half a minute ago: clocks may
// differ by a minute, and every route says the same.
func TestSkew(t *testing.T) {
	for _, c := range []struct {
		name   string
		clock  bool
		after  time.Duration
		status int
	}{
		{"UMP-5.2-9 within the skew of clocks", true, 30 * time.Second, 200},
		{"UMP-5.2-9 after it", true, 61 * time.Second, 401},
		{"UMP-5.2-9 without a clock there is none", false, 30 * time.Second, 401},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				o := umphttp.Options{}
				caller := peer("t", memory.Grant{Verbs: memory.Verbs(), Expires: time.Now().Add(-c.after)})
				o.Authenticate = func(*http.Request) (memory.Caller, error) { return caller, nil }
				if c.clock {
					o.Now = time.Now
				}
				got, fault, _ := exported(umphttp.New(exports{filled(t)}, o))
				if fault != nil || got.Code != c.status {
					t.Errorf("export: %v, %d %s", fault, got.Code, got.Body)
				}
				l := listen(t, umphttp.New(newFeed(), o), "/ump/subscribe")
				if l.status != c.status {
					t.Errorf("subscribe: %d", l.status)
				}
				l.heard(t)
				time.Sleep(30 * time.Second)
				if got := l.heard(t); c.status == 200 && !strings.HasSuffix(got, ": token expired\n\n") || !l.over() {
					t.Errorf("a minute after its time: %q", got)
				}
			})
		})
	}
}

func TestRefusalsAreTold(t *testing.T) {
	var told []string
	server := serve(t, newFeed(), umphttp.Options{Refused: func(r *http.Request, kind memory.ErrorKind) { told = append(told, string(kind)+" "+r.URL.Path) }})
	for _, path := range []string{"/ump/export", "/ump/subscribe?owner=did:example:other"} {
		if got := do(t, server, "GET", path, "", "Authorization: Bearer reader"); got.StatusCode != 403 {
			t.Errorf("%s: %d", path, got.StatusCode)
		}
	}
	do(t, server, "GET", "/ump/subscribe", "", "Authorization: Bearer exporter") // the service refuses, and tells of it
	do(t, server, "GET", "/ump/subscribe?last_event_id=x", "")
	if want := []string{"forbidden_scope /ump/export", "forbidden_scope /ump/subscribe"}; !slices.Equal(told, want) {
		t.Errorf("told %q, want %q", told, want)
	}
}
