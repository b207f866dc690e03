package bundle_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/racing"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
	"github.com/satchel-memory/satchel/ump"
)

// digest is what the store holds of the owner, but for the logs of imports and of
// what was done (decision AD-30).
func (h *house) digest() string {
	h.T.Helper()
	text := ""
	err := h.Store.View(h.Ctx, h.Key.DID(), func(r store.Reader) error {
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
		h.T.Fatal(err)
	}
	return text
}

func TestBrainLoops(t *testing.T) {
	racing.Skip(t)
	onEach(t, testBrainLoops)
}

func testBrainLoops(t *testing.T, open opener) {
	h := open(t)
	vaulttest.StockedBrain(t, h.House)
	b := h.Left(aimem.Export{Embeddings: true})
	t.Run("AIMEM-2.2-8 a long text leaves in pieces that everybody takes", func(t *testing.T) {
		long := 0
		for _, text := range b.Contents() {
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
			r := h.Taken(t, h.Left(q).Text)
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
		other.Now = h.Now
		if r := other.Taken(t, b.Text); r.Inserted != 9 || len(r.Rejected) != 0 {
			t.Fatalf("imported: %+v", r)
		}
		again := other.Left(aimem.Export{Embeddings: true})
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
		defer origin.Store.Close()
		origin.Taken(t, vaulttest.Foreign(t))
		id := vaulttest.IdOf(origin.House, "coffee helps")
		origin.Must(ump.OpRevise, `{"id":"`+string(id)+`","patch":{"body":{"text":"coffee does not help"}}}`)
		revised := origin.Left(aimem.Export{})
		vaulttest.WantTexts(t, revised.Contents(), "Postgres it is", "it was a long debate", "coffee does not help")
		at := openAt(t, filepath.Join(t.TempDir(), "there.db"))
		defer at.Store.Close()
		at.Taken(t, vaulttest.Foreign(t))
		if r := at.Taken(t, revised.Text); r.Inserted != 1 || r.Skipped != 2 || len(r.Rejected) != 0 {
			t.Errorf("imported: %+v", r)
		}
	})
}
