package recall

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/satchel-memory/satchel/memory"
)

// bothWays reads a record for a question by its text and by its index entry. It returns how the
// readings differ. known are terms that other records have.
func bothWays(asked string, rec memory.Record, known ...string) string {
	s := newSearch(nil, memory.Query{Text: asked}, Options{}, nil)
	s.question = understand(asked, date(2026, 1, 1), &s.stem)
	d := NewDocument(rec)
	df := make([]int, len(s.question.terms))
	for i, t := range s.question.terms {
		if slices.ContainsFunc(d.Terms, func(c Count) bool { return c.Term == t.term }) || slices.Contains(known, t.term) {
			df[i] = 1
		}
	}
	s.question.weigh(df, 100, 1000)
	s.question.shorten()
	s.inOrder = s.question.inOrder()
	s.stem.lookFor(s.question)
	want := s.stem.read(Candidate{}, &rec, s.question)
	got := &reading{frequency: make([]float64, len(s.question.terms)), seen: &memory.Record{Kind: rec.Kind, Scope: rec.Scope}}
	got.Entry = &Entry{Length: d.Length, Digest: d.Digest, Terms: func(yield func([]byte, uint8) bool) {
		for _, t := range d.Terms {
			if !yield([]byte(t.Term), uint8(min(t.Frequency, math.MaxUint8))) {
				return
			}
		}
	}}
	got.Entry.Tell(got.seen)
	if !s.readEntry(got) {
		return "the entry cannot be read"
	}
	for _, r := range []*reading{want, got} {
		r.Candidate, r.seen = Candidate{}, nil
		r.places, r.speakers = slices.Clip(r.places), slices.Clip(r.speakers)
		if len(r.places) == 0 {
			r.places = nil
		}
	}
	return cmp.Diff(want, got, cmp.AllowUnexported(reading{}, termPlace{}))
}

// TestReadBothWays: what a text says does not depend on the words that the search skips, since
// the index entry does not.
func TestReadBothWays(t *testing.T) {
	for _, tt := range []struct{ name, asked, text, known string }{
		{"a language in which a speaker has several readings", "garden", "🎸 assistant: Anna: never die Katze heißt Momo.", ""},
		{"the same, with the speaker asked for", "assistant", "🎸 assistant: Anna: never die Katze heißt Momo.", ""},
		{"an instruction behind a speaker", "garden", "Anna: Never water the garden at noon.", ""},
		{"an instruction", "garden", "Always water the garden at noon.", ""},
		{"a speaker whose stem is user", "yoga", "Users: Which yoga studio is good?", ""},
		{"a speaker whose stem is human", "yoga", "Humans: Which yoga studio is good?", ""},
		{"a speaker with a stem", "garden", "Assistants: water the garden.", ""},
		{"the initials of a word that another record has", "garden met", "many even talk in the garden", "meet"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			rec := memory.Record{Kind: memory.Episodic, Body: memory.Body{Text: tt.text}}
			if diff := bothWays(tt.asked, rec, tt.known); diff != "" {
				t.Errorf("%q of %q (-by text +by entry):\n%s", tt.asked, tt.text, diff)
			}
		})
	}
}

// TestReadBothWaysAnyText: see [TestReadBothWays].
func TestReadBothWaysAnyText(t *testing.T) {
	words := strings.Fields(`Anna: assistant: Users: user: Assistentin: Katharina lives went gardens Garden met ENT NASA ear nose and throat
never Always immer nie toujours die der Katze heißt Momo l'école où nous les 学校に行く 2024 twelve thousand 12k parseURL snake_case why? not now May yesterday`)
	rapid.Check(t, func(t *rapid.T) {
		some := func(name string) string {
			return strings.Join(rapid.SliceOfN(rapid.SampledFrom(words), 1, 10).Draw(t, name), " ")
		}
		rec := memory.Record{Kind: memory.Episodic, Body: memory.Body{Text: some("text")}, Scope: memory.Scope{Project: "anna/garden"}}
		asked, known := some("question"), strings.Fields(strings.ToLower(some("known")))
		if diff := bothWays(asked, rec, known...); diff != "" {
			t.Fatalf("%q of %q (-by text +by entry):\n%s", asked, rec.Body.Text, diff)
		}
	})
}
