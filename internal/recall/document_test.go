package recall_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/satchel-memory/satchel/internal/recall"
	"github.com/satchel-memory/satchel/memory"
)

func TestNewDocument(t *testing.T) {
	rec := memory.Record{
		Kind: memory.Procedural,
		Body: memory.Body{
			Text:       "Use pnpm, never npm: pnpm locks",
			Structured: json.RawMessage(`{"tags":["Packaging","js"],"title":"Managers","engram":{"value":"hidden"},"keywords":7}`),
		},
		Relations: []memory.Relation{{Type: memory.About, Target: "entity:Build-Server"}, {Type: memory.DependsOn, Target: "urn:ump:aaa"}},
	}
	want := recall.Document{Length: 6, Terms: []recall.Count{
		{Term: "#procedural", Frequency: 1}, {Term: "%pnn", Frequency: 1}, {Term: "%upn", Frequency: 1}, {Term: "%upnn", Frequency: 1}, {Term: "build", Frequency: 1}, {Term: "buildserver", Frequency: 1}, {Term: "js", Frequency: 1},
		{Term: "lock", Frequency: 1}, {Term: "manag", Frequency: 1}, {Term: "never", Frequency: 1}, {Term: "npm", Frequency: 1},
		{Term: "packag", Frequency: 1}, {Term: "pnpm", Frequency: 2}, {Term: "server", Frequency: 1}, {Term: "use", Frequency: 1},
	}}
	got := recall.NewDocument(rec)
	got.Digest = nil // see TestDigest
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestDocumentOfStopWordsAlone(t *testing.T) {
	d := recall.NewDocument(memory.Record{Kind: memory.Semantic, Body: memory.Body{Text: "To be or not to be"}})
	if !slices.ContainsFunc(d.Terms, func(c recall.Count) bool { return c.Term == "be" && c.Frequency == 2 }) {
		t.Errorf("a record of stop words alone cannot be found by them: %v", d.Terms)
	}
}

// TestIndexer: remembering words changes no document, not even beyond the bound on
// remembered words.
func TestIndexer(t *testing.T) {
	var x recall.Indexer
	rec := memory.Record{Kind: memory.Semantic}
	for i := range 40_000 {
		rec.Body.Text = "Walking number" + strings.Repeat("a", i%7) + string(rune('b'+i%20)) + word(i)
		if got, want := x.Document(rec), recall.NewDocument(rec); i%997 == 0 && !cmp.Equal(got, want) {
			t.Fatal(cmp.Diff(want, got))
		}
	}
}

// word spells a number in letters.
func word(n int) string {
	var b strings.Builder
	for ; n > 0; n /= 26 {
		b.WriteByte(byte('a' + n%26))
	}
	return b.String()
}

// TestTextTerms: every record with a text has its terms, whatever its kind and its time.
func TestTextTerms(t *testing.T) {
	text := "Met the tax adviser on 3 September, as always: twelve thousand in 2021."
	terms, length := recall.TextTerms(text)
	if len(terms) < 5 || length != 13 {
		t.Errorf("%d words, terms %q", length, terms)
	}
	for _, rec := range []memory.Record{
		{Kind: memory.Semantic, Body: memory.Body{Text: text}},
		{Kind: memory.Episodic, Body: memory.Body{Text: text}, Time: memory.Times{Observed: now}},
	} {
		has := map[string]bool{}
		for _, c := range recall.NewDocument(rec).Terms {
			has[c.Term] = true
		}
		for _, term := range terms {
			if !has[term] {
				t.Errorf("a record of kind %s lacks %q", rec.Kind, term)
			}
		}
	}
}
