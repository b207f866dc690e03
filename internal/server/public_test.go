package server_test

import (
	"bufio"
	"context"
	"crypto/rand"
	"net/http"
	"strings"
	"sync/atomic"
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
		{"GET", "/ump/memory/urn:ump:caaaaaaaaaaaaaaaaaaaaaaaaa", "", 200, 401, "manual", "pnpm"},
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

// TestManyReadThePublicDocument reads from a service that does not tell of changes,
// so that each reader holds a part of the store.
func TestManyReadThePublicDocument(t *testing.T) {
	k := newKeeper(t)
	k.Level = "L2"
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

// TestSlowReadersOfThePublicDocument has more readers than there are places, all
// of whom take their time.
func TestSlowReadersOfThePublicDocument(t *testing.T) {
	k := newKeeper(t)
	var read atomic.Int32
	k.Before = func(_ context.Context, op string, _ memory.Caller) error {
		if op == "export" {
			read.Add(1)
		}
		return nil
	}
	for range 20 {
		tell(t, k, strings.Repeat("long ", 40_000)+rand.Text())
	}
	s := start(t, server.Options{Public: true, Backend: publishing{k}})
	for range 10 {
		c := connect(t, s, "GET /.well-known/ump/public.ndjson HTTP/1.1\r\nHost: localhost\r\n\r\n")
		got, err := http.ReadResponse(bufio.NewReaderSize(c, 16), nil) // and no more of it
		if err != nil || got.StatusCode != 200 {
			t.Fatalf("%+v %v", got, err)
		}
	}
	if got := s.do(t, "GET", "/.well-known/ump/public.ndjson", "", "Authorization:"); got.StatusCode != 200 || len(got.body) < 20*200_000 {
		t.Errorf("%d, %d bytes", got.StatusCode, len(got.body))
	}
	if read.Load() != 1 {
		t.Errorf("the store is read %d times", read.Load())
	}
}

// publishing is a keeper whose public records can be had.
type publishing struct{ *keeper }

func (p publishing) Public(ctx context.Context, owner memory.DID, yield func(memory.Record) error) error {
	_, err := p.Export(ctx, memory.Caller{Owner: owner, Role: memory.Owner}, func(r memory.Record) error {
		if r.Scope.Visibility != memory.Public {
			return nil
		}
		return yield(r)
	})
	return err
}
