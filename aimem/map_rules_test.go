package aimem

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// throughRecords is A→U→A.
func throughRecords(t *testing.T, b held) held {
	t.Helper()
	records, lost := toRecords(t, b)
	if len(lost) > 0 {
		t.Errorf("lost: %v", lost)
	}
	again, _ := toBundle(t, records...)
	return again
}

func TestThroughRecords(t *testing.T) {
	b := bundle(t, plainBundle(t))
	again := throughRecords(t, b)
	for name, at := range map[string][]string{
		"AIMEM-2.2-25 unknown members of a chunk come back":    {"/chunks/0/x_ump", "/x_note"},
		"AIMEM-2.2-26 values of a chunk come back as spelled":  {"/chunks/0", "/chunks/1/created_at"},
		"AIMEM-2.4-10 types of edges that are extensions stay": {"/edges/0"},
		"AIMEM-2.5-7 entities without a link stay":             {"/entities/1"},
		"AIMEM-1.2-3 a bundle has any number of chunks":        {"/chunks"},
		"AIMEM-1.2-2 a tenant that is a UUID stays":            {"/tenant_id"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, pointer := range at {
				was, _ := b.v.At(pointer)
				is, ok := again.v.At(pointer)
				if !ok || !canon.Identical(was, is) {
					t.Errorf("%s was %s and is %s", pointer, was.Append(nil), is.Append(nil))
				}
			}
		})
	}
	t.Run("AIMEM-7-2 what is ours begins with x_, under version 1", func(t *testing.T) {
		native, _ := toBundle(t, born(t, memory.Record{Body: memory.Body{Text: "a"}, Lifecycle: memory.Lifecycle{Decay: "slow"}}))
		if native.v.Get("version").Text() != "1" {
			t.Error("another version")
		}
		allowed := []string{"id", "content", "content_hash", "memory_type", "zone", "is_pinned", "created_at", "tags", "embedding"}
		members := native.v.Get("chunks").Items()[0].Members()
		for _, m := range members {
			if !slices.Contains(allowed, m.Name) && !strings.HasPrefix(m.Name, "x_") {
				t.Errorf("%s is neither the specification's nor an extension", m.Name)
			}
		}
		src := native.v.Append(nil)
		if _, err := Open(codec.Source{File: bytes.NewReader(src), Size: int64(len(src))}, Options{}); err != nil {
			t.Error(err)
		}
	})
	t.Run("a salience leaves as a zone, for readers that know no x_ump", func(t *testing.T) {
		for salience, zone := range map[float64]string{.95: "critical", .9: "critical", .7: "important", .5: "standard", 0: "standard"} {
			native, _ := toBundle(t, born(t, memory.Record{Body: memory.Body{Text: "a"}, Lifecycle: memory.Lifecycle{Salience: &salience}}))
			if got := native.v.Get("chunks").Items()[0].Get("zone").Text(); got != zone {
				t.Errorf("%v: %q, want %q", salience, got, zone)
			}
		}
		native, _ := toBundle(t, born(t, memory.Record{Body: memory.Body{Text: "a"}}))
		if native.v.Get("chunks").Items()[0].Has("zone") {
			t.Error("a record without a salience has a zone")
		}
	})
	t.Run("AIMEM-1.2-4 five types are DNA-class, and their records protected", func(t *testing.T) {
		for kind, dna := range map[MemoryType]bool{Fact: false, Preference: true, Decision: true, Identity: true, Pitfall: true, Procedure: true, Episodic: false, Goal: false} {
			c := chunkFrom(b.v.Get("chunks").Items()[1].With("memory_type", canon.String(string(kind))))
			taken, err := Mapper{Forms: ump.Forms(), Owner: testOwner}.Convert(c, nil, nil)
			if err != nil || Protected(taken.Record) != dna || kind.IsDNA() != dna {
				t.Errorf("%s: %v, %v", kind, Protected(taken.Record), err)
			}
		}
	})
}

// born gives a record of the test's owner an id.
func born(t testing.TB, r memory.Record) memory.Record {
	t.Helper()
	r.Kind, r.Scope.Owner = memory.Semantic, testOwner
	if r.Time.Created.IsZero() {
		r.Time.Created = testNow.Add(-time.Hour)
	}
	made, err := ump.Author(r, nil)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func TestSameChunkSameID(t *testing.T) {
	b := bundle(t, plainBundle(t))
	first, _ := toRecords(t, b)
	other := held{b.v.With("exported_at", canon.String("2026-07-01T00:00:00Z")).With("edges", canon.Array()).Without("chunk_entities")}
	second, _ := toRecords(t, other)
	if first[0].ID != second[0].ID || len(first[0].Relations) == len(second[0].Relations) {
		t.Errorf("%s became %s in another bundle", first[0].ID, second[0].ID)
	}
}

// edited changes the content of a chunk as somebody else's editor does.
func edited(b held, text string) held {
	c := b.v.Get("chunks").Items()[0].With("content", canon.String(text)).Without("content_hash")
	return held{b.v.With("chunks", b.v.Get("chunks").WithItem(0, c))}
}

func TestEditedChunk(t *testing.T) {
	key, err := keys.FromSeed(make([]byte, 32))
	if err != nil {
		t.Fatal(err)
	}
	no := false
	r, err := ump.Author(memory.Record{
		Kind: memory.Working, Body: memory.Body{Text: "before"}, Scope: memory.Scope{Owner: key.DID(), Project: "p"},
		Time: memory.Times{Created: testNow}, Consent: &memory.Consent{Exportable: &no, Retention: "P1Y"},
	}, &key)
	if err != nil {
		t.Fatal(err)
	}
	b, _ := toBundle(t, r)
	got, _ := toRecords(t, edited(b, "after"))
	d := got[0]
	if d.ID == r.ID || !slices.Equal(d.Supersedes, []memory.ID{r.ID}) || d.Integrity != nil || d.Body.Text != "after" {
		t.Errorf("the draft is %s", d.Form())
	}
	if d.Scope.Project != "p" || d.Kind != memory.Working || d.Consent == nil || *d.Consent.Exportable || d.Provenance.ActorKind != memory.ByImport {
		t.Errorf("what does not show was not kept: %s", d.Form())
	}
	t.Run("another owner's", func(t *testing.T) {
		c := chunkFrom(b.v.Get("chunks").Items()[0])
		taken, err := Mapper{Forms: ump.Forms(), Owner: testOwner, SignedOnly: true}.Convert(c, nil, nil)
		got := taken.Record
		if err != nil || taken.Restored || got.Scope.Owner != testOwner || got.Integrity != nil || len(got.Supersedes) > 0 || *got.Consent.Exportable {
			t.Errorf("%v: %s", err, got.Form())
		}
	})
}

// TestRevisedText: the name of a chunk belongs to its content.
func TestRevisedText(t *testing.T) {
	records, _ := toRecords(t, bundle(t, plainBundle(t)))
	old := records[0]
	next := old
	next.ID, next.Origin, next.Supersedes, next.Relations = "", nil, []memory.ID{old.ID}, nil
	next.Body.Text, next.Time.Created = "Uses spaces.", testNow
	next, err := ump.Author(next, nil)
	if err != nil {
		t.Fatal(err)
	}
	c := Mapper{Forms: ump.Forms(), Owner: old.Scope.Owner, Namespace: "prod-a"}
	if name := c.Name(next); name != c.URN(next.ID) {
		t.Errorf("it is called %s", name)
	}
	chunk := c.StoredChunk(next)
	if chunk.MemoryType != Preference || !chunk.Pinned || chunk.Hash != textHash("Uses spaces.") || !Protected(next) {
		t.Errorf("the successor is %+v", chunk)
	}
}

func TestTenHopsDoNotGrow(t *testing.T) {
	records, _ := toRecords(t, bundle(t, plainBundle(t)))
	records = append(records, born(t, memory.Record{Body: memory.Body{Text: strings.Repeat("ä", 70_000)}, Relations: []memory.Relation{{Type: "about", Target: "entity:x"}}}))
	first, _ := toBundle(t, records...)
	b := first
	for range 10 {
		again, _ := toRecords(t, b)
		b, _ = toBundle(t, again...)
	}
	if b.sum(t) != first.sum(t) {
		t.Errorf("%d bytes became %d", len(canonical(first.v)), len(canonical(b.v)))
	}
}

// TestTagInResidue: residue with the tag of a line is nobody's chunk, and does not
// keep the others from leaving as lines.
func TestTagInResidue(t *testing.T) {
	records, _ := toRecords(t, bundle(t, plainBundle(t)))
	for i, r := range records {
		text := strings.Replace(form(t, r), `"chunk":{`, `"chunk":{"_kind":"edge",`, 1)
		text = strings.Replace(text, `"edges":[{`, `"edges":[{"_kind":"edge",`, 1)
		v, err := canon.Parse([]byte(text), anyJSON)
		if err != nil {
			t.Fatal(err)
		}
		residue := v.Get("body").Get("structured").Get(residueName)
		r = codec.WithResidue(r, residueName, residue)
		r.ID, r.Origin, r.Current = "", nil, nil
		if records[i], err = ump.Author(r, nil); err != nil {
			t.Fatal(err)
		}
	}
	if got := form(t, records[0]); !strings.Contains(got, `"_kind":"edge"`) {
		t.Fatalf("it is not tagged: %s", got)
	}
	b, _ := toBundle(t, records...)
	if n := b.v.Get("chunks").Len(); n != 2 {
		t.Fatalf("%d chunks left", n)
	}
	var out bytes.Buffer
	if err := WriteStream(&out, b, b.sum(t)); err != nil {
		t.Errorf("as lines: %v", err)
	}
}
