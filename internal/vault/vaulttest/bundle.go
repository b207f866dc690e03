package vaulttest

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
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// Here is the producer namespace of a house, which its mapper puts into names.
const Here = "satchel-test"

// NamedEntity returns an entity with an id, a name, a kind and more members.
func NamedEntity(id, name, kind string, more ...Object) Object {
	e := Object{"id": id, "name": name, "kind": kind, "created_at": "2026-04-01T09:30:00Z"}
	for _, m := range more {
		for k, v := range m {
			e[k] = v
		}
	}
	return e
}

// EntityIDs returns the ids of the exported entities, in their order.
func (b LeftAs) EntityIDs() (all []string) {
	for _, e := range b.Get("entities").Items() {
		all = append(all, e.Get("id").Text())
	}
	return all
}

// LeftAs is an exported bundle.
type LeftAs struct {
	canon.Value
	aimem.ExportReport
	Text string
}

// Bundle exports as c and reads the result. It checks that two passes give the same
// bundle.
func (h *House) Bundle(c memory.Caller, q aimem.Export) (out LeftAs, err error) {
	h.T.Helper()
	err = h.ExportBrain(h.Ctx, c, q, func(b aimem.Brain, report aimem.ExportReport) error {
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
		out.ExportReport, out.Text = report, text.String()
		out.Value, err = canon.Parse(text.Bytes(), canon.Options{Bytes: 1 << 30})
		return err
	})
	return out, err
}

// Left is Bundle for the owner, and fails the test if it fails.
func (h *House) Left(q aimem.Export) LeftAs {
	h.T.Helper()
	out, err := h.Bundle(h.Me(), q)
	if err != nil {
		h.T.Fatal(err)
	}
	return out
}

// Contents returns the contents of the chunks, in their order.
func (b LeftAs) Contents() (all []string) {
	for _, c := range b.Get("chunks").Items() {
		all = append(all, c.Get("content").Text())
	}
	return all
}

// Ends returns the edges as "type source target", by the contents of the chunks.
func (b LeftAs) Ends() (all []string) {
	names := map[string]string{}
	for _, c := range b.Get("chunks").Items() {
		names[c.Get("id").Text()] = c.Get("content").Text()
	}
	for _, e := range b.Get("edges").Items() {
		all = append(all, e.Get("edge_type").Text()+" "+names[e.Get("source_id").Text()]+" "+names[e.Get("target_id").Text()])
	}
	return all
}

// Beside stores attachments as an import does.
func (h *House) Beside(list ...store.Attachment) {
	h.T.Helper()
	err := h.Store.Update(h.Ctx, h.Key.DID(), func(w store.Writer) error {
		for _, a := range list {
			if _, err := store.Attach(w, a); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		h.T.Fatal(err)
	}
}

// Opened opens a bundle as its recipient does.
func Opened(t *testing.T, text string) *aimem.Bundle {
	t.Helper()
	b, err := aimem.Open(codec.Source{Name: "x.aimem.json", File: strings.NewReader(text), Size: int64(len(text))}, aimem.Options{})
	if err != nil {
		t.Fatalf("the bundle does not open: %v\n%s", err, text)
	}
	t.Cleanup(func() { _ = b.Close() })
	return b
}

// IdOf returns the id of the record in force with a text.
func IdOf(h *House, text string) memory.ID {
	h.T.Helper()
	hits, err := h.Recall(h.Ctx, h.Me(), memory.Query{Text: text})
	if err != nil {
		h.T.Fatal(err)
	}
	at := slices.IndexFunc(hits, func(hit memory.Hit) bool { return hit.Record.Body.Text == text })
	if at < 0 {
		h.T.Fatalf("nobody says %q", text)
	}
	return hits[at].Record.ID
}

// Canary is a word that occurs only in records to be erased.
const Canary = "zanzibarquince"

// Bundle is the part of a bundle that a test sets; Document fills in the rest.
type Bundle struct {
	Producer string // empty: elsewhere
	More     map[string]any
	Chunks, Edges, Entities,
	Links []map[string]any
}

// Object is a JSON object.
type Object = map[string]any

// Chunk returns a chunk of producer elsewhere.
func Chunk(local, content string, more ...Object) Object {
	c := Object{"id": "urn:aimem:elsewhere:" + local, "content": content, "memory_type": "fact", "created_at": "2026-04-01T09:00:00Z"}
	for _, m := range more {
		maps.Copy(c, m)
	}
	return c
}

// Edge returns an edge between two chunks of elsewhere.
func Edge(source, target string, more ...Object) Object {
	e := Object{"source_id": "urn:aimem:elsewhere:" + source, "target_id": "urn:aimem:elsewhere:" + target,
		"edge_type": "hebbian", "weight": 0.42, "created_at": "2026-04-15T08:00:00Z"}
	for _, m := range more {
		maps.Copy(e, m)
	}
	return e
}

// Entity returns an entity of elsewhere.
func Entity(local, name string) Object {
	return Object{"id": "urn:aimem:elsewhere:" + local, "name": name, "kind": "technology", "created_at": "2026-04-01T09:30:00Z"}
}

// Linked returns a link between a chunk and an entity of elsewhere.
func Linked(chunk, entity string) Object {
	return Object{"chunk_id": "urn:aimem:elsewhere:" + chunk, "entity_id": "urn:aimem:elsewhere:" + entity}
}

// Document returns a bundle as JSON, with its checksum.
func (b Bundle) Document(t testing.TB) []byte {
	t.Helper()
	producer := b.Producer
	if producer == "" {
		producer = "elsewhere"
	}
	doc := Object{"format": "aimem-bundle", "version": "1", "producer": producer, "tenant_id": "11111111-1111-1111-1111-111111111111",
		"exported_at": "2026-06-12T10:00:00Z", "scope": "FULL"}
	for name, list := range map[string][]Object{"chunks": b.Chunks, "edges": b.Edges, "entities": b.Entities, "chunk_entities": b.Links} {
		doc[name] = append([]Object{}, list...)
	}
	maps.Copy(doc, b.More)
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

// Open opens the bundle as an import does.
func (b Bundle) Open(t testing.TB) *aimem.Bundle {
	return OpenBundle(t, b.Document(t), aimem.Options{})
}

// OpenBundle opens a document as a bundle.
func OpenBundle(t testing.TB, doc []byte, o aimem.Options) *aimem.Bundle {
	t.Helper()
	opened, err := aimem.Open(codec.Source{Name: "brain.aimem.json", File: bytes.NewReader(doc), Size: int64(len(doc))}, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = opened.Close() })
	return opened
}

// TakesIn imports a bundle as the owner.
func (h *House) TakesIn(b Bundle, o aimem.Import) aimem.Report {
	h.T.Helper()
	return h.TakesInAs(h.Me(), b, o)
}

// TakesInAs imports a bundle as caller c.
func (h *House) TakesInAs(c memory.Caller, b Bundle, o aimem.Import) aimem.Report {
	h.T.Helper()
	report, err := h.ImportBrain(h.Ctx, c, b.Open(h.T), o)
	if err != nil {
		h.T.Fatalf("import: %v", err)
	}
	if sum := report.Inserted + report.Updated + report.Skipped + len(report.Rejected); sum != report.Chunks || sum != len(b.Chunks) {
		h.T.Errorf("AIMEM-3.2-3 %d chunks are accounted for of %d: %+v", sum, len(b.Chunks), report)
	}
	return report
}

// WantChunks compares the counts of a report: inserted, updated, skipped, rejected.
func WantChunks(t testing.TB, what string, r aimem.Report, inserted, updated, skipped, rejected int) {
	t.Helper()
	got := [4]int{r.Inserted, r.Updated, r.Skipped, len(r.Rejected)}
	if want := [4]int{inserted, updated, skipped, rejected}; got != want {
		t.Errorf("%s: inserted, updated, skipped, rejected are %v, want %v; %+v %+v", what, got, want, r.Rejected, r.Warnings)
	}
}

// Codes returns the codes of a report's warnings, except warnings about the tenant.
func Codes(r aimem.Report) (all []aimem.Code) {
	for _, w := range r.Warnings {
		if w.Code != aimem.WarnTenantMismatch {
			all = append(all, w.Code)
		}
	}
	return all
}

// Live lists the texts in force, sorted.
func (h *House) Live() []string {
	h.T.Helper()
	page, err := h.List(h.Ctx, h.Me(), vault.ListQuery{Limit: 1000})
	if err != nil {
		h.T.Fatal(err)
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

// Contents returns everything that bundles change, except the list of imports.
func (h *House) Contents() string {
	h.T.Helper()
	var b strings.Builder
	err := h.Store.View(h.Ctx, h.Key.DID(), func(r store.Reader) error {
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
		h.T.Fatal(err)
	}
	return b.String()
}

// Brain returns a bundle of a few chunks, with edges, entities and links.
func Brain() Bundle {
	return Bundle{
		Chunks: []Object{
			Chunk("1", "Prefers PostgreSQL.", Object{"memory_type": "preference", "zone": "important", "tags": []string{"db"}, "is_pinned": true, "kept": Object{"x": 1}}),
			Chunk("2", "Deploys on Fridays."), Chunk("3", "Lives in Lisbon."),
		},
		Edges:    []Object{Edge("1", "2"), Edge("2", "1", Object{"edge_type": "causal"}), Edge("3", "3")},
		Entities: []Object{Entity("e1", "PostgreSQL"), Entity("orphan", "Nobody")},
		Links:    []Object{Linked("1", "e1"), Linked("2", "e1")},
	}
}

// LiveSaying returns the id of the live record with a text.
func (h *House) LiveSaying(text string) memory.ID {
	h.T.Helper()
	page, err := h.List(h.Ctx, h.Me(), vault.ListQuery{Limit: 1000})
	if err != nil {
		h.T.Fatal(err)
	}
	for _, rec := range page.Records {
		if rec.Body.Text == text {
			return rec.ID
		}
	}
	h.T.Fatalf("nothing says %q", text)
	return ""
}

// LastAudit returns the last entry of the audit log.
func (h *House) LastAudit() (last audit.Entry) {
	h.T.Helper()
	err := h.Store.View(h.Ctx, h.Key.DID(), func(r store.Reader) error {
		size, _, err := r.Audit().AuditSize()
		if err != nil {
			return err
		}
		entries, err := audit.Entries(r.Audit(), size-1, 1)
		if err == nil {
			last = entries[0]
		}
		return err
	})
	if err != nil {
		h.T.Fatal(err)
	}
	return last
}

// Taken imports a bundle for the owner.
func (h *House) Taken(t *testing.T, text string) aimem.Report {
	t.Helper()
	report, err := h.ImportBrain(h.Ctx, h.Me(), Opened(t, text), aimem.Import{})
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// Foreign returns a bundle of another producer.
func Foreign(t *testing.T) string {
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
	return string(v.With("checksum", canon.String(ChecksumOf(v))).AppendCanonical(nil))
}

// StockedBrain fills a store with everything that a bundle must carry.
func StockedBrain(t *testing.T, h *House) {
	t.Helper()
	first := h.Tell("coffee at nine", `"lifecycle":{"salience":0.95}`, `"relations":[{"type":"about","target":"entity:coffee"}]`)
	h.Pass(time.Second)
	h.Tell("tea at ten", `"kind":"identity"`, `"relations":[{"type":"about","target":"entity:coffee"},{"type":"contradicts","target":"`+string(first)+`"}]`)
	revised := h.Tell("lunch at noon", `"relations":[{"type":"depends_on","target":"`+string(first)+`"}]`)
	h.Must(ump.OpRevise, `{"id":"`+string(revised)+`","patch":{"body":{"text":"lunch at one"}}}`)
	h.Pass(time.Second)
	h.Tell(strings.Repeat("ä long täle ", 12_000))
	h.Pass(time.Second)
	if r := h.Taken(t, Foreign(t)); r.Inserted != 3 {
		t.Fatalf("the foreign bundle: %+v", r)
	}
	h.Pass(time.Second)
}

// ChecksumOf returns the checksum of a bundle without one, computed independently.
func ChecksumOf(v canon.Value) string {
	sum := sha256.Sum256(v.AppendCanonical(nil))
	return "sha256:" + hex.EncodeToString(sum[:])
}
