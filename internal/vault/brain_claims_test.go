package vault_test

import (
	"slices"
	"testing"

	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/internal/racing"
	"github.com/satchel-memory/satchel/memory"
)

// here is the namespace of a house, ours what a mapper makes in it.
const here = "satchel-test"

var ours = aimem.Mapper{Producer: here}

// writer is a peer who may write and sees what is shared, each with a token of its own.
func (h *house) writer(id string) memory.Caller {
	return h.granted(memory.Grant{ID: id, Verbs: []memory.Verb{memory.WriteVerb}})
}

// namedEntity is an entity with an id, a name and more.
func namedEntity(id, name, kind string, more ...object) object {
	e := object{"id": id, "name": name, "kind": kind, "created_at": "2026-04-01T09:30:00Z"}
	for _, m := range more {
		for k, v := range m {
			e[k] = v
		}
	}
	return e
}

// entityIDs are the ids of the entities that left, in their order.
func (b leftAs) entityIDs() (all []string) {
	for _, e := range b.Get("entities").Items() {
		all = append(all, e.Get("id").Text())
	}
	return all
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
	squatter := bundle{producer: here, entities: []object{namedEntity(alias, "bad", "person"), namedEntity(told, "worse", "person")}}
	theirs := bundle{chunks: []object{chunk("1", "one")}, entities: []object{namedEntity(origin, "good", "person")}, links: []object{linked("1", "e1")}}
	mentions := func(h *house) {
		h.tell("it runs on a database", `"relations":[{"type":"about","target":"entity:PostgreSQL"}]`)
	}
	t.Run("AIMEM-2.5-6 an alias that was claimed before is one entity's", func(t *testing.T) {
		h := open(t)
		r := h.takesInAs(h.writer("t1"), squatter, aimem.Import{})
		if r.Entities.Inserted != 2 {
			t.Fatalf("claimed: %+v", r)
		}
		if r := h.takesIn(theirs, aimem.Import{}); r.Entities.Inserted != 1 || r.Links.Inserted != 1 {
			t.Errorf("theirs: %+v", r)
		}
		mentions(h)
		for _, q := range []aimem.Export{{}, {OriginIDs: true}} {
			left := h.left(q)
			ids := left.entityIDs()
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
		before, text := h.contents(), h.left(aimem.Export{}).text
		again := h.taken(t, text)
		if again.Entities.Inserted+again.Links.Inserted != 0 || h.contents() != before {
			t.Errorf("AIMEM-5.4-1 our own bundle changes us: %+v", again)
		}
		h.healthy()
	})
	t.Run("AIMEM-5.4-1 our bundle brings aliases back as what they stand for", func(t *testing.T) {
		h, other := open(t), open(t)
		h.takesIn(theirs, aimem.Import{})
		first := h.left(aimem.Export{})
		other.taken(t, first.text)
		if r := other.takesIn(theirs, aimem.Import{}); r.Entities.Inserted != 0 {
			t.Errorf("what the alias stands for: %+v", r)
		}
		if got := other.left(aimem.Export{}).entityIDs(); !slices.Equal(got, first.entityIDs()) || !slices.Equal(got, []string{alias}) {
			t.Errorf("entities leave as %q", got)
		}
	})
	t.Run("AIMEM-2.5-6 a name that stands beside records leaves once", func(t *testing.T) {
		h := open(t)
		h.takesIn(bundle{producer: here, entities: []object{namedEntity(told, "PostgreSQL", "technology")}}, aimem.Import{})
		mentions(h)
		if got := h.left(aimem.Export{}).entityIDs(); !slices.Equal(got, []string{told}) {
			t.Errorf("entities leave as %q", got)
		}
	})
}
