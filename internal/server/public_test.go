package server_test

import (
	"context"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/internal/server"
	"github.com/satchel-memory/satchel/memory"
)

func TestPublic(t *testing.T) {
	public, private := start(t, server.Options{Public: true, Backend: publishing{newKeeper(t)}}), start(t, server.Options{Backend: publishing{newKeeper(t)}})
	const stranger = "Authorization:"
	for _, c := range []struct {
		method, path, body string
		open, closed       int
		says, hides        string
	}{
		{"POST", "/ump/recall", `{"query":"manual pnpm"}`, 200, 401, "manual", "pnpm"},
		{"GET", "/ump/memory/urn:ump:aaaaaaaaaaaaaaaaaaaaaaaaac", "", 200, 401, "manual", "pnpm"},
		{"GET", "/ump/memory/" + known, "", 404, 401, "not_found", "pnpm"},
		{"GET", "/.well-known/ump/public.ump.json", "", 200, 404, "manual", "pnpm"},
		{"GET", "/.well-known/ump/public.ndjson", "", 200, 404, "manual", "pnpm"},
		{"POST", "/ump/remember", `{"record":{"body":{"text":"x"}}}`, 401, 401, "", ""},
		{"POST", "/ump/revise", `{"id":"` + known + `","patch":{}}`, 401, 401, "", ""},
		{"POST", "/ump/forget", `{"id":"` + known + `","reason":"other"}`, 401, 401, "", ""},
		{"GET", "/ump/export", "", 401, 401, "", ""},
		{"GET", "/ump/subscribe", "", 401, 401, "", ""},
		{"POST", "/mcp", initialize, 401, 401, "", ""},
		{"GET", "/metrics", "", 401, 401, "", ""},
	} {
		t.Run("UMP-4.2-7 "+c.method+" "+c.path, func(t *testing.T) {
			got := public.do(t, c.method, c.path, c.body, stranger)
			if got.StatusCode != c.open || !strings.Contains(string(got.body), c.says) || c.hides != "" && strings.Contains(string(got.body), c.hides) {
				t.Errorf("with public memories: %d %s", got.StatusCode, got.body)
			}
			if got := private.do(t, c.method, c.path, c.body, stranger); got.StatusCode != c.closed || strings.Contains(string(got.body), "docs/") {
				t.Errorf("without: %d %s", got.StatusCode, got.body)
			}
		})
	}
	t.Run("UMP-4.3-6 the manifest names the documents when there are any", func(t *testing.T) {
		for s, want := range map[*running]bool{public: true, private: false} {
			if got := s.do(t, "GET", "/.well-known/ump.json", "", stranger); strings.Contains(string(got.body), "ump/public.ndjson") != want {
				t.Errorf("%s", got.body)
			}
		}
	})
}

func TestManyReadThePublicDocument(t *testing.T) {
	k := newKeeper(t)
	began, leave := make(chan struct{}, 10), make(chan struct{})
	k.Before = func(_ context.Context, op string, _ memory.Caller) error {
		if op == "export" {
			began <- struct{}{}
			<-leave
		}
		return nil
	}
	s := start(t, server.Options{Public: true, Backend: publishing{k}})
	done := make(chan int, 4)
	for range cap(done) {
		go func() {
			got, err := s.try(t, "GET", "/.well-known/ump/public.ndjson", "", "Authorization:")
			if err != nil {
				t.Error(err)
				done <- 0
				return
			}
			done <- got.StatusCode
		}()
		<-began
	}
	if got := s.do(t, "GET", "/.well-known/ump/public.ump.json", "", "Authorization:"); got.StatusCode != 429 || got.Header.Get("Retry-After") == "" || got.code(t) != memory.RateLimited {
		t.Errorf("one too many: %d %s", got.StatusCode, got.body)
	}
	if got := s.do(t, "POST", "/ump/recall", `{"query":"manual"}`, "Authorization:"); got.StatusCode != 200 {
		t.Errorf("others wait for them: %d", got.StatusCode)
	}
	close(leave)
	for range cap(done) {
		if got := <-done; got != 200 {
			t.Errorf("%d", got)
		}
	}
	if got := s.do(t, "GET", "/.well-known/ump/public.ump.json", "", "Authorization:"); got.StatusCode != 200 {
		t.Errorf("afterwards: %d", got.StatusCode)
	}
}

// publishing is a keeper whose public records can be had.
type publishing struct{ *keeper }

func (p publishing) Public(ctx context.Context, owner memory.DID, yield func(memory.Record) error) error {
	return p.Export(ctx, memory.Caller{Owner: owner, Role: memory.Owner}, func(r memory.Record) error {
		if r.Scope.Visibility != memory.Public {
			return nil
		}
		return yield(r)
	})
}
