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
	"github.com/satchel-memory/satchel/internal/vault/trust"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
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
	one, two, three := h.Tell("one"), h.Tell("two"), h.Tell("three")
	vector := func(id memory.ID, model string, c ...float32) store.Attachment {
		return store.Attachment{Space: "aimem.vector", Key: string(id) + "\x00" + model, From: id, Data: floats(model, c...)}
	}
	h.Beside(vector(one, "m", 1, 2), vector(two, "m", 3, 4), vector(three, "other", 5), vector(one, "other", 6), vector(three, "m", 7))
	asked := aimem.Export{Embeddings: true}
	t.Run("AIMEM-5.5-1 nothing of a vector leaves unasked, nor to others without consent", func(t *testing.T) {
		b := h.Left(aimem.Export{})
		if b.Has("embedding_model") || b.Has("embedding_dim") || b.Get("chunks").Items()[0].Has("embedding") {
			t.Errorf("a vector left: %s", b.Text)
		}
		_, err := h.Bundle(h.Agent(), asked)
		if f, ok := errors.AsType[*aimem.Fault](err); !ok || f.Code != aimem.EmbeddingConsentRequired || f.Code.Status() != 403 {
			t.Errorf("got %v", err)
		}
		vaulttest.WantKind(t, err, memory.ConsentViolation)
		if b, err := h.Bundle(h.Agent(), aimem.Export{}); err != nil || b.Get("chunks").Len() != 3 {
			t.Errorf("without vectors: %v", err)
		}
	})
	t.Run("AIMEM-2.7-6 one bundle has the vectors of one model", func(t *testing.T) {
		for model, want := range map[string][]string{"": {"AACAPwAAAEA=", "AABAQAAAgEA=", ""}, "other": {"AADAQA==", "", "AACgQA=="}, "none": {"", "", ""}} {
			b := h.Left(aimem.Export{Embeddings: true, Model: model})
			for i, text := range []string{"one", "two", "three"} { // of one time: their ids give the order
				chunks := b.Get("chunks").Items()
				at := slices.IndexFunc(chunks, func(c canon.Value) bool { return c.Get("content").Text() == text })
				if got := chunks[at].Get("embedding").Text(); got != want[i] {
					t.Errorf("model %q, chunk %q: %q, want %q", model, text, got, want[i])
				}
			}
			if model == "" && (b.Get("embedding_model").Text() != "m" || b.Get("embedding_dim").Float() != 2) {
				t.Errorf("the envelope says %s", b.Text)
			}
			vaulttest.Opened(t, b.Text)
		}
	})
	t.Run("AIMEM-5.5-1 a vector in the residue of a record stays behind too", func(t *testing.T) {
		h := open(t)
		h.Tell("made of a chunk")
		id := vaulttest.IdOf(h.House, "made of a chunk")
		h.Must(ump.OpRevise, `{"id":"`+string(id)+`","patch":{"body":{"structured":{"aimem":{"v":1,"embedding":{"model":"m","dim":1,"data":"AADAQA=="}},"kept":"yes"}}}}`)
		if b := h.Left(aimem.Export{}); strings.Contains(b.Text, "AADAQA") || !strings.Contains(b.Text, `"kept":"yes"`) {
			t.Errorf("got %s", b.Text)
		}
		if b := h.Left(aimem.Export{Embeddings: true}); !strings.Contains(b.Text, "AADAQA") {
			t.Errorf("got %s", b.Text)
		}
	})
	t.Run("AIMEM-5.5-2 a vector leaves with its chunk or not at all", func(t *testing.T) {
		hidden := h.Tell("hidden", `"consent":{"exportable":false}`)
		h.Beside(vector(hidden, "h", 9))
		if b := h.Left(aimem.Export{Embeddings: true, Model: "h"}); b.Has("embedding_model") {
			t.Errorf("a vector left: %s", b.Text)
		}
	})
	t.Run("the owner consents once and for all, until it is revoked", func(t *testing.T) {
		for _, c := range []memory.Caller{h.Agent(), h.Peer()} {
			vaulttest.WantKind(t, h.GrantConsent(h.Ctx, c, trust.ExportEmbeddings), memory.ForbiddenScope)
			vaulttest.WantKind(t, h.RevokeConsent(h.Ctx, c, trust.ExportEmbeddings), memory.ForbiddenScope)
			_, err := h.Consents(h.Ctx, c)
			vaulttest.WantKind(t, err, memory.ForbiddenScope)
		}
		vaulttest.WantKind(t, h.GrantConsent(h.Ctx, h.Me(), "everything"), memory.InvalidRecord)
		vaulttest.WantKind(t, h.RevokeConsent(h.Ctx, h.Me(), trust.ExportEmbeddings), memory.NotFound)
		for range 2 {
			if err := h.GrantConsent(h.Ctx, h.Me(), trust.ExportEmbeddings); err != nil {
				t.Fatal(err)
			}
			h.Pass(time.Hour)
		}
		given, err := h.Consents(h.Ctx, h.Me())
		if err != nil || len(given) != 1 || given[0] != (trust.Given{Consent: trust.ExportEmbeddings, At: vaulttest.Start()}) {
			t.Errorf("given %v, %v", given, err)
		}
		if b, err := h.Bundle(h.Agent(), asked); err != nil || b.Get("embedding_model").Text() != "m" {
			t.Errorf("with consent: %v", err)
		}
		if err := h.RevokeConsent(h.Ctx, h.Me(), trust.ExportEmbeddings); err != nil {
			t.Fatal(err)
		}
		_, err = h.Bundle(h.Agent(), asked)
		vaulttest.WantKind(t, err, memory.ConsentViolation)
		if !h.audited(audit.Consent) || !h.audited(audit.Withdraw) {
			t.Errorf("the audit log says nothing of it")
		}
	})
}
