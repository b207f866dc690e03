package vault_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/internal/audit"
	"github.com/satchel-memory/satchel/internal/racing"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
)

// bundle is what a test says of a bundle; the rest is filled in.
type bundle struct {
	producer string // empty: elsewhere
	more     map[string]any
	chunks, edges, entities,
	links []map[string]any
}

// object is an object of JSON.
type object = map[string]any

// chunk is a chunk of producer elsewhere.
func chunk(local, content string, more ...object) object {
	c := object{"id": "urn:aimem:elsewhere:" + local, "content": content, "memory_type": "fact", "created_at": "2026-04-01T09:00:00Z"}
	for _, m := range more {
		maps.Copy(c, m)
	}
	return c
}

// edge is an edge between two chunks of elsewhere.
func edge(source, target string, more ...object) object {
	e := object{"source_id": "urn:aimem:elsewhere:" + source, "target_id": "urn:aimem:elsewhere:" + target,
		"edge_type": "hebbian", "weight": 0.42, "created_at": "2026-04-15T08:00:00Z"}
	for _, m := range more {
		maps.Copy(e, m)
	}
	return e
}

// entity is an entity of elsewhere.
func entity(local, name string) object {
	return object{"id": "urn:aimem:elsewhere:" + local, "name": name, "kind": "technology", "created_at": "2026-04-01T09:30:00Z"}
}

// linked is a link between a chunk and an entity of elsewhere.
func linked(chunk, entity string) object {
	return object{"chunk_id": "urn:aimem:elsewhere:" + chunk, "entity_id": "urn:aimem:elsewhere:" + entity}
}

// document spells a bundle with its checksum.
func (b bundle) document(t testing.TB) []byte {
	t.Helper()
	producer := b.producer
	if producer == "" {
		producer = "elsewhere"
	}
	doc := object{"format": "aimem-bundle", "version": "1", "producer": producer, "tenant_id": "11111111-1111-1111-1111-111111111111",
		"exported_at": "2026-06-12T10:00:00Z", "scope": "FULL"}
	for name, list := range map[string][]object{"chunks": b.chunks, "edges": b.edges, "entities": b.entities, "chunk_entities": b.links} {
		doc[name] = append([]object{}, list...)
	}
	maps.Copy(doc, b.more)
	data, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	v, err := canon.Parse(data, canon.Options{Bytes: 16 << 20})
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(v.AppendCanonical(nil))
	return v.With("checksum", canon.String("sha256:"+hex.EncodeToString(sum[:]))).Append(nil)
}

// open opens the bundle as an import does.
func (b bundle) open(t testing.TB) *aimem.Bundle {
	return openBundle(t, b.document(t), aimem.Options{})
}

// openBundle opens a document as a bundle.
func openBundle(t testing.TB, doc []byte, o aimem.Options) *aimem.Bundle {
	t.Helper()
	opened, err := aimem.Open(codec.Source{Name: "brain.aimem.json", File: bytes.NewReader(doc), Size: int64(len(doc))}, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = opened.Close() })
	return opened
}

// takesIn imports a bundle as the owner.
func (h *house) takesIn(b bundle, o aimem.Import) aimem.Report {
	h.t.Helper()
	return h.takesInAs(h.owner(), b, o)
}

// takesInAs imports a bundle as somebody.
func (h *house) takesInAs(c memory.Caller, b bundle, o aimem.Import) aimem.Report {
	h.t.Helper()
	report, err := h.ImportBrain(h.ctx, c, b.open(h.t), o)
	if err != nil {
		h.t.Fatalf("import: %v", err)
	}
	if sum := report.Inserted + report.Updated + report.Skipped + len(report.Rejected); sum != report.Chunks || sum != len(b.chunks) {
		h.t.Errorf("AIMEM-3.2-3 %d chunks are accounted for of %d: %+v", sum, len(b.chunks), report)
	}
	return report
}

// wantChunks compares the counts of a report: inserted, updated, skipped, rejected.
func wantChunks(t testing.TB, what string, r aimem.Report, inserted, updated, skipped, rejected int) {
	t.Helper()
	got := [4]int{r.Inserted, r.Updated, r.Skipped, len(r.Rejected)}
	if want := [4]int{inserted, updated, skipped, rejected}; got != want {
		t.Errorf("%s: inserted, updated, skipped, rejected are %v, want %v; %+v %+v", what, got, want, r.Rejected, r.Warnings)
	}
}

// codes are the codes of the warnings of a report.
func codes(r aimem.Report) (all []aimem.Code) {
	for _, w := range r.Warnings {
		if w.Code != aimem.WarnTenantMismatch {
			all = append(all, w.Code)
		}
	}
	return all
}

// live lists the texts in force.
func (h *house) live() []string {
	h.t.Helper()
	page, err := h.List(h.ctx, h.owner(), vault.ListQuery{Limit: 1000})
	if err != nil {
		h.t.Fatal(err)
	}
	var texts []string
	for _, rec := range page.Records {
		if len(rec.SupersededBy) == 0 {
			texts = append(texts, rec.Body.Text)
		}
	}
	slices.Sort(texts)
	return texts
}

// keptBeside counts the attachments of a space.
func (h *house) keptBeside(space string) int {
	h.t.Helper()
	n := 0
	err := h.store.View(h.ctx, h.key.DID(), func(r store.Reader) error {
		some, err := r.Attachments(store.AttachmentFilter{Space: space}, 0, 1000)
		n = len(some)
		return err
	})
	if err != nil {
		h.t.Fatal(err)
	}
	return n
}

// contents is everything that bundles change, but the list of imports.
func (h *house) contents() string {
	h.t.Helper()
	var b strings.Builder
	err := h.store.View(h.ctx, h.key.DID(), func(r store.Reader) error {
		b.Reset()
		rows, err := r.Rows(store.Filter{}, store.Cursor{}, 10_000)
		if err != nil {
			return err
		}
		for _, row := range rows {
			fmt.Fprintf(&b, "%d %s %s %s %+v\n", row.Number, row.ID, row.Origin, row.Current, row.Columns)
		}
		for _, space := range []string{"aimem.edge", "aimem.entity", "aimem.entity.alias", "aimem.link", "aimem.vector", "aimem.denied"} {
			some, err := r.Attachments(store.AttachmentFilter{Space: space}, 0, 10_000)
			if err != nil {
				return err
			}
			for _, a := range some {
				fmt.Fprintf(&b, "%+v\n", a)
			}
		}
		head, err := r.Head()
		fmt.Fprintf(&b, "%d\n", head)
		return err
	})
	if err != nil {
		h.t.Fatal(err)
	}
	return b.String()
}

// brain is a bundle of a few chunks and what hangs on them.
var brain = bundle{
	chunks: []object{
		chunk("1", "Prefers PostgreSQL.", object{"memory_type": "preference", "zone": "important", "tags": []string{"db"}, "is_pinned": true, "kept": object{"x": 1}}),
		chunk("2", "Deploys on Fridays."), chunk("3", "Lives in Lisbon."),
	},
	edges:    []object{edge("1", "2"), edge("2", "1", object{"edge_type": "causal"}), edge("3", "3")},
	entities: []object{entity("e1", "PostgreSQL"), entity("orphan", "Nobody")},
	links:    []object{linked("1", "e1"), linked("2", "e1")},
}

func TestImportBrain(t *testing.T) {
	racing.Skip(t)
	onEach(t, testImportBrain)
}

func testImportBrain(t *testing.T, open opener) {
	h := open(t)
	dry := h.takesIn(brain, aimem.Import{DryRun: true})
	if h.count() != 0 || dry.Import != 0 {
		t.Fatalf("a dry run stored something: %d records, %+v", h.count(), dry)
	}
	report := h.takesIn(brain, aimem.Import{})
	wantChunks(t, "first", report, 3, 0, 0, 0)
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
		if got := h.live(); len(got) != 3 {
			t.Errorf("live: %q", got)
		}
		if len(report.Warnings) == 0 || report.Warnings[0].Code != aimem.WarnTenantMismatch {
			t.Errorf("warnings: %+v", report.Warnings)
		}
	})
	h.pass(time.Hour)
	before := h.contents()
	again := h.takesIn(brain, aimem.Import{})
	t.Run("AIMEM-2.9-1 AIMEM-2.9-2 AIMEM-5.4-1 AIMEM-2.2-13 the same again changes nothing", func(t *testing.T) {
		wantChunks(t, "again", again, 0, 0, 3, 0)
		if again.Edges.Inserted+again.Entities.Inserted+again.Links.Inserted != 0 || again.Import != 0 {
			t.Errorf("again: %+v", again)
		}
		if after := h.contents(); after != before {
			t.Errorf("the store has changed:\n%s\nwas\n%s", after, before)
		}
	})
	t.Run("undo takes all of it back", func(t *testing.T) {
		done, err := h.Undo(h.ctx, h.owner(), report.Import)
		if err != nil || done.Removed != 3 || h.count() != 0 {
			t.Errorf("undo: %+v, %v, %d left", done, err, h.count())
		}
		if n := h.keptBeside("aimem.edge") + h.keptBeside("aimem.entity") + h.keptBeside("aimem.entity.alias") + h.keptBeside("aimem.link"); n != 0 {
			t.Errorf("%d attachments stay", n)
		}
		wantChunks(t, "after undo", h.takesIn(brain, aimem.Import{}), 3, 0, 0, 0)
	})
	h.healthy()
}

// TestReimport puts every kind of conflict to a store (decision AD-16).
func TestReimport(t *testing.T) {
	racing.Skip(t)
	h := open(t)
	h.takesIn(bundle{chunks: []object{chunk("1", "A")}}, aimem.Import{})
	one := func(content string, more ...object) bundle {
		return bundle{chunks: []object{chunk("1", content, more...)}}
	}
	later, earlier := object{"created_at": "2026-04-01T09:00:01Z"}, object{"created_at": "2026-04-01T08:59:59Z"}
	for _, c := range []struct {
		name  string
		b     bundle
		o     aimem.Import
		code  aimem.Code
		skips bool
	}{
		{"AIMEM-2.9-3 another content at the same time is rejected", one("B"), aimem.Import{}, aimem.ContentConflict, false},
		{"AIMEM-2.9-3 also where newer ones may update", one("B"), aimem.Import{OnNewer: aimem.UpdateNewer}, aimem.ContentConflict, false},
		{"AIMEM-5.4-2 another memory_type is rejected", one("A", object{"memory_type": "identity"}), aimem.Import{}, aimem.FieldConflict, false},
		{"AIMEM-5.4-2 another zone is rejected", one("A", object{"zone": "critical"}), aimem.Import{}, aimem.FieldConflict, false},
		{"AIMEM-5.4-2 a pin is rejected", one("A", object{"is_pinned": true}), aimem.Import{}, aimem.FieldConflict, false},
		{"AIMEM-5.4-2 other tags are rejected", one("A", object{"tags": []string{"x"}}), aimem.Import{}, aimem.FieldConflict, false},
		{"AIMEM-2.9-5 a newer one is rejected unless asked otherwise", one("B", later), aimem.Import{}, aimem.NewerCreatedAt, false},
		{"AIMEM-2.9-7 an older one with other content is rejected", one("B", earlier), aimem.Import{OnNewer: aimem.UpdateNewer}, aimem.OlderCreatedAt, false},
		{"AIMEM-2.9-7 an older one with the same content is skipped", one("A", earlier), aimem.Import{}, aimem.WarnCreatedAtDrift, true},
		{"AIMEM-2.9-6 times are compared as instants", one("A", object{"created_at": "2026-04-01T09:00:00.000Z"}), aimem.Import{}, "", true},
		{"defaults spelled out are the same", one("A", object{"is_pinned": false, "tags": []string{}}), aimem.Import{}, "", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			before := h.contents()
			for _, dry := range []bool{true, false} {
				c.o.DryRun = dry
				r := h.takesIn(c.b, c.o)
				if c.skips {
					wantChunks(t, "it", r, 0, 0, 1, 0)
					if got := codes(r); c.code != "" && !slices.Equal(got, []aimem.Code{c.code}) || c.code == "" && len(got) > 0 {
						t.Errorf("warnings: %v", got)
					}
					continue
				}
				wantChunks(t, "it", r, 0, 0, 0, 1)
				got := r.Rejected[0]
				if got.Code != c.code || got.ID != "urn:aimem:elsewhere:1" || got.Stored.ContentHash != hashOf("A") || got.Stored.CreatedAt != "2026-04-01T09:00:00Z" ||
					got.Incoming.ContentHash != hashOf(c.b.chunks[0]["content"].(string)) {
					t.Errorf("AIMEM-3.2-4 rejected as %+v", got)
				}
			}
			if h.contents() != before {
				t.Error("what is here has changed")
			}
		})
	}
	t.Run("AIMEM-2.9-9 one conflict does not keep out the others", func(t *testing.T) {
		r := h.takesIn(bundle{chunks: []object{chunk("2", "C"), chunk("1", "B"), chunk("3", "D")},
			edges: []object{edge("2", "3"), edge("2", "1"), edge("2", "3")}}, aimem.Import{})
		wantChunks(t, "three", r, 2, 0, 0, 1)
		if got := codes(r); !slices.Equal(got, []aimem.Code{aimem.WarnDuplicateEdge, aimem.WarnEdgeSkipped}) || r.Edges != (aimem.Tally{Inserted: 1, Skipped: 2}) {
			t.Errorf("edges: %v, %+v", got, r.Edges)
		}
	})
	t.Run("AIMEM-2.9-4 a newer one updates if asked to", func(t *testing.T) {
		b := one("B", later)
		b.chunks = append(b.chunks, chunk("2", "C"))
		b.edges = []object{edge("1", "2"), edge("2", "1", object{"edge_type": "causal"})}
		dry := h.takesIn(b, aimem.Import{OnNewer: aimem.UpdateNewer, DryRun: true})
		r := h.takesIn(b, aimem.Import{OnNewer: aimem.UpdateNewer})
		wantChunks(t, "dry", dry, 0, 1, 1, 0)
		wantChunks(t, "update", r, 0, 1, 1, 0)
		if got := h.live(); !slices.Equal(got, []string{"B", "C", "D"}) {
			t.Errorf("live: %q", got)
		}
		if r.Edges.Inserted != 2 {
			t.Errorf("edges: %+v", r.Edges)
		}
		wantChunks(t, "again", h.takesIn(b, aimem.Import{OnNewer: aimem.UpdateNewer}), 0, 0, 2, 0)
		if r := h.takesIn(one("A"), aimem.Import{}); len(r.Rejected) != 1 || r.Rejected[0].Code != aimem.OlderCreatedAt {
			t.Errorf("the version before: %+v", r)
		}
		if _, err := h.Undo(h.ctx, h.owner(), r.Import); err != nil {
			t.Fatal(err)
		}
		if got := h.live(); !slices.Equal(got, []string{"A", "C", "D"}) {
			t.Errorf("taken back: %q", got)
		}
		wantChunks(t, "the version before", h.takesIn(one("A"), aimem.Import{}), 0, 0, 1, 0)
	})
	h.healthy()
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
			h.takesIn(brain, aimem.Import{})
			id := h.liveSaying("Prefers PostgreSQL.")
			if _, err := h.Forget(h.ctx, h.owner(), memory.Forgetting{ID: id, Reason: memory.UserRevoked, Hard: hard}); err != nil {
				t.Fatal(err)
			}
			if n := h.keptBeside("aimem.entity"); n != 2 {
				t.Errorf("%d entities are left while one chunk is linked to the first", n)
			}
			r := h.takesIn(brain, aimem.Import{})
			wantChunks(t, "again", r, 0, 0, 3, 0)
			if !slices.Contains(codes(r), aimem.DeletedByUser) || !slices.Contains(codes(r), aimem.WarnEdgeSkipped) {
				t.Errorf("warnings: %v", codes(r))
			}
			if _, err := h.Forget(h.ctx, h.owner(), memory.Forgetting{ID: h.liveSaying("Deploys on Fridays."), Reason: memory.UserRevoked, Hard: hard}); err != nil {
				t.Fatal(err)
			}
			if n := h.keptBeside("aimem.entity"); n != 1 {
				t.Errorf("%d entities are left, want the orphan alone", n)
			}
			back := h.takesIn(brain, aimem.Import{Restore: true})
			wantChunks(t, "restore", back, 2, 0, 1, 0)
			if got := h.live(); len(got) != 3 || hard && back.Edges.Inserted < 1 || back.Entities.Inserted != 1 || back.Links.Inserted != 2 {
				t.Errorf("restored: %q, %+v", got, back)
			}
			wantChunks(t, "then", h.takesIn(brain, aimem.Import{}), 0, 0, 3, 0)
			if n := h.keptBeside("aimem.denied"); n != 0 {
				t.Errorf("%d marks are left of what is here again", n)
			}
			h.healthy()
		})
	}
}

// liveSaying returns the id of the live record with a text.
func (h *house) liveSaying(text string) memory.ID {
	h.t.Helper()
	page, err := h.List(h.ctx, h.owner(), vault.ListQuery{Limit: 1000})
	if err != nil {
		h.t.Fatal(err)
	}
	for _, rec := range page.Records {
		if rec.Body.Text == text {
			return rec.ID
		}
	}
	h.t.Fatalf("nothing says %q", text)
	return ""
}

// TestEmbeddingsAreKeptUnused: nothing is embedded anew, and nothing searched by
// what came (AIMEM 2.7).
func TestEmbeddingsAreKeptUnused(t *testing.T) {
	h := open(t)
	b := bundle{chunks: []object{chunk("1", "Prefers PostgreSQL.", object{"embedding": "AACAPwAAAEA="}), chunk("2", "Other")},
		more: object{"embedding_dim": 2, "embedding_model": "conformance-fake-v1"}}
	r := h.takesIn(b, aimem.Import{})
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
		rec := h.get(h.liveSaying("Prefers PostgreSQL."))
		if strings.Contains(string(rec.Form()), "AACAPwAAAEA") {
			t.Error("the record holds the embedding")
		}
		err := h.store.View(h.ctx, h.key.DID(), func(r store.Reader) error {
			a, err := r.Attached("aimem.vector", string(rec.ID)+"\x00conformance-fake-v1", 0)
			if err == nil && (a.From != rec.ID || !bytes.HasSuffix(a.Data, []byte{0, 0, 0x80, 0x3f, 0, 0, 0, 0x40})) {
				t.Errorf("kept: %+v", a)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		if got := h.texts(memory.Query{Text: "postgresql"}); len(got) != 1 {
			t.Errorf("recall: %q", got)
		}
	})
	b.chunks[0]["embedding"] = "AACAPwAAgD8="
	if r := h.takesIn(b, aimem.Import{}); len(r.Rejected) != 1 || !slices.Equal(r.Rejected[0].Fields, []string{"embedding"}) {
		t.Errorf("another vector of the same model: %+v", r)
	}
	if n := h.keptBeside("aimem.vector"); n != 1 {
		t.Errorf("%d vectors", n)
	}
	if _, err := h.Forget(h.ctx, h.owner(), memory.Forgetting{ID: h.liveSaying("Prefers PostgreSQL."), Reason: memory.UserRevoked}); err != nil || h.keptBeside("aimem.vector") != 0 {
		t.Errorf("forgotten: %v, %d vectors stay", err, h.keptBeside("aimem.vector"))
	}
}

// TestImportIsAudited: every import leaves an entry that says how far the signature
// was looked at.
func TestImportIsAudited(t *testing.T) {
	h := open(t)
	for i, outcome := range []aimem.Outcome{aimem.Absent, aimem.Skipped, aimem.Verified} {
		t.Run(fmt.Sprintf("AIMEM-5.3-8 signature %s", outcome), func(t *testing.T) {
			b := bundle{chunks: []object{chunk(fmt.Sprint(i), "text")}}.open(t)
			if _, err := h.ImportBrain(h.ctx, h.owner(), b, aimem.Import{Signature: outcome}); err != nil {
				t.Fatal(err)
			}
			got := h.lastAudit()
			if got.Act != audit.Import || got.Signature != string(outcome) || got.Producer != "elsewhere" || got.Checksum != b.Checksum() || got.Who != audit.Owner || got.Count != 1 {
				t.Errorf("entry %+v", got)
			}
		})
	}
}

// lastAudit is the last entry of the audit log.
func (h *house) lastAudit() (last audit.Entry) {
	h.t.Helper()
	err := h.store.View(h.ctx, h.key.DID(), func(r store.Reader) error {
		size, _, err := r.AuditSize()
		if err != nil {
			return err
		}
		entries, err := audit.Entries(r, size-1, 1)
		if err == nil {
			last = entries[0]
		}
		return err
	})
	if err != nil {
		h.t.Fatal(err)
	}
	return last
}
