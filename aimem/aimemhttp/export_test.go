package aimemhttp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/aimem/aimemhttp"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/httpkit"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
)

func parsed(t *testing.T, data []byte) canon.Value {
	t.Helper()
	v, err := canon.Parse(data, canon.Options{Bytes: 64 << 20})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestExport(t *testing.T) {
	s := serve(t, &service{}, aimemhttp.Options{})
	t.Run("AIMEM-3.1-2 the media type, whatever is asked for", func(t *testing.T) {
		for _, accept := range []string{"", "application/json", "*/*", "text/html"} {
			a := s.do(t, "GET", "/v1/brain/export", "", "Accept: "+accept)
			if a.StatusCode != 200 || a.Header.Get("Content-Type") != "application/aimem-bundle+json" || a.Header.Get("Cache-Control") != "no-store" {
				t.Errorf("%q: %d %v", accept, a.StatusCode, a.Header)
			}
			if v := parsed(t, a.body); !canon.Equal(v, sealed(v.Without("checksum"))) || len(v.Get("chunks").Items()) != 3 {
				t.Errorf("not a sealed bundle: %s", a.body)
			}
		}
	})
	t.Run("AIMEM-3.1-11 AIMEM-3.1-12 AIMEM-3.1-13 the stream stands for the bundle", func(t *testing.T) {
		whole, a := s.do(t, "GET", "/v1/brain/export", ""), s.do(t, "GET", "/v1/brain/export/stream", "")
		if a.Header.Get("Content-Type") != "application/x-ndjson" || !bytes.HasSuffix(a.body, []byte("\n")) {
			t.Errorf("%v %q", a.Header, a.body)
		}
		lines := strings.Split(strings.TrimSuffix(string(a.body), "\n"), "\n")
		v := parsed(t, []byte(lines[0]))
		if v.Has("chunks") || v.Has("edges") || len(lines) != 4 {
			t.Errorf("%d lines, the first %s", len(lines), lines[0])
		}
		var items []canon.Value
		for _, line := range lines[1:] {
			c := parsed(t, []byte(line))
			if c.Get("_kind").Text() != "chunk" {
				t.Errorf("kind of %s", line)
			}
			items = append(items, c.Without("_kind"))
		}
		v = v.With("chunks", canon.Array(items...)).With("edges", canon.Array()).With("entities", canon.Array()).With("chunk_entities", canon.Array())
		if !canon.Equal(v, parsed(t, whole.body)) {
			t.Errorf("reassembled %s", v.Append(nil))
		}
	})
	t.Run("AIMEM-3-2 HEAD says what GET says, without a body", func(t *testing.T) {
		for _, path := range []string{"/v1/brain/export", "/v1/brain/export/stream"} {
			a, b := s.do(t, "HEAD", path, ""), s.do(t, "GET", path, "")
			if a.StatusCode != 200 || len(a.body) > 0 || a.Header.Get("Content-Type") != b.Header.Get("Content-Type") || a.Header.Get("Content-Disposition") == "" {
				t.Errorf("%d %q %v", a.StatusCode, a.body, a.Header)
			}
		}
	})
	t.Run("AIMEM-3-1 peers who may export do", func(t *testing.T) {
		if a := s.do(t, "GET", "/v1/brain/export", "", "Authorization: Bearer export"); a.StatusCode != 200 {
			t.Errorf("%d %s", a.StatusCode, a.body)
		}
	})
}

func TestExportQuery(t *testing.T) {
	at := time.Date(2026, 4, 1, 0, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		name, query string
		want        aimem.Export
	}{
		{"AIMEM-3.1-5 FULL where nothing is said", "", aimem.Export{Scope: aimem.Full}},
		{"AIMEM-3.1-5 what is empty is absent", "?scope=&since=&ids=&history=", aimem.Export{Scope: aimem.Full}},
		{"AIMEM-3.1-1 scope and since", "?scope=SINCE&since=2026-04-01T00:00:00Z", aimem.Export{Scope: aimem.Since, Since: at}},
		{"AIMEM-3.1-1 another offset", "?scope=SINCE&since=2026-04-01T02:00:00%2B02:00", aimem.Export{Scope: aimem.Since, Since: at}},
		{"AIMEM-3.1-1 a plus that was not escaped", "?scope=SINCE&since=2026-04-01T02:00:00+02:00", aimem.Export{Scope: aimem.Since, Since: at}},
		{"AIMEM-3.1-1 a day", "?scope=SINCE&since=2026-04-01", aimem.Export{Scope: aimem.Since, Since: at}},
		{"AIMEM-3.1-1 small letters and fractions", "?scope=SINCE&since=2026-04-01t00:00:00.000z", aimem.Export{Scope: aimem.Since, Since: at}},
		{"AIMEM-3.1-1 the first instant of all is no bound less than others", "?scope=SINCE&since=0001-01-01T00:00:00Z", aimem.Export{Scope: aimem.Since, Since: time.Time{}.Add(1)}},
		{"AIMEM-3.1-1 since beside another scope is not looked at", "?scope=DNA_ONLY&since=foo", aimem.Export{Scope: aimem.DNAOnly}},
		{"everything else", "?include_embeddings=true&embedding_model=m&ids=origin&history=1&to_peer=true",
			aimem.Export{Scope: aimem.Full, Embeddings: true, Model: "m", OriginIDs: true, History: true, ToPeer: true}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := serve(t, &service{}, aimemhttp.Options{})
			for _, path := range []string{"/v1/brain/export", "/v1/brain/export/stream"} { // AIMEM-3.1-14
				if a := s.do(t, "GET", path+c.query, ""); a.StatusCode != 200 {
					t.Fatalf("%d %s", a.StatusCode, a.body)
				}
			}
			if !reflect.DeepEqual(s.service.exported, []aimem.Export{c.want, c.want}) {
				t.Errorf("asked for %+v, want %+v", s.service.exported, c.want)
			}
		})
	}
}

func TestSignedExport(t *testing.T) {
	key, err := keys.FromSeed(make([]byte, 32))
	if err != nil {
		t.Fatal(err)
	}
	public := aimem.PublicKey(key)
	encoded, err := aimem.EncodeKey(public)
	if err != nil {
		t.Fatal(err)
	}
	s := serve(t, &service{}, aimemhttp.Options{
		Sign: func(p aimem.Payload) ([]byte, error) { return aimem.Sign(key, p) }, PublicKey: func() []byte { return encoded },
	})
	t.Run("AIMEM-5.3-2 the signature is in the header, for both forms", func(t *testing.T) {
		for _, path := range []string{"/v1/brain/export", "/v1/brain/export/stream"} {
			a := s.do(t, "GET", path, "")
			signature, err := aimem.ParseHeader(a.Header.Values("AIMEM-Signature"))
			if err != nil || signature == nil {
				t.Fatalf("%v: %v", a.Header, err)
			}
			if outcome, _, err := aimem.Verify(signature, aimem.PayloadOf(&brain{chunks: 3}, 0), aimem.RequireSignature, []aimem.Key{public}); err != nil || outcome != aimem.Verified {
				t.Errorf("%s %v", outcome, err)
			}
		}
	})
	t.Run("AIMEM-5.3-6 AIMEM-5.3-7 the key is a COSE_Key for everybody", func(t *testing.T) {
		a := s.do(t, "GET", "/.well-known/aimem-pubkey", "", "Authorization: ")
		known, err := aimem.DecodeKeys(a.body)
		if a.StatusCode != 200 || a.Header.Get("Content-Type") != "application/cose-key" || a.Header.Get("Cache-Control") != "public, max-age=300" {
			t.Errorf("%d %v", a.StatusCode, a.Header)
		}
		if err != nil || len(known) != 1 || !known[0].Equal(public) {
			t.Errorf("%v %v", known, err)
		}
	})
	t.Run("AIMEM-0-3 the description names one of the three roles", func(t *testing.T) {
		a := s.do(t, "GET", "/.well-known/aimem-spec", "", "Authorization: ")
		var spec aimemhttp.Spec
		if err := json.Unmarshal(a.body, &spec); err != nil || spec.Role != "Bidirectional" || spec.Producer != "home" || spec.Signatures.Key == "" ||
			spec.Limits.ContentCodepoints != 65536 || spec.Limits.DocumentBytes != 512<<20 || spec.Reimport.Newer != aimem.RejectNewer {
			t.Errorf("%v %+v", err, spec)
		}
	})
}

func TestExportBreaksOff(t *testing.T) {
	for _, path := range []string{"/v1/brain/export", "/v1/brain/export/stream"} {
		told := make(chan error, 1)
		s := serve(t, &service{brain: &brain{chunks: 5000, breaks: 2}}, aimemhttp.Options{BaseOptions: httpkit.BaseOptions{Report: func(_ *http.Request, err error) { told <- err }}})
		a := s.do(t, "GET", path, "")
		if a.StatusCode != 200 || !errors.Is(a.err, io.ErrUnexpectedEOF) || len(a.body) == 0 {
			t.Errorf("%s: %d, %d bytes, %v", path, a.StatusCode, len(a.body), a.err)
		}
		if err := <-told; memory.KindOf(err) != memory.Internal {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func TestExportEndsWithItsToken(t *testing.T) {
	calls := 0
	s := serve(t, &service{}, aimemhttp.Options{BaseOptions: httpkit.BaseOptions{Authenticate: func(r *http.Request) (memory.Caller, error) {
		calls++
		return peer("old", memory.Grant{Verbs: memory.Verbs(), Expires: time.Now().Add(-time.Hour)}), nil
	}}})
	if p := s.do(t, "GET", "/v1/brain/export", "").problem(t); p.Status != 401 || calls == 0 {
		t.Errorf("%+v after %d", p, calls)
	}
}

func TestCrowded(t *testing.T) {
	s := serve(t, &service{}, aimemhttp.Options{Exporting: func(context.Context, memory.DID) (func(), bool) { return nil, false }})
	a := s.do(t, "GET", "/v1/brain/export", "")
	if p := a.problem(t); p.Status != 429 || a.Header.Get("Retry-After") == "" {
		t.Errorf("%+v", p)
	}
}
