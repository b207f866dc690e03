package vault_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/internal/racing"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// leftAs is a bundle that left.
type leftAs struct {
	canon.Value
	aimem.ExportReport
	text string
}

// bundle exports as c and reads what left; it leaves the same twice.
func (h *house) bundle(c memory.Caller, q aimem.Export) (out leftAs, err error) {
	h.t.Helper()
	err = h.ExportBrain(h.ctx, c, q, func(b aimem.Brain, report aimem.ExportReport) error {
		sum, err := aimem.Checksum(b)
		if err != nil {
			return err
		}
		var text bytes.Buffer
		if err := aimem.Write(&text, b, sum); err != nil {
			return err
		}
		if again, err := aimem.Checksum(b); err != nil || again != sum {
			return fmt.Errorf("walked again it is %s, not %s, %w", again, sum, err)
		}
		out.ExportReport, out.text = report, text.String()
		out.Value, err = canon.Parse(text.Bytes(), canon.Options{Bytes: 1 << 30})
		return err
	})
	return out, err
}

// left is bundle for the owner, who may.
func (h *house) left(q aimem.Export) leftAs {
	h.t.Helper()
	out, err := h.bundle(h.owner(), q)
	if err != nil {
		h.t.Fatal(err)
	}
	return out
}

// contents are the contents of the chunks, in their order.
func (b leftAs) contents() (all []string) {
	for _, c := range b.Get("chunks").Items() {
		all = append(all, c.Get("content").Text())
	}
	return all
}

// ends are the edges as "type source target", by the contents of the chunks.
func (b leftAs) ends() (all []string) {
	names := map[string]string{}
	for _, c := range b.Get("chunks").Items() {
		names[c.Get("id").Text()] = c.Get("content").Text()
	}
	for _, e := range b.Get("edges").Items() {
		all = append(all, e.Get("edge_type").Text()+" "+names[e.Get("source_id").Text()]+" "+names[e.Get("target_id").Text()])
	}
	return all
}

// beside files attachments as an import does.
func (h *house) beside(list ...store.Attachment) {
	h.t.Helper()
	err := h.store.Update(h.ctx, h.key.DID(), func(w store.Writer) error {
		for _, a := range list {
			if _, err := w.Attach(a); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		h.t.Fatal(err)
	}
}

func TestExportBrain(t *testing.T) {
	racing.Skip(t)
	onEach(t, testExportBrain)
}

func testExportBrain(t *testing.T, open opener) {
	t.Run("AIMEM-3.1-17 a tenant without anything exports an empty bundle", func(t *testing.T) {
		b := open(t).left(aimem.Export{})
		t.Run("AIMEM-2.1-1 all eleven members are there", func(t *testing.T) {
			for _, name := range []string{"format", "version", "producer", "tenant_id", "exported_at", "scope", "checksum",
				"chunks", "edges", "entities", "chunk_entities"} {
				if !b.Has(name) {
					t.Errorf("there is no %s", name)
				}
			}
			if b.Len() != 11 {
				t.Errorf("there are %d members: %s", b.Len(), b.text)
			}
		})
		if n := b.Get("chunks").Len(); n != 0 {
			t.Errorf("%d chunks", n)
		}
	})
	h := open(t)
	first := h.tell("coffee at nine", `"lifecycle":{"salience":0.95}`, `"relations":[{"type":"about","target":"entity:coffee"}]`)
	h.pass(time.Second)
	h.tell("tea at ten", `"kind":"identity"`, `"relations":[{"type":"contradicts","target":"`+string(first)+`"},{"type":"about","target":"entity:tea"}]`)
	h.pass(time.Second)
	revised := h.tell("lunch at noon")
	h.must(ump.OpRevise, `{"id":"`+string(revised)+`","patch":{"body":{"text":"lunch at one"}}}`)
	h.tell("perhaps cake", `"lifecycle":{"status":"candidate"}`)
	h.tell("not for others", `"consent":{"exportable":false}`)
	gone := h.tell("a slip")
	h.must(ump.OpForget, `{"id":"`+string(gone)+`","reason":"user_revoked"}`)
	h.tell("soon over", `"consent":{"retention":"PT1H"}`)
	h.pass(2 * time.Hour)
	b := h.left(aimem.Export{})
	t.Run("AIMEM-3.1-9 the whole brain is what is in force, with edges, entities and links", func(t *testing.T) {
		wantTexts(t, b.contents(), "coffee at nine", "tea at ten", "lunch at one")
		wantTexts(t, b.ends(), "x-ump-contradicts tea at ten coffee at nine")
		if e, l := b.Get("entities").Len(), b.Get("chunk_entities").Len(); e != 2 || l != 2 {
			t.Errorf("%d entities and %d links, want 2 and 2: %s", e, l, b.text)
		}
		want := map[string]int{"replaced or ended": 1, "not confirmed": 1, "consent: not exportable": 1, "forgotten": 2}
		if fmt.Sprint(b.Omitted) != fmt.Sprint(want) || b.OmittedEdges != 0 {
			t.Errorf("left out %v and %d edges, want %v", b.Omitted, b.OmittedEdges, want)
		}
	})
	t.Run("AIMEM-2.1-7 the producer is ours, and so are all ids", func(t *testing.T) {
		if got := b.Get("producer").Text(); got != "satchel-test" {
			t.Errorf("the producer is %s", got)
		}
		for _, c := range b.Get("chunks").Items() {
			if id := c.Get("id").Text(); !strings.HasPrefix(id, "urn:aimem:satchel-test:") {
				t.Errorf("a chunk is %s", id)
			}
		}
		if got := b.Get("tenant_id").Text(); got != string(h.key.DID()) {
			t.Errorf("the tenant is %s", got)
		}
	})
	t.Run("AIMEM-3.1-5 the scope is FULL unless another is named", func(t *testing.T) {
		if got := b.Get("scope").Text(); got != "FULL" || b.Has("since") {
			t.Errorf("the scope is %s", got)
		}
	})
	t.Run("AIMEM-2.1-4 the format is the one of today", func(t *testing.T) {
		if got := b.Get("format").Text(); got != "aimem-bundle" {
			t.Errorf("the format is %s", got)
		}
	})
	t.Run("AIMEM-2.3-10 what is exported again has the same ids, and differs in its time alone", func(t *testing.T) {
		h.pass(time.Minute)
		again := h.left(aimem.Export{})
		same := again.With("exported_at", b.Get("exported_at")).With("checksum", b.Get("checksum"))
		if !canon.Equal(same, b.Value) || again.Get("checksum").Text() == b.Get("checksum").Text() {
			t.Errorf("got %s\nwant %s", again.text, b.text)
		}
	})
	t.Run("history carries what was replaced beside the chunks", func(t *testing.T) {
		full := h.left(aimem.Export{History: true})
		records := full.Get("x_ump").Get("records").Items()
		if len(records) != 1 || records[0].Get("body").Get("text").Text() != "lunch at noon" {
			t.Fatalf("%d records are carried: %s", len(records), full.text)
		}
		wantTexts(t, full.contents(), "coffee at nine", "tea at ten", "lunch at one")
	})
	t.Run("every one of them is a bundle that can be opened", func(t *testing.T) {
		for _, q := range []aimem.Export{{}, {History: true}, {Scope: aimem.DNAOnly}, {Scope: aimem.Since, Since: start}, {OriginIDs: true}} {
			opened(t, h.left(q).text)
		}
	})
}

func TestExportBrainScopes(t *testing.T) {
	racing.Skip(t)
	onEach(t, testExportBrainScopes)
}

func testExportBrainScopes(t *testing.T, open opener) {
	h := open(t)
	fact := h.tell("a fact", `"relations":[{"type":"about","target":"entity:facts"}]`)
	h.pass(time.Second)
	h.tell("who I am", `"kind":"identity"`, `"relations":[{"type":"depends_on","target":"`+string(fact)+`"}]`)
	h.pass(time.Second)
	h.tell("how to bake", `"kind":"procedural"`, `"relations":[{"type":"about","target":"entity:bread"}]`)
	t.Run("AIMEM-3.1-8 DNA_ONLY is what has the invariant", func(t *testing.T) {
		b := h.left(aimem.Export{Scope: aimem.DNAOnly})
		wantTexts(t, b.contents(), "who I am", "how to bake")
		t.Run("AIMEM-2.4-8 an edge to what stays behind stays behind, and is counted", func(t *testing.T) {
			if b.Get("edges").Len() != 0 || b.OmittedEdges != 1 {
				t.Errorf("edges %v, %d left out", b.ends(), b.OmittedEdges)
			}
			opened(t, b.text)
		})
		if e := b.Get("entities").Items(); len(e) != 1 || e[0].Get("name").Text() != "bread" {
			t.Errorf("entities %s", b.text)
		}
	})
	t.Run("AIMEM-3.1-7 SINCE has its first instant in it", func(t *testing.T) {
		b := h.left(aimem.Export{Scope: aimem.Since, Since: start.Add(time.Second)})
		wantTexts(t, b.contents(), "who I am", "how to bake")
		later := h.left(aimem.Export{Scope: aimem.Since, Since: start.Add(time.Second + time.Nanosecond)})
		wantTexts(t, later.contents(), "how to bake")
		if got := b.Get("since").Text(); got != "2026-06-04T10:00:01Z" {
			t.Errorf("since %s", got)
		}
	})
	t.Run("AIMEM-3.1-6 what AIMEM does not know is refused", func(t *testing.T) {
		for want, q := range map[aimem.Code]aimem.Export{aimem.InvalidScope: {Scope: "ALL"}, aimem.SinceRequired: {Scope: aimem.Since}} {
			_, err := h.bundle(h.owner(), q)
			if f, ok := errors.AsType[*aimem.Fault](err); !ok || f.Code != want || f.Code.Status() != 422 {
				t.Errorf("got %v, want %s", err, want)
			}
		}
	})
	t.Run("only whom export was granted", func(t *testing.T) {
		for _, c := range []memory.Caller{h.peer(), {Owner: h.key.DID()}} {
			_, err := h.bundle(c, aimem.Export{})
			wantKind(t, err, memory.ForbiddenScope)
		}
		h.tell("for friends", `"scope":{"visibility":"shared"}`)
		b, err := h.bundle(h.granted(memory.Grant{Verbs: []memory.Verb{memory.ExportVerb}}), aimem.Export{})
		if err != nil {
			t.Fatal(err)
		}
		wantTexts(t, b.contents(), "for friends")
		if b.Get("entities").Len() != 0 {
			t.Errorf("entities of private records left: %s", b.text)
		}
	})
	t.Run("the receiver's failure is its own", func(t *testing.T) {
		err := h.ExportBrain(h.ctx, h.owner(), aimem.Export{}, func(aimem.Brain, aimem.ExportReport) error { return io.ErrClosedPipe })
		if !errors.Is(err, io.ErrClosedPipe) || memory.KindOf(err) != memory.Internal {
			t.Errorf("got %v", err)
		}
	})
	t.Run("who goes away is served no longer", func(t *testing.T) {
		ctx, stop := context.WithCancel(h.ctx)
		err := h.ExportBrain(ctx, h.owner(), aimem.Export{}, func(b aimem.Brain, _ aimem.ExportReport) error {
			stop()
			return b.Chunks(func(aimem.Chunk) error { return nil })
		})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
	})
}

// opened opens a bundle as whoever gets it does.
func opened(t *testing.T, text string) *aimem.Bundle {
	t.Helper()
	b, err := aimem.Open(codec.Source{Name: "x.aimem.json", File: strings.NewReader(text), Size: int64(len(text))}, aimem.Options{})
	if err != nil {
		t.Fatalf("the bundle does not open: %v\n%s", err, text)
	}
	t.Cleanup(func() { _ = b.Close() })
	return b
}

func TestExportBrainRedacts(t *testing.T) {
	racing.Skip(t)
	h := open(t)
	const canary = "zanzibarquince"
	id := h.tell("the word is said elsewhere", `"consent":{"redact":["body.structured.secret","relations"]}`,
		`"relations":[{"type":"about","target":"entity:`+canary+`"}]`)
	h.must(ump.OpRevise, `{"id":"`+string(id)+`","patch":{"body":{"structured":{"secret":"`+canary+`","open":"yes"}}}}`)
	other := h.tell("another")
	id = idOf(h, "the word is said elsewhere")
	h.beside(
		store.Attachment{Space: "aimem.entity", Key: "urn:aimem:a:e1", Data: []byte(`{"id":"urn:aimem:a:e1","name":"` + canary + `","kind":"concept","created_at":"2026-01-01T00:00:00Z"}`)},
		store.Attachment{Space: "aimem.link", Key: string(id) + "\x00urn:aimem:a:e1", From: id, Data: []byte(`{"chunk_id":"x","entity_id":"urn:aimem:a:e1"}`)},
		store.Attachment{Space: "aimem.edge", Key: string(id) + "\x00" + string(other) + "\x00x-" + canary, From: id, To: other,
			Data: []byte(`{"source_id":"a","target_id":"b","edge_type":"x-` + canary + `","weight":1,"created_at":"2026-01-01T00:00:00Z"}`)},
		store.Attachment{Space: "aimem.vector", Key: string(id) + "\x00m", From: id, Data: append([]byte("\x01m"), 0, 0, 128, 63)},
	)
	b := h.left(aimem.Export{Embeddings: true})
	if strings.Contains(b.text, canary) || b.Has("embedding_model") {
		t.Errorf("what was redacted left: %s", b.text)
	}
	if !strings.Contains(b.text, `"open":"yes"`) || b.OmittedEdges != 1 {
		t.Errorf("too much was redacted, %d edges: %s", b.OmittedEdges, b.text)
	}
}

// idOf finds a record that is in force by its text.
func idOf(h *house, text string) memory.ID {
	h.t.Helper()
	hits, err := h.Recall(h.ctx, h.owner(), memory.Query{Text: text})
	if err != nil {
		h.t.Fatal(err)
	}
	at := slices.IndexFunc(hits, func(hit memory.Hit) bool { return hit.Record.Body.Text == text })
	if at < 0 {
		h.t.Fatalf("nobody says %q", text)
	}
	return hits[at].Record.ID
}
