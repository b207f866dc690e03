package aimem_test

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

const bareEnvelope = `"format":"aimem-bundle","version":"1","producer":"garden","tenant_id":"urn:x:1","exported_at":"2026-06-12T10:00:00Z","scope":"FULL"`

// sealed is a document of these members with its checksum, computed by other means
// than those under test.
func sealed(t testing.TB, members string) string {
	t.Helper()
	form, err := canon.Canonical([]byte("{"+members+"}"), canon.Options{Bytes: 1 << 30, Depth: 200, Inexact: true})
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(form)
	return `{"checksum":"sha256:` + hex.EncodeToString(sum[:]) + `",` + members + "}"
}

func withChunks(t testing.TB, chunks string) string {
	t.Helper()
	return sealed(t, bareEnvelope+`,"chunks":[`+chunks+`]`)
}

func chunkOf(content, more string) string {
	return `{"id":"urn:aimem:garden:1","content":"` + content + `","memory_type":"fact","created_at":"2026-04-01T09:30:00Z"` + more + `}`
}

func faultOf(err error) aimem.Fault {
	if f, ok := errors.AsType[*aimem.Fault](err); ok {
		return *f
	}
	return aimem.Fault{Detail: fmt.Sprint(err)}
}

func open(t testing.TB, text string, o aimem.Options) *aimem.Bundle {
	t.Helper()
	b, err := aimem.Open(source("brain.aimem.json", text), o)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestLengthOfContent(t *testing.T) {
	t.Run("AIMEM-2.2-6 65,536 codepoints are content, however long in bytes", func(t *testing.T) {
		open(t, withChunks(t, chunkOf(strings.Repeat("🤖", 65_536), "")), aimem.Options{})
		open(t, withChunks(t, chunkOf(strings.Repeat(`\ud83e\udd16`, 65_536), "")), aimem.Options{})
	})
	t.Run("AIMEM-2.2-7 65,537 codepoints are refused", func(t *testing.T) {
		_, err := aimem.Open(source("x", withChunks(t, chunkOf(strings.Repeat("🤖", 65_537), ""))), aimem.Options{})
		if f := faultOf(err); f.Code != aimem.ContentTooLong || f.Pointer != "/chunks/0/content" || f.Code.Status() != 422 {
			t.Errorf("got %+v", f)
		}
	})
}

func TestAbsentHash(t *testing.T) {
	t.Run("AIMEM-2.2-13 where content_hash is absent it is computed", func(t *testing.T) {
		c, err := open(t, withChunks(t, chunkOf("x", "")), aimem.Options{}).Chunk("urn:aimem:garden:1")
		if err != nil || c.Hash != "sha256:2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881" || c.Value.Has("content_hash") {
			t.Errorf("got %q, %v", c.Hash, err)
		}
	})
	t.Run("AIMEM-2.2-19 is_pinned absent means not pinned", func(t *testing.T) {
		c, err := open(t, withChunks(t, chunkOf("x", "")), aimem.Options{}).Chunk("urn:aimem:garden:1")
		if err != nil || c.Pinned || c.Protected() {
			t.Errorf("got %+v, %v", c, err)
		}
	})
}

func TestLimits(t *testing.T) {
	big := withChunks(t, chunkOf("x", `,"x_more":["`+strings.Repeat(`y","`, 2_000)+`"]`))
	long := withChunks(t, chunkOf(strings.Repeat("y", 8_000), ""))
	for name, test := range map[string]struct {
		text    string
		limits  aimem.Limits
		code    aimem.Code
		pointer string
	}{
		"document":    {long, aimem.Limits{Document: 4_000}, aimem.BodyTooLarge, ""},
		"record":      {big, aimem.Limits{Record: 4_000}, aimem.BodyTooLarge, "/chunks/0"},
		"string":      {long, aimem.Limits{Record: 4_000}, aimem.BodyTooLarge, "/chunks/0/content"},
		"depth":       {withChunks(t, chunkOf("x", `,"x_more":[[[1]]]`)), aimem.Limits{Depth: 5}, aimem.NotJSON, "/chunks/0/x_more/0/0"},
		"stream line": {strings.Replace(sealed(t, bareEnvelope), "\n", "", -1) + "\n" + `{"_kind":"chunk",` + chunkOf(strings.Repeat("y", 8_000), "")[1:], aimem.Limits{Record: 4_000}, aimem.BodyTooLarge, ""},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := aimem.Open(source("x", test.text), aimem.Options{Limits: test.limits})
			if f := faultOf(err); f.Code != test.code || f.Pointer != test.pointer {
				t.Errorf("got %+v", f)
			}
		})
	}
	open(t, withChunks(t, chunkOf("x", `,"x_more":[[[1]]]`)), aimem.Options{Limits: aimem.Limits{Depth: 6}})
	open(t, withChunks(t, chunkOf("x", `,"x_more":`+strings.Repeat("[", 125)+strings.Repeat("]", 125))), aimem.Options{})
}

// TestCutOff: no beginning of a bundle, and of a stream none but the whole of it,
// passes.
func TestCutOff(t *testing.T) {
	stream := ""
	for _, v := range vectors(t) {
		if strings.HasSuffix(v.name, "stream/whole.txtar") {
			stream = strings.TrimSuffix(string(v.file.Data), "\n")
		}
	}
	single := sealed(t, bareEnvelope+`,"chunks":[`+chunkOf("x", "")+`],"edges":[],"x_ump":{"order":["a"]}`)
	for name, text := range map[string]string{"brain.json": single, "brain.ndjson": stream} {
		open(t, text, aimem.Options{})
		for n := range len(text) {
			_, err := aimem.Open(source(name, text[:n]), aimem.Options{})
			if f := faultOf(err); f.Code.Status() != 422 && f.Code != aimem.ChecksumMismatch || f.Code == "" {
				t.Fatalf("the first %d bytes of %s: %v", n, name, err)
			}
		}
	}
}

func TestCarried(t *testing.T) {
	t.Run("AIMEM-2.1-17 x_ump of any size is read one by one", func(t *testing.T) {
		var order, records []string
		for i := range 3_000 {
			order = append(order, fmt.Sprintf(`"urn:ump:%d"`, i))
			records = append(records, fmt.Sprintf(`{"id":"urn:ump:%d","n":%d}`, i, i))
		}
		x := `{"v":1,"records":[` + strings.Join(records, ",") + `],"order":[` + strings.Join(order, ",") + `]}`
		text := sealed(t, bareEnvelope+`,"chunks":[],"x_ump":`+x+`,"x_note":1`)
		for _, limit := range []int64{20_000, 4 << 20} {
			b := open(t, text, aimem.Options{Limits: aimem.Limits{Record: limit}})
			n, m := 0, 0
			err := errors.Join(
				b.Carried(func(v canon.Value) error { n++; return check(v.Get("n").Float() == float64(n-1)) }),
				b.Order(func(id string) error { m++; return check(id == fmt.Sprintf("urn:ump:%d", m-1)) }))
			if err != nil || n != 3_000 || m != 3_000 {
				t.Errorf("limit %d: %d records, %d of the order, %v", limit, n, m, err)
			}
			if held := b.Envelope().Value.Has("x_ump"); held != (limit > 1<<20) || !b.Envelope().Value.Has("x_note") || len(b.Warnings()) > 0 {
				t.Errorf("limit %d: x_ump is held: %t", limit, held)
			}
			again(t, b)
		}
	})
	for _, x := range []string{`1`, `[]`, `{}`, `{"records":{},"order":"a"}`, `{"records":null}`} {
		b := open(t, sealed(t, bareEnvelope+`,"chunks":[],"x_ump":`+x), aimem.Options{})
		err := errors.Join(b.Carried(func(canon.Value) error { return io.ErrNoProgress }), b.Order(func(string) error { return io.ErrNoProgress }))
		if err != nil {
			t.Errorf("x_ump of %s: %v", x, err)
		}
	}
}

func check(ok bool) error {
	if !ok {
		return errors.New("out of order")
	}
	return nil
}

func TestLeftOut(t *testing.T) {
	b := open(t, sealed(t, bareEnvelope+`,"chunks":[],"x_big":["`+strings.Repeat(`y","`, 2_000)+`"]`), aimem.Options{Limits: aimem.Limits{Record: 5_000}})
	if w := b.Warnings(); b.Envelope().Value.Has("x_big") || len(w) != 1 || w[0].Code != aimem.WarnRecordsLeft || w[0].Pointer != "/x_big" {
		t.Errorf("warnings %+v", w)
	}
}

func TestWarningsAreBounded(t *testing.T) {
	edges := strings.Repeat(`{"source_id":"urn:aimem:garden:1","target_id":"urn:aimem:garden:1","edge_type":"x-a","weight":0,"created_at":"2026-04-01T09:30:00Z"},`, 1_500)
	b := open(t, sealed(t, bareEnvelope+`,"chunks":[`+chunkOf("x", "")+`],"edges":[`+strings.TrimSuffix(edges, ",")+`]`), aimem.Options{})
	w := b.Warnings()
	if len(w) != 1001 || w[0].Code != aimem.WarnDuplicateEdge || w[0].Pointer != "/edges/1" || w[1000].Code != aimem.WarnWarningsOmitted {
		t.Errorf("%d warnings, the last %+v", len(w), w[len(w)-1])
	}
	if b.Counts().Edges != 1_500 {
		t.Error("repeated edges are not yielded")
	}
}

func TestUnknownIDs(t *testing.T) {
	b := open(t, withChunks(t, chunkOf("x", "")), aimem.Options{})
	_, chunk := b.Chunk("urn:aimem:garden:2")
	_, entity := b.Entity("urn:aimem:garden:1")
	for _, err := range []error{chunk, entity} {
		if m, ok := errors.AsType[*memory.Error](err); !ok || m.Kind != memory.NotFound {
			t.Errorf("got %v", err)
		}
	}
	if b.Has("urn:aimem:garden:2") || b.EdgesFrom("urn:aimem:garden:2", nil) != nil || b.LinksOf("urn:aimem:garden:2", nil) != nil {
		t.Error("something hangs on a chunk that is not there")
	}
	if err := b.Chunks(func(aimem.Chunk) error { return io.ErrNoProgress }); err != io.ErrNoProgress {
		t.Errorf("the error of yield becomes %v", err)
	}
	if err := b.Close(); err != nil || b.Chunks(func(aimem.Chunk) error { return io.ErrNoProgress }) != nil {
		t.Error("a closed bundle yields")
	}
}

// TestModelWarning: AIMEM-2.7-8.
func TestModelWarning(t *testing.T) {
	t.Run("AIMEM-2.7-8 the warning names the model", func(t *testing.T) {
		text := sealed(t, bareEnvelope+`,"embedding_dim":1,"embedding_model":"m","chunks":[`+chunkOf("x", `,"embedding":"AAAAAA=="`)+`]`)
		b := open(t, text, aimem.Options{})
		want := aimem.ModelWarning(aimem.Envelope{EmbeddingModel: "m", EmbeddingDim: 1}, 1)
		if w := b.Warnings(); len(w) != 1 || w[0] != want {
			t.Errorf("warnings %+v", w)
		}
		if c, err := b.Chunk("urn:aimem:garden:1"); err != nil || c.Embedding != "AAAAAA==" {
			t.Errorf("the embedding is %q, %v", c.Embedding, err)
		}
	})
}

func TestBrokenSource(t *testing.T) {
	text := withChunks(t, chunkOf("x", ""))
	broken := codec.Source{File: failing{}, Size: int64(len(text))}
	if _, err := aimem.Open(broken, aimem.Options{}); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("got %v", err)
	}
	if err := aimem.Validate(broken, aimem.Options{}, func(f *aimem.Fault) { t.Error(f) }); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("validating: got %v", err)
	}
	if _, err := aimem.Open(codec.Source{Name: "folder"}, aimem.Options{}); faultOf(err).Code != aimem.NotJSON {
		t.Errorf("a folder: got %v", err)
	}
}

type failing struct{}

func (failing) ReadAt([]byte, int64) (int, error) { return 0, io.ErrClosedPipe }
