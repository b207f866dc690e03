package vault_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// thing is what a program says of a thing of its own.
func thing(provider, ref, text string, end time.Time) memory.Record {
	return memory.Record{
		Kind: memory.Semantic, Body: memory.Body{Text: text}, Time: memory.Times{Created: vaulttest.Start().AddDate(-1, 0, 0), ValidTo: end},
		Provenance: &memory.Provenance{Actor: "did:key:zElsewhere", ActorKind: memory.ByImport, Method: "told",
			Source: &memory.Source{Provider: provider, Ref: ref}},
	}
}

func telling(records ...memory.Record) func() *vaulttest.Run {
	return func() *vaulttest.Run { return &vaulttest.Run{Records: slices.Clone(records)} }
}

// twice imports a document, dry and for real, and expects the same report.
func (h *house) twice(doc func() *vaulttest.Run, o vault.ImportOptions) vault.ImportReport {
	h.T.Helper()
	o.DryRun = true
	dry := h.MustTake(doc(), o)
	o.DryRun = false
	r := h.MustTake(doc(), o)
	if dry.Created != r.Created || dry.Merged != r.Merged || dry.Updated != r.Updated || dry.Skipped != r.Skipped || dry.Conflicting != r.Conflicting {
		h.T.Errorf("dry: %+v, real: %+v", dry, r)
	}
	return r
}

// What had ended when it was imported is known when it is imported again, and ends then.
func TestImportEnded(t *testing.T) { onEach(t, testImportEnded) }

func testImportEnded(t *testing.T, open opener) {
	h := open(t)
	end := vaulttest.Start().AddDate(0, -6, 0)
	for i, other := range []string{"one", "two", "three"} {
		doc := telling(thing("mem0", "mem0/ex", "expired one", end), thing("mem0", "lines.json#3", "unnamed and ended", end), thing("mem0", "mem0/n", "other "+other, time.Time{}))
		r := h.twice(doc, vault.ImportOptions{Digest: other})
		if i > 0 { // what only its file dates had ended by then
			undated := thing("mem0", "mem0/un", "undated", vaulttest.Start().AddDate(0, 0, i))
			undated.Time.Created = undated.Time.ValidTo
			if h.Pass(100 * 24 * time.Hour); h.twice(telling(undated), vault.ImportOptions{}).Created != 2-i {
				t.Error("an end that only the file tells is another each time")
			}
		}
		if i > 0 && (r.Created != 1 || r.Updated != 1 || r.Merged != 2) {
			t.Fatalf("%+v", r)
		}
	}
	page, err := h.List(h.Ctx, h.Me(), vault.ListQuery{Limit: 50})
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	for _, rec := range page.Records {
		if rec.Body.Text == "expired one" {
			if count++; !rec.Time.ValidTo.Equal(end) {
				t.Errorf("ends %s, want %s", rec.Time.ValidTo, end)
			}
		}
	}
	if count != 1 {
		t.Errorf("%d of it, want 1", count)
	}
}

// Texts of which each shares every word with many of the same length are known again.
func TestImportAlike(t *testing.T) {
	h := open(t)
	pairs := [...][2]string{{"red", "blue"}, {"big", "tall"}, {"cups", "jars"}, {"stand", "hang"}, {"near", "behind"}, {"doors", "walls"}, {"every", "next"}, {"spring", "winter"}}
	doc := func(kind memory.Kind) *vaulttest.Run {
		r := &vaulttest.Run{}
		for i := range 1 << len(pairs) {
			var words []string
			for bit, pair := range pairs {
				words = append(words, pair[i>>bit&1])
			}
			rec := thing("mem0", fmt.Sprint(kind, ".json#", i), strings.Join(words, " "), time.Time{})
			rec.Kind = kind
			r.Records = append(r.Records, rec)
		}
		return r
	}
	vaulttest.WantCounts(t, h.MustTake(doc(memory.Procedural), vault.ImportOptions{}), 256, 0)
	vaulttest.WantCounts(t, h.MustTake(doc(memory.Semantic), vault.ImportOptions{}), 0, 256)
}

// After an import is taken back, one that had found some of it here brings that.
func TestImportAfterUndo(t *testing.T) { onEach(t, testImportAfterUndo) }

func testImportAfterUndo(t *testing.T, open opener) {
	h := open(t)
	same, more, apart := thing("a", "x#1", "said by both", time.Time{}), thing("b", "y#2", "said by the later", time.Time{}), thing("c", "z#3", "on its own", time.Time{})
	h.MustTake(telling(apart)(), vault.ImportOptions{Digest: "apart", Name: "apart.json"})
	first := h.MustTake(telling(same)(), vault.ImportOptions{Digest: "1", Name: "first.json"})
	later := vault.ImportOptions{Digest: "2", Name: "later.json"}
	vaulttest.WantCounts(t, h.MustTake(telling(same, more)(), later), 1, 1)
	done, err := h.Undo(h.Ctx, h.Me(), first.Number)
	if err != nil || done.Removed != 1 || len(done.Again) != 1 || !strings.Contains(done.Again[0], "later.json") {
		t.Fatalf("%+v, %v", done, err)
	}
	vaulttest.WantCounts(t, h.twice(telling(same, more), later), 1, 1)
	if !h.MustTake(telling(same, more)(), later).Known {
		t.Error("it is not known any more")
	}
	if !h.MustTake(telling(apart)(), vault.ImportOptions{Digest: "apart"}).Known {
		t.Error("what had nothing to do with it is not known any more")
	}
}

// The later part of an archive that had found something here brings that, too.
func TestImportArchiveAfterUndo(t *testing.T) {
	h := open(t)
	before, after := grown()
	h.both(before, "1")
	r := h.both(after, "2")
	if r.Merged == 0 {
		t.Fatal("nothing in common")
	}
	if _, err := h.Undo(h.Ctx, h.Me(), 1); err != nil {
		t.Fatal(err)
	}
	if got := h.both(after, "2"); got.Known || got.Created+got.Merged != 11 {
		t.Errorf("%+v", got)
	}
	if got := h.Texts(memory.Query{Text: "when soon"}); !slices.Contains(got, "User: When?\n\nAssistant: Soon") {
		t.Errorf("%q", got)
	}
}

// A note supersedes what the same folder said before, and nothing of another one that has
// the same name.
func TestImportPlaces(t *testing.T) { onEach(t, testImportPlaces) }

func testImportPlaces(t *testing.T, open opener) {
	h := open(t)
	note := func(text string) func() *vaulttest.Run {
		return telling(thing("notes", "vault/Index.md", text, time.Time{}))
	}
	from := func(place, digest string) vault.ImportOptions {
		return vault.ImportOptions{Place: place, Digest: digest}
	}
	h.twice(note("the first"), from("", "1"))
	if r := h.twice(note("at home"), from("/home/vault", "2")); r.Updated != 1 {
		t.Fatalf("a place that is not known is another: %+v", r)
	}
	work := h.twice(note("at work"), from("/work/vault", "3"))
	if work.Created != 1 || work.Updated != 0 || work.Conflicting != 1 || !strings.Contains(work.Conflicts[0].Reason, "elsewhere") {
		t.Fatalf("%+v", work)
	}
	again := h.twice(note("at work, later"), from("/work/vault", "4"))
	if again.Updated != 1 || again.Conflicting != 0 {
		t.Fatalf("%+v", again)
	}
	if r := h.twice(note("at home, later"), from("/home/vault", "5")); r.Updated != 1 || r.Conflicting != 0 {
		t.Fatalf("%+v", r)
	}
	wantLive(t, h, "at home, later", "at work, later")
	if _, err := h.Undo(h.Ctx, h.Me(), again.Number); err != nil {
		t.Fatal(err)
	}
	wantLive(t, h, "at home, later", "at work")
	if r := h.twice(note("at work, once more"), from("/work/vault", "6")); r.Updated != 1 || r.Conflicting != 0 {
		t.Fatalf("%+v", r)
	}
	wantLive(t, h, "at home, later", "at work, once more")
}

// A place is still known when something of the import was erased.
func TestImportPlaceStays(t *testing.T) {
	h := open(t)
	two := telling(thing("notes", "vault/A.md", "a note to erase", time.Time{}), thing("notes", "vault/B.md", "a note to keep", time.Time{}))
	h.MustTake(two(), vault.ImportOptions{Place: "/home/vault"})
	hits, err := h.Recall(h.Ctx, h.Me(), memory.Query{Text: "erase"})
	if err != nil || len(hits) == 0 {
		t.Fatal(err)
	}
	if _, err := h.Forget(h.Ctx, h.Me(), memory.ForgetRequest{ID: hits[0].Record.ID, Hard: true, Reason: memory.UserRevoked}); err != nil {
		t.Fatal(err)
	}
	other := telling(thing("notes", "vault/B.md", "another note", time.Time{}))
	if r := h.twice(other, vault.ImportOptions{Place: "/work/vault"}); r.Updated != 0 || r.Conflicting != 1 {
		t.Errorf("%+v", r)
	}
}

// wantLive expects these texts to be true.
func wantLive(t *testing.T, h *house, want ...string) {
	t.Helper()
	got := h.Live()
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// What was exported from here is known when it comes back with less beside its text, and
// does not come back where it was forgotten. It makes no difference that an older release
// indexed it.
func TestImportOwnExport(t *testing.T) {
	onEach(t, func(t *testing.T, open opener) {
		t.Run("indexed by this release", func(t *testing.T) { testImportOwnExport(t, open(t), func(*house) {}) })
		t.Run("indexed by an older one", func(t *testing.T) {
			testImportOwnExport(t, open(t), func(h *house) { byOld(t, h, shorter) })
		})
	})
}

// shorter makes the terms of a tokeniser that cuts words and counts them in another way.
func shorter(terms []string, length int) ([]string, int) {
	for i, term := range terms {
		terms[i] = term[:min(len(term), 5)]
	}
	return terms, length + 1
}

func testImportOwnExport(t *testing.T, h *house, older func(*house)) {
	turn := said("a", "1", "User: Which tea?\n\nAssistant: The green one", 1)
	h.MustTake(telling(turn)(), vault.ImportOptions{Digest: "talks"})
	kept := h.Tell("My sister lives in Lisbon", `"kind":"identity"`)
	gone := h.Tell("I like liquorice")
	h.Must(ump.OpForget, `{"id":"`+string(gone)+`","reason":"user_revoked"}`)
	older(h)
	note := turn
	note.Scope.Session = ""
	note.Provenance = thing("obsidian", "Export/Memories/a.md", "", time.Time{}).Provenance
	about := thing("mcp", "memory.jsonl#/0", "User: My sister lives in Lisbon", time.Time{})
	about.Relations = []memory.Relation{{Type: memory.About, Target: "entity:User"}}
	forgotten := about
	forgotten.Body.Text = "User: I like liquorice"
	forgotten.Body.Structured = []byte(`{"mcpmemory":{"name":"User"}}`)
	other := thing("mcp", "memory.jsonl#/1", "Ann: My sister lives in Lisbon", time.Time{})
	other.Relations = []memory.Relation{{Type: memory.About, Target: "entity:Ann"}}
	for name, test := range map[string]struct {
		rec      memory.Record
		merged   int
		conflict int
	}{
		"a note with when it happened":      {note, 1, 0},
		"a line of text":                    {thing("paste", "out.txt#L1", "My sister lives  in Lisbon", time.Time{}), 1, 0},
		"a line of text of an event":        {thing("paste", "out.txt#L2", "User: Which tea? Assistant: The green one", time.Time{}), 1, 0},
		"what is said of the person":        {about, 1, 0},
		"what is said of somebody else":     {other, 0, 0},
		"by its id":                         {thing("mem0", "mem0/"+string(kept), "My sister lives in Lisbon", time.Time{}), 1, 0},
		"by its id, and says more":          {thing("mem0", "mem0/"+string(kept), "My sister lives in Lisbon now", time.Time{}), 0, 0},
		"by its id, and ended":              {thing("mem0", "mem0/"+string(kept), "My sister lives in Lisbon", vaulttest.Start().AddDate(0, -1, 0)), 0, 0},
		"by its id, and forgotten":          {thing("mem0", "mem0/"+string(gone), "I like liquorice", time.Time{}), 0, 1},
		"from a program with its own names": {thing("graph", "graph/4711", "My sister lives in Lisbon", time.Time{}), 0, 0},
		"forgotten, and of the person":      {forgotten, 0, 1},
		"other words":                       {thing("paste", "out.txt#L3", "My sister lives in Porto", time.Time{}), 0, 0},
	} {
		o := vault.ImportOptions{DryRun: true}
		if strings.Contains(test.rec.Provenance.Source.Ref, ".md") {
			o.Place = "/home/Export"
		}
		if r := h.MustTake(telling(test.rec)(), o); r.Merged != test.merged || r.Conflicting != test.conflict || r.Created != 1-test.merged-test.conflict {
			t.Errorf("%s: %d new, %d known, %d in conflict", name, r.Created, r.Merged, r.Conflicting)
		}
	}
}
