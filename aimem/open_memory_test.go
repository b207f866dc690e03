package aimem_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
)

// madeUp is a brain of so many chunks, with an edge and a link from each, and its checksum.
func madeUp(t testing.TB, chunks, padding int) (*generator, string) {
	t.Helper()
	brain := &generator{n: chunks, padding: strings.Repeat("x", padding)}
	sum, err := aimem.Checksum(brain)
	if err != nil {
		t.Fatal(err)
	}
	return brain, sum
}

// generated is the bundle of a brain, its members in one of several orders.
func generated(t testing.TB, brain *generator, sum, order string, stream bool) []byte {
	t.Helper()
	var out bytes.Buffer
	if stream {
		if err := aimem.WriteStream(&out, brain, sum); err != nil {
			t.Fatal(err)
		}
		return out.Bytes()
	}
	fmt.Fprintf(&out, `{"checksum":%q`, sum)
	for _, name := range strings.Fields(order) {
		fmt.Fprintf(&out, ",\n %q: ", name)
		brain.write(&out, name)
	}
	out.WriteString("}\n")
	return out.Bytes()
}

// generator is a Brain that is made while it is walked.
type generator struct {
	n       int
	padding string
}

func (m *generator) Envelope() aimem.Envelope {
	return aimem.Envelope{Format: aimem.FormatName, Version: aimem.Version, Producer: "garden", TenantID: "urn:x:1",
		ExportedAt: "2026-06-12T10:00:00Z", Scope: aimem.Full}
}

func idOf(i int) aimem.URN { return aimem.URN(fmt.Sprintf("urn:aimem:garden:%07d", i)) }

const early = "2026-04-01T09:30:00Z"

func (m *generator) Chunks(yield func(aimem.Chunk) error) error {
	for i := range m.n {
		if err := yield(aimem.Chunk{ID: idOf(i), Content: fmt.Sprint("Number ", i, " ", m.padding), MemoryType: aimem.Fact, CreatedAt: early}); err != nil {
			return err
		}
	}
	return nil
}

func (m *generator) Edges(yield func(aimem.Edge) error) error {
	for i := range m.n {
		if err := yield(aimem.Edge{Source: idOf(i), Target: idOf(i * 7 % m.n), Type: "semantic", Weight: 0.25, CreatedAt: early}); err != nil {
			return err
		}
	}
	return nil
}

func (m *generator) Entities(yield func(aimem.Entity) error) error {
	return yield(aimem.Entity{ID: "urn:aimem:garden:rose", Name: "Rose", Kind: "concept", CreatedAt: early})
}

func (m *generator) Links(yield func(aimem.Link) error) error {
	for i := range m.n {
		if err := yield(aimem.Link{Chunk: idOf(i), Entity: "urn:aimem:garden:rose"}); err != nil {
			return err
		}
	}
	return nil
}

func (m *generator) write(out *bytes.Buffer, name string) {
	list := func(format string, args func(i int) []any) {
		out.WriteString("[")
		for i := range m.n {
			if i > 0 {
				out.WriteString(" ,")
			}
			fmt.Fprintf(out, format, args(i)...)
		}
		out.WriteString("]")
	}
	switch name {
	case "chunks":
		list(`{"id":%q,"created_at":%q,"memory_type":"fact","content":"Number %d %s"}`, func(i int) []any { return []any{idOf(i), early, i, m.padding} })
	case "edges":
		list(`{"weight":0.250,"source_id":%q,"target_id":%q,"edge_type":"semantic","created_at":%q}`, func(i int) []any { return []any{idOf(i), idOf(i * 7 % m.n), early} })
	case "chunk_entities":
		list(`{"entity_id":"urn:aimem:garden:rose","chunk_id":%q}`, func(i int) []any { return []any{idOf(i)} })
	case "entities":
		fmt.Fprintf(out, `[{"id":"urn:aimem:garden:rose","name":"Rose","kind":"concept","created_at":%q}]`, early)
	default:
		fmt.Fprintf(out, "%q", map[string]string{"format": "aimem-bundle", "version": "1", "producer": "garden", "tenant_id": "urn:x:1", "exported_at": "2026-06-12T10:00:00Z", "scope": "FULL"}[name])
	}
}

// peak runs a function and returns how much the heap grew in it at the most.
func peak(run func()) int64 {
	defer debug.SetGCPercent(debug.SetGCPercent(10)) // little of what is seen is garbage
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	before, most := m.HeapAlloc, m.HeapAlloc
	stop, done := make(chan struct{}), sync.WaitGroup{}
	done.Go(func() {
		for {
			select {
			case <-stop:
				return
			case <-time.After(20 * time.Millisecond):
				if runtime.ReadMemStats(&m); m.HeapAlloc > most { // garbage is not held
					runtime.GC()
					runtime.ReadMemStats(&m)
					most = max(most, m.HeapAlloc)
				}
			}
		}
	})
	run()
	close(stop)
	done.Wait()
	return int64(most - before)
}

// TestOpenMemory: what is held of a document of 64 MB is bounded, in any order of
// its members, and every record of it is found.
func TestOpenMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("needs a document of 64 MB")
	}
	const chunks, padding = 60_000, 700
	brain, sum := madeUp(t, chunks, padding)
	for name, order := range map[string]string{
		"envelope first": "format version producer tenant_id exported_at scope chunks edges entities chunk_entities",
		"envelope last":  "chunk_entities edges entities chunks scope exported_at tenant_id producer version format",
		"stream":         "",
	} {
		t.Run(name, func(t *testing.T) {
			data := generated(t, brain, sum, order, order == "")
			if len(data) < 60<<20 {
				t.Fatalf("only %d bytes", len(data))
			}
			src := codec.Source{Name: "brain", File: bytes.NewReader(data), Size: int64(len(data))}
			var b *aimem.Bundle
			var err error
			grown := peak(func() { b, err = aimem.Open(src, aimem.Options{}) })
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%d bytes were held of %d", grown, len(data))
			if limit := int64(24<<20 + 32*3*chunks); grown > limit {
				t.Errorf("%d bytes were held of %d", grown, len(data))
			}
			if want := (aimem.Counts{Chunks: chunks, Edges: chunks, Entities: 1, Links: chunks}); b.Counts() != want {
				t.Errorf("%+v", b.Counts())
			}
			for _, i := range []int{0, 1, chunks / 2, chunks - 1} {
				c, err := b.Chunk(idOf(i))
				if err != nil || !strings.HasPrefix(c.Content, fmt.Sprint("Number ", i, " ")) {
					t.Errorf("chunk %d is %.20q, %v", i, c.Content, err)
				}
				n := 0
				if err := b.EdgesFrom(idOf(i), func(e aimem.Edge) error { n++; return differ(e.Target, idOf(i*7%chunks)) }); err != nil || n != 1 {
					t.Errorf("%d edges from chunk %d, %v", n, i, err)
				}
			}
			runtime.KeepAlive(data)
		})
	}
}

// BenchmarkOpen measures opening a bundle of 100,000 chunks beside the canonical
// form and SHA-256 of the same bytes in memory.
func BenchmarkOpen(b *testing.B) {
	brain, sum := madeUp(b, 100_000, 200)
	data := generated(b, brain, sum, "format version producer tenant_id exported_at scope chunks edges entities chunk_entities", false)
	b.Run("open", func(b *testing.B) {
		b.SetBytes(int64(len(data)))
		for b.Loop() {
			src := codec.Source{Name: "brain", File: bytes.NewReader(data), Size: int64(len(data))}
			if _, err := aimem.Open(src, aimem.Options{}); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("bare", func(b *testing.B) {
		b.SetBytes(int64(len(data)))
		for b.Loop() {
			form, err := canon.Canonical(data, canon.Options{Bytes: 1 << 30, Inexact: true})
			if err != nil {
				b.Fatal(err)
			}
			_, _ = io.Discard.Write(form)
			_ = sha256.Sum256(form)
		}
	})
}
