package vault_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/racing"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/ump"
)

// taken imports a bundle for the owner.
func (h *house) taken(t *testing.T, text string) aimem.Report {
	t.Helper()
	report, err := h.ImportBrain(h.ctx, h.owner(), opened(t, text), aimem.Import{})
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// foreign is a bundle that somebody else made.
func foreign(t *testing.T) string {
	t.Helper()
	const text = `{"format":"aimem-bundle","version":"1","producer":"elsewhere","tenant_id":"11111111-1111-1111-1111-111111111111",
		"exported_at":"2026-06-01T00:00:00Z","scope":"FULL","embedding_dim":2,"embedding_model":"m",
		"chunks":[
		 {"id":"urn:aimem:elsewhere:1","content":"Postgres it is","memory_type":"decision","zone":"critical","created_at":"2026-05-01T00:00:00Z","tags":["db"],"embedding":"AACAPwAAAEA=","own":{"a":[1,2.50]}},
		 {"id":"urn:aimem:elsewhere:2","content":"it was a long debate","memory_type":"episodic","created_at":"2026-05-02T00:00:00.120Z","is_pinned":true},
		 {"id":"urn:aimem:elsewhere:3","content":"coffee helps","memory_type":"fact","created_at":"2026-05-03T00:00:00Z"}],
		"edges":[
		 {"source_id":"urn:aimem:elsewhere:2","target_id":"urn:aimem:elsewhere:1","edge_type":"causal","weight":0.42,"created_at":"2026-05-04T00:00:00Z"},
		 {"source_id":"urn:aimem:elsewhere:1","target_id":"urn:aimem:elsewhere:2","edge_type":"hebbian","weight":1,"created_at":"2026-05-01T00:00:00Z","note":"own"}],
		"entities":[
		 {"id":"urn:aimem:elsewhere:e1","name":"PostgreSQL","kind":"technology","created_at":"2026-05-01T00:00:00Z"},
		 {"id":"urn:aimem:elsewhere:e2","name":"nobody's","kind":"concept","created_at":"2026-05-01T00:00:00Z"}],
		"chunk_entities":[{"chunk_id":"urn:aimem:elsewhere:1","entity_id":"urn:aimem:elsewhere:e1"}]}`
	v, err := canon.Parse([]byte(text), canon.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return string(v.With("checksum", canon.String(checksumOf(v))).AppendCanonical(nil))
}

// digest is what the store holds of the owner, but for the logs of imports and of
// what was done (decision AD-30).
func (h *house) digest() string {
	h.t.Helper()
	text := ""
	err := h.store.View(h.ctx, h.key.DID(), func(r store.Reader) error {
		rows, err := r.Rows(store.Filter{}, store.Cursor{}, 1000)
		if err != nil {
			return err
		}
		for _, row := range rows {
			text += fmt.Sprintf("\n%d %s %s %+v", row.Number, row.Origin, row.Current, row.Columns)
		}
		head, err := r.Head()
		if err != nil {
			return err
		}
		text += fmt.Sprintf("\nhead %d", head)
		for _, space := range []string{"aimem.edge", "aimem.entity", "aimem.link", "aimem.vector", "aimem.denied"} {
			list, err := r.Attachments(store.AttachmentFilter{Space: space}, 0, 1000)
			if err != nil {
				return err
			}
			for _, a := range list {
				text += fmt.Sprintf("\n%+v", a)
			}
		}
		return nil
	})
	if err != nil {
		h.t.Fatal(err)
	}
	return text
}

// stocked fills a store with what a bundle has to carry.
func stockedBrain(t *testing.T, h *house) {
	t.Helper()
	first := h.tell("coffee at nine", `"lifecycle":{"salience":0.95}`, `"relations":[{"type":"about","target":"entity:coffee"}]`)
	h.pass(time.Second)
	h.tell("tea at ten", `"kind":"identity"`, `"relations":[{"type":"about","target":"entity:coffee"},{"type":"contradicts","target":"`+string(first)+`"}]`)
	revised := h.tell("lunch at noon", `"relations":[{"type":"depends_on","target":"`+string(first)+`"}]`)
	h.must(ump.OpRevise, `{"id":"`+string(revised)+`","patch":{"body":{"text":"lunch at one"}}}`)
	h.pass(time.Second)
	h.tell(strings.Repeat("ä long täle ", 12_000))
	h.pass(time.Second)
	if r := h.taken(t, foreign(t)); r.Inserted != 3 {
		t.Fatalf("the foreign bundle: %+v", r)
	}
	h.pass(time.Second)
}

func TestBrainLoops(t *testing.T) {
	racing.Skip(t)
	onEach(t, testBrainLoops)
}

func testBrainLoops(t *testing.T, open opener) {
	h := open(t)
	stockedBrain(t, h)
	b := h.left(aimem.Export{Embeddings: true})
	t.Run("AIMEM-2.2-8 a long text leaves in pieces that everybody takes", func(t *testing.T) {
		long := 0
		for _, text := range b.contents() {
			if n := len([]rune(text)); n > aimem.MaxContent {
				t.Errorf("a chunk has %d codepoints", n)
			} else if n > 1000 {
				long++
			}
		}
		if long != 3 || b.Get("chunks").Len() != 9 {
			t.Errorf("%d pieces among %d chunks, want 3 among 9", long, b.Get("chunks").Len())
		}
	})
	t.Run("AIMEM-4-4 what was exported is imported again as a no-op", func(t *testing.T) {
		before := h.digest()
		for _, q := range []aimem.Export{{}, {Embeddings: true}, {OriginIDs: false, History: true}} {
			r := h.taken(t, h.left(q).text)
			if r.Chunks < 9 || r.Inserted != 0 || r.Updated != 0 || r.Skipped != r.Chunks || len(r.Rejected) != 0 ||
				r.Edges.Inserted+r.Entities.Inserted+r.Links.Inserted != 0 {
				t.Errorf("imported again: %+v", r)
			}
		}
		if after := h.digest(); after != before {
			t.Errorf("the store changed")
		}
	})
	t.Run("AIMEM-4-1 what a fresh store was given it gives again", func(t *testing.T) {
		other := open(t)
		other.now = h.now
		if r := other.taken(t, b.text); r.Inserted != 9 || len(r.Rejected) != 0 {
			t.Fatalf("imported: %+v", r)
		}
		again := other.left(aimem.Export{Embeddings: true})
		for _, name := range []string{"chunks", "edges", "entities", "chunk_entities"} {
			if b.Get(name).Len() == 0 {
				t.Errorf("there are no %s", name)
			}
			got, want := again.Get(name), b.Get(name)
			if !canon.Equal(got, want) {
				t.Errorf("%s differ:\n got %.6000s\nwant %.6000s", name, got.Append(nil), want.Append(nil))
			}
		}
	})
	t.Run("mapping 8.5 a text that was revised leaves as another chunk, and is new where it came from", func(t *testing.T) {
		origin := openAt(t, filepath.Join(t.TempDir(), "origin.db"))
		defer origin.store.Close()
		origin.taken(t, foreign(t))
		id := idOf(origin, "coffee helps")
		origin.must(ump.OpRevise, `{"id":"`+string(id)+`","patch":{"body":{"text":"coffee does not help"}}}`)
		revised := origin.left(aimem.Export{})
		wantTexts(t, revised.contents(), "Postgres it is", "it was a long debate", "coffee does not help")
		at := openAt(t, filepath.Join(t.TempDir(), "there.db"))
		defer at.store.Close()
		at.taken(t, foreign(t))
		if r := at.taken(t, revised.text); r.Inserted != 1 || r.Skipped != 2 || len(r.Rejected) != 0 {
			t.Errorf("imported: %+v", r)
		}
	})
}

// checksumOf is the checksum of a bundle without one, computed by hand.
func checksumOf(v canon.Value) string {
	sum := sha256.Sum256(v.AppendCanonical(nil))
	return "sha256:" + hex.EncodeToString(sum[:])
}
