package aimem

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// anyEdit draws an array of a bundle, changed: some items removed, some with another
// value, some added.
func anyEdit(t *rapid.T, list []canon.Value, change func(canon.Value) canon.Value, one func() canon.Value) canon.Value {
	var out []canon.Value
	for _, v := range list {
		switch rapid.IntRange(0, 3).Draw(t, "edit") {
		case 0:
		case 1:
			out = append(out, change(v))
		default:
			out = append(out, v)
		}
	}
	for range rapid.IntRange(0, 2).Draw(t, "added") {
		out = append(out, one())
	}
	return canon.Array(out...)
}

// graphText spells the edges, entities and links of a bundle, in an order of their own.
// Edges that join the parts of a text follow from the text.
func graphText(b held) string {
	var all []string
	for _, list := range []string{memberEdges, memberEntities, memberLinks} {
		for _, v := range b.v.Get(list).Items() {
			if list != memberEdges || !edgeFrom(v).Joins() {
				all = append(all, string(v.AppendCanonical(nil)))
			}
		}
	}
	slices.Sort(all)
	return strings.Join(slices.Compact(all), "\n")
}

// TestEditedBundleComesBack: whatever somebody does to the edges, entities and links of a
// bundle made from records, it comes back so from the records that the bundle becomes.
func TestEditedBundleComesBack(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		was, _ := toBundle(t, anyStore(rt)...)
		chunks := was.v.Get(memberChunks).Items()
		if len(chunks) == 0 {
			return
		}
		chunk := func() canon.Value { return rapid.SampledFrom(chunks).Draw(rt, "chunk").Get("id") }
		is := was
		entities := anyEdit(rt, was.v.Get(memberEntities).Items(), func(v canon.Value) canon.Value {
			return v.With("kind", jstr("person"))
		}, func() canon.Value {
			name := rapid.StringMatching("[a-z]{6}").Draw(rt, "name")
			return object{{Name: "id", Value: jstr("urn:aimem:satchel-test:" + name)}, {Name: "name", Value: jstr(name)}, {Name: "kind", Value: jstr("place")}, {Name: "created_at", Value: jstr("2026-06-01T00:00:00Z")}}.value()
		})
		entities = canon.Array(slices.CompactFunc(entities.Items(), func(a, b canon.Value) bool { return canon.Equal(a.Get("id"), b.Get("id")) })...)
		is.v = is.v.With(memberEntities, entities)
		is.v = is.v.With(memberEdges, anyEdit(rt, was.v.Get(memberEdges).Items(), func(v canon.Value) canon.Value {
			return v.With("weight", canon.Number(0.5))
		}, func() canon.Value {
			return object{{Name: "source_id", Value: chunk()}, {Name: "target_id", Value: chunk()}, {Name: "edge_type", Value: jstr(rapid.SampledFrom([]string{"hebbian", "causal", "x-ump-depends_on", "x-y"}).Draw(rt, "type"))},
				{Name: "weight", Value: canon.Number(0.25)}, {Name: "created_at", Value: jstr("2026-06-01T00:00:00Z")}}.value()
		}))
		var links []canon.Value
		there := func(id canon.Value) bool {
			return slices.ContainsFunc(entities.Items(), func(e canon.Value) bool { return canon.Equal(e.Get("id"), id) })
		}
		for _, l := range was.v.Get(memberLinks).Items() {
			if there(l.Get("entity_id")) && rapid.Bool().Draw(rt, "link stays") {
				links = append(links, l)
			}
		}
		if entities.Len() > 0 && rapid.Bool().Draw(rt, "link added") {
			links = append(links, object{{Name: "chunk_id", Value: chunk()}, {Name: "entity_id", Value: rapid.SampledFrom(entities.Items()).Draw(rt, "entity").Get("id")}}.value())
		}
		is.v = is.v.With(memberLinks, canon.Array(links...))
		records, _ := toRecords(t, is)
		again, _ := toBundle(t, records...)
		if a, b := graphText(is), graphText(again); a != b {
			rt.Fatalf("was\n%s\nis\n%s\nof %.3000s", a, b, was.v.Append(nil))
		}
	})
}

// TestForeignRelationsLead: of records that become those of another owner, every relation
// to a record leads to one of the bundle, once.
func TestForeignRelationsLead(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		b, _ := toBundle(t, anyStore(rt)...)
		m := Mapper{Forms: ump.Forms(), Owner: "did:example:other", Namespace: "other", SignedOnly: true}
		ids := map[string]bool{}
		var all []memory.Record
		err := b.Chunks(func(c Chunk) error {
			taken, err := m.Convert(c, b, nil)
			if err != nil || taken.PartOf != "" {
				return err
			}
			ids[string(taken.Record.ID)], all = true, append(all, taken.Record)
			return nil
		})
		if err != nil {
			rt.Fatal(err)
		}
		for _, r := range all {
			seen := map[memory.Relation]bool{}
			for _, rel := range r.Relations {
				if strings.HasPrefix(rel.Target, recordPrefix) && !ids[rel.Target] {
					rt.Errorf("%s leads to no record: %v", r.ID, rel)
				}
				if seen[rel] {
					rt.Errorf("%s has twice: %v", r.ID, rel)
				}
				seen[rel] = true
			}
		}
	})
}
