package aimem_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/canon"
)

// brain is a Brain that is held.
type brain struct {
	envelope aimem.Envelope
	chunks   []aimem.Chunk
	edges    []aimem.Edge
	entities []aimem.Entity
	links    []aimem.Link
}

func (b *brain) Envelope() aimem.Envelope { return b.envelope }

func (b *brain) Chunks(yield func(aimem.Chunk) error) error { return walk(b.chunks, yield) }

func (b *brain) Edges(yield func(aimem.Edge) error) error { return walk(b.edges, yield) }

func (b *brain) Entities(yield func(aimem.Entity) error) error { return walk(b.entities, yield) }

func (b *brain) Links(yield func(aimem.Link) error) error { return walk(b.links, yield) }

func walk[T any](items []T, yield func(T) error) error {
	for _, item := range items {
		if err := yield(item); err != nil {
			return err
		}
	}
	return nil
}

func parse(t *testing.T, text string) canon.Value {
	t.Helper()
	v, err := canon.Parse([]byte(text), canon.Options{Inexact: true, Depth: 128})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// brainOf is the Brain of a document; its arrays are taken out of the envelope.
func brainOf(t *testing.T, text string) *brain {
	t.Helper()
	v := parse(t, text)
	b := &brain{}
	for _, name := range []string{"edges", "entities", "chunk_entities"} {
		if !v.Has(name) {
			b.envelope.Absent = append(b.envelope.Absent, name)
		}
	}
	for _, item := range v.Get("chunks").Items() {
		b.chunks = append(b.chunks, aimem.Chunk{Value: item})
	}
	for _, item := range v.Get("edges").Items() {
		b.edges = append(b.edges, aimem.Edge{Value: item})
	}
	for _, item := range v.Get("entities").Items() {
		b.entities = append(b.entities, aimem.Entity{Value: item})
	}
	for _, item := range v.Get("chunk_entities").Items() {
		b.links = append(b.links, aimem.Link{Value: item})
	}
	b.envelope.Value = v.Without("chunks").Without("edges").Without("entities").Without("chunk_entities")
	return b
}

// minimal is a bundle with nothing in it, and what it hashes to.
const (
	minimal = `{"format":"aimem-bundle","version":"1","producer":"conformance-test","tenant_id":"11111111-1111-1111-1111-111111111111",
		"exported_at":"2026-06-13T15:00:00Z","scope":"FULL","chunks":[],"edges":[],"entities":[],"chunk_entities":[]}`
	minimalPayload = `{"chunk_entities":[],"chunks":[],"edges":[],"entities":[],"exported_at":"2026-06-13T15:00:00Z","format":"aimem-bundle",` +
		`"producer":"conformance-test","scope":"FULL","tenant_id":"11111111-1111-1111-1111-111111111111","version":"1"}`
	minimalSum = "sha256:d0bee82786e7b3a85cf8574d2ef8d76793602045ddda106bc25b9ff0181c9b36"
)

// rich has what a re-serialisation of known members would lose: unknown members at
// every level, names beyond the basic plane, numbers of many spellings, a checksum
// that is not the bundle's.
const rich = `{"version":"1","x_z":{"deep":[1.0,-0.0,1e-4,5e-7,1e21]},"format":"aimem-bundle","\ud83d\ude00":1,"\ufb33":2,
	"producer":"p","tenant_id":"urn:x:y","exported_at":"2026-06-13T15:00:00Z","scope":"FULL",
	"chunks":[{"id":"urn:aimem:p:2","content":"b<&>\u2028","memory_type":"fact","created_at":"2026-01-02T00:00:00Z","checksum":"inner","x":{"b":1,"a":[]}},
		{"id":"urn:aimem:p:1","content":"a","memory_type":"goal","created_at":"2026-01-01T00:00:00Z"}],
	"edges":[{"source_id":"urn:aimem:p:2","target_id":"urn:aimem:p:1","edge_type":"x-t","weight":0.00001,"created_at":"2026-01-01T00:00:00Z","more":null}],
	"entities":[{"id":"urn:aimem:p:e","name":"E","kind":"tool","created_at":"2026-01-01T00:00:00Z"}],
	"chunk_entities":[{"chunk_id":"urn:aimem:p:1","entity_id":"urn:aimem:p:e"}]}`

func written(t *testing.T, b aimem.Brain) string {
	t.Helper()
	sum, err := aimem.Checksum(b)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := aimem.Write(&out, b, sum); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func payload(t *testing.T, b aimem.Brain) string {
	t.Helper()
	var out bytes.Buffer
	if err := aimem.WritePayload(&out, b); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// hashed computes a checksum in the plainest way.
func hashed(t *testing.T, text string) string {
	t.Helper()
	digest := sha256.Sum256(parse(t, text).Without("checksum").AppendCanonical(nil))
	return "sha256:" + hex.EncodeToString(digest[:])
}

func TestChecksum(t *testing.T) {
	t.Run("AIMEM-2.8-1 only the top-level checksum is left out", func(t *testing.T) {
		got := payload(t, brainOf(t, strings.Replace(rich, `{"version"`, `{"checksum":"sha256:0","version"`, 1)))
		if strings.Contains(got, `"sha256:0"`) || !strings.Contains(got, `"checksum":"inner"`) {
			t.Errorf("payload is %s", got)
		}
	})
	t.Run("AIMEM-2.8-2 the payload is canonical JSON", func(t *testing.T) {
		for _, text := range []string{minimal, rich} {
			if got, want := payload(t, brainOf(t, text)), string(parse(t, text).AppendCanonical(nil)); got != want {
				t.Errorf("payload\n%s\nwant\n%s", got, want)
			}
		}
		if got := payload(t, brainOf(t, minimal)); got != minimalPayload {
			t.Errorf("payload of the minimal bundle is %s", got)
		}
		for _, part := range []string{`"deep":[1,0,0.0001,5e-7,1e+21]`, `"weight":0.00001}`, "\"\U0001f600\":1,\"\ufb33\":2}"} {
			if got := payload(t, brainOf(t, rich)); !strings.Contains(got, part) {
				t.Errorf("%s is not in %s", part, got)
			}
		}
	})
	t.Run("AIMEM-2.8-3 the checksum is the SHA-256 of that", func(t *testing.T) {
		sum, size, err := aimem.Measure(brainOf(t, minimal))
		if err != nil || sum != minimalSum || size != int64(len(minimalPayload)) {
			t.Errorf("Measure = %s, %d, %v; want %s, %d", sum, size, err, minimalSum, len(minimalPayload))
		}
	})
	t.Run("AIMEM-2.8-4 it is spelled sha256: and lower-case hex", func(t *testing.T) {
		sum, err := aimem.Checksum(brainOf(t, rich))
		digits, ok := strings.CutPrefix(sum, "sha256:")
		if err != nil || !ok || len(digits) != 64 || strings.Trim(digits, "0123456789abcdef") != "" {
			t.Errorf("Checksum = %q, %v", sum, err)
		}
	})
	t.Run("AIMEM-2.8-5 unknown members and the order of arrays count", func(t *testing.T) {
		want := hashed(t, rich)
		if got, err := aimem.Checksum(brainOf(t, rich)); err != nil || got != want {
			t.Errorf("Checksum = %s, %v; want %s", got, err, want)
		}
		turned := brainOf(t, rich)
		slices.Reverse(turned.chunks)
		if got, err := aimem.Checksum(turned); err != nil || got == want {
			t.Errorf("with chunks in another order: %s, %v", got, err)
		}
	})
	t.Run("AIMEM-2.8-6 white space and the order of members do not count", func(t *testing.T) {
		pretty := string(parse(t, rich).AppendIndent(nil, "\t"))
		if got, err := aimem.Checksum(brainOf(t, pretty)); err != nil || got != hashed(t, rich) {
			t.Errorf("Checksum = %s, %v", got, err)
		}
	})
}

func TestWrite(t *testing.T) {
	t.Run("AIMEM-2-3 no byte order mark is written", func(t *testing.T) {
		b := brainOf(t, minimal)
		var lines bytes.Buffer
		if err := aimem.WriteStream(&lines, b, minimalSum); err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{written(t, b), lines.String()} {
			if !strings.HasPrefix(text, "{") {
				t.Errorf("it begins with %q", text[:min(len(text), 8)])
			}
		}
	})
	t.Run("the checksum is first and right, and the rest canonical", func(t *testing.T) {
		for _, text := range []string{minimal, rich} {
			got := written(t, brainOf(t, text))
			if want := `{"checksum":"` + hashed(t, text) + `",` + payload(t, brainOf(t, text))[1:]; got != want {
				t.Errorf("written\n%s\nwant\n%s", got, want)
			}
		}
	})
	t.Run("a stale checksum of the envelope is not written", func(t *testing.T) {
		got := written(t, brainOf(t, strings.Replace(minimal, `{"format"`, `{"checksum":"sha256:0","format"`, 1)))
		if strings.Count(got, `"checksum"`) != 1 || !strings.Contains(got, minimalSum) {
			t.Errorf("written %s", got)
		}
	})
	t.Run("arrays that were absent stay absent", func(t *testing.T) {
		text := strings.Replace(minimal, `,"edges":[],"entities":[],"chunk_entities":[]`, "", 1)
		if got := payload(t, brainOf(t, text)); got != string(parse(t, text).AppendCanonical(nil)) {
			t.Errorf("payload is %s", got)
		}
	})
	t.Run("records without a value are written from their fields", func(t *testing.T) {
		b := &brain{
			envelope: aimem.Envelope{Format: "aimem-bundle", Version: "1", Producer: "p", TenantID: "did:x:y", ExportedAt: "2026-01-01T00:00:00Z",
				Scope: aimem.Since, Since: "2025-01-01T00:00:00Z", EmbeddingDim: 1, EmbeddingModel: "m"},
			chunks: []aimem.Chunk{{ID: "urn:aimem:p:1", Content: "c", Hash: "sha256:00", MemoryType: aimem.Fact, Zone: aimem.Critical, Pinned: true,
				CreatedAt: "2026-01-01T00:00:00Z", Tags: []string{"a"}, Embedding: "AAAAAA=="}},
			edges:    []aimem.Edge{{Source: "urn:aimem:p:1", Target: "urn:aimem:p:1", Type: "semantic", Weight: 0.5, CreatedAt: "2026-01-01T00:00:00Z"}},
			entities: []aimem.Entity{{ID: "urn:aimem:p:e", Name: "E", Kind: "tool", CreatedAt: "2026-01-01T00:00:00Z"}},
			links:    []aimem.Link{{Chunk: "urn:aimem:p:1", Entity: "urn:aimem:p:e"}},
		}
		want := `{"chunk_entities":[{"chunk_id":"urn:aimem:p:1","entity_id":"urn:aimem:p:e"}],` +
			`"chunks":[{"content":"c","content_hash":"sha256:00","created_at":"2026-01-01T00:00:00Z","embedding":"AAAAAA==","id":"urn:aimem:p:1",` +
			`"is_pinned":true,"memory_type":"fact","tags":["a"],"zone":"critical"}],` +
			`"edges":[{"created_at":"2026-01-01T00:00:00Z","edge_type":"semantic","source_id":"urn:aimem:p:1","target_id":"urn:aimem:p:1","weight":0.5}],` +
			`"embedding_dim":1,"embedding_model":"m",` +
			`"entities":[{"created_at":"2026-01-01T00:00:00Z","id":"urn:aimem:p:e","kind":"tool","name":"E"}],` +
			`"exported_at":"2026-01-01T00:00:00Z","format":"aimem-bundle","producer":"p","scope":"SINCE","since":"2025-01-01T00:00:00Z","tenant_id":"did:x:y","version":"1"}`
		if got := payload(t, b); got != want {
			t.Errorf("payload\n%s\nwant\n%s", got, want)
		}
	})
}

// loaded is a Brain with records beside its chunks.
type loaded struct {
	brain
	order   []string
	records []canon.Value
}

func (l *loaded) Order(yield func(string) error) error { return walk(l.order, yield) }

func (l *loaded) Carried(yield func(canon.Value) error) error { return walk(l.records, yield) }

func TestWriteCarried(t *testing.T) {
	for _, c := range []struct {
		name, said     string // x_ump as the envelope says it
		order, records int
		want           string
	}{
		{"nothing", ``, 0, 0, ``},
		{"all of it one by one", ``, 1, 2, `{"order":["a"],"records":[{"n":0},{"n":1}],"v":1}`},
		{"beside what the envelope says", `{"v":2,"n":0}`, 0, 1, `{"n":0,"records":[{"n":0}],"v":2}`},
		{"what the envelope says goes first", `{"records":[]}`, 1, 1, `{"order":["a"],"records":[]}`},
		{"a member that is something else", `7`, 1, 1, `7`},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := &loaded{brain: *brainOf(t, minimal)}
			if c.said != "" {
				l.envelope.Value = l.envelope.Value.With("x_ump", parse(t, c.said))
			}
			l.order = slices.Repeat([]string{"a"}, c.order)
			for n := range c.records {
				l.records = append(l.records, canon.Object(canon.Member{Name: "n", Value: canon.Int(int64(n))}))
			}
			want := minimalPayload
			if c.want != "" {
				want = strings.TrimSuffix(minimalPayload, "}") + `,"x_ump":` + c.want + "}"
			}
			if got := payload(t, l); got != want {
				t.Errorf("payload\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// reassembled makes one document of a stream, as its reader does.
func reassembled(t *testing.T, stream string) canon.Value {
	t.Helper()
	lines := strings.SplitAfter(strings.TrimSuffix(stream, "\n"), "\n")
	whole := parse(t, lines[0])
	arrays := map[string]string{"chunk": "chunks", "edge": "edges", "entity": "entities", "chunk_entity": "chunk_entities"}
	for _, name := range arrays {
		if whole.Has(name) {
			t.Fatalf("the first line has %s", name)
		}
		whole = whole.With(name, canon.Array())
	}
	for _, line := range lines[1:] {
		record := parse(t, line)
		name, ok := arrays[record.Get("_kind").Text()]
		if !ok {
			t.Fatalf("a line is a %q", record.Get("_kind").Text())
		}
		list := whole.Get(name)
		whole = whole.With(name, list.WithItem(list.Len(), record.Without("_kind")))
	}
	return whole
}

func streamed(t *testing.T, b aimem.Brain) string {
	t.Helper()
	sum, err := aimem.Checksum(b)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := aimem.WriteStream(&out, b, sum); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestWriteStream(t *testing.T) {
	t.Run("AIMEM-3.1-11 the first line is the envelope without the arrays", func(t *testing.T) {
		first, _, _ := strings.Cut(streamed(t, brainOf(t, minimal)), "\n")
		want := `{"checksum":"` + minimalSum + `","exported_at":"2026-06-13T15:00:00Z","format":"aimem-bundle","producer":"conformance-test",` +
			`"scope":"FULL","tenant_id":"11111111-1111-1111-1111-111111111111","version":"1"}`
		if first != want {
			t.Errorf("first line\n%s\nwant\n%s", first, want)
		}
	})
	t.Run("AIMEM-3.1-12 every other line is a record with its kind", func(t *testing.T) {
		stream := streamed(t, brainOf(t, rich))
		if !strings.HasSuffix(stream, "}\n") || strings.Contains(stream, "\n\n") || strings.Count(stream, "\n") != 6 {
			t.Fatalf("stream is\n%s", stream)
		}
		var kinds []string
		for _, line := range strings.Split(strings.TrimSuffix(stream, "\n"), "\n")[1:] {
			kinds = append(kinds, parse(t, line).Get("_kind").Text())
		}
		if want := []string{"chunk", "chunk", "edge", "entity", "chunk_entity"}; !slices.Equal(kinds, want) {
			t.Errorf("kinds are %v, want %v", kinds, want)
		}
	})
	t.Run("AIMEM-3.1-13 the checksum is that of the whole bundle", func(t *testing.T) {
		for _, text := range []string{minimal, rich} {
			got := reassembled(t, streamed(t, brainOf(t, text)))
			if want := hashed(t, text); got.Get("checksum").Text() != want {
				t.Errorf("checksum is %s, want %s", got.Get("checksum").Text(), want)
			}
			if !canon.Equal(got.Without("checksum"), parse(t, text)) {
				t.Errorf("reassembled it is %s", got.Append(nil))
			}
		}
	})
	t.Run("a bundle without an array is refused before anything is written", func(t *testing.T) {
		var out bytes.Buffer
		b := brainOf(t, strings.Replace(minimal, `"edges":[],`, "", 1))
		if err := aimem.WriteStream(&out, b, minimalSum); err == nil || out.Len() > 0 {
			t.Errorf("WriteStream: %v, %d bytes written", err, out.Len())
		}
	})
	t.Run("a record with a member _kind is refused", func(t *testing.T) {
		b := brainOf(t, strings.Replace(rich, `"more":null`, `"_kind":"edge"`, 1))
		if err := aimem.WriteStream(new(bytes.Buffer), b, minimalSum); err == nil {
			t.Error("it was written")
		}
	})
	t.Run("an envelope with a member _kind is refused before anything is written", func(t *testing.T) {
		var out bytes.Buffer
		b := brainOf(t, strings.Replace(minimal, `"scope"`, `"_kind":"edge","scope"`, 1))
		if err := aimem.WriteStream(&out, b, minimalSum); err == nil || out.Len() > 0 {
			t.Errorf("WriteStream: %v, %d bytes written", err, out.Len())
		}
	})
}

// closing fails from its n-th write on.
type closing int

var errClosed = errors.New("closed")

func (c *closing) Write(p []byte) (int, error) {
	if *c--; *c < 0 {
		return 0, errClosed
	}
	return len(p), nil
}

// endless yields chunks for ever, and says when it is stopped.
type endless struct{ brain }

func (e *endless) Chunks(yield func(aimem.Chunk) error) error {
	for {
		if err := yield(aimem.Chunk{ID: "urn:aimem:p:1", Content: strings.Repeat("x", 1000)}); err != nil {
			return err
		}
	}
}

func TestWritingStopsWhenNobodyReads(t *testing.T) {
	out := closing(3)
	if err := aimem.Write(&out, &endless{*brainOf(t, minimal)}, minimalSum); !errors.Is(err, errClosed) {
		t.Errorf("Write: %v", err)
	}
	out = closing(3)
	if err := aimem.WriteStream(&out, &endless{*brainOf(t, minimal)}, minimalSum); !errors.Is(err, errClosed) {
		t.Errorf("WriteStream: %v", err)
	}
	broken := errors.New("broken")
	failing := func(aimem.Chunk) error { return broken }
	if err := (&endless{}).Chunks(failing); !errors.Is(err, broken) {
		t.Errorf("Chunks: %v", err)
	}
}
