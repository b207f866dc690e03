package aimem

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// anyValue draws what an unknown member may say.
func anyValue(t *rapid.T) canon.Value {
	texts := []string{`null`, `true`, `"x"`, `9007199254740993`, `1e20`, `0.00001`, `[1,[2,{"a":null}]]`, `{"x_ump":{"v":2},"b":1.50}`, strings.Repeat("[", 60) + strings.Repeat("]", 60)}
	v, err := canon.Parse([]byte(rapid.SampledFrom(texts).Draw(t, "value")), anyJSON)
	if err != nil {
		panic(err)
	}
	return v
}

func parsed(text string) canon.Value {
	v, err := canon.Parse([]byte(text), anyJSON)
	if err != nil {
		panic(err)
	}
	return v
}

func withUnknown(t *rapid.T, v canon.Value) canon.Value {
	for range rapid.IntRange(0, 2).Draw(t, "unknown") {
		v = v.With(rapid.SampledFrom([]string{"x_a", "x_b", "note", "x_origin_id"}).Draw(t, "name"), anyValue(t))
	}
	return v
}

func anyText(t *rapid.T) string {
	return rapid.OneOf(rapid.StringN(1, 40, -1), rapid.SampledFrom([]string{" ", "\x00\n", "a\u2028b", "😀 \"q\"", "urn:ump:x"})).Draw(t, "text")
}

func anyStamp(t *rapid.T) string {
	return fmt.Sprintf("20%02d-0%d-1%dT0%d:00:0%d%s%s", rapid.IntRange(10, 29).Draw(t, "y"), rapid.IntRange(1, 9).Draw(t, "m"),
		rapid.IntRange(0, 9).Draw(t, "d"), rapid.IntRange(0, 9).Draw(t, "h"), rapid.IntRange(0, 9).Draw(t, "s"),
		rapid.SampledFrom([]string{"", ".5", ".500", ".123456789"}).Draw(t, "fraction"), rapid.SampledFrom([]string{"Z", "z", "+00:00", "-00:00"}).Draw(t, "zone"))
}

func jstr(s string) canon.Value { return canon.String(s) }

// maybe adds a member, null instead of it, or nothing.
func maybe(t *rapid.T, v canon.Value, name string, val canon.Value) canon.Value {
	switch rapid.IntRange(0, 3).Draw(t, name) {
	case 0:
		return v
	case 1:
		return v.With(name, canon.Null())
	}
	return v.With(name, val)
}

func anyChunk(t *rapid.T, i, dim int) canon.Value {
	text := anyText(t)
	v := canon.Object().With("id", jstr(fmt.Sprintf("urn:aimem:prod-a:%s%d", rapid.SampledFrom([]string{"c", "#?", "a.p2-", "x/"}).Draw(t, "local"), i))).
		With("content", jstr(text)).
		With("memory_type", jstr(rapid.SampledFrom([]string{"fact", "preference", "decision", "identity", "pitfall", "procedure", "episodic", "goal"}).Draw(t, "type"))).
		With("created_at", jstr(anyStamp(t)))
	v = maybe(t, v, "content_hash", jstr(textHash(text)))
	v = maybe(t, v, "zone", jstr(rapid.SampledFrom([]string{"critical", "important", "standard"}).Draw(t, "z")))
	v = maybe(t, v, "is_pinned", canon.Bool(rapid.Bool().Draw(t, "pin")))
	tags := canon.Array()
	for j := range rapid.IntRange(0, 3).Draw(t, "tags") {
		tags = tags.WithItem(j, jstr(rapid.SampledFrom([]string{"db", "DB", "ü", " "}).Draw(t, "tag")))
	}
	v = maybe(t, v, "tags", tags)
	if dim > 0 {
		v = maybe(t, v, "embedding", jstr(base64.StdEncoding.EncodeToString(rapid.SliceOfN(rapid.Byte(), 4*dim, 4*dim).Draw(t, "vector"))))
	}
	if rapid.IntRange(0, 3).Draw(t, "x_ump of a chunk") == 0 {
		v = v.With("x_ump", parsed(rapid.SampledFrom([]string{`5`, `null`, `{"v":1}`, `{"v":1,"record":{}}`, `{"v":1,"record":{"text":"x"}}`, `{"v":99,"record":{"id":"x"}}`}).Draw(t, "odd")))
	}
	return withUnknown(t, v)
}

// anyBundle draws a bundle with whatever section 2 allows.
func anyBundle(t *rapid.T) held {
	v := canon.Object().With("format", jstr(rapid.SampledFrom([]string{FormatName, LegacyFormat}).Draw(t, "format"))).With("version", jstr(Version)).
		With("producer", jstr("prod-a")).With("exported_at", jstr(anyStamp(t))).With("scope", jstr("FULL")).
		With("tenant_id", jstr(rapid.SampledFrom([]string{"11111111-1111-1111-1111-111111111111", "did:web:example.com", "https://example.com/u/1"}).Draw(t, "tenant")))
	dim := rapid.IntRange(0, 2).Draw(t, "dim")
	if dim > 0 {
		v = v.With("embedding_dim", canon.Int(int64(dim))).With("embedding_model", jstr("bge-small"))
	}
	if rapid.Bool().Draw(t, "x_ump of another meaning") {
		odd := rapid.SampledFrom([]string{`"mine"`, `null`, `{"v":1}`, `{"v":1,"order":[]}`, `{"v":1,"order":["zz"],"records":[]}`, `{"v":1,"records":[5]}`, `{"v":1,"records":[{}]}`, `{"v":2,"order":[]}`}).Draw(t, "x_ump")
		v = v.With("x_ump", parsed(odd))
	}
	v = withUnknown(t, v)
	chunks, edges, entities, links := canon.Array(), canon.Array(), canon.Array(), canon.Array()
	n := rapid.IntRange(0, 6).Draw(t, "chunks")
	for i := range n {
		chunks = chunks.WithItem(i, anyChunk(t, i, dim))
	}
	for i := range rapid.IntRange(0, 4).Draw(t, "entities") {
		entities = entities.WithItem(i, withUnknown(t, canon.Object().With("id", jstr(fmt.Sprintf("urn:aimem:prod-a:e%d", i))).
			With("name", jstr(anyText(t))).With("kind", jstr(rapid.SampledFrom([]string{"person", "x-y", "x-ump-entity"}).Draw(t, "kind"))).With("created_at", jstr(anyStamp(t)))))
	}
	if n > 0 {
		one := func() canon.Value {
			return chunks.Items()[rapid.IntRange(0, n-1).Draw(t, "chunk")].Get("id")
		}
		for i := range rapid.IntRange(0, 8).Draw(t, "edges") { // self-loops, circles and repeated ones
			edges = edges.WithItem(i, withUnknown(t, canon.Object().With("source_id", one()).With("target_id", one()).
				With("edge_type", jstr(rapid.SampledFrom([]string{"hebbian", "causal", "x-custom-rel", "x-ump-supersedes", "x-ump-continues"}).Draw(t, "edge"))).
				With("weight", canon.Number(float64(rapid.IntRange(0, 4).Draw(t, "weight"))/4)).With("created_at", jstr(anyStamp(t)))))
		}
		for i := range rapid.IntRange(0, min(1, entities.Len())*5).Draw(t, "links") {
			links = links.WithItem(i, withUnknown(t, canon.Object().With("chunk_id", one()).
				With("entity_id", entities.Items()[rapid.IntRange(0, entities.Len()-1).Draw(t, "entity")].Get("id"))))
		}
	}
	v = v.With("chunks", chunks)
	for name, list := range map[string]canon.Value{"edges": edges, "entities": entities, "chunk_entities": links} {
		if list.Len() > 0 || rapid.Bool().Draw(t, "has "+name) {
			v = v.With(name, list)
		}
	}
	return held{v}
}

// TestBundleComesBack is mapping acceptance 2: A→U→A keeps the checksum, and what lies
// between is valid.
func TestBundleComesBack(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		b := anyBundle(rt)
		records, lost := toRecords(t, b)
		if len(lost) > 0 {
			rt.Fatalf("lost: %v", lost)
		}
		for _, r := range records {
			if found := ump.Violations(r.Form(), codec.Options{}); len(found) > 0 {
				rt.Fatalf("not a valid record: %v in %s", found[0], r.Form())
			}
		}
		again, _ := toBundle(t, records...)
		if again.sum(t) != b.sum(t) {
			rt.Fatalf("was %s\nis %s", canonical(b.v), canonical(again.v))
		}
	})
}

func canonical(v canon.Value) string {
	return string(v.Without(memberChecksum).AppendCanonical(nil))
}

// anyRecord draws a record of a store: of any kind and state.
func anyRecord(t *rapid.T, i int, key keys.Private, others []memory.ID) memory.Record {
	num := func(name string) *float64 {
		if !rapid.Bool().Draw(t, name) {
			return nil
		}
		f := float64(rapid.IntRange(0, 20).Draw(t, name)) / 20
		return &f
	}
	created := testNow.Add(-time.Duration(rapid.IntRange(1, 1_000_000).Draw(t, "age")) * time.Second)
	r := memory.Record{
		Kind: rapid.SampledFrom(memory.Kinds()).Draw(t, "kind"),
		Body: memory.Body{Text: fmt.Sprint(i, " ", anyText(t))},
		Scope: memory.Scope{Owner: key.DID(), Visibility: rapid.SampledFrom([]memory.Visibility{"private", "shared", "public"}).Draw(t, "visibility"),
			Project: rapid.SampledFrom([]string{"", "p"}).Draw(t, "project")},
		Time:      memory.Times{Created: created},
		Lifecycle: memory.Lifecycle{Confidence: num("confidence"), Salience: num("salience"), Status: rapid.SampledFrom([]memory.Status{"", "active", "candidate", "tombstoned"}).Draw(t, "status")},
	}
	if rapid.IntRange(0, 5).Draw(t, "long") == 0 {
		r.Body.Text += strings.Repeat(rapid.SampledFrom([]string{"ab", "é", "😀"}).Draw(t, "letter"), rapid.IntRange(30_000, 100_000).Draw(t, "length"))
	}
	if rapid.IntRange(0, 4).Draw(t, "closed") == 0 {
		r.Time.ValidTo = created.Add(time.Minute)
		r.SupersededBy = []memory.ID{"urn:ump:later"}
	}
	if rapid.IntRange(0, 4).Draw(t, "expired") == 0 {
		r.Consent = &memory.Consent{Retention: "PT1S"}
	}
	switch rapid.IntRange(0, 3).Draw(t, "structured") {
	case 0:
		r.Body.Structured = []byte(`{"tags":["a","a"],"memory_type":"preference","k":1.50}`)
	case 1:
		r.Body.Structured = []byte(`{"tags":[1]}`)
	case 2: // residue that somebody wrote
		r.Body.Structured = []byte(rapid.SampledFrom([]string{
			`{"aimem":{"v":1,"chunk":{"id":"urn:aimem:evil:x","memory_type":"identity","created_at":"2020-01-01T00:00:00Z"},"text":"` + textHash(r.Body.Text) + `"}}`,
			`{"aimem":{"v":1,"chunk":7}}`, `{"aimem":{"v":1,"manifest":{"part":1,"parts":9,"edges":[{}]}}}`, `{"aimem":"x"}`,
		}).Draw(t, "residue"))
	}
	for range rapid.IntRange(0, 3).Draw(t, "relations") {
		target := rapid.SampledFrom([]string{"entity:Ada", "entity:Bob", "urn:ump:nowhere", "https://example.com"}).Draw(t, "target")
		if len(others) > 0 && rapid.Bool().Draw(t, "to a record") {
			target = string(rapid.SampledFrom(others).Draw(t, "other"))
		}
		r.Relations = append(r.Relations, memory.Relation{Type: rapid.SampledFrom([]string{"about", "depends_on", "causal", "x-y"}).Draw(t, "relation"), Target: target})
	}
	if rapid.Bool().Draw(t, "provenance") {
		r.Provenance = &memory.Provenance{Actor: "a", ActorKind: memory.ByImport, Method: rapid.SampledFrom([]string{"stated", method}).Draw(t, "method"), Source: &memory.Source{Ref: "r", Provider: "p"}}
	}
	r.Origin = []byte(`{"x-own":{"b":[2.50]},"time":{"created":"` + created.In(time.FixedZone("", 7200)).Format("2006-01-02T15:04:05.000-07:00") + `","seen":1}}`)
	r.Time.Created = created.Truncate(time.Millisecond)
	if rapid.IntRange(0, 3).Draw(t, "id of its own") == 0 {
		r.ID = memory.ID(fmt.Sprintf("urn:ump:%d%s", i, rapid.SampledFrom([]string{"", ":a", ".p2", "~"}).Draw(t, "id")))
	}
	var signer *keys.Private
	if rapid.Bool().Draw(t, "signed") {
		signer = &key
	}
	made, err := ump.Author(r, signer)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func anyStore(t *rapid.T) []memory.Record {
	var records []memory.Record
	var ids []memory.ID
	seed := [32]byte{byte(rapid.IntRange(0, 3).Draw(t, "owner"))}
	key, err := keys.FromSeed(seed[:])
	if err != nil {
		t.Fatal(err)
	}
	for i := range rapid.IntRange(0, 6).Draw(t, "records") {
		r := anyRecord(t, i, key, ids)
		if !slices.Contains(ids, r.ID) {
			records, ids = append(records, r), append(ids, r.ID)
		}
	}
	return records
}

// TestStoreComesBack is mapping acceptance 3 and 4: U→A→U gives every record back, in
// order, and signatures hold.
func TestStoreComesBack(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		records := anyStore(rt)
		b, lost := toBundle(t, records...)
		for _, l := range lost { // what strangers wrote as a manifest need not fit
			if l.Reason == lossManifest {
				continue
			}
			rt.Fatalf("lost: %v", lost)
		}
		again, lost := toRecords(t, b)
		lost = slices.DeleteFunc(lost, func(l codec.Loss) bool { return l.Reason == lossExported }) // no record said it
		if len(lost) > 0 || len(again) != len(records) {
			rt.Fatalf("%d records became %d, lost %v\n%s", len(records), len(again), lost, b.v.Append(nil))
		}
		for i, r := range records {
			if form(t, again[i]) != form(t, r) {
				rt.Fatalf("was %.2000s\nis %.2000s", form(t, r), form(t, again[i]))
			}
			if r.Integrity != nil && ump.Verify(again[i].Form()) != nil {
				rt.Fatal("the signature does not hold any more")
			}
		}
	})
}
