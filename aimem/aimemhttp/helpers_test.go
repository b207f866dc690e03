package aimemhttp_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/aimem/aimemhttp"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

const owner = memory.DID("did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK")

// who knows the tokens "owner" and "agent", and those of peers, named after what
// they grant; "ended" is one that opens nothing any more.
func who(r *http.Request) (memory.Caller, error) {
	token, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	switch token {
	case "owner":
		return memory.Caller{Owner: owner, Role: memory.Owner}, nil
	case "agent":
		return memory.Caller{Owner: owner, Role: memory.Agent}, nil
	case "read", "write", "export":
		return peer(token, memory.Grant{Verbs: []memory.Verb{memory.Verb(token)}}), nil
	case "project":
		return peer(token, memory.Grant{Verbs: memory.Verbs(), Scope: memory.Scope{Project: "p"}}), nil
	}
	return memory.Caller{}, &memory.Error{Kind: memory.Unauthorized, Message: "send a token"}
}

func peer(id string, g memory.Grant) memory.Caller {
	g.ID = id
	return memory.Caller{Owner: owner, Role: memory.Peer, Grant: &g}
}

// service is a brain in memory, and a note of what it was asked for.
type service struct {
	brain  *brain
	walked aimem.Brain // instead of brain
	fails  error       // instead of anything else

	mu       sync.Mutex
	exported []aimem.Export
	imported []aimem.Import
	erased   int
}

func (s *service) ExportBrain(_ context.Context, _ memory.Caller, q aimem.Export, write func(aimem.Brain, aimem.ExportReport) error) error {
	q, err := q.WithDefaults()
	if err != nil {
		return err
	}
	s.mu.Lock()
	s.exported = append(s.exported, q)
	s.mu.Unlock()
	if s.fails != nil {
		return s.fails
	}
	if s.walked != nil {
		return write(s.walked, aimem.ExportReport{})
	}
	return write(s.brain, aimem.ExportReport{})
}

func (s *service) ImportBrain(_ context.Context, _ memory.Caller, b *aimem.Bundle, o aimem.Import) (aimem.Report, error) {
	if s.fails != nil {
		return aimem.Report{}, s.fails
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.imported = append(s.imported, o)
	report := aimem.Report{Warnings: b.Warnings()}
	err := b.Chunks(func(aimem.Chunk) error {
		report.Inserted++
		return nil
	})
	return report, err
}

func (s *service) EraseBrain(context.Context, memory.Caller) (aimem.Erasure, error) {
	s.erased++
	return aimem.Erasure{ErasedAt: time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC), ChunksPurged: 2, RecordsPurged: 3, AuditSequence: 7}, s.fails
}

func (s *service) Trusted(context.Context, memory.Caller, string) ([]aimem.Key, error) {
	return nil, nil
}

// brain is a bundle of chunks that say little.
type brain struct {
	chunks int
	breaks int // walk of chunks that fails in its middle; 0: none
	walks  int
}

func (b *brain) Envelope() aimem.Envelope {
	v := object(`{"format":"aimem-bundle","version":"1","producer":"home","tenant_id":%q,"exported_at":"2026-06-01T12:00:00Z","scope":"FULL"}`, owner)
	return aimem.Envelope{Format: "aimem-bundle", Version: "1", Producer: "home", TenantID: string(owner), ExportedAt: "2026-06-01T12:00:00Z", Scope: aimem.Full, Value: v}
}

func (b *brain) Chunks(yield func(aimem.Chunk) error) error {
	b.walks++
	for i := range b.chunks {
		if b.walks == b.breaks && i == b.chunks/2 {
			return &memory.Error{Kind: memory.Internal}
		}
		if err := yield(aimem.Chunk{Value: chunk("home", i)}); err != nil {
			return err
		}
	}
	return nil
}

func (b *brain) Edges(func(aimem.Edge) error) error      { return nil }
func (b *brain) Entities(func(aimem.Entity) error) error { return nil }
func (b *brain) Links(func(aimem.Link) error) error      { return nil }

func chunk(producer string, i int) canon.Value {
	return object(`{"id":"urn:aimem:%s:%d","content":"Thing %d.","memory_type":"fact","created_at":"2026-04-01T09:30:00Z"}`, producer, i, i)
}

func object(format string, args ...any) canon.Value {
	v, err := canon.Parse([]byte(fmt.Sprintf(format, args...)), canon.Options{})
	if err != nil {
		panic(err)
	}
	return v
}

// bundle returns a bundle of so many chunks, with changed members of the envelope.
func bundle(chunks int, members ...string) string {
	v := (&brain{}).Envelope().Value.With("producer", canon.String("other"))
	var items []canon.Value
	for i := range chunks {
		items = append(items, chunk("other", i))
	}
	v = v.With("chunks", canon.Array(items...))
	for _, m := range members {
		name, text, _ := strings.Cut(m, "=")
		v = v.With(name, object("%s", text))
	}
	return string(sealed(v).Append(nil))
}

func sealed(v canon.Value) canon.Value {
	sum := sha256.Sum256(v.AppendCanonical(nil))
	return v.With("checksum", canon.String("sha256:"+hex.EncodeToString(sum[:])))
}

// spool is a spool in memory that tells whether it was closed.
type spool struct {
	bytes.Buffer
	open *atomic.Int64
}

func (s *spool) ReadAt(p []byte, off int64) (int, error) {
	return bytes.NewReader(s.Bytes()).ReadAt(p, off)
}

func (s *spool) Close() error {
	s.open.Add(-1)
	return nil
}

// stand is a profile that can be asked.
type stand struct {
	*httptest.Server
	service *service
	open    *atomic.Int64 // spools
}

func serve(t *testing.T, s *service, o aimemhttp.Options) *stand {
	t.Helper()
	if s.brain == nil {
		s.brain = &brain{chunks: 3}
	}
	open := &atomic.Int64{}
	if o.Spool == nil {
		o.Spool = func() (codec.Spool, error) {
			open.Add(1)
			return &spool{open: open}, nil
		}
	}
	if o.Authenticate == nil {
		o.Authenticate = who
	}
	o.Now, o.Producer = time.Now, "home"
	server := httptest.NewServer(aimemhttp.New(s, o))
	t.Cleanup(server.Close)
	return &stand{server, s, open}
}

type answer struct {
	*http.Response
	body []byte
	err  error // that ended the body
}

// do sends a request with the owner's token; a header without value is left out.
func (s *stand) do(t *testing.T, method, path, body string, header ...string) answer {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, s.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer owner")
	for _, line := range header {
		name, value, _ := strings.Cut(line, ": ")
		if name == "Authorization" || name == "Content-Type" {
			r.Header.Del(name)
		}
		if value != "" {
			r.Header.Add(name, value)
		}
	}
	got, err := s.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = got.Body.Close() }()
	said, err := io.ReadAll(got.Body)
	return answer{got, said, err}
}

// problem returns the problem of an answer, and fails when it is none.
func (a answer) problem(t *testing.T) aimemhttp.Problem {
	t.Helper()
	var p aimemhttp.Problem
	if err := json.Unmarshal(a.body, &p); err != nil || a.Header.Get("Content-Type") != "application/problem+json" {
		t.Fatalf("no problem: %d %s %s", a.StatusCode, a.Header.Get("Content-Type"), a.body)
	}
	if p.Status != a.StatusCode || p.Title != p.Code || p.Type != "urn:aimem:problem:"+string(p.Code) || p.Detail == "" || a.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("the problem is not complete: %+v, %v", p, a.Header)
	}
	return p
}
