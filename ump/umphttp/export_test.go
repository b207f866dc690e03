package umphttp_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump/umphttp"
	"github.com/satchel-memory/satchel/ump/umptest"
)

// many returns a vault with n records of a few hundred bytes, and one that is
// forgotten.
func many(t *testing.T, n int) *umptest.Vault {
	t.Helper()
	v := umptest.New()
	c := memory.Caller{Owner: owner, Role: memory.Agent}
	for i := range n + 1 {
		done, err := v.Remember(context.Background(), c, memory.Draft{Record: memory.Record{Kind: memory.Semantic, Scope: memory.Scope{Owner: owner}, Body: memory.Body{Text: fmt.Sprintf("fact %d", i)}}})
		if err != nil {
			t.Fatal(err)
		}
		if i == n {
			if _, err := v.Forget(context.Background(), c, memory.ForgetRequest{ID: done.ID, Reason: memory.OtherReason}); err != nil {
				t.Fatal(err)
			}
		}
	}
	return v
}

func TestExport(t *testing.T) {
	server := serve(t, many(t, 100), umphttp.Options{})
	t.Run("json", func(t *testing.T) {
		got := do(t, server, "GET", "/ump/export?format=json", "")
		var records []struct{ Body struct{ Text string } }
		if err := json.Unmarshal(got.body, &records); err != nil || len(records) != 100 || records[99].Body.Text != "fact 99" {
			t.Errorf("%v, %d records", err, len(records))
		}
		if media := got.Header.Get("Content-Type"); media != "application/json" {
			t.Error(media)
		}
	})
	t.Run("ndjson", func(t *testing.T) {
		got := do(t, server, "GET", "/ump/export?format=ndjson", "")
		if lines := bytes.Count(got.body, []byte("\n")); lines != 100 || bytes.Contains(got.body, []byte("fact 100")) {
			t.Errorf("%d lines", lines)
		}
		if media := got.Header.Get("Content-Type"); media != "application/x-ndjson" {
			t.Error(media)
		}
	})
	t.Run("HEAD reads nothing", func(t *testing.T) {
		v := umptest.New()
		v.Before = func(context.Context, string, memory.Caller) error { return errors.New("asked") }
		if got := do(t, serve(t, v, umphttp.Options{}), "HEAD", "/ump/export", ""); got.StatusCode != 200 || got.Header.Get("Content-Disposition") == "" {
			t.Errorf("%d %v", got.StatusCode, got.Header)
		}
	})
}

func TestExportsHaveBounds(t *testing.T) {
	free, asked := true, memory.DID("")
	server := serve(t, many(t, 3), umphttp.Options{Exporting: func(_ context.Context, of memory.DID) (func(), bool) {
		asked = of
		if !free {
			return nil, false
		}
		free = false
		return func() { free = true }, true
	}})
	for range 2 { // the second has the turn that the first gave back
		if got := do(t, server, "GET", "/ump/export", ""); got.StatusCode != 200 || asked != owner {
			t.Errorf("%d, asked for %q", got.StatusCode, asked)
		}
	}
	free = false
	if got := do(t, server, "GET", "/ump/export", ""); got.StatusCode != 429 || got.Header.Get("Retry-After") != "5" {
		t.Errorf("there is no turn: %d %v", got.StatusCode, got.Header)
	}
}

// failing fails at the nth record of an export.
func failing(t *testing.T, records, nth int) *umptest.Vault {
	t.Helper()
	v := many(t, records)
	v.Before = func(_ context.Context, operation string, _ memory.Caller) error {
		if operation != "export record" {
			return nil
		}
		if nth--; nth < 0 {
			return errors.New("disk on fire")
		}
		return nil
	}
	return v
}

func TestExportBreaksOff(t *testing.T) {
	for _, format := range []string{"json", "ndjson"} {
		t.Run("in the middle, as "+format, func(t *testing.T) {
			var reported error
			server := serve(t, failing(t, 2000, 1500), umphttp.Options{Report: func(_ *http.Request, err error) { reported = err }})
			r, err := http.NewRequestWithContext(t.Context(), "GET", server.URL+"/ump/export?format="+format, nil)
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Authorization", "Bearer owner")
			got, err := http.DefaultTransport.RoundTrip(r)
			if err != nil {
				t.Fatal(err)
			}
			said, err := io.ReadAll(got.Body)
			_ = got.Body.Close()
			if err == nil || len(said) == 0 {
				t.Errorf("%d bytes and then %v: the client cannot tell", len(said), err)
			}
			server.Close()
			if reported == nil {
				t.Error("not reported")
			}
		})
	}
	t.Run("before anything is sent", func(t *testing.T) {
		v := umptest.New()
		v.Before = func(context.Context, string, memory.Caller) error { return errors.New("disk on fire") }
		got := do(t, serve(t, v, umphttp.Options{}), "GET", "/ump/export", "")
		if got.StatusCode != 500 || got.code(t) != memory.Internal || got.Header.Get("Content-Disposition") != "" {
			t.Errorf("%d %v %s", got.StatusCode, got.Header, got.body)
		}
	})
	t.Run("HTTP/1.0 could not tell", func(t *testing.T) {
		server := serve(t, many(t, 1), umphttp.Options{})
		connection, err := net.Dial("tcp", strings.TrimPrefix(server.URL, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = connection.Close() }()
		if _, err := io.WriteString(connection, "GET /ump/export HTTP/1.0\r\nHost: localhost\r\nAuthorization: Bearer owner\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
		got, err := http.ReadResponse(bufio.NewReader(connection), nil)
		if err != nil {
			t.Fatal(err)
		}
		_ = got.Body.Close()
		if got.StatusCode != 400 {
			t.Errorf("status %d", got.StatusCode)
		}
	})
}
