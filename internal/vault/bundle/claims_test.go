package bundle_test

import (
	"slices"
	"testing"

	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/internal/racing"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
	"github.com/satchel-memory/satchel/memory"
)

var ours = aimem.Mapper{Namespace: vaulttest.Here}

// writer is a peer who may write and sees what is shared, each with a token of its own.
func (h *house) writer(id string) memory.Caller {
	return h.Granted(memory.Grant{ID: id, Verbs: []memory.Verb{memory.WriteVerb}})
}

// TestClaimedEntities: who brings entities under URNs that we make for others takes
// nothing from those.
func TestClaimedEntities(t *testing.T) {
	racing.Skip(t)
	onEach(t, testClaimedEntities)
}

func testClaimedEntities(t *testing.T, open opener) {
	const origin = "urn:aimem:elsewhere:e1"
	alias := string(ours.Alias(origin))
	named, _ := ours.Mentions(memory.Record{Relations: []memory.Relation{{Type: memory.About, Target: "entity:PostgreSQL"}}}, "")
	told := string(named[0].ID)
	squatter := vaulttest.Bundle{Producer: vaulttest.Here, Entities: []vaulttest.Object{vaulttest.NamedEntity(alias, "bad", "person"), vaulttest.NamedEntity(told, "worse", "person")}}
	theirs := vaulttest.Bundle{Chunks: []vaulttest.Object{vaulttest.Chunk("1", "one")}, Entities: []vaulttest.Object{vaulttest.NamedEntity(origin, "good", "person")}, Links: []vaulttest.Object{vaulttest.Linked("1", "e1")}}
	mentions := func(h *house) {
		h.Tell("it runs on a database", `"relations":[{"type":"about","target":"entity:PostgreSQL"}]`)
	}
	t.Run("AIMEM-2.5-6 an alias that was claimed before is one entity's", func(t *testing.T) {
		h := open(t)
		r := h.TakesInAs(h.writer("t1"), squatter, aimem.Import{})
		if r.Entities.Inserted != 2 {
			t.Fatalf("claimed: %+v", r)
		}
		if r := h.TakesIn(theirs, aimem.Import{}); r.Entities.Inserted != 1 || r.Links.Inserted != 1 {
			t.Errorf("theirs: %+v", r)
		}
		mentions(h)
		for _, q := range []aimem.Export{{}, {OriginIDs: true}} {
			left := h.Left(q)
			ids := left.EntityIDs()
			if slices.Sort(ids); len(ids) != 4 || len(slices.Compact(slices.Clone(ids))) != 4 {
				t.Fatalf("%+v: entities leave as %q", q, ids)
			}
			links := map[string]int{}
			for _, l := range left.Get("chunk_entities").Items() {
				links[l.Get("entity_id").Text()]++
			}
			name := alias
			if q.OriginIDs {
				name = origin
			}
			if links[name] != 1 || links[told] != 1 || len(links) != 2 {
				t.Errorf("%+v: links %v", q, links)
			}
		}
		before, text := h.Contents(), h.Left(aimem.Export{}).Text
		again := h.Taken(t, text)
		if again.Entities.Inserted+again.Links.Inserted != 0 || h.Contents() != before {
			t.Errorf("AIMEM-5.4-1 our own bundle changes us: %+v", again)
		}
		h.Healthy()
	})
	t.Run("AIMEM-5.4-1 our bundle brings aliases back as what they stand for", func(t *testing.T) {
		h, other := open(t), open(t)
		h.TakesIn(theirs, aimem.Import{})
		first := h.Left(aimem.Export{})
		other.Taken(t, first.Text)
		if r := other.TakesIn(theirs, aimem.Import{}); r.Entities.Inserted != 0 {
			t.Errorf("what the alias stands for: %+v", r)
		}
		if got := other.Left(aimem.Export{}).EntityIDs(); !slices.Equal(got, first.EntityIDs()) || !slices.Equal(got, []string{alias}) {
			t.Errorf("entities leave as %q", got)
		}
	})
	t.Run("AIMEM-2.5-6 a name that stands beside records leaves once", func(t *testing.T) {
		h := open(t)
		h.TakesIn(vaulttest.Bundle{Producer: vaulttest.Here, Entities: []vaulttest.Object{vaulttest.NamedEntity(told, "PostgreSQL", "technology")}}, aimem.Import{})
		mentions(h)
		if got := h.Left(aimem.Export{}).EntityIDs(); !slices.Equal(got, []string{told}) {
			t.Errorf("entities leave as %q", got)
		}
	})
}
