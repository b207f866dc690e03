package bundle_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/racing"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

func TestExportBrain(t *testing.T) {
	racing.Skip(t)
	onEach(t, testExportBrain)
}

func testExportBrain(t *testing.T, open opener) {
	t.Run("AIMEM-3.1-17 a tenant without anything exports an empty bundle", func(t *testing.T) {
		b := open(t).Left(aimem.Export{})
		t.Run("AIMEM-2.1-1 all eleven members are there", func(t *testing.T) {
			for _, name := range []string{"format", "version", "producer", "tenant_id", "exported_at", "scope", "checksum",
				"chunks", "edges", "entities", "chunk_entities"} {
				if !b.Has(name) {
					t.Errorf("there is no %s", name)
				}
			}
			if b.Len() != 11 {
				t.Errorf("there are %d members: %s", b.Len(), b.Text)
			}
		})
		if n := b.Get("chunks").Len(); n != 0 {
			t.Errorf("%d chunks", n)
		}
	})
	h := open(t)
	first := h.Tell("coffee at nine", `"lifecycle":{"salience":0.95}`, `"relations":[{"type":"about","target":"entity:coffee"}]`)
	h.Pass(time.Second)
	h.Tell("tea at ten", `"kind":"identity"`, `"relations":[{"type":"contradicts","target":"`+string(first)+`"},{"type":"about","target":"entity:tea"}]`)
	h.Pass(time.Second)
	revised := h.Tell("lunch at noon")
	h.Must(ump.OpRevise, `{"id":"`+string(revised)+`","patch":{"body":{"text":"lunch at one"}}}`)
	h.Tell("perhaps cake", `"lifecycle":{"status":"candidate"}`)
	h.Tell("not for others", `"consent":{"exportable":false}`)
	gone := h.Tell("a slip")
	h.Must(ump.OpForget, `{"id":"`+string(gone)+`","reason":"user_revoked"}`)
	h.Tell("soon over", `"consent":{"retention":"PT1H"}`)
	h.Pass(2 * time.Hour)
	b := h.Left(aimem.Export{})
	t.Run("AIMEM-3.1-9 the whole brain is what is in force, with edges, entities and links", func(t *testing.T) {
		vaulttest.WantTexts(t, b.Contents(), "coffee at nine", "tea at ten", "lunch at one")
		vaulttest.WantTexts(t, b.Ends(), "x-ump-contradicts tea at ten coffee at nine")
		if e, l := b.Get("entities").Len(), b.Get("chunk_entities").Len(); e != 2 || l != 2 {
			t.Errorf("%d entities and %d links, want 2 and 2: %s", e, l, b.Text)
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
		if got := b.Get("tenant_id").Text(); got != string(h.Key.DID()) {
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
		h.Pass(time.Minute)
		again := h.Left(aimem.Export{})
		same := again.With("exported_at", b.Get("exported_at")).With("checksum", b.Get("checksum"))
		if !canon.Equal(same, b.Value) || again.Get("checksum").Text() == b.Get("checksum").Text() {
			t.Errorf("got %s\nwant %s", again.Text, b.Text)
		}
	})
	t.Run("history carries what was replaced beside the chunks", func(t *testing.T) {
		full := h.Left(aimem.Export{History: true})
		records := full.Get("x_ump").Get("records").Items()
		if len(records) != 1 || records[0].Get("body").Get("text").Text() != "lunch at noon" {
			t.Fatalf("%d records are carried: %s", len(records), full.Text)
		}
		vaulttest.WantTexts(t, full.Contents(), "coffee at nine", "tea at ten", "lunch at one")
	})
	t.Run("every one of them is a bundle that can be opened", func(t *testing.T) {
		for _, q := range []aimem.Export{{}, {History: true}, {Scope: aimem.DNAOnly}, {Scope: aimem.Since, Since: vaulttest.Start()}, {OriginIDs: true}} {
			vaulttest.Opened(t, h.Left(q).Text)
		}
	})
}

func TestExportBrainScopes(t *testing.T) {
	racing.Skip(t)
	onEach(t, testExportBrainScopes)
}

func testExportBrainScopes(t *testing.T, open opener) {
	h := open(t)
	fact := h.Tell("a fact", `"relations":[{"type":"about","target":"entity:facts"}]`)
	h.Pass(time.Second)
	h.Tell("who I am", `"kind":"identity"`, `"relations":[{"type":"depends_on","target":"`+string(fact)+`"}]`)
	h.Pass(time.Second)
	h.Tell("how to bake", `"kind":"procedural"`, `"relations":[{"type":"about","target":"entity:bread"}]`)
	t.Run("AIMEM-3.1-8 DNA_ONLY is what has the invariant", func(t *testing.T) {
		b := h.Left(aimem.Export{Scope: aimem.DNAOnly})
		vaulttest.WantTexts(t, b.Contents(), "who I am", "how to bake")
		t.Run("AIMEM-2.4-8 an edge to what stays behind stays behind, and is counted", func(t *testing.T) {
			if b.Get("edges").Len() != 0 || b.OmittedEdges != 1 {
				t.Errorf("edges %v, %d left out", b.Ends(), b.OmittedEdges)
			}
			vaulttest.Opened(t, b.Text)
		})
		if e := b.Get("entities").Items(); len(e) != 1 || e[0].Get("name").Text() != "bread" {
			t.Errorf("entities %s", b.Text)
		}
	})
	t.Run("AIMEM-3.1-7 SINCE has its first instant in it", func(t *testing.T) {
		b := h.Left(aimem.Export{Scope: aimem.Since, Since: vaulttest.Start().Add(time.Second)})
		vaulttest.WantTexts(t, b.Contents(), "who I am", "how to bake")
		later := h.Left(aimem.Export{Scope: aimem.Since, Since: vaulttest.Start().Add(time.Second + time.Nanosecond)})
		vaulttest.WantTexts(t, later.Contents(), "how to bake")
		if got := b.Get("since").Text(); got != "2026-06-04T10:00:01Z" {
			t.Errorf("since %s", got)
		}
	})
	t.Run("AIMEM-3.1-6 what AIMEM does not know is refused", func(t *testing.T) {
		for want, q := range map[aimem.Code]aimem.Export{aimem.InvalidScope: {Scope: "ALL"}, aimem.SinceRequired: {Scope: aimem.Since}} {
			_, err := h.Bundle(h.Me(), q)
			if f, ok := errors.AsType[*aimem.Fault](err); !ok || f.Code != want || f.Code.Status() != 422 {
				t.Errorf("got %v, want %s", err, want)
			}
		}
	})
	t.Run("only whom export was granted", func(t *testing.T) {
		for _, c := range []memory.Caller{h.Peer(), {Owner: h.Key.DID()}} {
			_, err := h.Bundle(c, aimem.Export{})
			vaulttest.WantKind(t, err, memory.ForbiddenScope)
		}
		h.Tell("for friends", `"scope":{"visibility":"shared"}`)
		b, err := h.Bundle(h.Granted(memory.Grant{Verbs: []memory.Verb{memory.ExportVerb}}), aimem.Export{})
		if err != nil {
			t.Fatal(err)
		}
		vaulttest.WantTexts(t, b.Contents(), "for friends")
		if b.Get("entities").Len() != 0 {
			t.Errorf("entities of private records left: %s", b.Text)
		}
	})
	t.Run("the receiver's failure is its own", func(t *testing.T) {
		err := h.ExportBrain(h.Ctx, h.Me(), aimem.Export{}, func(aimem.Brain, aimem.ExportReport) error { return io.ErrClosedPipe })
		if !errors.Is(err, io.ErrClosedPipe) || memory.KindOf(err) != memory.Internal {
			t.Errorf("got %v", err)
		}
	})
	t.Run("who goes away is served no longer", func(t *testing.T) {
		ctx, stop := context.WithCancel(h.Ctx)
		err := h.ExportBrain(ctx, h.Me(), aimem.Export{}, func(b aimem.Brain, _ aimem.ExportReport) error {
			stop()
			return b.Chunks(func(aimem.Chunk) error { return nil })
		})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
	})
}

func TestExportBrainRedacts(t *testing.T) {
	racing.Skip(t)
	h := open(t)
	const canary = "zanzibarquince"
	id := h.Tell("the word is said elsewhere", `"consent":{"redact":["body.structured.secret","relations"]}`,
		`"relations":[{"type":"about","target":"entity:`+canary+`"}]`)
	h.Must(ump.OpRevise, `{"id":"`+string(id)+`","patch":{"body":{"structured":{"secret":"`+canary+`","open":"yes"}}}}`)
	other := h.Tell("another")
	id = vaulttest.IdOf(h.House, "the word is said elsewhere")
	h.Beside(
		store.Attachment{Space: "aimem.entity", Key: "urn:aimem:a:e1", Data: []byte(`{"id":"urn:aimem:a:e1","name":"` + canary + `","kind":"concept","created_at":"2026-01-01T00:00:00Z"}`)},
		store.Attachment{Space: "aimem.link", Key: string(id) + "\x00urn:aimem:a:e1", From: id, Data: []byte(`{"chunk_id":"x","entity_id":"urn:aimem:a:e1"}`)},
		store.Attachment{Space: "aimem.edge", Key: string(id) + "\x00" + string(other) + "\x00x-" + canary, From: id, To: other,
			Data: []byte(`{"source_id":"a","target_id":"b","edge_type":"x-` + canary + `","weight":1,"created_at":"2026-01-01T00:00:00Z"}`)},
		store.Attachment{Space: "aimem.vector", Key: string(id) + "\x00m", From: id, Data: append([]byte("\x01m"), 0, 0, 128, 63)},
	)
	b := h.Left(aimem.Export{Embeddings: true})
	if strings.Contains(b.Text, canary) || b.Has("embedding_model") {
		t.Errorf("what was redacted left: %s", b.Text)
	}
	if !strings.Contains(b.Text, `"open":"yes"`) || b.OmittedEdges != 1 {
		t.Errorf("too much was redacted, %d edges: %s", b.OmittedEdges, b.Text)
	}
}
