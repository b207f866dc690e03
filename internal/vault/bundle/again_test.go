package bundle_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/racing"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// relayed is what leaves of a store that took a bundle in.
func relayed(t *testing.T, open opener, text, producer string, seed byte, q aimem.Export) vaulttest.LeftAs {
	t.Helper()
	h := open(t).elsewhere(producer, seed)
	h.Taken(t, text)
	return h.Left(q)
}

// TestTwoWays: what comes directly and by way of another store comes once.
func TestTwoWays(t *testing.T) {
	racing.Skip(t)
	onEach(t, testTwoWays)
}

func testTwoWays(t *testing.T, open opener) {
	direct := vaulttest.Foreign(t)
	roads := map[string]string{
		"directly":      direct,
		"by a relay":    relayed(t, open, direct, "relay", 41, aimem.Export{}).Text,
		"under its ids": relayed(t, open, direct, "relay", 41, aimem.Export{OriginIDs: true}).Text,
	}
	roads["by two relays"] = relayed(t, open, roads["by a relay"], "third", 42, aimem.Export{}).Text
	roads["by three relays"] = relayed(t, open, roads["by two relays"], "fourth", 43, aimem.Export{}).Text
	for first, text := range roads {
		t.Run("AIMEM-2.9-1 AIMEM-5.4-1 first "+first, func(t *testing.T) {
			h := open(t)
			if r := h.takenAs(t, text); r.Inserted != 3 {
				t.Fatalf("%+v", r)
			}
			for then, text := range roads {
				r := h.takenAs(t, text)
				if r.Inserted != 0 || r.Skipped != 3 || r.Edges.Inserted+r.Entities.Inserted+r.Links.Inserted != 0 {
					t.Errorf("then %s: %+v", then, r)
				}
			}
			if got := h.Live(); len(got) != 3 {
				t.Errorf("%d texts: %q", len(got), got)
			}
		})
	}
	t.Run("AIMEM-4-1 what two relays brought leaves a fresh store of the second as it was", func(t *testing.T) {
		h := open(t).elsewhere("third", 42)
		h.Taken(t, roads["by two relays"])
		b, err := canon.Parse([]byte(roads["by two relays"]), canon.Options{})
		if err != nil {
			t.Fatal(err)
		}
		again := h.Left(aimem.Export{})
		for _, name := range []string{"chunks", "edges", "entities", "chunk_entities"} {
			if got, want := again.Get(name), b.Get(name); !canon.Equal(got, want) || want.Len() == 0 {
				t.Errorf("%s differ:\n got %s\nwant %s", name, got.Append(nil), want.Append(nil))
			}
		}
	})
	t.Run("AIMEM-2.9-4 another content is another chunk", func(t *testing.T) {
		h := open(t)
		h.Taken(t, roads["by a relay"])
		other := vaulttest.Bundle{Chunks: []vaulttest.Object{vaulttest.Chunk("3", "coffee harms", vaulttest.Object{"created_at": "2026-05-03T00:00:00Z"})}}
		vaulttest.WantChunks(t, "another", h.TakesIn(other, aimem.Import{}), 1, 0, 0, 0)
	})
	t.Run("AIMEM-5.1-4 what was erased does not come by the other way", func(t *testing.T) {
		h := open(t)
		h.Taken(t, roads["by a relay"])
		if _, err := h.Forget(h.Ctx, h.Me(), memory.ForgetRequest{ID: vaulttest.IdOf(h.House, "coffee helps"), Reason: memory.UserRevoked, Hard: true}); err != nil {
			t.Fatal(err)
		}
		for what, text := range roads {
			if r := h.takenAs(t, text); r.Inserted != 0 {
				t.Errorf("%s: %+v", what, r)
			}
		}
	})
	t.Run("a new key knows it still", func(t *testing.T) {
		h := open(t)
		h.Taken(t, roads["by a relay"])
		next := vaulttest.Seeded(t, 61)
		h.More = append(h.More, h.Key, next)
		if _, err := h.Rekey(h.Ctx, h.Me(), next, nil); err != nil {
			t.Fatal(err)
		}
		r, err := h.ImportBrain(h.Ctx, memory.Caller{Owner: next.DID(), Role: memory.Owner}, vaulttest.Opened(t, direct), aimem.Import{})
		if err != nil || r.Inserted != 0 || r.Skipped != 3 {
			t.Errorf("%v %+v", err, r)
		}
	})
}

// takenAs imports a bundle whose ids may be of other producers than its own.
func (h *house) takenAs(t *testing.T, text string) aimem.Report {
	t.Helper()
	b := vaulttest.OpenBundle(t, []byte(text), aimem.Options{ForeignIDs: true})
	r, err := h.ImportBrain(h.Ctx, h.Me(), b, aimem.Import{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestLongEdgeTypes: a type that is too long for a relation is kept beside.
func TestLongEdgeTypes(t *testing.T) {
	racing.Skip(t)
	onEach(t, testLongEdgeTypes)
}

func testLongEdgeTypes(t *testing.T, open opener) {
	for _, n := range []int{3_000, 4_090, 4_096, 5_000, 60_000} {
		h := open(t)
		kind := "x-" + strings.Repeat("z", n-2)
		b := vaulttest.Bundle{Chunks: []vaulttest.Object{vaulttest.Chunk("1", "one"), vaulttest.Chunk("2", "two")}, Edges: []vaulttest.Object{vaulttest.Edge("1", "2", vaulttest.Object{"edge_type": kind})}}
		if r := h.TakesIn(b, aimem.Import{}); r.Inserted != 2 || r.Edges.Inserted != 1 {
			t.Fatalf("AIMEM-2.4-4 a type of %d letters: %+v", n, r)
		}
		b.Edges = []vaulttest.Object{vaulttest.Edge("2", "1", vaulttest.Object{"edge_type": kind}), vaulttest.Edge("2", "1")}
		if r := h.TakesIn(b, aimem.Import{}); r.Edges.Inserted != 2 {
			t.Errorf("between chunks that are here: %+v", r)
		}
		if rec := h.MustGet(h.LiveSaying("two")); !slices.ContainsFunc(rec.Relations, func(r memory.Relation) bool { return r.Type == "hebbian" }) {
			t.Errorf("%d letters: the relations are %d", n, len(rec.Relations))
		}
		out := h.Left(aimem.Export{})
		if n := strings.Count(out.Text, kind+`"`); n < 2 || out.Get("edges").Len() != 3 {
			t.Errorf("%d edges leave, the type %d times", out.Get("edges").Len(), n)
		}
		if r := h.Taken(t, out.Text); r.Edges.Inserted != 0 || r.Inserted != 0 {
			t.Errorf("again: %+v", r)
		}
	}
}

// TestEntitiesOfWhatIsGone: an entity stays out with the chunks that told of it.
func TestEntitiesOfWhatIsGone(t *testing.T) {
	racing.Skip(t)
	onEach(t, testEntitiesOfWhatIsGone)
}

func testEntitiesOfWhatIsGone(t *testing.T, open opener) {
	b := vaulttest.Bundle{
		Chunks:   []vaulttest.Object{vaulttest.Chunk("1", "Lives with Zelda."), vaulttest.Chunk("2", "Plays the oboe."), vaulttest.Chunk("3", "Reads.")},
		Entities: []vaulttest.Object{vaulttest.Entity("e1", "Zelda"), vaulttest.Entity("e2", "Music"), vaulttest.Entity("e3", "Nobody's")},
		Links:    []vaulttest.Object{vaulttest.Linked("1", "e1"), vaulttest.Linked("1", "e2"), vaulttest.Linked("2", "e2")},
	}
	for how, hard := range map[string]bool{"forgotten": false, "erased": true} {
		t.Run("AIMEM-5.1-4 "+how, func(t *testing.T) {
			h := open(t)
			h.TakesIn(b, aimem.Import{})
			for _, text := range []string{"Lives with Zelda.", "Plays the oboe."} {
				if _, err := h.Forget(h.Ctx, h.Me(), memory.ForgetRequest{ID: h.LiveSaying(text), Reason: memory.UserRevoked, Hard: hard}); err != nil {
					t.Fatal(err)
				}
			}
			b := b
			b.Chunks = append(slices.Clone(b.Chunks), vaulttest.Chunk("4", "Sings."))
			b.Links = append(slices.Clone(b.Links), vaulttest.Linked("4", "e2"))
			r := h.TakesIn(b, aimem.Import{})
			if r.Inserted != 1 || r.Entities != (aimem.Tally{Inserted: 1, Skipped: 2}) || r.Links != (aimem.Tally{Inserted: 1, Skipped: 3}) {
				t.Errorf("%+v", r)
			}
			if out := h.Left(aimem.Export{}); strings.Contains(out.Text, "Zelda") || !strings.Contains(out.Text, "Music") || out.Get("entities").Len() != 2 {
				t.Errorf("what leaves: %s", out.Text)
			}
			again, err := h.ImportBrain(h.Ctx, h.Me(), b.Open(t), aimem.Import{Restore: true})
			if err != nil || again.Inserted != 2 || again.Entities.Inserted != 1 {
				t.Errorf("restored: %v %+v", err, again)
			}
		})
	}
}

// TestTaggedMembers: members that a stream has for its own leave under another name.
func TestTaggedMembers(t *testing.T) { onEach(t, testTaggedMembers) }

func testTaggedMembers(t *testing.T, open opener) {
	h := open(t)
	h.Must(ump.OpRemember, `{"record":{"body":{"text":"tagged","structured":{"aimem":{"v":1,"chunk":{"id":"urn:aimem:a:1","memory_type":"fact",
		"created_at":"2026-01-01T00:00:00Z","content_hash":"sha256:`+strings.Repeat("0", 64)+`","_kind":"chunk","own":1}}}}}}`)
	id := vaulttest.IdOf(h.House, "tagged")
	const at = `"created_at":"2026-01-01T00:00:00Z"`
	h.Beside(
		store.Attachment{Space: "aimem.entity", Key: "urn:aimem:a:e1", Data: []byte(`{"id":"urn:aimem:a:e1","name":"n","kind":"concept","_kind":"e",` + at + `}`)},
		store.Attachment{Space: "aimem.link", Key: string(id) + "\x00urn:aimem:a:e1", From: id, Data: []byte(`{"chunk_id":"x","entity_id":"y","_kind":1}`)},
		store.Attachment{Space: "aimem.edge", Key: string(id) + "\x00" + string(id) + "\x00x-y", From: id, To: id,
			Data: []byte(`{"source_id":"a","target_id":"b","edge_type":"x-y","weight":1,"_kind":null,` + at + `}`)},
	)
	var lines strings.Builder
	err := h.ExportBrain(h.Ctx, h.Me(), aimem.Export{}, func(b aimem.Brain, _ aimem.ExportReport) error {
		sum, err := aimem.Checksum(b)
		if err != nil {
			return err
		}
		return aimem.WriteStream(&lines, b, sum)
	})
	if err != nil {
		t.Fatalf("AIMEM-3.1-12 %v", err)
	}
	if n := strings.Count(lines.String(), `"x_kind":`); n != 4 {
		t.Errorf("%d members kept: %s", n, lines.String())
	}
	b := vaulttest.OpenBundle(t, []byte(h.Left(aimem.Export{}).Text), aimem.Options{})
	if r, err := h.ImportBrain(h.Ctx, h.Me(), b, aimem.Import{}); err != nil || r.Inserted+r.Edges.Inserted+r.Entities.Inserted+r.Links.Inserted != 0 {
		t.Errorf("again: %v %+v", err, r)
	}
}
