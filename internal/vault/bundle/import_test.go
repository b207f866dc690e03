package bundle_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/internal/audit"
	"github.com/satchel-memory/satchel/internal/racing"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
	"github.com/satchel-memory/satchel/memory"
)

// keptBeside counts the attachments of a space.
func (h *house) keptBeside(space string) int {
	h.T.Helper()
	n := 0
	err := h.Store.View(h.Ctx, h.Key.DID(), func(r store.Reader) error {
		some, err := r.Attachments(store.AttachmentFilter{Space: space}, 0, 1000)
		n = len(some)
		return err
	})
	if err != nil {
		h.T.Fatal(err)
	}
	return n
}

func TestImportBrain(t *testing.T) {
	racing.Skip(t)
	onEach(t, testImportBrain)
}

func testImportBrain(t *testing.T, open opener) {
	h := open(t)
	dry := h.TakesIn(vaulttest.Brain(), aimem.Import{DryRun: true})
	if h.Count() != 0 || dry.Import != 0 {
		t.Fatalf("a dry run stored something: %d records, %+v", h.Count(), dry)
	}
	report := h.TakesIn(vaulttest.Brain(), aimem.Import{})
	vaulttest.WantChunks(t, "first", report, 3, 0, 0, 0)
	dry.DryRun, dry.Import = false, report.Import
	if fmt.Sprintf("%+v", dry) != fmt.Sprintf("%+v", report) {
		t.Errorf("the dry run said otherwise:\n%+v\n%+v", dry, report)
	}
	for what, got := range map[string]aimem.Tally{"edges": report.Edges, "entities": report.Entities, "links": report.Links} {
		want := map[string]aimem.Tally{"edges": {Inserted: 3}, "entities": {Inserted: 2}, "links": {Inserted: 2}}[what]
		if got != want {
			t.Errorf("%s: %+v, want %+v", what, got, want)
		}
	}
	if report.Import == 0 || h.keptBeside("aimem.edge") != 3 || h.keptBeside("aimem.entity") != 2 || h.keptBeside("aimem.link") != 2 {
		t.Errorf("import %d: %d edges, %d entities, %d links are kept", report.Import, h.keptBeside("aimem.edge"), h.keptBeside("aimem.entity"), h.keptBeside("aimem.link"))
	}
	t.Run("AIMEM-3.2-8 it lands with the caller, whatever tenant the bundle names", func(t *testing.T) {
		if got := h.Live(); len(got) != 3 {
			t.Errorf("live: %q", got)
		}
		if len(report.Warnings) == 0 || report.Warnings[0].Code != aimem.WarnTenantMismatch {
			t.Errorf("warnings: %+v", report.Warnings)
		}
	})
	h.Pass(time.Hour)
	before := h.Contents()
	again := h.TakesIn(vaulttest.Brain(), aimem.Import{})
	t.Run("AIMEM-2.9-1 AIMEM-2.9-2 AIMEM-5.4-1 AIMEM-2.2-13 the same again changes nothing", func(t *testing.T) {
		vaulttest.WantChunks(t, "again", again, 0, 0, 3, 0)
		if again.Edges.Inserted+again.Entities.Inserted+again.Links.Inserted != 0 || again.Import != 0 {
			t.Errorf("again: %+v", again)
		}
		if after := h.Contents(); after != before {
			t.Errorf("the store has changed:\n%s\nwas\n%s", after, before)
		}
	})
	t.Run("undo takes all of it back", func(t *testing.T) {
		done, err := h.Undo(h.Ctx, h.Me(), report.Import)
		if err != nil || done.Removed != 3 || h.Count() != 0 {
			t.Errorf("undo: %+v, %v, %d left", done, err, h.Count())
		}
		if n := h.keptBeside("aimem.edge") + h.keptBeside("aimem.entity") + h.keptBeside("aimem.entity.alias") + h.keptBeside("aimem.link"); n != 0 {
			t.Errorf("%d attachments stay", n)
		}
		vaulttest.WantChunks(t, "after undo", h.TakesIn(vaulttest.Brain(), aimem.Import{}), 3, 0, 0, 0)
	})
	h.Healthy()
}

// TestReimport puts every kind of conflict to a store (decision AD-16).
func TestReimport(t *testing.T) {
	racing.Skip(t)
	h := open(t)
	h.TakesIn(vaulttest.Bundle{Chunks: []vaulttest.Object{vaulttest.Chunk("1", "A")}}, aimem.Import{})
	one := func(content string, more ...vaulttest.Object) vaulttest.Bundle {
		return vaulttest.Bundle{Chunks: []vaulttest.Object{vaulttest.Chunk("1", content, more...)}}
	}
	later, earlier := vaulttest.Object{"created_at": "2026-04-01T09:00:01Z"}, vaulttest.Object{"created_at": "2026-04-01T08:59:59Z"}
	for _, c := range []struct {
		name  string
		b     vaulttest.Bundle
		o     aimem.Import
		code  aimem.Code
		skips bool
	}{
		{"AIMEM-2.9-3 another content at the same time is rejected", one("B"), aimem.Import{}, aimem.ContentConflict, false},
		{"AIMEM-2.9-3 also where newer ones may update", one("B"), aimem.Import{OnNewer: aimem.UpdateNewer}, aimem.ContentConflict, false},
		{"AIMEM-5.4-2 another memory_type is rejected", one("A", vaulttest.Object{"memory_type": "identity"}), aimem.Import{}, aimem.FieldConflict, false},
		{"AIMEM-5.4-2 another zone is rejected", one("A", vaulttest.Object{"zone": "critical"}), aimem.Import{}, aimem.FieldConflict, false},
		{"AIMEM-5.4-2 a pin is rejected", one("A", vaulttest.Object{"is_pinned": true}), aimem.Import{}, aimem.FieldConflict, false},
		{"AIMEM-5.4-2 other tags are rejected", one("A", vaulttest.Object{"tags": []string{"x"}}), aimem.Import{}, aimem.FieldConflict, false},
		{"AIMEM-2.9-5 a newer one is rejected unless asked otherwise", one("B", later), aimem.Import{}, aimem.NewerCreatedAt, false},
		{"AIMEM-2.9-7 an older one with other content is rejected", one("B", earlier), aimem.Import{OnNewer: aimem.UpdateNewer}, aimem.OlderCreatedAt, false},
		{"AIMEM-2.9-7 an older one with the same content is skipped", one("A", earlier), aimem.Import{}, aimem.WarnCreatedAtDrift, true},
		{"AIMEM-2.9-6 times are compared as instants", one("A", vaulttest.Object{"created_at": "2026-04-01T09:00:00.000Z"}), aimem.Import{}, "", true},
		{"defaults spelled out are the same", one("A", vaulttest.Object{"is_pinned": false, "tags": []string{}}), aimem.Import{}, "", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			before := h.Contents()
			for _, dry := range []bool{true, false} {
				c.o.DryRun = dry
				r := h.TakesIn(c.b, c.o)
				if c.skips {
					vaulttest.WantChunks(t, "it", r, 0, 0, 1, 0)
					if got := vaulttest.Codes(r); c.code != "" && !slices.Equal(got, []aimem.Code{c.code}) || c.code == "" && len(got) > 0 {
						t.Errorf("warnings: %v", got)
					}
					continue
				}
				vaulttest.WantChunks(t, "it", r, 0, 0, 0, 1)
				got := r.Rejected[0]
				if got.Code != c.code || got.ID != "urn:aimem:elsewhere:1" || got.Stored.ContentHash != hashOf("A") || got.Stored.CreatedAt != "2026-04-01T09:00:00Z" ||
					got.Incoming.ContentHash != hashOf(c.b.Chunks[0]["content"].(string)) {
					t.Errorf("AIMEM-3.2-4 rejected as %+v", got)
				}
			}
			if h.Contents() != before {
				t.Error("what is here has changed")
			}
		})
	}
	t.Run("AIMEM-2.9-9 one conflict does not keep out the others", func(t *testing.T) {
		r := h.TakesIn(vaulttest.Bundle{Chunks: []vaulttest.Object{vaulttest.Chunk("2", "C"), vaulttest.Chunk("1", "B"), vaulttest.Chunk("3", "D")},
			Edges: []vaulttest.Object{vaulttest.Edge("2", "3"), vaulttest.Edge("2", "1"), vaulttest.Edge("2", "3")}}, aimem.Import{})
		vaulttest.WantChunks(t, "three", r, 2, 0, 0, 1)
		if got := vaulttest.Codes(r); !slices.Equal(got, []aimem.Code{aimem.WarnDuplicateEdge, aimem.WarnEdgeSkipped}) || r.Edges != (aimem.Tally{Inserted: 1, Skipped: 2}) {
			t.Errorf("edges: %v, %+v", got, r.Edges)
		}
	})
	t.Run("AIMEM-2.9-4 a newer one updates if asked to", func(t *testing.T) {
		b := one("B", later)
		b.Chunks = append(b.Chunks, vaulttest.Chunk("2", "C"))
		b.Edges = []vaulttest.Object{vaulttest.Edge("1", "2"), vaulttest.Edge("2", "1", vaulttest.Object{"edge_type": "causal"})}
		dry := h.TakesIn(b, aimem.Import{OnNewer: aimem.UpdateNewer, DryRun: true})
		r := h.TakesIn(b, aimem.Import{OnNewer: aimem.UpdateNewer})
		vaulttest.WantChunks(t, "dry", dry, 0, 1, 1, 0)
		vaulttest.WantChunks(t, "update", r, 0, 1, 1, 0)
		if got := h.Live(); !slices.Equal(got, []string{"B", "C", "D"}) {
			t.Errorf("live: %q", got)
		}
		if r.Edges.Inserted != 2 {
			t.Errorf("edges: %+v", r.Edges)
		}
		vaulttest.WantChunks(t, "again", h.TakesIn(b, aimem.Import{OnNewer: aimem.UpdateNewer}), 0, 0, 2, 0)
		if r := h.TakesIn(one("A"), aimem.Import{}); len(r.Rejected) != 1 || r.Rejected[0].Code != aimem.OlderCreatedAt {
			t.Errorf("the version before: %+v", r)
		}
		if _, err := h.Undo(h.Ctx, h.Me(), r.Import); err != nil {
			t.Fatal(err)
		}
		if got := h.Live(); !slices.Equal(got, []string{"A", "C", "D"}) {
			t.Errorf("taken back: %q", got)
		}
		vaulttest.WantChunks(t, "the version before", h.TakesIn(one("A"), aimem.Import{}), 0, 0, 1, 0)
	})
	h.Healthy()
}

func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256:" + hex.EncodeToString(sum[:])
}

// TestDeletedStaysDeleted is decision AD-29.
func TestDeletedStaysDeleted(t *testing.T) {
	for _, hard := range []bool{false, true} {
		t.Run(fmt.Sprintf("hard=%v", hard), func(t *testing.T) {
			h := open(t)
			h.TakesIn(vaulttest.Brain(), aimem.Import{})
			id := h.LiveSaying("Prefers PostgreSQL.")
			if _, err := h.Forget(h.Ctx, h.Me(), memory.ForgetRequest{ID: id, Reason: memory.UserRevoked, Hard: hard}); err != nil {
				t.Fatal(err)
			}
			if n := h.keptBeside("aimem.entity"); n != 2 {
				t.Errorf("%d entities are left while one chunk is linked to the first", n)
			}
			r := h.TakesIn(vaulttest.Brain(), aimem.Import{})
			vaulttest.WantChunks(t, "again", r, 0, 0, 3, 0)
			if !slices.Contains(vaulttest.Codes(r), aimem.DeletedByUser) || !slices.Contains(vaulttest.Codes(r), aimem.WarnEdgeSkipped) {
				t.Errorf("warnings: %v", vaulttest.Codes(r))
			}
			if _, err := h.Forget(h.Ctx, h.Me(), memory.ForgetRequest{ID: h.LiveSaying("Deploys on Fridays."), Reason: memory.UserRevoked, Hard: hard}); err != nil {
				t.Fatal(err)
			}
			if n := h.keptBeside("aimem.entity"); n != 1 {
				t.Errorf("%d entities are left, want the orphan alone", n)
			}
			back := h.TakesIn(vaulttest.Brain(), aimem.Import{Restore: true})
			vaulttest.WantChunks(t, "restore", back, 2, 0, 1, 0)
			if got := h.Live(); len(got) != 3 || hard && back.Edges.Inserted < 1 || back.Entities.Inserted != 1 || back.Links.Inserted != 2 {
				t.Errorf("restored: %q, %+v", got, back)
			}
			vaulttest.WantChunks(t, "then", h.TakesIn(vaulttest.Brain(), aimem.Import{}), 0, 0, 3, 0)
			if n := h.keptBeside("aimem.denied"); n != 0 {
				t.Errorf("%d marks are left of what is here again", n)
			}
			h.Healthy()
		})
	}
}

// TestEmbeddingsAreKeptUnused: nothing is embedded anew, and nothing searched by
// what came (AIMEM 2.7).
func TestEmbeddingsAreKeptUnused(t *testing.T) {
	h := open(t)
	b := vaulttest.Bundle{Chunks: []vaulttest.Object{vaulttest.Chunk("1", "Prefers PostgreSQL.", vaulttest.Object{"embedding": "AACAPwAAAEA="}), vaulttest.Chunk("2", "Other")},
		More: vaulttest.Object{"embedding_dim": 2, "embedding_model": "conformance-fake-v1"}}
	r := h.TakesIn(b, aimem.Import{})
	t.Run("AIMEM-2.7-7 AIMEM-2.7-8 the model is named in a warning", func(t *testing.T) {
		want := aimem.ModelWarning(aimem.Envelope{EmbeddingModel: "conformance-fake-v1", EmbeddingDim: 2}, 1)
		var got []aimem.Warning
		for _, w := range r.Warnings {
			if w.Code == want.Code {
				got = append(got, w)
			}
		}
		if want.Detail == "" || want.EmbeddingModel == "" || want.Chunks != 1 || !slices.Equal(got, []aimem.Warning{want}) {
			t.Errorf("warnings: %+v", r.Warnings)
		}
	})
	t.Run("AIMEM-2.7-9 AIMEM-2.7-10 the bytes are kept beside the record, words find it", func(t *testing.T) {
		rec := h.MustGet(h.LiveSaying("Prefers PostgreSQL."))
		if strings.Contains(string(rec.Form()), "AACAPwAAAEA") {
			t.Error("the record holds the embedding")
		}
		err := h.Store.View(h.Ctx, h.Key.DID(), func(r store.Reader) error {
			a, err := r.Attached("aimem.vector", string(rec.ID)+"\x00conformance-fake-v1", 0)
			if err == nil && (a.From != rec.ID || !bytes.HasSuffix(a.Data, []byte{0, 0, 0x80, 0x3f, 0, 0, 0, 0x40})) {
				t.Errorf("kept: %+v", a)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		if got := h.Texts(memory.Query{Text: "postgresql"}); len(got) != 1 {
			t.Errorf("recall: %q", got)
		}
	})
	b.Chunks[0]["embedding"] = "AACAPwAAgD8="
	if r := h.TakesIn(b, aimem.Import{}); len(r.Rejected) != 1 || !slices.Equal(r.Rejected[0].Fields, []string{"embedding"}) {
		t.Errorf("another vector of the same model: %+v", r)
	}
	if n := h.keptBeside("aimem.vector"); n != 1 {
		t.Errorf("%d vectors", n)
	}
	if _, err := h.Forget(h.Ctx, h.Me(), memory.ForgetRequest{ID: h.LiveSaying("Prefers PostgreSQL."), Reason: memory.UserRevoked}); err != nil || h.keptBeside("aimem.vector") != 0 {
		t.Errorf("forgotten: %v, %d vectors stay", err, h.keptBeside("aimem.vector"))
	}
}

// TestImportIsAudited: every import leaves an entry that says how far the signature
// was looked at.
func TestImportIsAudited(t *testing.T) {
	h := open(t)
	for i, outcome := range []aimem.Outcome{aimem.Absent, aimem.Skipped, aimem.Verified} {
		t.Run(fmt.Sprintf("AIMEM-5.3-8 signature %s", outcome), func(t *testing.T) {
			b := vaulttest.Bundle{Chunks: []vaulttest.Object{vaulttest.Chunk(fmt.Sprint(i), "text")}}.Open(t)
			if _, err := h.ImportBrain(h.Ctx, h.Me(), b, aimem.Import{Signature: outcome}); err != nil {
				t.Fatal(err)
			}
			got := h.LastAudit()
			if got.Act != audit.Import || got.Signature != string(outcome) || got.Producer != "elsewhere" || got.Checksum != b.Checksum() || got.Who != audit.Owner || got.Count != 1 {
				t.Errorf("entry %+v", got)
			}
		})
	}
}
