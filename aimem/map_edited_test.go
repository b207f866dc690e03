package aimem

import (
	"fmt"
	"slices"
	"testing"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// garden is a set of four records: the first depends on the second and third, is about
// Ada, and names a record that is elsewhere.
func garden(t testing.TB, signed bool) []memory.Record {
	t.Helper()
	key, err := keys.FromSeed(make([]byte, 32))
	if err != nil {
		t.Fatal(err)
	}
	var signer *keys.Private
	if signed {
		signer = &key
	}
	var records []memory.Record
	for i, text := range []string{"The gate is green.", "The key is brass.", "The fence is old.", "The lamp is lit."} {
		r := memory.Record{
			Kind: memory.Semantic, Body: memory.Body{Text: text}, Scope: memory.Scope{Owner: key.DID()},
			Time: memory.Times{Created: testNow.AddDate(0, 0, -i)}, Provenance: &memory.Provenance{Actor: string(key.DID()), ActorKind: memory.ByUser, Method: "stated"},
		}
		r, err := ump.Author(r, signer)
		if err != nil {
			t.Fatal(err)
		}
		records = append(records, r)
	}
	r := records[0]
	r.Relations = []memory.Relation{
		{Type: "depends_on", Target: string(records[1].ID)}, {Type: "causal", Target: string(records[2].ID)},
		{Type: memory.About, Target: "entity:Ada"}, {Type: "causal", Target: "urn:ump:elsewhere"},
	}
	if records[0], err = ump.Author(r, signer); err != nil {
		t.Fatal(err)
	}
	return records
}

// withList changes one array of a bundle.
func withList(b held, list string, change func([]canon.Value) []canon.Value) held {
	return held{b.v.With(list, canon.Array(change(slices.Clone(b.v.Get(list).Items()))...))}
}

func relationsOf(t testing.TB, b held, text string) []string {
	t.Helper()
	records, _ := toRecords(t, b)
	texts := map[string]string{}
	for _, r := range records {
		texts[string(r.ID)] = r.Body.Text
	}
	var list []string
	for _, r := range records {
		if r.Body.Text != text {
			continue
		}
		for _, rel := range r.Relations {
			target := rel.Target
			if known, ok := texts[target]; ok {
				target = known
			}
			list = append(list, rel.Type+" "+target)
		}
	}
	return list
}

// TestEditedGraph: edges, entities and links that somebody changed in a bundle count for
// more than the relations of the records that ride beside them.
func TestEditedGraph(t *testing.T) {
	const key, fence, ada, elsewhere = "depends_on The key is brass.", "causal The fence is old.", "about entity:Ada", "causal urn:ump:elsewhere"
	between := func(b held, from, to int, kind string, weight float64) canon.Value {
		id := func(i int) canon.Value { return b.v.Get(memberChunks).Items()[i].Get("id") }
		return object{{Name: "source_id", Value: id(from)}, {Name: "target_id", Value: id(to)}, {Name: "edge_type", Value: canon.String(kind)},
			{Name: "weight", Value: canon.Number(weight)}, {Name: "created_at", Value: canon.String("2026-06-01T00:00:00Z")}}.value()
	}
	for _, tt := range []struct {
		name   string
		edit   func(held) held
		want   []string // relations of the first record
		signed []string // of a signed one, if they are others
		keeps  bool     // a signature
	}{
		{name: "nothing", edit: func(b held) held { return b }, want: []string{key, fence, ada, elsewhere}, keeps: true},
		{name: "an edge is removed", edit: func(b held) held {
			return withList(b, memberEdges, func(v []canon.Value) []canon.Value { return v[1:] })
		}, want: []string{fence, ada, elsewhere}},
		{name: "all edges are removed", edit: func(b held) held {
			return withList(b, memberEdges, func([]canon.Value) []canon.Value { return nil })
		}, want: []string{ada, elsewhere}},
		{name: "a link is removed", edit: func(b held) held {
			return withList(b, memberLinks, func([]canon.Value) []canon.Value { return nil })
		}, want: []string{key, fence, elsewhere}},
		{name: "an entity gets another name", edit: func(b held) held {
			return withList(b, memberEntities, func(v []canon.Value) []canon.Value {
				return []canon.Value{v[0].With("name", canon.String("Grace"))}
			})
		}, want: []string{key, fence, elsewhere, "about entity:Grace"}},
		{name: "an edge gets another target", edit: func(b held) held {
			return withList(b, memberEdges, func(v []canon.Value) []canon.Value {
				return []canon.Value{v[0].With("target_id", b.v.Get(memberChunks).Items()[3].Get("id")), v[1]}
			})
		}, want: []string{fence, ada, elsewhere, "depends_on The lamp is lit."}},
		{name: "an edge is added", edit: func(b held) held {
			return withList(b, memberEdges, func(v []canon.Value) []canon.Value {
				return append(v, between(b, 0, 3, "hebbian", 0.5))
			})
		}, want: []string{key, fence, ada, elsewhere, "hebbian The lamp is lit."}, signed: []string{key, fence, ada, elsewhere}, keeps: true},
		{name: "a weight is changed", edit: func(b held) held {
			return withList(b, memberEdges, func(v []canon.Value) []canon.Value {
				return []canon.Value{v[0].With("weight", canon.Number(0.25)), v[1]}
			})
		}, want: []string{key, fence, ada, elsewhere}, keeps: true},
	} {
		for _, signed := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, signed %v", tt.name, signed), func(t *testing.T) {
				was, _ := toBundle(t, garden(t, signed)...)
				is := tt.edit(was)
				want := tt.want
				if signed && tt.signed != nil {
					want = tt.signed
				}
				if got := relationsOf(t, is, "The gate is green."); !slices.Equal(got, want) {
					t.Errorf("relations are %q, want %q", got, want)
				}
				records, lost := toRecords(t, is)
				if r := records[0]; r.ID != garden(t, signed)[0].ID || signed && (r.Integrity != nil) != tt.keeps {
					t.Errorf("the record is %s, with %v", r.ID, r.Integrity)
				}
				if told := slices.ContainsFunc(lost, func(l codec.Loss) bool { return l.Reason == lossSignature }); told != (signed && !tt.keeps) {
					t.Errorf("lost: %v", lost)
				}
				again, _ := toBundle(t, records...)
				for _, list := range []string{memberEdges, memberEntities, memberLinks} {
					if a, b := canonical(is.v.Get(list)), canonical(again.v.Get(list)); a != b {
						t.Errorf("%s were %s\nare %s", list, a, b)
					}
				}
			})
		}
	}
}

// TestEdgeOfSignedChunk: an edge that somebody added to a record which was made from a
// chunk, and signed since, survives the way through records.
func TestEdgeOfSignedChunk(t *testing.T) {
	key, err := keys.FromSeed(make([]byte, 32))
	if err != nil {
		t.Fatal(err)
	}
	plain := bundle(t, plainBundle(t))
	plain.v = plain.v.With("tenant_id", canon.String(string(key.DID())))
	made, _ := toRecords(t, plain)
	var signed []memory.Record
	for _, r := range made {
		if IsManifest(r) {
			continue
		}
		if r, err = ump.Author(r, &key); err != nil {
			t.Fatal(err)
		}
		signed = append(signed, r)
	}
	was, _ := toBundle(t, signed...)
	first := was.v.Get(memberChunks).Items()[0].Get("id")
	is := withList(was, memberEdges, func(v []canon.Value) []canon.Value {
		return append(v, object{{Name: "source_id", Value: first}, {Name: "target_id", Value: first}, {Name: "edge_type", Value: canon.String("temporal")},
			{Name: "weight", Value: canon.Number(0.5)}, {Name: "created_at", Value: canon.String("2026-06-01T00:00:00Z")}}.value())
	})
	records, _ := toRecords(t, is)
	again, _ := toBundle(t, records...)
	if a, b := canonical(is.v.Get(memberEdges)), canonical(again.v.Get(memberEdges)); a != b {
		t.Errorf("edges were %s\nare %s", a, b)
	}
}

// TestEdgeWithoutSignature: for a reader who sees no signatures, an edge that was added to
// a signed record is a relation of it.
func TestEdgeWithoutSignature(t *testing.T) {
	was, _ := toBundle(t, garden(t, true)...)
	is := withList(was, memberEdges, func(v []canon.Value) []canon.Value {
		return append(v, v[0].With("edge_type", canon.String("temporal")))
	})
	for _, unsigned := range []bool{false, true} {
		opt := testOpt
		opt.Unsigned = unsigned
		r := newRecordReader(ump.Forms(), is, is.sum(t), opt, func() error { return nil })
		rec, err := r.Next()
		if err != nil {
			t.Fatal(err)
		}
		has := slices.ContainsFunc(rec.Relations, func(rel memory.Relation) bool { return rel.Type == "temporal" })
		if has != unsigned || (rec.Integrity == nil) != unsigned || len(r.Losses()) != 0 {
			t.Errorf("unsigned %v: %v, %v, lost %v", unsigned, rec.Relations, rec.Integrity, r.Losses())
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
