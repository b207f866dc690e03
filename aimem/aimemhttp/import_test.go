package aimemhttp_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/aimem/aimemhttp"
	"github.com/satchel-memory/satchel/internal/httpkit"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
)

func TestImport(t *testing.T) {
	stream := func() string {
		v := parsed(t, []byte(bundle(0, `edges=[]`, `entities=[]`, `chunk_entities=[]`)))
		for _, array := range []string{"chunks", "edges", "entities", "chunk_entities"} {
			v = v.Without(array)
		}
		return string(v.Append(nil)) + "\n"
	}()
	for _, c := range []struct {
		name, body string
		header     []string
		query      string
		inserted   int
		want       aimem.Import
	}{
		{"AIMEM-3.2-2 a bundle", bundle(2), []string{"Content-Type: application/aimem-bundle+json"}, "", 2, aimem.Import{Signature: aimem.Absent}},
		{"AIMEM-3.2-2 JSON", bundle(2), []string{"Content-Type: application/json"}, "", 2, aimem.Import{Signature: aimem.Absent}},
		{"AIMEM-3.2-2 nothing said", bundle(2), []string{"Content-Type: "}, "", 2, aimem.Import{Signature: aimem.Absent}},
		{"AIMEM-6.1-1 version 1, quoted", bundle(1), []string{`Content-Type: application/aimem-bundle+json; version="1"`}, "", 1, aimem.Import{Signature: aimem.Absent}},
		{"AIMEM-6.1-1 version 1, bare", bundle(1), []string{`Content-Type: application/aimem-bundle+json;version=1`}, "", 1, aimem.Import{Signature: aimem.Absent}},
		{"AIMEM-6.1-3 charset UTF-8", bundle(1), []string{"Content-Type: application/json; charset=UTF-8"}, "", 1, aimem.Import{Signature: aimem.Absent}},
		{"AIMEM-3.1-15 a stream", stream, []string{"Content-Type: application/x-ndjson"}, "", 0, aimem.Import{Signature: aimem.Absent}},
		{"AIMEM-3.2-1 none of the parameters is lost", bundle(1), nil, "?on_newer=update&dry_run=true&foreign_ids=accept&restore=true", 1,
			aimem.Import{OnNewer: aimem.UpdateNewer, DryRun: true, ForeignIDs: true, Restore: true, Signature: aimem.Absent}},
		{"AIMEM-3.2-7 a peer who may write", bundle(1), []string{"Authorization: Bearer write"}, "", 1, aimem.Import{Signature: aimem.Absent}},
		{"AIMEM-7-2 members of later versions", bundle(1, `x_later={"a":1}`), nil, "", 1, aimem.Import{Signature: aimem.Absent}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := serve(t, &service{}, aimemhttp.Options{})
			a := s.do(t, "POST", "/v1/brain/import"+c.query, c.body, c.header...)
			if a.StatusCode != 200 || a.Header.Get("Content-Type") != "application/json" || a.Header.Get("Cache-Control") != "no-store" {
				t.Fatalf("%d %v %s", a.StatusCode, a.Header, a.body)
			}
			if v := parsed(t, a.body); int(v.Get("inserted").Float()) != c.inserted || !v.Has("rejected") || !v.Has("warnings") {
				t.Errorf("said %s", a.body)
			}
			if len(s.service.imported) != 1 || fmt.Sprint(s.service.imported[0]) != fmt.Sprint(c.want) {
				t.Errorf("asked %+v, want %+v", s.service.imported, c.want)
			}
			if s.open.Load() != 0 {
				t.Errorf("%d spools are left", s.open.Load())
			}
		})
	}
}

func TestSignedImport(t *testing.T) {
	key, err := keys.FromSeed(make([]byte, 32))
	if err != nil {
		t.Fatal(err)
	}
	b := &brain{chunks: 1}
	sum, _, err := aimem.Measure(b)
	if err != nil {
		t.Fatal(err)
	}
	var body strings.Builder
	if err := aimem.Write(&body, b, sum); err != nil {
		t.Fatal(err)
	}
	signature, err := aimem.Sign(key, aimem.PayloadOf(b, 0))
	if err != nil {
		t.Fatal(err)
	}
	good := "AIMEM-Signature: " + aimem.FormatHeader(signature)
	other := aimem.FormatHeader(append(slices.Clone(signature[:len(signature)-1]), signature[len(signature)-1]^1))
	for _, c := range []struct {
		name   string
		policy aimem.Policy
		header []string
		want   string
	}{
		{"AIMEM-5.3-2 a good signature of our own", aimem.RequireSignature, []string{good}, "200 verified"},
		{"AIMEM-5.3-2 one in the form of RFC 9651", "", []string{"AIMEM-Signature: :" + aimem.FormatHeader(signature) + ":"}, "200 verified"},
		{"AIMEM-5.3-1 a changed signature", "", []string{"AIMEM-Signature: " + other}, "422 signature_invalid"},
		{"AIMEM-5.3-9 none where one is required", aimem.RequireSignature, nil, "422 signature_required"},
		{"AIMEM-5.3-1 none", "", nil, "200 absent"},
		{"AIMEM-5.3-8 a changed one that nobody looks at", aimem.SkipSignature, []string{"AIMEM-Signature: " + other}, "200 skipped"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := serve(t, &service{}, aimemhttp.Options{Policy: c.policy, Own: func() []aimem.Key { return []aimem.Key{aimem.PublicKey(key)} }})
			a := s.do(t, "POST", "/v1/brain/import", body.String(), c.header...)
			got := fmt.Sprint(a.StatusCode)
			if len(s.service.imported) > 0 {
				got += " " + string(s.service.imported[0].Signature)
			} else {
				got += " " + string(a.problem(t).Code)
			}
			if got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

// TestNobodyIsReadUnasked: who may not import is refused before the body is sent.
func TestNobodyIsReadUnasked(t *testing.T) {
	for _, c := range []struct{ name, header, want string }{
		{"AIMEM-3.2-7 401 comes before the body", "Authorization: Bearer nothing", "401"},
		{"AIMEM-3.2-7 403 comes before the body", "Authorization: Bearer read", "403"},
		{"AIMEM-3.2-2 415 comes before the body", "Authorization: Bearer owner\r\nContent-Type: text/plain", "415"},
		{"413 comes before the body", "Authorization: Bearer owner\r\nContent-Length: 9999999999", "413"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := serve(t, &service{}, aimemhttp.Options{})
			head := "POST /v1/brain/import HTTP/1.1\r\nHost: x\r\n" + c.header + "\r\n"
			if !strings.Contains(head, "Content-Length") {
				head += "Content-Length: 1000000\r\n"
			}
			connection := dial(t, s, head+"\r\n")
			got, err := http.ReadResponse(bufio.NewReader(connection), nil)
			if err != nil {
				t.Fatal(err)
			}
			_ = got.Body.Close()
			if !strings.HasPrefix(got.Status, c.want) {
				t.Errorf("got %s", got.Status)
			}
		})
	}
}

func dial(t *testing.T, s *stand, text string) net.Conn {
	t.Helper()
	connection, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", s.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = connection.Close() })
	if err := connection.SetDeadline(time.Now().Add(10 * time.Second)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(connection, text); err != nil {
		t.Fatal(err)
	}
	return connection
}

// TestUploadsLeaveNothing: one that stops, one that goes on for ever and one that
// is cut off are ended, and their spools closed.
func TestUploadsLeaveNothing(t *testing.T) {
	const head = "POST /v1/brain/import HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer owner\r\nContent-Length: 100000\r\n\r\n{"
	left := func(t *testing.T, s *stand) {
		t.Helper()
		for range 500 {
			if s.open.Load() == 0 && len(s.service.imported) == 0 {
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
		t.Errorf("%d spools and %d imports are left", s.open.Load(), len(s.service.imported))
	}
	t.Run("one that stops is cut off", func(t *testing.T) {
		s := serve(t, &service{}, aimemhttp.Options{Patience: 200 * time.Millisecond})
		got, err := http.ReadResponse(bufio.NewReader(dial(t, s, head)), nil)
		if err != nil || got.StatusCode != 400 {
			t.Errorf("%v %v", got, err)
		}
		left(t, s)
	})
	t.Run("one that trickles is cut off", func(t *testing.T) {
		s := serve(t, &service{}, aimemhttp.Options{Patience: 300 * time.Millisecond})
		connection := dial(t, s, head)
		began := time.Now()
		go func() {
			for range 800 {
				time.Sleep(50 * time.Millisecond)
				if _, err := io.WriteString(connection, " "); err != nil {
					return
				}
			}
		}()
		got, err := http.ReadResponse(bufio.NewReader(connection), nil)
		if err != nil || got.StatusCode != 400 || time.Since(began) > 20*time.Second {
			t.Errorf("%v %v after %v", got, err, time.Since(began))
		}
		left(t, s)
	})
	t.Run("one that is cut off leaves nothing", func(t *testing.T) {
		s := serve(t, &service{}, aimemhttp.Options{})
		connection := dial(t, s, head)
		for s.open.Load() == 0 {
			time.Sleep(5 * time.Millisecond)
		}
		_ = connection.Close()
		left(t, s)
	})
	t.Run("one in chunks that is too long is 413", func(t *testing.T) {
		s := serve(t, &service{}, aimemhttp.Options{MaxBundle: 1000})
		r, err := http.NewRequestWithContext(t.Context(), "POST", s.URL+"/v1/brain/import", io.MultiReader(strings.NewReader(strings.Repeat(" ", 2000)), strings.NewReader(bundle(1))))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer owner")
		got, err := s.Client().Do(r)
		if err != nil || got.StatusCode != 413 {
			t.Errorf("%v %v", got, err)
		}
		left(t, s)
	})
}

// TestTokenEndsWhileTheBodyArrives: whoever is no longer welcome when it is there
// is refused.
func TestTokenEndsWhileTheBodyArrives(t *testing.T) {
	var asked atomic.Int64
	s := serve(t, &service{}, aimemhttp.Options{BaseOptions: httpkit.BaseOptions{Authenticate: func(*http.Request) (memory.Caller, error) {
		if asked.Add(1) > 1 {
			return memory.Caller{}, &memory.Error{Kind: memory.Unauthorized}
		}
		return memory.Caller{Owner: owner, Role: memory.Owner}, nil
	}}})
	if p := s.do(t, "POST", "/v1/brain/import", bundle(1)).problem(t); p.Status != 401 || len(s.service.imported) > 0 {
		t.Errorf("%+v, %d imports", p, len(s.service.imported))
	}
}

func TestImportHasNoTurn(t *testing.T) {
	s := serve(t, &service{}, aimemhttp.Options{Importing: func(context.Context, memory.DID) (func(), bool) { return nil, false }})
	if p := s.do(t, "POST", "/v1/brain/import", bundle(1)).problem(t); p.Status != 429 {
		t.Errorf("%+v", p)
	}
}

func TestErase(t *testing.T) {
	t.Run("AIMEM-5.2-9 the owner erases, and erases again", func(t *testing.T) {
		s := serve(t, &service{}, aimemhttp.Options{})
		for range 2 {
			a := s.do(t, "DELETE", "/v1/brain?confirm="+string(owner), "")
			if want := `{"erased_at":"2026-06-01T12:00:00Z","chunks_purged":2,"records_purged":3,"audit_seq":7}`; a.StatusCode != 200 || string(a.body) != want {
				t.Errorf("%d %s", a.StatusCode, a.body)
			}
		}
		if s.service.erased != 2 {
			t.Errorf("erased %d times", s.service.erased)
		}
	})
}
