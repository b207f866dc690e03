package vault_test

import (
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/audit"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// floats lays out a vector as the store keeps it.
func floats(model string, components ...float32) []byte {
	b := append(binary.AppendUvarint(nil, uint64(len(model))), model...)
	for _, c := range components {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(c))
	}
	return b
}

func TestConsent(t *testing.T) { onEach(t, testConsent) }

func testConsent(t *testing.T, open opener) {
	h := open(t)
	one, two, three := h.tell("one"), h.tell("two"), h.tell("three")
	vector := func(id memory.ID, model string, c ...float32) store.Attachment {
		return store.Attachment{Space: "aimem.vector", Key: string(id) + "\x00" + model, From: id, Data: floats(model, c...)}
	}
	h.beside(vector(one, "m", 1, 2), vector(two, "m", 3, 4), vector(three, "other", 5), vector(one, "other", 6), vector(three, "m", 7))
	asked := aimem.Export{Embeddings: true}
	t.Run("AIMEM-5.5-1 nothing of a vector leaves unasked, nor to others without consent", func(t *testing.T) {
		b := h.left(aimem.Export{})
		if b.Has("embedding_model") || b.Has("embedding_dim") || b.Get("chunks").Items()[0].Has("embedding") {
			t.Errorf("a vector left: %s", b.text)
		}
		_, err := h.bundle(h.agent(), asked)
		if f, ok := errors.AsType[*aimem.Fault](err); !ok || f.Code != aimem.EmbeddingConsentRequired || f.Code.Status() != 403 {
			t.Errorf("got %v", err)
		}
		wantKind(t, err, memory.ConsentViolation)
		if b, err := h.bundle(h.agent(), aimem.Export{}); err != nil || b.Get("chunks").Len() != 3 {
			t.Errorf("without vectors: %v", err)
		}
	})
	t.Run("AIMEM-2.7-6 one bundle has the vectors of one model", func(t *testing.T) {
		for model, want := range map[string][]string{"": {"AACAPwAAAEA=", "AABAQAAAgEA=", ""}, "other": {"AADAQA==", "", "AACgQA=="}, "none": {"", "", ""}} {
			b := h.left(aimem.Export{Embeddings: true, Model: model})
			for i, text := range []string{"one", "two", "three"} { // of one time: their ids give the order
				chunks := b.Get("chunks").Items()
				at := slices.IndexFunc(chunks, func(c canon.Value) bool { return c.Get("content").Text() == text })
				if got := chunks[at].Get("embedding").Text(); got != want[i] {
					t.Errorf("model %q, chunk %q: %q, want %q", model, text, got, want[i])
				}
			}
			if model == "" && (b.Get("embedding_model").Text() != "m" || b.Get("embedding_dim").Float() != 2) {
				t.Errorf("the envelope says %s", b.text)
			}
			opened(t, b.text)
		}
	})
	t.Run("AIMEM-5.5-1 a vector in the residue of a record stays behind too", func(t *testing.T) {
		h := open(t)
		h.tell("made of a chunk")
		id := idOf(h, "made of a chunk")
		h.must(ump.OpRevise, `{"id":"`+string(id)+`","patch":{"body":{"structured":{"aimem":{"v":1,"embedding":{"model":"m","dim":1,"data":"AADAQA=="}},"kept":"yes"}}}}`)
		if b := h.left(aimem.Export{}); strings.Contains(b.text, "AADAQA") || !strings.Contains(b.text, `"kept":"yes"`) {
			t.Errorf("got %s", b.text)
		}
		if b := h.left(aimem.Export{Embeddings: true}); !strings.Contains(b.text, "AADAQA") {
			t.Errorf("got %s", b.text)
		}
	})
	t.Run("AIMEM-5.5-2 a vector leaves with its chunk or not at all", func(t *testing.T) {
		hidden := h.tell("hidden", `"consent":{"exportable":false}`)
		h.beside(vector(hidden, "h", 9))
		if b := h.left(aimem.Export{Embeddings: true, Model: "h"}); b.Has("embedding_model") {
			t.Errorf("a vector left: %s", b.text)
		}
	})
	t.Run("the owner consents once and for all, until it is revoked", func(t *testing.T) {
		for _, c := range []memory.Caller{h.agent(), h.peer()} {
			wantKind(t, h.GrantConsent(h.ctx, c, vault.ExportEmbeddings), memory.ForbiddenScope)
			wantKind(t, h.RevokeConsent(h.ctx, c, vault.ExportEmbeddings), memory.ForbiddenScope)
			_, err := h.Consents(h.ctx, c)
			wantKind(t, err, memory.ForbiddenScope)
		}
		wantKind(t, h.GrantConsent(h.ctx, h.owner(), "everything"), memory.InvalidRecord)
		wantKind(t, h.RevokeConsent(h.ctx, h.owner(), vault.ExportEmbeddings), memory.NotFound)
		for range 2 {
			if err := h.GrantConsent(h.ctx, h.owner(), vault.ExportEmbeddings); err != nil {
				t.Fatal(err)
			}
			h.pass(time.Hour)
		}
		given, err := h.Consents(h.ctx, h.owner())
		if err != nil || len(given) != 1 || given[0] != (vault.Given{Consent: vault.ExportEmbeddings, At: start}) {
			t.Errorf("given %v, %v", given, err)
		}
		if b, err := h.bundle(h.agent(), asked); err != nil || b.Get("embedding_model").Text() != "m" {
			t.Errorf("with consent: %v", err)
		}
		if err := h.RevokeConsent(h.ctx, h.owner(), vault.ExportEmbeddings); err != nil {
			t.Fatal(err)
		}
		_, err = h.bundle(h.agent(), asked)
		wantKind(t, err, memory.ConsentViolation)
		if !h.audited(audit.Consent) || !h.audited(audit.Withdraw) {
			t.Errorf("the audit log says nothing of it")
		}
	})
}
