package bundle_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/racing"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// elsewhere makes the house somebody else's: with another key, and another name as
// a producer of bundles.
func (h *house) elsewhere(producer string, seed byte) *house {
	h.T.Helper()
	h.Key = vaulttest.Seeded(h.T, seed)
	h.Serve(vault.Options{
		Store: h.Store, Now: func() time.Time { return h.Now }, Release: "test", Bindings: []string{"file"},
		Key: h.Holds, Signed: true, Tokens: true, Owner: h.Key.DID(), Via: "cli", Producer: producer,
	})
	return h
}

// without is a bundle whose chunks have lost some members on their way.
func without(t *testing.T, b vaulttest.LeftAs, names ...string) string {
	t.Helper()
	var chunks []canon.Value
	for _, c := range b.Get("chunks").Items() {
		for _, name := range names {
			c = c.Without(name)
		}
		chunks = append(chunks, c)
	}
	v := b.Value.With("chunks", canon.Array(chunks...)).Without("checksum")
	return string(v.With("checksum", canon.String(vaulttest.ChecksumOf(v))).AppendCanonical(nil))
}

// manyLetters is a text that leaves as two chunks.
func manyLetters() string {
	var b strings.Builder
	for i := 0; b.Len() < 70_000; i++ {
		fmt.Fprintf(&b, "%d bottles, ", i)
	}
	return b.String()
}

func wantSkipped(t *testing.T, what string, r aimem.Report, chunks int, code aimem.Code) {
	t.Helper()
	vaulttest.WantChunks(t, what, r, 0, 0, chunks, 0)
	if got := vaulttest.Codes(r); code != "" && (len(got) == 0 || got[0] != code) {
		t.Errorf("%s: warnings %v, want %s", what, got, code)
	}
	if n := r.Edges.Inserted + r.Entities.Inserted + r.Links.Inserted; n != 0 {
		t.Errorf("%s: %d edges, entities and links came in", what, n)
	}
}

func TestPartsOfTexts(t *testing.T) {
	racing.Skip(t)
	onEach(t, testPartsOfTexts)
}

func testPartsOfTexts(t *testing.T, open opener) {
	a, b := open(t), open(t).elsewhere("peer", 41)
	id := a.Tell(manyLetters())
	out := a.Left(aimem.Export{})
	b.Taken(t, out.Text)
	back := b.Left(aimem.Export{})
	roads := map[string]string{
		"as it left": out.Text, "as it left, without x_ump": without(t, out, "x_ump"),
		"from the other": back.Text, "from the other, without x_ump": without(t, back, "x_ump"),
	}
	if n := back.Get("chunks").Len(); n != 2 {
		t.Fatalf("the other gives %d chunks", n)
	}
	t.Run("AIMEM-5.4-1 AIMEM-4-4 a long text that comes back changes nothing", func(t *testing.T) {
		before := a.Contents()
		for what, text := range roads {
			wantSkipped(t, what, a.Taken(t, text), 2, "")
		}
		if a.Contents() != before {
			t.Error("the store has changed")
		}
	})
	t.Run("AIMEM-2.9-4 a part that says something else conflicts", func(t *testing.T) {
		own := "urn:aimem:satchel-test:" + strings.TrimPrefix(string(id), "urn:ump:")
		part := vaulttest.Chunk("", "quite another end", vaulttest.Object{"id": own + ".p2", "created_at": "2026-06-04T10:00:00Z"})
		r := a.TakesIn(vaulttest.Bundle{Producer: "satchel-test", Chunks: []vaulttest.Object{part}}, aimem.Import{})
		vaulttest.WantChunks(t, "changed", r, 0, 0, 0, 1)
		part["created_at"] = "2026-06-05T10:00:00Z"
		r = a.TakesIn(vaulttest.Bundle{Producer: "satchel-test", Chunks: []vaulttest.Object{part}}, aimem.Import{OnNewer: aimem.UpdateNewer})
		vaulttest.WantChunks(t, "changed later", r, 0, 0, 0, 1)
		if got := a.Live(); len(got) != 1 || got[0] != manyLetters() {
			t.Errorf("%d texts are here", len(got))
		}
	})
	t.Run("AIMEM-5.1-4 a long text that was forgotten stays so", func(t *testing.T) {
		a.Must(ump.OpForget, `{"id":"`+string(id)+`","reason":"user_revoked"}`)
		for what, text := range roads {
			wantSkipped(t, what, a.Taken(t, text), 2, aimem.DeletedByUser)
		}
	})
	t.Run("AIMEM-5.1-4 one that was erased stays so", func(t *testing.T) {
		if _, err := a.Forget(a.Ctx, a.Me(), memory.ForgetRequest{ID: id, Reason: memory.UserRevoked, Hard: true}); err != nil {
			t.Fatal(err)
		}
		for what, text := range roads {
			wantSkipped(t, what, a.Taken(t, text), 2, aimem.DeletedByUser)
		}
	})
	t.Run("and is taken in again when the owner says so", func(t *testing.T) {
		r, err := a.ImportBrain(a.Ctx, a.Me(), vaulttest.Opened(t, roads["as it left"]), aimem.Import{Restore: true})
		if err != nil {
			t.Fatal(err)
		}
		vaulttest.WantChunks(t, "restored", r, 2, 0, 0, 0)
		if got := a.Live(); len(got) != 1 || got[0] != manyLetters() {
			t.Errorf("%d texts are here", len(got))
		}
		wantSkipped(t, "again", a.Taken(t, roads["as it left"]), 2, "")
	})
}

// TestPartsAreRevivedOnce: both parts of a text that was forgotten bring it back.
func TestPartsAreRevivedOnce(t *testing.T) {
	racing.Skip(t)
	onEach(t, testPartsAreRevivedOnce)
}

func testPartsAreRevivedOnce(t *testing.T, open opener) {
	h := open(t)
	id := h.Tell(manyLetters())
	bare := without(t, h.Left(aimem.Export{}), "x_ump")
	h.Must(ump.OpForget, `{"id":"`+string(id)+`","reason":"user_revoked"}`)
	r, err := h.ImportBrain(h.Ctx, h.Me(), vaulttest.Opened(t, bare), aimem.Import{Restore: true})
	if err != nil {
		t.Fatal(err)
	}
	vaulttest.WantChunks(t, "AIMEM-5.1-4 restored", r, 2, 0, 0, 0)
	if got := h.Live(); len(got) != 1 || got[0] != manyLetters() {
		t.Errorf("%d texts are here", len(got))
	}
	wantSkipped(t, "again", h.Taken(t, bare), 2, "")
}
