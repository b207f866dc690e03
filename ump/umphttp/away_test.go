package umphttp_test

import (
	"context"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump/umphttp"
)

// away is what a service answers whose store cannot be reached.
var away = &memory.Error{Kind: memory.Internal, Message: "the database cannot be reached; try again", Err: memory.ErrUnavailable}

func TestStoreAway(t *testing.T) {
	v := filled(t)
	var gone atomic.Bool
	v.Before = func(context.Context, string, memory.Caller) error {
		if gone.Load() {
			return away
		}
		return nil
	}
	reported := 0
	server := serve(t, v, umphttp.Options{Report: func(*http.Request, error) { reported++ }})
	calls := map[string]string{
		"POST /ump/recall": `{"query":"x"}`, "POST /ump/remember": `{"record":{"kind":"semantic","body":{"text":"x"}}}`,
		"GET /ump/memory/" + first: "", "GET /ump/export": "",
	}
	gone.Store(true)
	for call, body := range calls {
		method, path, _ := strings.Cut(call, " ")
		got := do(t, server, method, path, body)
		const want = `{"error":{"code":"internal","message":"the database cannot be reached; try again","details":{"retry_after":2}}}`
		if got.StatusCode != 503 || got.Header.Get("Retry-After") != "2" || string(got.body) != want {
			t.Errorf("%s: %d, Retry-After %q, %s", call, got.StatusCode, got.Header.Get("Retry-After"), got.body)
		}
	}
	if reported != len(calls) {
		t.Errorf("%d faults are reported", reported)
	}
	gone.Store(false)
	for call, body := range calls {
		method, path, _ := strings.Cut(call, " ")
		if got := do(t, server, method, path, body); got.StatusCode != 200 {
			t.Errorf("%s once it is back: %d %s", call, got.StatusCode, got.body)
		}
	}
}

func TestStreamWhileStoreIsAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFeed()
		h := umphttp.New(f, umphttp.Options{Authenticate: who})
		l := listen(t, h, "/ump/subscribe")
		f.happen(memory.WasErased, "urn:ump:a", memory.Scope{})
		if got := l.heard(t); got != opening+event(memory.WasErased, 10, "urn:ump:a", "") {
			t.Errorf("%q", got)
		}
		f.fail(away)
		if got := l.heard(t); got != ": interrupted; come back with Last-Event-ID\nretry: 2000\n\n" || !l.over() {
			t.Errorf("%q, ended %v", got, l.over())
		}
		f.happen(memory.WasErased, "urn:ump:b", memory.Scope{})
		early := listen(t, h, "/ump/subscribe", "Last-Event-ID: 10")
		if got := early.heard(t); early.status != 503 || early.header.Get("Retry-After") != "2" || strings.Contains(early.header.Get("Content-Type"), "event-stream") {
			t.Errorf("while it is away: %d %v %q", early.status, early.header, got)
		}
		f.fail(nil)
		late := listen(t, h, "/ump/subscribe", "Last-Event-ID: 10")
		f.happen(memory.WasErased, "urn:ump:c", memory.Scope{})
		if got := late.heard(t); got != opening+event(memory.WasErased, 20, "urn:ump:b", "")+event(memory.WasErased, 30, "urn:ump:c", "") {
			t.Errorf("once it is back: %q", got)
		}
	})
}

// TestStreamWhoseCredentialsCannotBeSeen ends a stream rather than send what its
// token may no longer be good for.
func TestStreamWhoseCredentialsCannotBeSeen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFeed()
		var gone atomic.Bool
		l := listen(t, umphttp.New(f, umphttp.Options{Authenticate: func(r *http.Request) (memory.Caller, error) {
			if gone.Load() {
				return memory.Caller{}, away
			}
			return who(r)
		}}), "/ump/subscribe")
		gone.Store(true)
		f.happen(memory.WasErased, "urn:ump:a", memory.Scope{})
		if got := l.heard(t); got != opening+": interrupted; come back with Last-Event-ID\nretry: 2000\n\n" || !l.over() {
			t.Errorf("%q, ended %v", got, l.over())
		}
	})
}
