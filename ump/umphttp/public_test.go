package umphttp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump/umphttp"
	"github.com/satchel-memory/satchel/ump/umptest"
)

// published yields what is public in a vault.
func published(v *umptest.Vault) func(context.Context, func(memory.Record) error) error {
	return func(ctx context.Context, yield func(memory.Record) error) error {
		_, err := v.Export(ctx, memory.Caller{Owner: owner, Role: memory.Owner}, func(r memory.Record) error {
			if r.Scope.Visibility != memory.Public {
				return nil
			}
			return yield(r)
		})
		return err
	}
}

func TestPublic(t *testing.T) {
	v := filled(t)
	server := serve(t, v, umphttp.Options{Public: published(v), Exports: []umphttp.Export{{URL: "/manual.ump.md", Format: "ump.md"}}})
	none := "Authorization: "
	t.Run("UMP-4.3-5 the manifest names documents that can be had", func(t *testing.T) {
		var m umphttp.Manifest
		if err := json.Unmarshal(do(t, server, "GET", "/.well-known/ump.json", "", none).body, &m); err != nil || len(m.Exports) != 3 || m.Exports[2].URL != "/manual.ump.md" {
			t.Fatalf("%v %+v", err, m.Exports)
		}
		media := map[string]string{"ump.json": "application/json", "ndjson": "application/x-ndjson"}
		for _, e := range m.Exports[:2] {
			got := do(t, server, "GET", "/.well-known/"+e.URL, "", none)
			if got.StatusCode != 200 || got.Header.Get("Content-Type") != media[e.Format] || got.Header.Get("Cache-Control") != "no-store" || got.Header.Get("Content-Disposition") != "" {
				t.Errorf("%s: %d %v", e.URL, got.StatusCode, got.Header)
			}
			if !bytes.Contains(got.body, []byte("The manual is in docs/.")) || bytes.Contains(got.body, []byte("pnpm")) {
				t.Errorf("%s: %s", e.URL, got.body)
			}
		}
	})
	t.Run("wrong credentials are refused here too", func(t *testing.T) {
		if got := do(t, server, "GET", "/.well-known/ump/public.ndjson", "", "Authorization: Bearer x"); got.StatusCode != 401 {
			t.Errorf("%d %s", got.StatusCode, got.body)
		}
	})
	t.Run("UMP-4.2-10 nothing else is there", func(t *testing.T) {
		for _, path := range []string{"/.well-known/ump/", "/.well-known/ump/public.ump.md", "/ump/public.ndjson"} {
			if got := do(t, server, "GET", path, "", none); got.StatusCode != 404 || got.code(t) != memory.NotFound {
				t.Errorf("%s: %d", path, got.StatusCode)
			}
		}
		if got := do(t, server, "POST", "/.well-known/ump/public.ndjson", "{}"); got.StatusCode != 405 {
			t.Errorf("POST: %d", got.StatusCode)
		}
	})
	t.Run("without public memories there is no such route", func(t *testing.T) {
		if got := do(t, serve(t, v, umphttp.Options{}), "GET", "/.well-known/ump/public.ndjson", "", none); got.StatusCode != 404 {
			t.Errorf("%d %s", got.StatusCode, got.body)
		}
	})
}

// TestPublicTime reads so slowly that what is read would be kept for hours.
func TestPublicTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		handed := 0
		h := umphttp.New(umptest.New(), umphttp.Options{Public: func(_ context.Context, yield func(memory.Record) error) error {
			for {
				time.Sleep(time.Second)
				r := memory.Record{Version: "0.1", ID: "urn:ump:a", Kind: memory.Semantic, Scope: memory.Scope{Owner: owner}, Time: memory.Times{Created: time.Now()},
					Body: memory.Body{Text: strings.Repeat("long ", 2000)}}
				if err := yield(r); err != nil {
					return err
				}
				handed++
			}
		}})
		r, err := http.NewRequest("GET", "/.well-known/ump/public.ndjson", nil)
		if err != nil {
			t.Fatal(err)
		}
		defer func() {
			if fault := recover(); fault != http.ErrAbortHandler {
				t.Errorf("ends with %v: the client cannot tell", fault)
			}
			if handed < 60 || handed > 600 {
				t.Errorf("ends after %d s", handed)
			}
		}()
		h.ServeHTTP(httptest.NewRecorder(), r)
	})
}

func TestAnonymous(t *testing.T) {
	const public = "urn:ump:caaaaaaaaaaaaaaaaaaaaaaaaa"
	requests := []struct{ method, path, body string }{
		{"POST", "/ump/recall", `{"query":"manual pnpm"}`}, {"GET", "/ump/memory/" + public, ""},
		{"POST", "/ump/remember", `{"record":{"body":{"text":"x"}}}`}, {"POST", "/ump/revise", `{}`}, {"POST", "/ump/forget", `{}`},
		{"POST", "/ump/feedback", `{}`}, {"GET", "/ump/export", ""}, {"GET", "/ump/subscribe", ""},
	}
	for _, anonymous := range []bool{true, false} {
		var callers []memory.Caller
		v := filled(t)
		v.Before = func(_ context.Context, _ string, c memory.Caller) error { callers = append(callers, c); return nil }
		server := serve(t, v, umphttp.Options{Anonymous: anonymous, Owner: owner})
		for i, r := range requests {
			want := 401
			if anonymous && i < 2 {
				want = 200
			}
			t.Run("UMP-4.2-7 "+r.path+" without a token", func(t *testing.T) {
				got := do(t, server, r.method, r.path, r.body, "Authorization: ")
				if got.StatusCode != want || bytes.Contains(got.body, []byte("pnpm")) || (want == 200) != bytes.Contains(got.body, []byte("manual")) {
					t.Errorf("anonymous %v: %d %s", anonymous, got.StatusCode, got.body)
				}
			})
		}
		for _, c := range callers {
			if c != (memory.Caller{Owner: owner}) {
				t.Errorf("a stranger is taken for %+v", c)
			}
		}
		if want := map[bool]int{true: 2, false: 0}[anonymous]; len(callers) != want {
			t.Errorf("anonymous %v: the service is asked %d times", anonymous, len(callers))
		}
		if got := do(t, server, "GET", "/ump/memory/"+first, "", "Authorization: "); anonymous && got.StatusCode != 404 {
			t.Errorf("a private memory: %d", got.StatusCode)
		}
		if got := do(t, server, "POST", "/ump/recall", `{"query":"x"}`, "Authorization: Bearer x"); got.StatusCode != 401 {
			t.Errorf("wrong credentials: %d", got.StatusCode)
		}
	}
}
